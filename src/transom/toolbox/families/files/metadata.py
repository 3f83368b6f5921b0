"""What is known of a file: what it is, how large, how its lines end and in which encoding it is."""

from __future__ import annotations

import codecs
import re
import stat
from collections.abc import Mapping
from datetime import UTC, datetime

from ...access.place import READ_LIMIT, Place
from ...access.workspace import Workspace
from ...editing.lines import Lines
from ...tool import Result, ToolContext, tool
from .texts import MIXED, PROBE, UTF_8, coding_of, decoded

__all__ = ["get_file_metadata"]

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


@tool(family="files", title="Describe a file", read_only=True, idempotent=True, visible=True, reader=True, tier=3, seconds=20.0)
def get_file_metadata(context: ToolContext, path: str) -> Result:
    """Describe a file or folder: type, size, permissions, time of change; of a text also encoding, BOM, line endings and lines.

    Args:
        path: the file or folder.
    """
    place = context.use(Workspace).place(path)
    link = place.status(follow=False)
    status = place.stat()
    kind = stat.S_IFMT(status.st_mode)
    data: dict[str, object] = {
        "path": place.shown,
        "type": _KINDS.get(kind, "other"),
        "size": status.st_size,
        "mode": f"{stat.S_IMODE(status.st_mode):04o}",
        "modified": datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds"),
        "link": link is not None and stat.S_ISLNK(link.st_mode),
        "names": status.st_nlink,
    }
    if kind == stat.S_IFREG:
        data |= _content(place)
    return Result(data=data, text="\n".join(f"{name}: {_said(value)}" for name, value in data.items()), provenance=place.shown)


def _said(value: object) -> str:
    return {True: "yes", False: "no", None: "-"}[value] if value is None or isinstance(value, bool) else str(value)


def _content(place: Place) -> Mapping[str, object]:
    with place.open() as file:
        data = file.read(READ_LIMIT)
        whole = not file.read(1)
    coding = coding_of(data[:PROBE])
    if coding is None:
        return {"binary": True}
    body = data[len(coding.mark) :]
    if coding.wide:
        body = body.decode(coding.name, "replace").encode()
        encoding = coding.name
    else:
        encoding = _encoding(body, whole=whole)
    lines = Lines(body)
    return {
        "binary": False,
        "encoding": encoding,
        "bom": bool(coding.mark),
        "eol": _eol(body),
        "lines": lines.count if whole else None,
        "final_newline": lines.ended if whole else None,
    }


def _encoding(body: bytes, *, whole: bool) -> str:
    """Its name; the last bytes of a part may be half a character."""
    try:
        codecs.utf_8_decode(body, "strict", whole)
    except UnicodeDecodeError as error:
        return MIXED if not body[: error.start].isascii() else decoded(body[error.start : error.start + PROBE])[2]
    return UTF_8


def _eol(body: bytes) -> str:
    """Which terminators there are; a lone CR is one only where there is no LF."""
    pairs = len(re.findall(rb"\r\n", body))
    feeds = body.count(b"\n") - pairs
    if pairs and feeds:
        return "mixed"
    if pairs or feeds:
        return "crlf" if pairs else "lf"
    return "cr" if b"\r" in body else "none"
