"""What a session file holds: conversations, their segments, and where the agent called its model.

Knows messages, no file format. Definitions (see the replay contract): a file holds *conversations* (runs, side chains, branches
of a message tree); where the agent compacted its history by itself a new *segment* begins; a *model call* is one provider
message id or, without ids, one run of assistant items with no user, tool or developer item between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ...messages import Message
from ..format import Head

__all__ = ["Conversation", "ModelCall", "Segment", "Skip", "Transcript", "TranscriptReader", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a provider reported for one call.

    Attributes:
        input_tokens: everything read, cached or not.
        cached_tokens: the part of it served from a cache.
        output_tokens: everything written.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of the model.

    Attributes:
        at: how many messages of the segment the agent had before the call.
        id: the provider's message id, empty without one.
        model: the model asked, empty if unknown.
        usage: what the provider reported, if the file holds it.
    """

    at: int
    id: str = ""
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """An uninterrupted stretch of a conversation: every later call saw everything before it in the stretch.

    Attributes:
        messages: in order; the system prompt first where the file holds it.
        calls: in order; ``at`` never decreases.
        head: model, tools and sampling where the file holds them.
    """

    messages: tuple[Message, ...]
    calls: tuple[ModelCall, ...]
    head: Head


@dataclass(frozen=True, slots=True)
class Conversation:
    """One run, side chain or branch.

    Attributes:
        id: ``main``, or a name unique in the file.
    """

    id: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Skip:
    """Something in the file that became no message.

    Attributes:
        where: ``line 12``, ``events[3]``, ….
        kind: the file's own name for it (``progress``, ``file-history-snapshot``, …).
        reason: why it is no message, in a few words; for damaged lines what is wrong with them.
        damaged: it should have been readable.
    """

    where: str
    kind: str
    reason: str
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session file, read.

    Attributes:
        format: the reader's name.
        conversations: at least one.
        skipped: everything that became no message, in file order.
    """

    format: str
    conversations: tuple[Conversation, ...]
    skipped: tuple[Skip, ...] = ()
    meta: Mapping[str, object] | None = None


class TranscriptReader(Protocol):
    """Reads one kind of session file. Stateless and pure."""

    @property
    def name(self) -> str:
        """The format's name, as on the command line."""
        ...

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the parsed document is of this kind.

        Args:
            document: the parsed JSON, or, with ``lines``, the list of the good lines of a JSON Lines file.
        """
        ...

    def read(self, document: object, *, lines: bool) -> Transcript:
        """Read leniently: what cannot be read is named in ``skipped``.

        Raises:
            FormatError: nothing usable in it.
        """
        ...
