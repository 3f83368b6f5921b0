"""The process in which restricted Python runs, where nothing can confine CPython: an interpreter without files and processes.

Started as a script, never imported by the library. Reads the program from standard input; what it prints goes to standard
output as it comes. Ends with 0, with 1 when the program raised, with 3 when it ran out of memory.
"""

from __future__ import annotations

import os
import sys

RAISED, EXHAUSTED = 1, 3


def _write(stream: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(stream, data) :]


def main(seconds: float, memory: int, place: str) -> int:
    """Run the program on standard input; gives the exit status."""
    if place not in sys.path:
        sys.path.append(place)
    # Imported here: the module must load without the extra, to be found by checkers.
    import pydantic_monty as monty

    source = sys.stdin.buffer.read().decode("utf-8")
    limits = monty.ResourceLimits(max_feed_duration_secs=seconds, max_memory=memory)
    with monty.Monty() as pool, pool.checkout(limits=limits, script_name="<stdin>") as session:
        try:
            session.feed_run(source, print_callback=lambda stream, text: _write(2 if stream == "stderr" else 1, text))
        except monty.MontyError as error:
            display = getattr(error, "display", None)
            _write(2, (display() if callable(display) else str(error)).rstrip() + "\n")
            return EXHAUSTED if "MemoryError" in str(error) else RAISED
    return 0


if __name__ == "__main__":
    code = main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    sys.stdout.flush()
    sys.exit(code)
