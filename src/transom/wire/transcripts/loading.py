"""Finding the reader for a file, and running it. Knows every reader, and no format itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ...errors import FormatError
from .adk_session import ADKSession
from .chat_lines import OpenAIChatLines
from .claude_code import ClaudeCode
from .cline import ClineMessages
from .codex_rollout import CodexRollout
from .gemini_cli import GeminiCLI
from .langchain import LangChainDump
from .letta import LettaAgentFile
from .mini_swe_agent import MiniSWEAgent
from .openhands import OpenHandsOutput
from .pi_session import PiSession
from .source import Source, read_source
from .swe_agent import SWEAgentTrajectory
from .tau_bench import TauBenchRuns
from .transcript import Skip, Transcript, TranscriptReader
from .wire_bodies import AnthropicMessages, GeminiContents, OpenAIChatBody, OpenAIResponsesBody

__all__ = ["READERS", "load", "reader_names"]

READERS: tuple[TranscriptReader, ...] = (
    ClaudeCode(),
    CodexRollout(),
    PiSession(),
    OpenHandsOutput(),
    GeminiCLI(),
    SWEAgentTrajectory(),
    MiniSWEAgent(),
    LettaAgentFile(),
    ADKSession(),
    LangChainDump(),
    TauBenchRuns(),
    ClineMessages(),
    GeminiContents(),
    OpenAIResponsesBody(),
    AnthropicMessages(),
    OpenAIChatBody(),
    OpenAIChatLines(),
)
"""Every reader, in the order they are asked whether a file is theirs: the most particular first."""


_SHORT: Mapping[str, str] = MappingProxyType(
    {"openai": "openai-chat", "anthropic": "anthropic-messages", "gemini": "gemini-contents"}
)


def reader_names() -> tuple[str, ...]:
    """The formats by name, those of session files and those of request bodies."""
    return tuple(reader.name for reader in READERS)


def load(data: bytes, format: str | None = None, *, name: str = "") -> Transcript:  # noqa: A002 - the contract's name
    """Read a session file.

    Args:
        data: the whole file: JSON or JSON Lines, told apart by content.
        format: one of ``reader_names()``; ``openai``, ``anthropic`` and ``gemini`` stand for the request bodies.
            ``None`` detects it.
        name: what messages call the file.

    Returns:
        The transcript. What could not be read, and what is no message, is named in ``skipped``.

    Raises:
        FormatError: empty, binary, of no known format, or nothing usable in it.
        JSONError: one JSON document that breaks off before anything of it is complete; says where.
    """
    wanted = _named(format) if format is not None else None
    source = read_source(data, name)
    if wanted is not None:
        document, lines = _shape_for(wanted, source)
        return _with_damage(wanted.read(document, lines=lines), source)
    for reader in READERS:
        document, lines = _shape_for(reader, source)
        if reader.detect(document, lines=lines):
            return _with_damage(reader.read(document, lines=lines), source)
    raise FormatError(f"{name or 'the input'} is of no known format", hint=f"known are {', '.join(reader_names())}")


def _named(asked: str) -> TranscriptReader:
    wanted = _SHORT.get(asked, asked)
    for reader in READERS:
        if reader.name == wanted:
            return reader
    raise FormatError(f"unknown format {asked!r}", hint=f"known are {', '.join(reader_names())}")


def _shape_for(reader: TranscriptReader, source: Source) -> tuple[object, bool]:
    """The document as the reader knows it: a file of one line is a document to a reader of documents."""
    if source.lines and isinstance(source.document, list) and len(source.document) == 1:
        only = source.document[0]
        if not reader.detect(source.document, lines=True) and reader.detect(only, lines=False):
            return only, False
    return source.document, source.lines


def _with_damage(transcript: Transcript, source: Source) -> Transcript:
    if not source.damage:
        return transcript
    skipped = [*transcript.skipped, *source.damage]
    if source.lines:
        skipped.sort(key=_line)
    return replace(transcript, skipped=tuple(skipped))


_DIGITS = re.compile(r"line (\d+)")


def _line(skip: Skip) -> int:
    found = _DIGITS.match(skip.where)
    return int(found[1]) if found else 0
