"""How a path of the store is spelt as file names, and back.

Knows names, no files. A reader should recognise the path, and any two paths must stay two on every file system in use:

- a directory ends in ``.d`` and a file never does, so that ``a`` and ``a/b`` can both be entries;
- what some system forbids or drops (``< > : " | ? *``, a full stop or space at the end, ``CON``) is written ``%XX``;
- a name with capitals, or with characters that some system would normalise, carries ten digits of its digest after ``%~``, for
  systems that take ``A`` and ``a`` for one;
- a name longer than a file may have goes on in a directory that ends in ``%+``.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

__all__ = ["decode_names", "encode_path"]

_FORBIDDEN = re.compile(r'[%<>:"|?*\x00-\x1f\x7f]')
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)")
_DIRECTORY = ".d"
_MORE = "%+"
_TAG = re.compile(r"%~[0-9a-f]{10}$")
_CHUNK = 160


def encode_path(path: str) -> list[str]:
    """The names of the directories and of the file, outermost first."""
    *parents, name = path.split("/")
    names: list[str] = []
    for parent in parents:
        *more, last = _chunks(_encode(parent))
        names += [part + _MORE for part in more]
        names.append(last + _DIRECTORY)
    *more, last = _chunks(_encode(name))
    return [*names, *(part + _MORE for part in more), last]


def decode_names(names: Sequence[str]) -> str:
    """The path that ``encode_path`` spelt so. Foreign names give some path, never an error."""
    segments: list[str] = []
    begun = ""
    for name in names:
        if name.endswith(_MORE):
            begun += name.removesuffix(_MORE)
        else:
            segments.append(unquote(_TAG.sub("", begun + name.removesuffix(_DIRECTORY)), errors="replace"))
            begun = ""
    return "/".join(segments)


def _encode(segment: str) -> str:
    text = _FORBIDDEN.sub(lambda match: f"%{ord(match.group()):02X}", segment)
    if _DEVICE.match(segment):
        text = f"%{ord(segment[0]):02X}{text[1:]}"
    if text[-1] in ". " or text.lower().endswith(_DIRECTORY):
        text = f"{text[:-1]}%{ord(text[-1]):02X}"
    if unicodedata.normalize("NFKC", segment).casefold() != segment:
        text += f"%~{hashlib.sha256(segment.encode()).hexdigest()[:10]}"
    return text


def _chunks(text: str) -> list[str]:
    """Pieces of at most ``_CHUNK`` bytes, cut between characters and never inside an escape."""
    if len(text.encode()) <= _CHUNK:
        return [text]
    chunks = [""]
    for piece in re.findall(r"%[0-9A-F]{2}|%~[0-9a-f]{10}$|.", text):
        if len((chunks[-1] + piece).encode()) > _CHUNK:
            chunks.append("")
        chunks[-1] += piece
    return chunks
