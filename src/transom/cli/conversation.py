"""A conversation file as commands read it: bytes from a path or stdin, and what they hold.

Knows the wire formats and the transcript readers; no command.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..wire import transcripts
from ..wire.format import Format, Request
from ..wire.registry import FormatRegistry, builtin_registry
from ..wire.transcripts import Transcript
from ..wire.transcripts.sendable import sendable_head
from . import output

__all__ = [
    "Chosen",
    "File",
    "From",
    "Recording",
    "Source",
    "note_damage",
    "read_bytes",
    "read_source",
    "readable",
    "writable",
]


def readable(_type: object, name: str | None) -> None:
    """A format that can be read: of request bodies or of session files."""
    if name is not None:
        known = dict.fromkeys((*builtin_registry(plugins=True).names, *transcripts.reader_names()))
        if name not in known:
            raise ValueError(f"known are {', '.join(known)}")


def writable(_type: object, name: str | None) -> None:
    """A format that can be written."""
    if name is not None and name not in (registry := builtin_registry(plugins=True)):
        only_read = "it can only be read; " if name in transcripts.reader_names() else ""
        raise ValueError(f"{only_read}it is one of {', '.join(registry.names)}")


File = Annotated[str, Parameter(allow_leading_hyphen=True, help="The file to read, - for stdin.")]
Recording = Annotated[str, Parameter(allow_leading_hyphen=True, help="A session file or a request body; - for stdin.")]
Chosen = Annotated[str | None, Parameter(name="--conversation", help="Of a file with several conversations, this one only.")]
From = Annotated[str | None, Parameter(name="--format", validator=readable, help="The file's format; detected if left out.")]


@dataclass(frozen=True, slots=True)
class Source:
    """What a file holds: a request body of a wire format, or a transcript.

    Attributes:
        data: the bytes of the file.
        wire: the format, for a request body.
        transcript: what was read, for all else.
    """

    data: bytes
    wire: Format | None = None
    transcript: Transcript | None = None

    def segments(self) -> Iterator[tuple[str, Request]]:
        """Each segment of the transcript as a request, with what to call it; what every provider asks for is filled in."""
        if self.transcript is None:
            return
        for conversation in self.transcript.conversations:
            for number, segment in enumerate(conversation.segments, 1):
                name = conversation.id if len(conversation.segments) == 1 else f"{conversation.id}, segment {number}"
                yield name, Request(head=sendable_head(segment), messages=segment.messages)


def read_bytes(file: str) -> bytes:
    """The bytes of a file; ``-`` is stdin."""
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def read_source(file: str, format: str | None, registry: FormatRegistry) -> Source:  # noqa: A002 - the option's name
    """Read a file whose format is named (see ``readable``) or detected.

    Raises:
        FormatError: of no known format, or not of the one named.
    """
    data = read_bytes(file)
    if format is not None:
        if format in registry:
            return Source(data, wire=registry.get(format))
        return Source(data, transcript=transcripts.load(data, format, name=file))
    transcript = transcripts.load(data, None, name=file)
    if transcript.format in registry:
        return Source(data, wire=registry.get(transcript.format))
    return Source(data, transcript=transcript)


NAMED = 10
"""Damaged entries that are named one by one."""


def note_damage(transcript: Transcript) -> None:
    """Name on stderr what of a file could not be read: the rest of it is used."""
    damaged = [skip for skip in transcript.skipped if skip.damaged]
    for skip in damaged[:NAMED]:
        output.note(f"{skip.where} could not be read: {skip.reason}")
    if len(damaged) > NAMED:
        output.note(f"{len(damaged) - NAMED} more could not be read")
