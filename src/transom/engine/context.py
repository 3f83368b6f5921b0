"""``Context``: what a caller holds. State and verbs, no policy: the phases decide.

One context is one session. It is not meant to be shared between threads; compiles of one context wait for each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Self

from ..errors import FormatError, InputError
from ..messages import Message, leading_system
from ..messages.checking import check_messages
from ..observe.bus import EventBus
from ..observe.sink import Sink
from ..store.backends.memory import MemoryBackend
from ..store.store import Store
from ..tokens import Calibration, Tokenizer, Weights
from ..tokens.named import tokenizer_named
from ..tokens.usage import Reported, UsagePreference, check_preference, correction
from ..vocabulary import ENGLISH, Vocabulary
from ..vocabulary.checking import check_vocabulary
from ..wire.detect import detect
from ..wire.format import Head, RenderOptions, Request
from ..wire.registry import FormatRegistry, builtin_registry
from ..wire.spelled import Spelled
from .adding import Adding
from .additions import Additions
from .arguments import (
    check_additions,
    check_arguments,
    check_notices,
    check_tokens,
    kind,
    label_settings,
    recall_settings,
    session_name,
)
from .carrying import Carrying
from .choosing import Choosing
from .events import EVENT_NAMES
from .explaining import Explanation
from .forming import Forming
from .ledger.records import Lineage
from .ledger.window import LiveWindow
from .loading import Loader
from .measuring import budget_of, scaled, take_stock
from .memory.entries import Entries
from .memory.fact import Fact
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
from .placement.labels import Labels
from .placement.temporal import Temporal
from .portal import Portal
from .retrieval import Answering, Retrieval
from .retrieval.recall import Mode, Recall
from .selection.selection import Selection
from .skills.library import SkillLibrary
from .slots import SlotFunction, SlotName, Slots
from .spelling import ToolSchemas, check_tool_schemas
from .standing import Standing, standing
from .state import CompileSettings, CompileState, Session
from .turnstile import Turnstile

__all__ = ["Context"]

Cancel = Callable[[], bool]


class Context(Adding, Carrying, Choosing):
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
        context_tool: offer the model tools to read back what left and to keep memory and notes: settings, or whether to at all.
        skills: where skills are found that ``ctx.skill`` is given by name.
        recall: put passages that left the window beside a message that refers to them: ``on``; ``suggest``, only where they
            are; ``off``; or settings.
        labels: say of what is put in how sure it is and where it comes from: settings, or whether to at all.
        session: a name under which this session goes on in other processes that share the store: what was put into its
            payloads beside the conversation stays the same there.
        tool_schemas: how tool schemas are written: ``openai-strict``, ``gemini``, ``grammar`` (for servers that compile schemas
            into grammars), ``default``, or ``auto`` by the target; ``None`` leaves them as they are. What a target cannot check
            is noted in ``meta.notes``; ``resolve_tool_call`` gives arguments back in the original form.
        project: whose memory it is; empty for memory that belongs to no project. ``ctx.memory.switch`` changes it.

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
        context_tool: Retrieval | bool = False,
        skills: SkillLibrary | None = None,
        recall: Recall | Mode = "off",
        labels: Labels | bool = True,
        tool_schemas: ToolSchemas | None = None,
        session: str = "",
        project: str = "",
    ) -> None:
        made = {name: value for name, value in locals().items() if name not in {"self", "__class__"}}
        check_arguments(window, store, overflow, prune)
        check_vocabulary(vocabulary)
        if not 0 < trigger <= 1 or not 0 < low_water < 1:
            raise InputError("trigger must lie in (0, 1] and low_water in (0, 1)")
        check_notices(window, trigger, handoff, guard)
        check_additions(memory, temporal, session, project)
        self.store = store if store is not None else Store(MemoryBackend())
        self._made = {**made, "store": self.store}
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
            recall=recall_settings(recall),
            labels=label_settings(labels),
            tool_schemas=tool_schemas,
        )
        check_tool_schemas(tool_schemas)
        self._slots = Slots()
        self._library = skills
        self._additions = additions = Additions(
            vocabulary, self._tokenizer.count, temporal=temporal, labels=label_settings(labels)
        )
        self._session = Session(additions, session_name(session), LiveWindow(vocabulary.mending))
        self._session.selection = Selection(words=vocabulary.selecting)
        settings = memory if isinstance(memory, MemorySettings) else MemorySettings()
        facts = Facts(self.store, settings=settings, project=project, session=session, emit=self.bus.emit)
        entries = Entries(self.store, project=project, session=session, emit=self.bus.emit)
        self._memory = Memory(facts, entries, words=vocabulary.remembering)
        if memory is not False:
            additions.memory, additions.project = self._memory, project
        self._own_system: tuple[Message, ...] = ()
        self._loaded_system: tuple[Message, ...] = ()
        self._leading = 0
        self._loader = Loader()
        self._weights = Weights()
        self._calibration = Calibration()
        self._estimated = 0
        self._target: str | None = None
        self._answering = self._answers(context_tool)
        self._composed = None
        additions.tool = self._answering.settings.name if self._answering is not None else ""
        self.head = self._session.head
        self._runner = Runner(self.store, self._strategy, self._tokenizer, vocabulary, self._fingerprint())
        self._owed: tuple[Fact, ...] | None = None
        self._turn = Turnstile("a compile")
        self._portal = Portal()

    def _fingerprint(self) -> str:
        shaping = f"{self._strategy.fingerprint}|{self._tokenizer.name}|{self._vocabulary.fingerprint}"
        return hashlib.sha256(shaping.encode(errors="surrogatepass")).hexdigest()[:16]

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
        self._take_head(head)

    @property
    def input_tokens(self) -> int:
        """What the settled history weighs as it came, in tokens, as of the last compile."""
        return self._session.live.raw_tokens

    def system(self, text: str, *, cache_breakpoint: bool = False) -> None:
        """Set the system prompt. It stands in front of one that a loaded conversation brings."""
        self._own_system = (Message("system", text, cache_breakpoint=cache_breakpoint),)

    def model(self, name: str, *, max_output_tokens: int | None = None, **params: object) -> None:
        """Set what the requests ask for; it replaces that of a loaded conversation.

        Args:
            name: the model, as the provider calls it.
            max_output_tokens: how long an answer may get; the budget keeps room for it.
            params: ``stop``, ``seed`` … as ``Head.params`` names them; what a target refuses is left out and noted.

        Raises:
            InputError: an output limit that is no number of tokens.
        """
        if max_output_tokens is not None and max_output_tokens < 1:
            raise InputError(f"an answer of {max_output_tokens} tokens", hint="give 1 or more, or leave it out")
        head = self._session.head
        self.head = replace(head, model=name, max_output_tokens=max_output_tokens, params={**head.params, **params})

    def load(self, source: object, format: str | None = None) -> None:  # noqa: A002  # the contract's name
        """Take a conversation as it stands now, in place of the one before.

        It is recognised by content: what was there before is neither parsed nor counted nor compacted again.

        Args:
            source: a request body (parsed, or JSON text, or that taken apart: ``Spelled``), a list of its messages, ``Message``
                objects, or a parsed ``Request``.
            format: the body's wire format; detected if left out.

        Raises:
            FormatError: the source is not of that format, or of none that is known.
        """
        target = None
        if isinstance(source, Message):
            raise FormatError("load takes a whole conversation", hint="use append for one message")
        if not _is_neutral(source):
            known = format or (self._loader.format if self._loader.resumes(source) else "")
            text = source.text if isinstance(source, Spelled) else source
            target = self.formats.get(known) if known else detect(text, self.formats)
        loaded = self._loader.load(source, target)
        messages = loaded.messages
        leading = leading_system(messages)
        if loaded.kept < leading or not self._reaches(loaded.kept - leading):
            self._session.live = LiveWindow(self._vocabulary.mending)
            self._session.looked_up = False
            self._session.noticed = self._session.warned = ""
            self._session.additions.frozen = None
            self._session.repairs = 0
            self._forget_loads()
            self._session.move_prefix()
            fresh: Sequence[Message] = messages[leading:]
        else:
            fresh = messages[loaded.kept :]
        self._session.live.extend(fresh)
        self._note_loads(fresh)
        if self._answering is not None:
            self._answering.settled(fresh)
        self._leading = leading
        self._loaded_system = tuple(message for message in messages[:leading] if not self._additions.wrote(message))
        if loaded.head is not None:
            self.head = loaded.head

    def adds(self, source: Spelled, format: str) -> int:  # noqa: A002  # as in ``load``
        """Bytes of a conversation that a load of it would have to read, because the last load did not hold them. Loads nothing.

        Args:
            source: the body.
            format: its wire format.
        """
        return self._loader.adds(source, format)

    def _reaches(self, kept: int) -> bool:
        """Whether everything handed in so far is among the first ``kept`` conversation messages."""
        return self._session.live.history.count == kept

    def append(self, *messages: Message) -> None:
        """Add messages at the end: the fast path.

        Raises:
            FormatError: what is added is no ``Message``.
        """
        check_messages("append", messages)
        history = self._session.live.history
        if history.count == 0 and not self._loader.messages:
            leading = leading_system(messages)
            self._own_system = (*self._own_system, *messages[:leading])
            messages = messages[leading:]
        self._session.live.extend(messages)
        self._loader.note(messages)
        self._note_loads(messages)
        if self._answering is not None:
            self._answering.settled(messages)

    async def compile(self, target: str | None = None, *, cancelled: Cancel | None = None) -> Payload:
        """The payload for one call of a provider.

        Args:
            target: ``openai``, ``openai-responses``, ``anthropic``, ``gemini``, ``ollama``, or one that was registered; by
                default the registry's.
            cancelled: asked between phases; when it says yes, the compile stops and the context is as before.

        Raises:
            WindowError: system prompt, tools, pinned turns and reserve alone exceed the window.
            StoreError: what has to leave cannot be stored.
            CompileCancelled: ``cancelled`` said so.
            FormatError: an unknown target.
            InputError: called by a model, a strategy or a function in a slot that a compile of this very context waits for.
        """
        async with self._turn:
            await self._settle_up()
            payload = await run(self._state(target), cancelled or _never)
        self._estimated = payload.meta.tokens_after
        self._target = payload.meta.target
        if self._answering is not None:
            self._answering.settled()
        return payload

    async def standing(self, target: str | None = None) -> Standing | None:
        """What the conversation weighs, where it may go to its provider as it came; ``None`` where a compile has to say.

        It may where nothing has left its window, nothing has to leave, and this context adds nothing to it. What is told counts
        as the last compile does for ``report_usage`` and ``usage``.

        Args:
            target: see ``compile``.

        Raises:
            StoreError, FormatError, InputError: see ``compile``.
        """
        async with self._turn:
            await self._settle_up()
            found = await standing(self._state(target))
        if found is not None:
            self._estimated = found.tokens_after
            self._target = self.formats.get(target).name
            if self._answering is not None:
                self._answering.settled()
        return found

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

    def report_usage(self, input_tokens: int, *, estimated: int | None = None) -> None:
        """Tell what the provider counted for the last payload, or for one before.

        It counts at once for the question whether the window closes, as ``usage_preference`` says; weights are corrected when
        the next window closes, so that none changes in between. A payload whose window the provider keeps teaches nothing.

        Args:
            input_tokens: everything the provider read, cached tokens included.
            estimated: what was estimated of the payload that it read (``meta.tokens_after``), where that is not the last one.

        Raises:
            InputError: no number of tokens.
        """
        check_tokens("a usage", input_tokens)
        if self._session.managed:
            # The provider may have cleared what we counted: its figure says nothing of our count.
            return
        counted = self._estimated if estimated is None else estimated
        if counted:
            self._session.usage = Reported(input_tokens, counted)
            uncorrected = int(counted / self._session.ratio)
            self._calibration = self._calibration.observe(uncorrected, input_tokens)

    def calibrate(self, calibration: Calibration) -> None:
        """Take over what other sessions with the same model taught of how it counts.

        Weights are corrected by it from the first compile on; in a session that has compiled already, when its next window
        closes, so that none changes in between. What is reported here comes on top.

        Args:
            calibration: ``ctx.calibration`` of a session with that model and this tokenizer.
        """
        self._calibration = calibration
        if not self._estimated:
            self._session.ratio = correction(self._settings.usage, calibration)

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

    def owns_tool(self, name: str) -> bool:
        """Whether calls of a tool are for ``handle_tool``: the context tools, where they are offered, and ``load_toolkit``."""
        return self._loads(name) or (self._answering is not None and self._answering.owns(name, self._session.head.tools))

    async def handle_tool(self, call: object) -> str:
        """The text of the result of a call that the model made of one of our tools.

        Whatever the model wrote, it is answered: a mistake with a text that begins with ``Error:`` and says what to do instead,
        and so is a store that fails. An answer has at most ``Retrieval.budget`` tokens, and no more than are left before the
        window closes; what is longer comes in pages. Append it to the conversation as any other result.

        Args:
            call: as the provider's answer holds it (OpenAI Chat and Responses, Anthropic, Gemini; JSON or the SDK's object), a
                ``Call``, or a pair of name and arguments; arguments as JSON text or as an object.

        Raises:
            InputError: no call, or of a tool for which ``owns_tool`` says no.
        """
        state = self._state(self._target)
        used = take_stock(state).tokens
        budget = budget_of(state)
        before_closing = scaled(budget.fixed + budget.trigger, budget.ratio) - used
        refusal = self._answer_choice(call, budget.available, before_closing)
        if refusal is not None:
            return refusal
        if self._answering is None:
            raise InputError(
                "this context offers no tools of its own that answer such a call",
                hint="ask owns_tool first; Context(…, context_tool=True) offers them, ctx.tools(Toolkit(…)) load_toolkit",
            )
        asked = self._read(call)
        return await self._answering.answer(
            (asked.name, asked.arguments),
            self._session.head.tools,
            before_closing=before_closing,
            before_end=budget.window - budget.reserve - used,
            turn=len(self._session.live.history.turns),
        )

    def handle_tool_sync(self, call: object) -> str:
        """``handle_tool`` for callers without an event loop."""
        return self._portal.run(self.handle_tool(call))

    def _answers(self, settings: Retrieval | bool) -> Answering | None:
        if not isinstance(settings, Retrieval | bool):
            raise InputError(f"context_tool is no setting but {kind(settings)}", hint="write Retrieval(budget=2000), or True")
        if settings is False:
            return None
        return Answering(
            settings if isinstance(settings, Retrieval) else Retrieval(),
            store=self.store,
            count=self._tokenizer.count,
            vocabulary=self._vocabulary,
            facts=self._memory.facts,
            entries=self._memory.entries,
            request_new_context=self.request_new_context,
            labels=self._settings.labels,
        )

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
        """Close the store, and give up what works in the background. The context can still compile what fits.

        The store is closed for all who share it: where it is not this context's alone, close the store when the last of them is
        done, and drop the context. One that is merely dropped leaves nothing behind.
        """
        self._runner.jobs.close()
        await self.store.close()

    def close(self) -> None:
        """``aclose`` for callers without an event loop. It closes the store for all who share it."""
        try:
            self._portal.run(self.aclose())
        finally:
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


def _is_neutral(source: object) -> bool:
    if isinstance(source, Request):
        return True
    return isinstance(source, Sequence) and not isinstance(source, str | bytes) and all(isinstance(m, Message) for m in source)
