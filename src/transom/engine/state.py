"""What one compile works on. Made afresh each time and seen by phases only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..messages import Message, Repair, Tool
from ..observe.bus import EventBus
from ..store.store import Store
from ..tokens.counter import Tokenizer
from ..tokens.usage import Reported, UsagePreference
from ..tokens.weigh import PER_MESSAGE
from ..vocabulary import Vocabulary
from ..wire.format import Element, Format, Frame, Head, RenderOptions
from ..wire.report import Note, Report
from .additions import Additions, Tail
from .events import OffloadCreated
from .explaining import RecentCompiles
from .ledger.live import LiveTurn, Moved
from .ledger.records import WindowRecord
from .ledger.window import Former, LiveWindow
from .offload.payloads import PruneSettings
from .overflow.budget import Budget
from .overflow.guard import ClosingFigures, Guard
from .overflow.handoff import Handoff
from .overflow.runner import Runner
from .overflow.spanning import movable_tokens
from .payload import Compared
from .placement.cache_audit import CacheAudit, Finding
from .placement.labels import Labels
from .placement.prefill import degraded_prefill
from .retrieval.evicted import Evicted
from .retrieval.recall import Recall, Recollection
from .selection.loads import Loads
from .selection.selection import Selection
from .slots import SlotName, Slots
from .spelling import SpelledTools, ToolSchemas, spell_tools

__all__ = ["CompileSettings", "CompileState", "RenderedHead", "RenderedNotices", "RenderedTurns", "Session"]

_LONG_TEXT = 1_000
_MOST_COUNTED = 16


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
        handoff: when the model is told that its window will close soon; ``None`` never tells it.
        guard: thresholds in place of ``trigger``.
        recall: what is put beside a message that refers to something that left the window; ``None`` puts nothing there.
        labels: which labels are shown on what is put in.
        tool_schemas: how tool schemas are written; ``None`` leaves them as they are.
    """

    window: int
    trigger: float = 0.7
    low_water: float = 0.5
    prune: PruneSettings | None
    options: RenderOptions
    check: bool = False
    usage: UsagePreference = "max"
    handoff: Handoff | None = None
    guard: Guard | None = None
    recall: Recall | None = None
    labels: Labels = field(default_factory=Labels)
    tool_schemas: ToolSchemas | None = None


@dataclass(frozen=True, slots=True)
class FixedWeight:
    """What system prompt and tools weigh, and which ones they are."""

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    system_tokens: int
    tools_tokens: int


@dataclass(frozen=True, slots=True)
class RenderedHead:
    """Everything of a payload but its conversation, what it was rendered from, and the betas it needs."""

    head: Head
    system: Sequence[Message]
    frame: Frame
    elements: tuple[Element, ...]
    notes: tuple[Note, ...]
    betas: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedNotices:
    """Announcements as system messages of their own, and what they were rendered from."""

    texts: tuple[str, ...]
    elements: tuple[Element, ...]
    notes: tuple[Note, ...]


@dataclass(slots=True)
class RenderedTurns:
    """The elements of a window's settled turns, one after the other.

    Attributes:
        window, changes: the window, and how often it had changed.
        count: turns rendered.
        elements: theirs.
        has_markers: one of them has a cache marker.
    """

    window: LiveWindow
    changes: int
    count: int = 0
    elements: list[Element] = field(default_factory=list)
    has_markers: bool = False


@dataclass(slots=True)
class Session:
    """What lasts from one compile to the next.

    Attributes:
        live: history and window.
        head: model, tools and sampling.
        selection: what of the registered tools stands in the head.
        loads: loads of toolkits that wait for their answers.
        additions: what is added to the conversation.
        name: under which other processes go on with this session; empty for one that only this process knows.
        system: the caller's system prompt.
        prompt: the same and what is frozen behind it; one object as long as nothing of it changes.
        asked: prefix digest at the newest message of the user that was sent.
        decided: prefix digest at the newest message of the user of which was decided what stands beside it.
        agreed: the live window whose texts beside messages were agreed on with other processes.
        evicted: texts that are out of the window, as recall looks through them.
        listed: the record in force when the archives of this history were listed, and their addresses.
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
        recent: accounts of the last compiles.
        audit: what stood before cache breakpoints.
        spelled: the tools as each target is sent them.
        fixed, heads: what was weighed and, by target, rendered of the parts that seldom change.
        noticed: the window in which the model was told that it will close soon.
        warned: the window in which the guard warned.
        new_context: a new window was asked for and no compile has seen to it.
        managed: the last payload leaves its window to the provider.
        noted, notices: what was weighed and, by target, rendered of announcements.
        settled: by target, the elements of the settled turns.
        ends: by target, the last element of the conversation, and how many bytes only close it.
        counted: what long texts of the tail weigh.
    """

    additions: Additions
    name: str = ""
    live: LiveWindow = field(default_factory=LiveWindow)
    head: Head = field(default_factory=Head)
    selection: Selection = field(default_factory=Selection)
    loads: Loads = field(default_factory=Loads)
    system: tuple[Message, ...] = ()
    prompt: tuple[Message, ...] = ()
    asked: bytes = b""
    decided: bytes = b""
    agreed: LiveWindow | None = None
    evicted: Evicted = field(default_factory=Evicted)
    listed: tuple[WindowRecord, tuple[str, ...]] | None = None
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
    spelled: dict[str, SpelledTools] = field(default_factory=dict)
    recent: RecentCompiles = field(default_factory=RecentCompiles)
    audit: CacheAudit = field(default_factory=CacheAudit)
    noticed: str = ""
    warned: str = ""
    new_context: bool = False
    managed: bool = False
    noted: tuple[tuple[str, ...], int] = ((), 0)
    notices: dict[str, RenderedNotices] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    settled: dict[str, RenderedTurns] = field(default_factory=dict)
    ends: dict[str, tuple[Element, int]] = field(default_factory=dict)

    def move_prefix(self) -> None:
        """Nothing of what was sent before has to stand still any more, for any target: another prefix was asked for."""
        self.compared = {name: replace(sent, stable=0) for name, sent in self.compared.items()}

    def rebuild_prompt(self) -> None:
        """Put together what stands before the conversation."""
        frozen = self.additions.frozen
        prompt = (*self.system, *(frozen.messages if frozen is not None else ()))
        if len(prompt) != len(self.prompt) or any(a is not b for a, b in zip(prompt, self.prompt, strict=True)):
            self.prompt = prompt


@dataclass(slots=True, kw_only=True)
class CompileState:
    """One compile, from start to done.

    Attributes:
        settings, session, store, runner, tokenizer, vocabulary, bus, slots: what the context holds.
        target: the wire format.
        former: gives turns their form.
        weigh: weighs a message, each of the same bytes once.
        learned_ratio: correction to take over when a window closes.
        unsettled: turns at the end that may still change.
        budget: what to fit into.
        pending_tokens: what the unsettled turns weigh as they came.
        allowance: tokens kept free for what the phase *memory* will put behind the system prompt.
        ending: what the session adds at the end.
        begun: the answer's beginning that the session adds.
        tail: volatile texts that phases and slots add, in order.
        closed, failure, own_archive, waiting, closing: what happened to the window.
        managed: the provider keeps the window of this target in order.
        recollection: what came of recalling by itself in this compile; ``None`` where that was not tried.
        notices: what ``tail`` says of the window itself: that it will close soon, how full it is, what a closing saved.
        noticed: the window of which the model is told in this compile that it will close soon.
        indicated: what the guard has to say is said.
        messages: the conversation after a transforming slot; ``None`` while the turns themselves are rendered.
        elements, volatile, kept_of_first, closing_bytes: the conversation as rendered, and its volatile end.
        findings: what keeps a cache breakpoint from hitting.
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
    unsettled: list[LiveTurn] = field(default_factory=list)
    budget: Budget | None = None
    pending_tokens: int = 0
    allowance: int = 0
    ending: Tail = field(default_factory=Tail)
    begun: LiveTurn | None = None
    tail: list[str] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    closed: str = ""
    waiting: str = ""
    closing: ClosingFigures | None = None
    managed: bool = False
    recollection: Recollection | None = None
    notices: list[str] = field(default_factory=list)
    noticed: str = ""
    indicated: bool = False
    failure: str = ""
    own_archive: str = ""
    messages: tuple[Message, ...] | None = None
    report: Report = field(default_factory=Report)
    frame: Frame | None = None
    elements: list[Element] = field(default_factory=list)
    volatile: list[Element] = field(default_factory=list)
    kept_of_first: int = 0
    findings: tuple[Finding, ...] = ()
    closing_bytes: int = 0
    body: bytes | None = None
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def settled(self) -> Sequence[LiveTurn]:
        """Turns in the window that later compiles repeat."""
        return self.session.live.turns

    @property
    def turns(self) -> Sequence[LiveTurn]:
        """Everything in the window."""
        return [*self.session.live.turns, *self.unsettled]

    @property
    def movable(self) -> int:
        """Tokens in the window that strategies may move: everything but pinned turns."""
        return self.session.live.sums.movable + movable_tokens(self.unsettled)

    @property
    def pinned(self) -> int:
        """Tokens of pinned turns."""
        return self.session.live.sums.pinned + sum(live.tokens for live in self.unsettled if live.pinned)

    @property
    def moved(self) -> Iterable[Moved]:
        """What pruning moved out of the turns in the window."""
        return (*self.session.live.sums.moved, *(moved for live in self.unsettled for moved in live.moved))

    @property
    def spelled(self) -> SpelledTools:
        """The tools as this target is sent them; converted where the list is another than last time."""
        session, name = self.session, self.target.name
        known = session.spelled.get(name)
        if known is None or known.given is not session.head.tools:
            words = self.vocabulary.schemas
            known = session.spelled[name] = spell_tools(session.head.tools, self.settings.tool_schemas, name, words)
        return known

    def weigh_system(self, messages: Iterable[Message]) -> int:
        """What system messages weigh, in tokens."""
        return sum(self.weigh(message, self.tokenizer) for message in messages)

    @property
    def tail_tokens(self) -> int:
        """What the end of the payload weighs, in tokens, a prefill and the note that may stand for it included."""
        texts = [*self.ending.texts, *self.tail]
        total = self._note_tokens()
        total += sum(map(self._count, texts)) + (PER_MESSAGE if texts else 0)
        known, weight = self.session.noted
        if known is not self.ending.notices:
            weight = sum(self.tokenizer.count(text) + PER_MESSAGE for text in self.ending.notices)
            self.session.noted = self.ending.notices, weight
        total += weight
        if self.ending.prefill:
            total += sum(map(self.tokenizer.count, (self.ending.prefill, self.vocabulary.mending.prefill))) + 2 * PER_MESSAGE
        return total

    def _count(self, text: str) -> int:
        """Tokens of a text of the tail, long ones counted once: most stand there again in the next compile."""
        if len(text) < _LONG_TEXT:
            return self.tokenizer.count(text)
        counted = self.session.counted
        if text not in counted:
            if len(counted) >= _MOST_COUNTED:
                counted.clear()
            counted[text] = self.tokenizer.count(text)
        weight: int = counted[text]
        return weight

    def _note_tokens(self) -> int:
        """What a note adds that stands in for a prefill of the caller's, beside the words it quotes."""
        words = self.vocabulary.mending
        if not self.unsettled or degraded_prefill(self.unsettled[-1].turn, self.target, self.session.head, words) is None:
            return 0
        return self.tokenizer.count(self.vocabulary.mending.prefill) + 2 * PER_MESSAGE

    def say(self, notice: str) -> None:
        """Add something about the window itself to the tail."""
        self.notices.append(notice)
        self.tail.append(notice)

    def unsay(self) -> None:
        """Take back what was said about the window."""
        for notice in self.notices:
            self.tail.remove(notice)
        self.notices.clear()
        self.noticed = ""

    def flatten(self) -> tuple[Message, ...]:
        """System prompt and conversation as they are about to be rendered."""
        if self.messages is not None:
            return self.messages
        return (*self.session.prompt, *(message for live in self.turns for message in live.turn.linked))

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
