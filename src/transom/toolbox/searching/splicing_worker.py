"""The process that works out what a regular expression replaces: it can be ended, whatever pattern or line it hangs in.

Started as a script, never imported by the library. Reads an order as a line of JSON, then the bodies of files one after the
other; writes a line of JSON for each: the changes as offsets in bytes and new texts.
"""

from __future__ import annotations

import json
import re
import sys


def main() -> None:
    """Read the order and the bodies; write the changes."""
    head, _, rest = sys.stdin.buffer.read().partition(b"\n")
    order = json.loads(head)
    pattern = re.compile(order["pattern"], order["flags"])
    parts, left, at = order["parts"], order["most"], 0
    for size in order["sizes"]:
        changes = []
        for start, end, text in changed(rest[at : at + size], pattern, parts):
            # Bytes that are no UTF-8 are half characters here, which JSON does not take.
            changes.append([start, end, text.encode("utf-8", "surrogateescape").decode("latin-1")])
            left -= 1
            if left < 0:
                return
        sys.stdout.write(json.dumps(changes) + "\n")
        sys.stdout.flush()
        at += size


def changed(body: bytes, pattern: re.Pattern[str], parts: list[str | int]) -> list[tuple[int, int, str]]:
    """The changes of one body. A part of the new text that is a number is a group."""
    made = []
    start = 0
    terminator = b"\n" if b"\n" in body or b"\r" not in body else b"\r"
    lines = body.split(terminator)
    if not lines[-1]:
        lines.pop()
    for line in lines:
        content = line.removesuffix(b"\r") if terminator == b"\n" else line
        text = content.decode("utf-8", "surrogateescape")
        for match in pattern.finditer(text):
            new = "".join((match[part] or "") if isinstance(part, int) else part for part in parts)
            first = start + len(text[: match.start()].encode("utf-8", "surrogateescape"))
            last = first + len(match.group().encode("utf-8", "surrogateescape"))
            made.append((first, last, new))
        start += len(line) + 1
    return made


if __name__ == "__main__":
    main()
