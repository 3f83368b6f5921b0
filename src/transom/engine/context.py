"""``Context``: what a caller holds. State and verbs, no policy: the phases decide.

One context is one session. It is not meant to be shared between threads; compiles of one context wait for each other.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Self

from ..errors import FormatError, InputError
from ..messages import Message, Tool, leading_system
from ..observe.bus import EventBus
from ..observe.sink import Sink
from ..store.backends.memory import MemoryBackend
from ..store.store import Store
from ..store.uri import check_path
from ..tokens import Calibration, Tokenizer, Weights
from ..tokens.named import tokenizer_named
from ..tokens.usage import Reported, UsagePreference, check_preference, correction
from ..vocabulary import ENGLISH, Vocabulary
from ..vocabulary.checking import check_vocabulary
from ..wire.detect import detect
from ..wire.format import Head, RenderOptions, Request
from ..wire.registry import FormatRegistry, builtin_registry
from .additions import Additions
from .events import EVENT_NAMES
from .explaining import Explanation
from .forming import Forming
from .ledger.records import Lineage
from .ledger.window import LiveWindow
from .loading import Loader
from .measuring import take_stock
from .memory.entries import Entries
from .memory.facts import Facts
from .memory.hooks import MemorySettings
from .memory.memory import Memory
from .offload.payloads import PruneSettings
from .overflow.budget import Usage
from .overflow.guard import Guard
from .overflow.handoff import Handoff
from .overflow.runner import Runner
from .overflow.strategies import chain, clear, digest, reset
from .overflow.strategy import Strategy
from .payload import Payload
from .pipeline import run
from .placement.announcements import Announcement, Channel
from .placement.dynamic_state import DynamicState, validated
from .placement.guardrail import Guardrail
from .placement.temporal import Temporal
from .portal import Portal
from .slots import SlotFunction, SlotName, Slots
from .state import CompileSettings, CompileState, Session

__all__ = ["Context"]

Cancel = Callable[[], bool]


class Context:
    """Compiles one conversation into payloads that fit.

    Args:
        window: tokens a payload and its answer must fit into.
        store: where everything goes that leaves the window; without one, process memory.
        overflow: what happens when the history outgrows the window; ``chain(clear(), digest(), reset())`` by default.
        tokenizer: a name (``heuristic``, ``o200k``, ``cl100k``, ``chars4``) or anything that counts; the heuristic by default.
        trigger: share of the available room at which the window closes.
        low_water: share of the trigger that a closing aims at.
        prune: shorten oversized tool results when they are first seen; settings, or whether to at all.
        thinking: what becomes of reasoning that a target cannot take: ``drop`` or ``text``.
        vocabulary: every string a model reads.
        formats: the wire formats known; the built-in four and what packages register by default.
        usage_preference: which number counts once usage is reported: the larger one (``max``), the report (``feed-first``) or
            our own (``tokenizer-first``, only with a tokenizer other than the heuristic).
        check: report broken invariants as events; for development.
        handoff: tell the model, once a window, that it will close soon: when, and in which words.
        guard: thresholds as shares of the whole window, in place of ``trigger``, with the newest messages left alone.
        memory: put the facts of ``ctx.memory`` into payloads: settings, or whether to at all.
        temporal: put the date into payloads, in the tail.
        session: a name under which this session goes on in other processes that share the store: what was put into its
            payloads beside the conversation stays the same there.

    Raises:
        InputError: a window or ratio that makes no sense, or an argument of the wrong kind.
    """

    def __init__(
        self,
        *,
        window: int,
        store: Store | None = None,
        overflow: Strategy | None = None,
        tokenizer: str | Tokenizer = "heuristic",
        trigger: float = 0.7,
        low_water: float = 0.5,
        prune: PruneSettings | bool = True,
        thinking: Literal["drop", "text"] = "drop",
        vocabulary: Vocabulary = ENGLISH,
        formats: FormatRegistry | None = None,
        usage_preference: UsagePreference = "max",
        check: bool = False,
        handoff: Handoff | None = None,
        guard: Guard | None = None,
        memory: MemorySettings | bool = False,
        temporal: Temporal | None = None,
        session: str = "",
    ) -> None:
        _check_arguments(window, store, overflow, prune)
        check_vocabulary(vocabulary)
        if not 0 < trigger <= 1 or not 0 < low_water < 1:
            raise InputError("trigger must lie in (0, 1] and low_water in (0, 1)")
        _check_notices(window, trigger, handoff, guard)
        self.store = store if store is not None else Store(MemoryBackend())
        self.formats = formats if formats is not None else builtin_registry()
        self.bus = EventBus()
        self._tokenizer = tokenizer_named(tokenizer) if isinstance(tokenizer, str) else tokenizer
        self._strategy = overflow if overflow is not None else chain(clear(), digest(), reset())
        self._vocabulary = vocabulary
        self._settings = CompileSettings(
            window=window,
            trigger=trigger,
            low_water=low_water,
            prune=_in_words(prune, vocabulary),
            options=RenderOptions(thinking=thinking, words=vocabulary.mending),
            check=check,
            usage=check_preference(usage_preference, has_tokenizer=tokenizer != "heuristic"),
            handoff=handoff,
            guard=guard,
        )
        self._slots = Slots()
        additions = Additions(vocabulary, self._tokenizer.count, temporal=temporal)
        self._session = Session(additions, _session_name(session), LiveWindow(vocabulary.mending))
        settings = memory if isinstance(memory, MemorySettings) else MemorySettings()
        facts = Facts(self.store, settings=settings, emit=self.bus.emit)
        entries = Entries(self.store, session=session, emit=self.bus.emit)
        self._memory = Memory(facts, entries, words=vocabulary.remembering)
        if memory is not False:
            additions.facts = facts
        self._own_system: tuple[Message, ...] = ()
        self._loaded_system: tuple[Message, ...] = ()
        self._loader = Loader()
        self._weights = Weights()
        self._calibration = Calibration()
        self._estimated = 0
        self._target: str | None = None
        self._runner = Runner(self.store, self._strategy, self._tokenizer, vocabulary, self._fingerprint())
        self._lock = asyncio.Lock()
        self._portal = Portal()

    def _fingerprint(self) -> str:
        shaping = f"{self._strategy.fingerprint}|{self._tokenizer.name}|{self._vocabulary.fingerprint}"
        return hashlib.sha256(shaping.encode()).hexdigest()[:16]

    @property
    def lineage(self) -> Lineage:
        """First, previous and current window."""
        return self._session.live.base.lineage

    @property
    def memory(self) -> Memory:
        """What is remembered beyond the conversation: facts by key, and entries."""
        return self._memory

    @property
    def messages(self) -> tuple[Message, ...]:
        """The settled conversation as it came, valid and whole: what left the window included."""
        return tuple(message for turn in self._session.live.history.turns for message in turn.messages)

    @property
    def head(self) -> Head:
        """Model, tools and sampling of the requests."""
        return self._session.head

    @head.setter
    def head(self, head: Head) -> None:
        self._session.head = head

    @property
    def input_tokens(self) -> int:
        """What the settled history weighs as it came, in tokens, as of the last compile."""
        return self._session.live.raw_tokens

    def system(self, text: str, *, cache_breakpoint: bool = False) -> None:
        """Set the system prompt. It stands in front of one that a loaded conversation brings."""
        self._own_system = (Message("system", text, cache_breakpoint=cache_breakpoint),)

    def tools(self, *tools: Tool) -> None:
        """Set the tools that the model may call; they replace those of a loaded conversation.

        Raises:
            InputError: a provider's own JSON instead of a ``Tool``.
        """
        for tool in tools:
            if not isinstance(tool, Tool):
                raise InputError(f"tools takes Tool objects, not {_kind(tool)}", hint="Tool(name, description, parameters)")
        self._session.head = replace(self._session.head, tools=tuple(tools))

    def tail(self, text: str) -> None:
        """Set volatile text for the end of the payload; an empty text takes it away."""
        self._session.additions.tail = text

    def sticky(self, text: str) -> None:
        """Put text beside the newest message of the user, where it stays for as long as that message is in the window.

        For what belongs to one question: documents, passages found. It goes beside the message that the next payload sends for
        the first time; until there is one it stands in the tail.
        """
        if text:
            self._session.additions.pending.append(text)

    def state(
        self, value: object, *, schema: object = None, tag: str = "state", place: Literal["last_user", "system"] = "last_user"
    ) -> None:
        """Set the state of the world as the model is to see it, as XML; ``None`` takes it away.

        Args:
            value: a pydantic model, dataclass or mapping.
            schema: a pydantic model class that ``value`` must satisfy.
            tag: the outermost XML element.
            place: at the end, in the user's last message, or behind the system prompt, where it stays as it is until the
                window closes; what changes meanwhile stands at the end.

        Raises:
            InputError: the value does not satisfy the schema, or cannot be said as XML.
        """
        checked = value if schema is None or value is None else validated(value, schema)
        self._session.additions.state = None if checked is None else DynamicState(checked, tag=tag, place=place)

    def guardrail(self, contract: str = "", *, prefill: str = "", answer: str = "") -> None:
        """Say how an answer has to look; without arguments, take that away.

        Args:
            contract: the rules, in your words; they stand at the end, where they cost no cache.
            prefill: how the answer begins.
            answer: an XML element that the answer is asked for in.

        Raises:
            InputError: the contract closes its own element, or ``answer`` is no XML name.
        """
        wanted = bool(contract or prefill or answer)
        self._session.additions.guardrail = Guardrail(contract, prefill, answer) if wanted else None

    def announce(self, id: str, text: str, *, channel: Channel = "auto") -> None:  # noqa: A002  # the contract's name
        """Tell the model something until it is retracted. One of the same id is replaced.

        Args:
            id: replaces or retracts it.
            text: what the model reads.
            channel: ``system`` or ``auto``: a system message at the end where the target takes one there, else the user's tail;
                ``tail``: always the user's tail.

        Raises:
            InputError: an empty id or text, or an unknown channel.
        """
        self._session.additions.announcements.announce(id, text, channel)

    def retract(self, id: str) -> bool:  # noqa: A002  # the contract's name
        """Take an announcement back; whether there was one."""
        return self._session.additions.announcements.retract(id)

    @property
    def announcements(self) -> tuple[Announcement, ...]:
        """What is announced now, in the order of first announcement."""
        return self._session.additions.announcements.list()

    def load(self, source: object, format: str | None = None) -> None:  # noqa: A002  # the contract's name
        """Take a conversation as it stands now, in place of the one before.

        It is recognised by content: what was there before is neither parsed nor counted nor compacted again.

        Args:
            source: a request body (parsed, or JSON text), a list of its messages, ``Message`` objects, or a parsed ``Request``.
            format: the body's wire format; detected if left out.

        Raises:
            FormatError: the source is not of that format, or of none that is known.
        """
        target = None
        if isinstance(source, Message):
            raise FormatError("load takes a whole conversation", hint="use append for one message")
        if not _is_neutral(source):
            known = format or (self._loader.format if self._loader.resumes(source) else "")
            target = self.formats.get(known) if known else detect(source, self.formats)
        loaded = self._loader.load(source, target)
        messages = loaded.messages
        leading = leading_system(messages)
        if loaded.kept < leading or not self._reaches(loaded.kept - leading):
            self._session.live = LiveWindow(self._vocabulary.mending)
            self._session.looked_up = False
            self._session.noticed = self._session.warned = ""
            self._session.additions.frozen = None
            self._session.repairs = 0
            # Another history: nothing of what was sent before has to stand still.
            self._session.compared = {name: replace(sent, stable=0) for name, sent in self._session.compared.items()}
            fresh: Sequence[Message] = messages[leading:]
        else:
            fresh = messages[loaded.kept :]
        self._session.live.extend(fresh)
        self._loaded_system = tuple(messages[:leading])
        if loaded.head is not None:
            self._session.head = loaded.head

    def _reaches(self, kept: int) -> bool:
        """Whether everything handed in so far is among the first ``kept`` conversation messages."""
        return self._session.live.history.count == kept

    def append(self, *messages: Message) -> None:
        """Add messages at the end: the fast path.

        Raises:
            FormatError: what is added is no ``Message``.
        """
        _check_messages(messages)
        history = self._session.live.history
        if history.count == 0 and not self._loader.messages:
            leading = leading_system(messages)
            self._own_system = (*self._own_system, *messages[:leading])
            messages = messages[leading:]
        self._session.live.extend(messages)
        self._loader.note(messages)

    async def compile(self, target: str | None = None, *, cancelled: Cancel | None = None) -> Payload:
        """The payload for one call of a provider.

        Args:
            target: ``openai``, ``openai-responses``, ``anthropic``, ``gemini``, or one that was registered; by default the
                registry's.
            cancelled: asked between phases; when it says yes, the compile stops and the context is as before.

        Raises:
            WindowError: system prompt, tools, pinned turns and reserve alone exceed the window.
            StoreError: what has to leave cannot be stored.
            CompileCancelled: ``cancelled`` said so.
            FormatError: an unknown target.
        """
        async with self._lock:
            payload = await run(self._state(target), cancelled or _never)
        self._estimated = payload.meta.tokens_after
        self._target = payload.meta.target
        return payload

    def compile_sync(self, target: str | None = None) -> Payload:
        """``compile`` for callers without an event loop."""
        return self._portal.run(self.compile(target))

    def _state(self, target: str | None) -> CompileState:
        session = self._session
        own = [message for message in self._own_system if message not in self._loaded_system]
        system = (*own, *self._loaded_system)
        if system != session.system:
            # One object as long as nothing changed: what was weighed and rendered of it is kept.
            session.system = system
        session.rebuild_prompt()
        forming = Forming(self._settings.prune, self._tokenizer, session.failed, self._weights.weigh)
        return CompileState(
            settings=self._settings,
            session=session,
            store=self.store,
            runner=self._runner,
            tokenizer=self._tokenizer,
            vocabulary=self._vocabulary,
            bus=self.bus,
            slots=self._slots,
            target=self.formats.get(target),
            former=forming,
            weigh=self._weights.weigh,
            learned_ratio=correction(self._settings.usage, self._calibration),
        )

    def explain(self, turn: int = -1) -> Explanation:
        """What a compile did: what each part cost, what moved where and why, how far the prefix held and what moved it.

        Args:
            turn: number of the compile in this session, from 1; or counted from the end, from -1. The last 512 are remembered.

        Raises:
            InputError: there is no such compile, or it is no longer remembered.
        """
        return self._session.recent.explain(turn)

    def report_usage(self, input_tokens: int) -> None:
        """Tell what the provider counted for the last payload.

        It counts at once for the question whether the window closes, as ``usage_preference`` says; weights are corrected when
        the next window closes, so that none changes in between. A payload whose window the provider keeps teaches nothing.

        Args:
            input_tokens: everything the provider read, cached tokens included.
        """
        if self._session.managed:
            # The provider may have cleared what we counted: its figure says nothing of our count.
            return
        if self._estimated:
            self._session.usage = Reported(input_tokens, self._estimated)
            uncorrected = int(self._estimated / self._session.ratio)
            self._calibration = self._calibration.observe(uncorrected, input_tokens)

    @property
    def usage(self) -> Usage:
        """How full the window is now: tokens, window, share. What was appended since the last compile counts, in a tool loop
        too, and so does what the provider reported, as ``usage_preference`` says. Nothing is compiled for it.
        """
        return take_stock(self._state(self._target))

    def request_new_context(self) -> None:
        """Ask the next compile for a new window: everything is set aside but pinned turns, the last turn and the newest message
        of the user, however much room there is.

        It holds for one compile. Where that opens none (a function in the slot ``before-overflow`` vetoed it, the provider
        keeps the window, there is nothing to set aside, the store failed), the event ``new_context_dropped`` and the payload's
        ``meta.failure`` say why.
        """
        self._session.new_context = True

    @property
    def calibration(self) -> Calibration:
        """What reported usage taught about the tokenizer: ratio and error."""
        return self._calibration

    def use(self, slot: SlotName, function: SlotFunction) -> Callable[[], None]:
        """Step into the compile at one of its six slots; returns a function that steps out again.

        Raises:
            ValueError: no such slot.
        """
        return self._slots.use(slot, function)

    def on(self, event: type | str, handler: Callable[..., object]) -> Callable[[], None]:
        """Listen for an event, by type or name; returns a function that stops listening.

        Raises:
            InputError: no event has that name.
        """
        if isinstance(event, str) and event not in EVENT_NAMES:
            raise InputError(f"no event is called {event!r}", hint=f"there are {', '.join(sorted(EVENT_NAMES))}")
        return self.bus.on(event, handler)

    def join(self, sink: Sink) -> Callable[[], None]:
        """Give every event to a sink; returns a function that parts the two."""
        return self.bus.join(sink)

    async def aclose(self) -> None:
        """Close the store, and give up what works in the background. The context can still compile what fits."""
        self._runner.jobs.close()
        await self.store.close()

    def close(self) -> None:
        """``aclose`` for callers without an event loop."""
        self._portal.run(self.aclose())
        self._portal.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()


def _in_words(prune: PruneSettings | bool, vocabulary: Vocabulary) -> PruneSettings | None:
    """What prunes, in the session's own words."""
    if not prune:
        return None
    return replace(prune, vocabulary=vocabulary) if isinstance(prune, PruneSettings) else PruneSettings(vocabulary=vocabulary)


def _never() -> bool:
    return False


def _check_arguments(window: object, store: object, overflow: object, prune: object) -> None:
    if not isinstance(window, int) or window < 1:
        raise InputError(f"a window of {window!r} tokens", hint="give the model's context length, for example 32000")
    if not isinstance(store, Store | None):
        raise InputError(f"store is no Store but {_kind(store)}", hint="write Store(SQLiteBackend('agent.db'))")
    if overflow is not None and not isinstance(getattr(overflow, "fingerprint", None), str):
        raise InputError(f"overflow is no strategy but {_kind(overflow)}", hint="write chain(clear(), digest(), reset())")
    if not isinstance(prune, PruneSettings | bool):
        raise InputError(f"prune is no setting but {_kind(prune)}", hint="write PruneSettings(threshold=8192), or False")


def _session_name(name: str) -> str:
    if name and "/" in check_path(name):
        raise InputError(f"a session called {name!r}", hint="leave out the slash")
    return name


def _check_notices(window: int, trigger: float, handoff: object, guard: object) -> None:
    if not isinstance(handoff, Handoff | None):
        raise InputError(f"handoff is no Handoff but {_kind(handoff)}", hint="write Handoff(4_000)")
    if not isinstance(guard, Guard | None):
        raise InputError(f"guard is no Guard but {_kind(guard)}", hint="write guard(), or guard(warn=0.8)")
    closes_at = guard.compress if guard is not None else trigger
    if handoff is not None and handoff.budget_tokens >= window * closes_at:
        raise InputError(
            f"a handoff budget of {handoff.budget_tokens:,} tokens, where the window closes at {int(window * closes_at):,}",
            hint="give the tokens that may be left when the model is told, for example a tenth of the window",
        )


def _check_messages(messages: Sequence[object]) -> None:
    for message in messages:
        if not isinstance(message, Message):
            raise FormatError(
                f"append takes messages, not {_kind(message)}",
                hint="a provider's own JSON goes to load(history, format='openai'); several messages to append(*messages)",
            )


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def _is_neutral(source: object) -> bool:
    if isinstance(source, Request):
        return True
    return isinstance(source, Sequence) and not isinstance(source, str | bytes) and all(isinstance(m, Message) for m in source)
