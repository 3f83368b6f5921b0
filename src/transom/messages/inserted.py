"""What clients insert into the user's messages by themselves: reminders, environment dumps, output of commands.

Pure, on text. Such blocks travel as the user's, beside results of tools too; nobody wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["inserted_blocks", "is_inserted"]

_INSERTED = re.compile(
    r"<(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr"
    r"|environment_context|environment_details"
    r"|command-message|file_content|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook"
    r"|system_warning|context_window)\b[^>]{0,400}>"
)


def inserted_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where inserted blocks begin and end. A tag that is never closed inserts nothing, however often it is opened."""
    at = 0
    unclosed: set[str] = set()
    for match in _INSERTED.finditer(text) if "<" in text else ():
        tag = match.group(1)
        if match.start() < at or tag in unclosed:
            continue
        close = f"</{tag}>"
        end = text.find(close, match.end())
        if end < 0:
            unclosed.add(tag)
            continue
        at = end + len(close)
        yield match.start(), at


def is_inserted(text: str) -> bool:
    """Whether a text is nothing but such blocks."""
    at = 0
    for start, end in inserted_blocks(text) if text.lstrip()[:1] == "<" else ():
        if text[at:start].strip():
            return False
        at = end
    return at > 0 and not text[at:].strip()
