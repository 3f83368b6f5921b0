"""English. See ``vocabulary.executing``."""

from __future__ import annotations

from ...executing import ExecutingWords

__all__ = ["EXECUTING"]

EXECUTING = ExecutingWords(
    status="[exit code {code}; {confined}]",
    confined="confined by {by}",
    confined_but="confined by {by}, except for {open}",
    open_ends={
        "disk_space": "disk space",
        "file_metadata": "names and sizes of files elsewhere",
        "guarded_places": "guarded files, which are put back afterwards",
        "orphans": "what it started, should this server be killed",
        "signals": "signals to other processes",
    },
    no_output="(no output)",
    errors="[stderr]",
    value="[value]",
    gap="\n[… {omitted} bytes not kept …]\n",
    timeout="It was ended after {seconds} seconds. Do less in one run, or allow more time with {option} (at most {most}).",
    memory="It took more than {limit} MB of memory and was ended. Work on smaller pieces.",
    processes="It had more than {limit} processes at once and was ended. Start fewer.",
    raised="It ended with an error: {last}",
    denied=(
        "The sandbox did not allow it: {line}\n"
        "Only {roots} can be written to, files elsewhere are out of sight, and there is no network. "
        "Work within these folders, or use a tool that reaches what you need."
    ),
    put_back=(
        "It had changed {places}. Files that make other programs run something may not be changed by a run: they are as "
        "before, and what it wrote is kept beside them, with .refused at the end."
    ),
    not_put_back=(
        "It had changed {places}. Files that make other programs run something may not be changed by a run, and these could "
        "not be put back: tell the user to look at them before anything opens this folder."
    ),
    unconfined=(
        "Commands are not run here, because nothing on this machine can confine them ({reasons}). "
        "Use the file tools instead. On Linux commands run once bubblewrap is installed."
    ),
    restricted=(
        "Run by a restricted interpreter, because nothing on this machine can confine CPython: no files, no processes, "
        "few modules, no inheritance, no generators."
    ),
    missing_engine="{engine} is not installed. Whoever runs this server can install it: pip install 'transom[{extra}]'.",
    not_text="The code holds half of a surrogate pair. Send it as plain Unicode text.",
)
