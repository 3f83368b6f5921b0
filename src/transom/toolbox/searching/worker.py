"""The process that searches where ripgrep is missing or cannot: it can be ended, whatever pattern or file it hangs in.

Started as a script in the folder to be searched, never imported by the library. Reads its order as JSON, and writes what
ripgrep would write: for each line that matches its path, NUL, its number, the byte of the match, and the line. Every file is
opened by descriptor from the folder above it, and no link is followed.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = _OPEN | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_WIDE = ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_OMITTED = b"[Omitted long matching line]"


class _Search:
    """One order, carried out; its fields are those of ``engine._order``."""

    def __init__(self, order: dict[str, object]) -> None:
        pattern = str(order["pattern"])
        self.pattern = re.compile(
            re.escape(pattern) if order["literal"] else pattern, re.IGNORECASE if order["ignore_case"] else re.NOFLAG
        )
        self.inside = self.globs(order["inside"])
        self.outside = self.globs(order["outside"])
        assert isinstance(order["excluded"], list)
        self.excluded = set(order["excluded"])
        self.depth, self.file_bytes = int(str(order["depth"])), int(str(order["file_bytes"]))
        self.per_file, self.line_bytes = int(str(order["per_file"])), int(str(order["line_bytes"]))
        self.searched = 0

    @staticmethod
    def globs(patterns: object) -> list[re.Pattern[str]]:
        assert isinstance(patterns, list)
        return [re.compile(pattern, re.DOTALL) for pattern in patterns]

    def accepts(self, path: str) -> bool:
        if self.inside and not any(glob.fullmatch(path) for glob in self.inside):
            return False
        return not any(glob.fullmatch(path) for glob in self.outside)

    def folder(self, where: str, folder: int | None, prefix: str, level: int) -> None:
        with os.scandir(where if folder is None else folder) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        for entry in entries:
            path, below = prefix + entry.name, os.path.join(where, entry.name)  # noqa: PTH118 - names as the system has them
            try:
                if entry.is_dir(follow_symlinks=False):
                    if level < self.depth and entry.name not in self.excluded:
                        self.enter(below, entry.name, folder, path + "/", level + 1)
                elif entry.is_file(follow_symlinks=False) and self.accepts(path):
                    self.file(below, entry.name, folder, path)
            except OSError as error:
                failed(path, error)

    def enter(self, below: str, name: str, folder: int | None, prefix: str, level: int) -> None:
        if folder is None:
            self.folder(below, None, prefix, level)
            return
        inner = os.open(name, _FOLDER, dir_fd=folder)
        try:
            self.folder(below, inner, prefix, level)
        finally:
            os.close(inner)

    def file(self, below: str, name: str, folder: int | None, path: str) -> None:
        descriptor = os.open(below, _OPEN) if folder is None else os.open(name, _OPEN, dir_fd=folder)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.file_bytes:
                return
            data = file.read(self.file_bytes + 1)
        if len(data) > self.file_bytes:
            return
        self.searched += 1
        for mark, encoding in _WIDE:
            if data.startswith(mark):
                data = data[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
                break
        else:
            data = data.removeprefix(b"\xef\xbb\xbf")
        self.lines(path, data)

    def lines(self, path: str, data: bytes) -> None:
        lines = data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        hits = 0
        for number, line in enumerate(lines, 1):
            text = line.removesuffix(b"\r").decode("utf-8", "surrogateescape")
            found = self.pattern.search(text)
            if found is None:
                continue
            column = len(text[: found.start()].encode("utf-8", "surrogateescape")) + 1
            shown = line if len(line) <= self.line_bytes else _OMITTED
            sys.stdout.buffer.write(os.fsencode(path) + b"\0%d:%d:" % (number, column) + shown + b"\n")
            # At once: the next line may be the one that this process is ended in.
            sys.stdout.buffer.flush()
            hits += 1
            if hits >= self.per_file:
                return


def failed(path: str, error: OSError) -> None:
    """One file that could not be read, on a line."""
    sys.stderr.write(json.dumps([path, error.strerror]) + "\n")


def main() -> None:
    """Read the order, search."""
    order = json.loads(sys.stdin.buffer.read())
    search = _Search(order)
    start = os.open(".", _FOLDER) if _BY_DESCRIPTOR else None
    name = order["file"]
    try:
        if name is None:
            search.folder(".", start, "", 1)
        else:
            search.file(name, name, start, name)
    except OSError as error:
        failed(name or ".", error)
    sys.stdout.buffer.write(b"\n%d files searched\n" % search.searched)


if __name__ == "__main__":
    main()
