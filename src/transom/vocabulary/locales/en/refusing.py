"""English. See ``vocabulary.refusing``."""

from __future__ import annotations

from ...refusing import RefusingWords

__all__ = ["REFUSING"]

REFUSING = RefusingWords(
    path_empty="The path is empty. Name a file or folder, for example src/main.py, or . for the working directory.",
    path_nul="The path holds a NUL character ({path}). Send the plain name.",
    path_control="The path holds a control character ({path}). Send the plain name; list_directory shows the names there are.",
    path_surrogate="The path is not valid Unicode ({path}). Send the name as list_directory shows it.",
    path_network="{path} is a network path. Use a path relative to the working directory.",
    path_device="{segment} names a device, not a file. Use another name.",
    path_drive="{path} begins with a drive letter. Use a path relative to the working directory.",
    path_home="~ is not expanded ({path}). Use a path relative to the working directory; a name with ~ is written ./~name.",
    path_url="{path} is a URL, not a path. Name a file below the working directory.",
    path_backslash="{path} goes up or down by backslashes. Names are separated by / here.",
    path_stream="{segment} holds a colon, which names a hidden stream of a file on Windows. Use another name.",
    path_character="{segment} holds a character that Windows does not take in names. Use another name.",
    path_trailing="{segment} ends in a dot or a blank, which Windows drops. Use a name without it.",
    path_long="The path is longer than {limit} bytes. Use a shorter one.",
    path_segment_long="A name in the path is longer than {limit} bytes ({segment}). Use a shorter one.",
    path_repository="{segment} belongs to version control and is not written by file tools. Leave it, or ask the user.",
    path_protected="{segment} configures a shell, an editor or an agent; file tools do not write it. Ask the user to do it.",
    command_nul="The command holds a NUL character. Send it without.",
    command_surrogate="The command is not valid Unicode ({shown}). Send it as plain text.",
    command_long="The command is longer than {limit} characters. Save it as a script with save_file and run that.",
    command_empty="The command is empty. Name a program and its arguments, for example ls -l.",
    command_syntax=(
        "The command cannot be read as shell syntax near: {shown} — close every quote and bracket; a longer script goes "
        "into a file."
    ),
    command_ambiguous="Shells read &> differently where words follow it ({shown}). Write > file 2>&1 at the end instead.",
    command_case="{shown} is not accepted in a command. Put the script into a file with save_file and run it with sh.",
    command_function=(
        "Functions are not accepted in a command ({shown}). Put the script into a file with save_file and run it with sh."
    ),
    command_nested="Commands are nested too deeply ({shown}). Run the inner command by itself.",
    command_substitution=(
        "Substitution is not accepted: {shown} — run the inner command first, then use its output in a second call."
    ),
    command_expansion="This expansion is not accepted: {shown} — write the value, or a plain $NAME.",
    command_arithmetic="Arithmetic on names is not accepted: {shown} — write the number, or use run_python.",
    command_separator="IFS may not be used or changed: {shown} — separate the words by blanks.",
    command_computed="The program to run is computed and cannot be checked: {shown} — write its name.",
    command_undecided=(
        "It cannot be told what this would run: {shown} — write options and names out, and put -- or ./ before names of files."
    ),
    command_pipes="More than {pipes} pipes. Write the intermediate result to a file, or use run_python.",
    command_semicolons=(
        "More than {semicolons} semicolon. Join commands by &&, put each on its own line, or run them one call at a time."
    ),
    command_environment=(
        "Commands may not change the environment: {shown} — pass values as arguments, name programs by path, or use a script."
    ),
    command_eval="{shown} would run text as code. Write the command itself.",
    command_exec="exec is not accepted. Run the program without it.",
    command_piped="{shown} would run what another command prints. Save that to a file, look at it, then run the file.",
    command_privilege=(
        "{shown} would change the user or its rights, which commands may not. Work without it, or ask the user to run it."
    ),
    command_netcat="{shown} opens network connections, which commands may not. Ask the user to do it.",
    command_transfer="{shown} would send data to another machine, which commands may not. Ask the user to do it.",
    command_removal="Recursive removal is refused: {shown} — use delete_path for a folder, or delete_files_by_pattern.",
    command_destructive=(
        "{shown} would destroy data for good. Use delete_path or save_file within the working directory, or ask the user."
    ),
    command_device="{shown} is a device. Read and write files within the working directory.",
    command_system="{shown} would change the running system, which commands may not. Ask the user to do it.",
    command_runs_program="{shown} makes the program run another one. Leave the option out and run that program by itself.",
    command_git=(
        "{shown} is not run as a command. Use the git tools (git_status, git_diff, git_log, …); if they are off, ask the user."
    ),
    command_web="{shown} is not run as a command. Use fetch_web_content; if it is off, ask the user to enable the web tools.",
    command_browser=(
        "{shown} is not run as a command. Use browser_open_page; if it is off, ask the user to enable the browser tools."
    ),
    command_database=(
        "{shown} is not run as a command. Use query_database; if it is off, ask the user to enable the database tools."
    ),
    command_http=(
        "{shown} is not run as a command. Use http_request or fetch_web_content; if they are off, ask the user to enable them."
    ),
    command_background="{shown} would leave a process behind, which commands may not. Run it to its end with a longer timeout.",
    command_no_tool="{shown} is not run as a command, and there is no tool for it here yet. Ask the user to do it.",
    regex_long="The pattern is longer than {limit} characters. Search for a part of it.",
    regex_invalid="{pattern} is not a valid regular expression ({what}). Mend it, or search for it as literal text.",
    regex_unsafe=(
        "{pattern} can take forever: something that repeats holds something that repeats over the same characters. "
        "Make them exclude each other, or search for a literal part of it."
    ),
    origin_host="This server is not called {shown}. Call it by the address it listens at, or allow the name.",
    origin_foreign="Pages of {shown} may not call this server. Allow the origin if they should.",
    origin_bearer="The bearer token is missing or wrong. Send the one that this server was started with.",
    sql_unreadable="The statement cannot be read: {what} has no proper end. Close it and send the statement again.",
    sql_empty="There is no statement in the query. Send one, for example SELECT name FROM sqlite_master.",
    sql_long="The statement is longer than {limit} characters. Send a shorter one.",
    sql_several="The query holds more than one statement. Send one at a time; one semicolon may end it.",
    sql_writes="{statement} is not allowed: the database is only read. Use SELECT, WITH, VALUES, EXPLAIN or a reading PRAGMA.",
    sql_pragma="PRAGMA {pragma} is not allowed in this form: it changes something. Reading ones, as table_info(name), are.",
    sql_function="The function {function} runs code or touches files and is not allowed. Leave it out.",
    address_unreadable="{address} is no IP address. Write it as four decimal numbers or as IPv6.",
    address_unspecified="{address} stands for this machine. Only public addresses are reached; use a public host.",
    address_loopback="{address} is this machine itself. Only public addresses are reached; use a public host.",
    address_private="{address} is in a private network. Only public addresses are reached; use a public host.",
    address_shared="{address} is inside a provider's network. Only public addresses are reached; use a public host.",
    address_link_local="{address} is on the local link. Only public addresses are reached; use a public host.",
    address_metadata="{address} is the metadata service of a cloud and is never reached. Use a public host.",
    address_multicast="{address} is a multicast address. Only public hosts are reached; use one.",
    address_reserved="{address} is reserved for special use. Only public addresses are reached; use a public host.",
    url_long="The URL is longer than {limit} characters. Send a shorter one.",
    url_character="The URL holds the character {character}, which has to be percent-encoded. Encode it and try again.",
    url_backslash="The URL holds a backslash, which programs read differently. Write / or %5C.",
    url_no_scheme="The URL does not begin with http:// or https://. Write it in full.",
    url_scheme="URLs of the scheme {scheme} are not fetched. Use http:// or https://.",
    url_no_host="The URL names no host. Write it in full, for example https://example.org/page.",
    url_credentials="The URL holds credentials before an @. Leave them out; send a header where the tool takes one.",
    url_encoded_host="The host {host} is percent-encoded. Write it plainly.",
    url_host="{host} is no host name. Write letters, digits, hyphens and dots, or an IP address.",
    url_port="{port} is no port. Use 1 to 65535, or leave it out.",
    url_local_name="{host} is a name of this machine or its network. Only public hosts are reached; use one.",
    git_option="{value} begins with a dash and would be taken for an option. Name a path, a branch or a commit.",
    git_path_outside="{value} is outside the repository. Use a path below it.",
    git_character="{value} holds a character that git cannot take there. Send the plain name.",
    git_branch="{value} is no name for a branch. Use letters, digits, -, _, . and /.",
    git_revision="{value} is no branch, tag or commit. Name one, for example main, v1.0, HEAD~2 or main..topic.",
    git_message="The commit message is empty. Say in a line what the commit does.",
    git_config="The repository's configuration sets {key}, which runs a program. Ask the user to remove it.",
    archive_name="The archive has a member without a name. Nothing was unpacked; use another archive.",
    archive_absolute="The archive's member {name} has an absolute path. Nothing was unpacked; do not use this archive.",
    archive_above="The archive's member {name} leads out of the folder. Nothing was unpacked; do not use this archive.",
    archive_character="The archive's member {name} has a name with control characters. Nothing was unpacked.",
    archive_backslash="The archive's member {name} has a backslash in its name. Nothing was unpacked; pack it anew with /.",
    archive_windows="The archive's member {name} has a name that Windows does not take. Nothing was unpacked.",
    archive_long="The archive's member {name} has a name of more than {limit} bytes or too many folders. Nothing was unpacked.",
    archive_link="The archive's member {name} is a link. Nothing was unpacked; pack the files themselves.",
    archive_device="The archive's member {name} is neither file nor folder. Nothing was unpacked.",
    archive_twice="The archive holds {name} twice. Nothing was unpacked; which of them counts cannot be told.",
    archive_alike="The archive holds {name} and {other}, which are one name on many systems. Nothing was unpacked.",
    archive_below_file="The archive has {other} as a file and as the folder of {name}. Nothing was unpacked.",
    archive_encrypted="The archive's member {name} is encrypted. Nothing was unpacked; ask the user to unpack it.",
    archive_many="The archive holds more than {limit} members. Nothing was unpacked; unpack it outside of this tool.",
    archive_large="The archive unpacks to more than {limit} bytes. Nothing was kept; unpack it outside of this tool.",
    archive_ratio="The archive unpacks to more than {limit} times its size, as those made to fill a disk do. Nothing was kept.",
)
