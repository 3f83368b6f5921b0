"""What one compile works on. Made afresh each time and seen by phases only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..messages import Message, Repair, Tool
from ..observe.bus import EventBus
from ..store.store import Store
from ..tokens.counter import Tokenizer
from ..tokens.usage import Reported, UsagePreference
from ..vocabulary import Vocabulary
from ..wire.format import Element, Format, Frame, Head, RenderOptions
from ..wire.report import Note, Report
from .events import OffloadCreated
from .ledger.live import LiveTurn, Moved
from .ledger.window import Former, LiveWindow
from .offload.payloads import PruneSettings
from .overflow.budget import Budget
from .overflow.runner import Runner
from .payload import Compared
from .slots import SlotName, Slots

__all__ = ["CompileSettings", "CompileState", "Session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileSettings:
    """What a caller chose; constant for a session.

    Attributes:
        window: tokens the payload must fit into, answer included.
        trigger: share of the available room at which the window closes.
        low_water: share of the trigger that a closing aims at.
        prune: which tool results are pruned when first seen; ``None`` prunes nothing.
        options: how messages are rendered.
        check: report broken invariants after each compile.
        usage: which number counts, ours or the provider's.
    """

    window: int
    trigger: float = 0.7
    low_water: float = 0.5
    prune: PruneSettings | None
    options: RenderOptions
    check: bool = False
    usage: UsagePreference = "max"


@dataclass(frozen=True, slots=True)
class FixedWeight:
    """What system prompt and tools weigh, and which ones they are."""

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    system_tokens: int
    tools_tokens: int


@dataclass(frozen=True, slots=True)
class RenderedHead:
    """Everything of a payload but its conversation, and what it was rendered from."""

    head: Head
    system: Sequence[Message]
    frame: Frame
    elements: tuple[Element, ...]
    notes: tuple[Note, ...]


@dataclass(slots=True)
class Session:
    """What lasts from one compile to the next.

    Attributes:
        live: history and window.
        head: model, tools and sampling.
        system: the system prompt.
        tail: volatile text the caller put at the end.
        reported: addresses already reported as moved.
        moved: what left the window and no payload has accounted for yet.
        failed: texts that could not be stored, and so stay as they are.
        looked_up: the store was asked for records of this conversation.
        unread: it could not say, and this was told.
        repairs: how many repairs were reported.
        removed: addresses of messages that repair took out and that are stored.
        compared: the last compared sequence by target.
        ratio: correction of weights in force; changes when a window closes.
        usage: the last usage report, beside our own count.
        fixed, heads: what was weighed and, by target, rendered of the parts that seldom change.
    """

    live: LiveWindow = field(default_factory=LiveWindow)
    head: Head = field(default_factory=Head)
    system: tuple[Message, ...] = ()
    tail: str = ""
    reported: set[str] = field(default_factory=set)
    moved: list[Moved] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    looked_up: bool = False
    unread: bool = False
    repairs: int = 0
    removed: set[str] = field(default_factory=set)
    compared: dict[str, Compared] = field(default_factory=dict)
    ratio: float = 1.0
    usage: Reported | None = None
    fixed: FixedWeight | None = None
    heads: dict[str, RenderedHead] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class CompileState:
    """One compile, from start to done.

    Attributes:
        settings, session, store, runner, tokenizer, vocabulary, bus, slots: what the context holds.
        target: the wire format.
        former: gives turns their form.
        weigh: weighs a message, each of the same bytes once.
        learned_ratio: correction to take over when a window closes.
        settled: turns in the window that later compiles repeat.
        unsettled: turns at the end that may still change.
        budget: what to fit into.
        pending_tokens: what the unsettled turns weigh as they came.
        tail: volatile texts in order.
        closed, failure, own_archive: what happened to the window.
        messages: the conversation after a transforming slot; ``None`` while the turns themselves are rendered.
        elements, volatile, kept_of_first: the conversation as rendered, and its volatile end.
    """

    settings: CompileSettings
    session: Session
    store: Store
    runner: Runner
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    bus: EventBus
    slots: Slots
    target: Format
    former: Former
    weigh: Callable[[Message, Tokenizer], int]
    learned_ratio: float
    settled: list[LiveTurn] = field(default_factory=list)
    unsettled: list[LiveTurn] = field(default_factory=list)
    budget: Budget | None = None
    pending_tokens: int = 0
    tail: list[str] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    closed: str = ""
    failure: str = ""
    own_archive: str = ""
    messages: tuple[Message, ...] | None = None
    report: Report = field(default_factory=Report)
    frame: Frame | None = None
    elements: list[Element] = field(default_factory=list)
    volatile: list[Element] = field(default_factory=list)
    kept_of_first: int = 0
    body: bytes | None = None
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def turns(self) -> Sequence[LiveTurn]:
        """Everything in the window."""
        return [*self.settled, *self.unsettled]

    def flatten(self) -> tuple[Message, ...]:
        """System prompt and conversation as they are about to be rendered."""
        if self.messages is not None:
            return self.messages
        return (*self.session.system, *(message for live in self.turns for message in live.turn.linked))

    def transformed(self, value: object, slot: SlotName) -> tuple[Message, ...]:
        """What a slot made of the messages.

        Raises:
            TypeError: anything but messages.
        """
        if isinstance(value, Sequence) and all(isinstance(message, Message) for message in value):
            return tuple(value)
        raise TypeError(f"a function in the slot {slot} must return messages or None, not {type(value).__name__}")

    def report_moved(self, moved: Iterable[Moved]) -> None:
        """Account for what left the window, once for each address in a session."""
        for item in moved:
            if item.uri not in self.session.reported:
                self.session.reported.add(item.uri)
                self.session.moved.append(item)
                self.bus.emit(OffloadCreated(item))

    def inject(self, text: str, *, place: Literal["tail"] = "tail") -> None:
        """Add volatile text for this compile. For functions in the slot ``before-assemble``.

        Raises:
            ValueError: an unknown place.
        """
        if place != "tail":
            raise ValueError(f"no place {place!r}: text that changes belongs in the tail, where it costs no cache")
        self.tail.append(text)
