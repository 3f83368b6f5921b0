"""Why something was refused, and what to do instead: one text a rule of ``safety``, by the rule's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RefusingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RefusingWords:
    """One sentence that says what is wrong, then the next step. A field's name is the rule's, ``Verdict.reason``.

    Attributes:
        path_empty, path_nul, path_control, path_surrogate, path_network, path_device, path_drive, path_home, path_url,
            path_backslash, path_stream, path_character, path_trailing, path_long, path_segment_long: forms a path may not have
            (``{path}``; ``{segment}``, a part of it; ``{limit}``, bytes).
        path_repository, path_protected: places that file tools do not write (``{segment}``).
        command_nul, command_surrogate, command_long, command_empty, command_syntax, command_ambiguous, command_case,
            command_function, command_nested, command_substitution, command_expansion, command_arithmetic, command_separator,
            command_computed, command_undecided: commands that cannot be read for certain (``{shown}``, the place).
        command_pipes, command_semicolons: more of them than ``{pipes}`` and ``{semicolons}``.
        command_environment, command_eval, command_exec, command_piped, command_privilege, command_netcat, command_transfer,
            command_removal, command_destructive, command_device, command_system, command_runs_program: what a command must not
            do (``{shown}``).
        command_git, command_web, command_browser, command_database, command_http, command_background: programs that the toolbox
            has tools for (``{shown}``).
        command_no_tool: a program of these kinds where the toolbox has no tools of its kind (``{shown}``).
        regex_long, regex_invalid, regex_unsafe: patterns that are not searched for as such (``{limit}``, characters;
            ``{pattern}``; ``{what}``, what is wrong with it).
        origin_host, origin_foreign, origin_bearer: requests to a local server that may come from elsewhere (``{shown}``).
        sql_unreadable, sql_empty, sql_long, sql_several: texts that are not one statement (``{what}``, what has no end;
            ``{limit}``, characters).
        sql_writes, sql_pragma, sql_function: statements that do more than read (``{statement}``, ``{pragma}``, ``{function}``).
        address_unreadable, address_unspecified, address_loopback, address_private, address_shared, address_link_local,
            address_metadata, address_multicast, address_reserved: addresses that are not on the internet (``{address}``).
        url_long, url_character, url_backslash, url_no_scheme, url_scheme, url_no_host, url_credentials, url_encoded_host,
            url_host, url_port: URLs that are not fetched (``{limit}``, ``{character}``, ``{scheme}``, ``{host}``, ``{port}``).
        url_local_name: a name of this machine or of its network (``{host}``).
        git_option, git_path_outside, git_character, git_branch, git_revision, git_message, git_config: what git is not given
            (``{value}``; ``{key}`` of its configuration).
        archive_name, archive_absolute, archive_above, archive_character, archive_backslash, archive_windows, archive_long,
            archive_link, archive_device, archive_twice, archive_alike, archive_below_file, archive_encrypted: members that make
            an archive unsafe (``{name}``, ``{other}``, ``{limit}``).
        archive_many, archive_large, archive_ratio: archives that unpack to too much (``{limit}``).
    """

    path_empty: str
    path_nul: str
    path_control: str
    path_surrogate: str
    path_network: str
    path_device: str
    path_drive: str
    path_home: str
    path_url: str
    path_backslash: str
    path_stream: str
    path_character: str
    path_trailing: str
    path_long: str
    path_segment_long: str
    path_repository: str
    path_protected: str
    command_nul: str
    command_surrogate: str
    command_long: str
    command_empty: str
    command_syntax: str
    command_ambiguous: str
    command_case: str
    command_function: str
    command_nested: str
    command_substitution: str
    command_expansion: str
    command_arithmetic: str
    command_separator: str
    command_computed: str
    command_undecided: str
    command_pipes: str
    command_semicolons: str
    command_environment: str
    command_eval: str
    command_exec: str
    command_piped: str
    command_privilege: str
    command_netcat: str
    command_transfer: str
    command_removal: str
    command_destructive: str
    command_device: str
    command_system: str
    command_runs_program: str
    command_git: str
    command_web: str
    command_browser: str
    command_database: str
    command_http: str
    command_background: str
    command_no_tool: str
    regex_long: str
    regex_invalid: str
    regex_unsafe: str
    origin_host: str
    origin_foreign: str
    origin_bearer: str
    sql_unreadable: str
    sql_empty: str
    sql_long: str
    sql_several: str
    sql_writes: str
    sql_pragma: str
    sql_function: str
    address_unreadable: str
    address_unspecified: str
    address_loopback: str
    address_private: str
    address_shared: str
    address_link_local: str
    address_metadata: str
    address_multicast: str
    address_reserved: str
    url_long: str
    url_character: str
    url_backslash: str
    url_no_scheme: str
    url_scheme: str
    url_no_host: str
    url_credentials: str
    url_encoded_host: str
    url_host: str
    url_port: str
    url_local_name: str
    git_option: str
    git_path_outside: str
    git_character: str
    git_branch: str
    git_revision: str
    git_message: str
    git_config: str
    archive_name: str
    archive_absolute: str
    archive_above: str
    archive_character: str
    archive_backslash: str
    archive_windows: str
    archive_long: str
    archive_link: str
    archive_device: str
    archive_twice: str
    archive_alike: str
    archive_below_file: str
    archive_encrypted: str
    archive_many: str
    archive_large: str
    archive_ratio: str

    def say(self, reason: str, facts: Mapping[str, str]) -> str:
        """The words of a rule.

        Args:
            reason: the rule's name.
            facts: what they are filled with.

        Raises:
            AttributeError: there is no such rule.
        """
        template: str = getattr(self, reason)
        return template.format_map(facts)
