"""The live window: the turns that are in it, each in the form it has there.

Knows turns, weights and records; does no I/O. A turn's form is decided when it is first seen and when a window closes, never
in between, so each ``LiveTurn`` is made once and its rendered elements are kept with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...messages import Message, Turn, is_user_request
from ...tokens.counter import Tokenizer
from ...tokens.weigh import weigh
from ...wire.format import Element
from .edits import TurnEdit

__all__ = ["PREVIEW", "LiveTurn", "Moved", "Sticky", "head_turn", "weigh_turn"]

PREVIEW = 160
"""Characters of a preview."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Something that left the window.

    Attributes:
        kind: ``prune`` (an oversized tool result when first seen), ``offload`` (an oversized text so that the payload fits),
            ``clear`` (an old result in a closing span), ``evict`` (whole turns).
        uri: gives it back, byte for byte.
        bytes: how many bytes the URI gives.
        messages: how many messages it concerns.
        label: what it was: a tool's name or a role.
        preview: how it begins.
        text: the original, where it still has to be stored.
    """

    kind: str
    uri: str
    bytes: int
    messages: int = 1
    label: str = ""
    preview: str = ""
    text: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Sticky:
    """Text that stands beside one message of the user, from when that is first sent until its turn leaves.

    Attributes:
        text: as it is shown, behind what the user wrote.
        tokens: what it weighs.
    """

    text: str
    tokens: int


@dataclass(slots=True)
class LiveTurn:
    """One turn in the window.

    Attributes:
        turn: as it is shown.
        source: as the history holds it.
        index: its place among the history's turns; -1 for a head or an unsettled turn.
        place: prefix digest at its end; empty for a head.
        weights: what it weighs as shown, in tokens, by who wrote it: ``head``, ``user``, ``assistant``, ``results``.
        tokens: the sum.
        pinned: whether no strategy may touch it.
        request: whether the user wrote it (a head is ours).
        head: it is a head of ours, standing for a closed span.
        edits: texts replaced when a window closed.
        moved: what pruning moved out of it.
        sticky: what stands beside it.
        rendered: its elements by rendering key.
    """

    turn: Turn
    source: Turn
    index: int
    place: bytes
    weights: Mapping[str, int]
    tokens: int = field(init=False)
    pinned: bool = field(init=False)
    request: bool = field(init=False)
    head: bool = False
    edits: tuple[TurnEdit, ...] = ()
    moved: tuple[Moved, ...] = ()
    sticky: Sticky | None = None
    rendered: dict[str, tuple[Element, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = sum(self.weights.values())
        self.pinned = self.source.pinned
        self.request = not self.head and any(is_user_request(message) for message in self.source.messages)
        if self.sticky is not None:
            self.tokens += self.sticky.tokens

    def own(self) -> None:
        """What looked like the user's is a head of ours."""
        self.head, self.request = True, False

    def stick(self, sticky: Sticky) -> None:
        """Put text beside it."""
        self.tokens += sticky.tokens - (self.sticky.tokens if self.sticky is not None else 0)
        self.sticky = sticky
        self.rendered.clear()


def weigh_turn(turn: Turn, tokenizer: Tokenizer) -> int:
    """What a turn weighs, in tokens."""
    return sum(weigh(message, tokenizer) for message in turn.messages)


def head_turn(text: str) -> Turn:
    """A head as a turn: one user message."""
    message = Message("user", text)
    return Turn((message,), (message,), ((),), (-1,))
