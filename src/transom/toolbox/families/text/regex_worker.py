"""The process in which a pattern of a model's own is searched for: it can be ended, which a search in ours cannot.

Started as a script, never imported by the library. Reads one line of JSON (``pattern``, ``flags``) and then the text; writes a
line of JSON for each match as it is found: the match, then its groups.
"""

import json
import re
import sys


def main(limit: int) -> None:
    """Search; ``limit`` matches are written, all are counted."""
    head, _, text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass").partition("\n")
    asked = json.loads(head)
    count = 0
    for match in re.finditer(asked["pattern"], text, asked["flags"]):
        count += 1
        if count <= limit:
            sys.stdout.write(json.dumps([match.group(), *match.groups()]) + "\n")
            sys.stdout.flush()
    sys.stdout.write(json.dumps({"count": count}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
