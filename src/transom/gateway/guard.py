"""The guard: a conversation that would not fit is closed once, stays as it was closed, and nothing of it is lost.

Knows the engine by its verbs, and the window of a model by what it is told. It edits a request only where a window has closed
or must close now: then the conversation's list is exchanged and every other byte stays the client's. Whatever fails here, the
request goes on as it came, and a decision says why.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from ..engine.context import Context
from ..engine.pool import ContextPool
from ..engine.standing import Standing
from ..errors import FormatError, JSONError, TransomError, WindowError
from ..jsontext import join_object, loads, locate, raw_object
from ..safety.masking import beginning
from ..wire.format import Format
from ..wire.registry import FormatRegistry
from ..wire.spelled import Spelled
from .alternation import taking_turns
from .beside import Beside
from .exchange import Exchange
from .identity import Beginnings, scope_of, session_key
from .overflows import absurd, cut, supposed, weight
from .reserves import answer_asked, counts_answer, leaves_room, within
from .windows import asked_window

if TYPE_CHECKING:
    from ..engine.payload import PayloadMeta
    from .calibrations import Calibrations
    from .upstreams import Upstream

__all__ = ["Guard", "Make", "WindowSource"]

_STEP = "guard"
_HELD = ("previous_response_id", "conversation", "context", "response_id", "cachedContent")
"""Fields of requests whose history lies with the provider: not ours to cut."""
_KEEPING = re.compile(rb'"type"\s*:\s*"(?:clear_tool_uses|compact)')
"""What Anthropic's ``context_management`` says where the provider keeps the window. Claude Code always sends another."""
_KEPT = 512
"""Conversations held in memory; what was decided of the others is read from the store."""

_INLINE = 64 << 10
"""Bytes of a request that are looked at on the spot, in about 2 ms. More is looked at beside the event loop."""
_INLINE_KNOWN, _NEW = 640 << 10, 8 << 10
"""Bytes of one that goes on with a known conversation, and bytes that are new in it, for which the same holds."""
_MOST_SAID = 300
"""Characters of an error that a decision repeats."""

_TAUGHT, _SURE = 3, 0.1
"""Reports of a model, and the error of our count after them, from which a small lack shows that something was cut too."""

_ALTERNATING = frozenset({"openai", "ollama"})
"""Formats behind which chat templates stand that may refuse two messages of one role in a row."""

_log = logging.getLogger(__name__)

Make = Callable[[str, int], Context]
"""A context for a scope and a window."""


class WindowSource(Protocol):
    """Where the window of a model is known from."""

    async def of(self, upstream: Upstream, model: str, asked: int | None = None) -> tuple[int | None, str]:
        """Tokens, and from where: a setting, the request, the server, an error, a table. ``None`` where nobody knows."""
        ...

    def learn(self, upstream: Upstream, model: str, tokens: int) -> None:
        """What an error named."""
        ...

    def counts_answer(self, upstream: Upstream, model: str) -> bool:
        """Whether what a request asks for its answer has to fit into the window too."""
        ...

    def learn_counting(self, upstream: Upstream, model: str) -> None:
        """It has: an error said so."""
        ...

    def doubt(self, upstream: Upstream, model: str) -> None:
        """An error named nothing."""
        ...

    def answered(self, upstream: Upstream, model: str, counted: int = 0) -> None:
        """The model answered, and counted so many tokens."""
        ...

    async def dropped(self, upstream: Upstream, model: str, counted: int) -> None:
        """The server read only so many tokens, and said nothing of the rest."""
        ...


class Guard:
    """Keeps conversations inside their windows.

    Args:
        make: a context for a scope and a window.
        windows: tells windows.
        formats: the wire formats.
        calibrations: what is known of how each model counts; without any, each conversation learns it for itself.
        most_open: conversations held in memory.
    """

    def __init__(
        self,
        make: Make,
        windows: WindowSource,
        formats: FormatRegistry,
        *,
        calibrations: Calibrations | None = None,
        most_open: int = _KEPT,
    ) -> None:
        self._make = make
        self._windows = windows
        self._formats = formats
        self._calibrations = calibrations
        self._pool = ContextPool(self._made, most_open=most_open)
        self._turns: WeakKeyDictionary[Context, asyncio.Lock] = WeakKeyDictionary()
        self._compiled: WeakKeyDictionary[Context, _Last] = WeakKeyDictionary()
        self._beginnings = Beginnings()
        self._beside = Beside()
        self._absurd: set[str] = set()

    async def before(self, exchange: Exchange) -> None:
        """Make a request fit, if it does not. Raises nothing that a request could cause."""
        if exchange.endpoint is None or exchange.endpoint.kind not in {"generate", "count"}:
            return
        try:
            await self._guarded(exchange)
        except (FormatError, JSONError) as error:
            exchange.decide(_STEP, "passed", _said("not read", error))
        except WindowError as error:
            exchange.decide(_STEP, "passed", _said("nothing may leave", error))
        except TransomError as error:
            _log.warning("request %s goes on unguarded: %s", exchange.id, error.message)
            exchange.decide(_STEP, "failed", _said("", error))
        except Exception:  # noqa: BLE001 - a fault of ours must not take away what works without us
            _log.exception("request %s goes on unguarded", exchange.id)
            exchange.decide(_STEP, "failed", "a fault of the guard; see the log")

    async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
        """Make a request smaller that the upstream refused as too large.

        Args:
            exchange: the request.
            said: tokens that the upstream counted, if it says.
            window: tokens that it takes, if it says.
            certain: it said that it was too large. Not so for a bare refusal, or an answer that only looks like one.

        Returns:
            Whether ``exchange.sent`` is smaller now; the caller may ask once more.
        """
        if not exchange.session or exchange.endpoint is None:
            return False
        before = exchange.sent
        try:
            asked = _answer_asked(exchange)
            if window is not None and counts_answer(said, window, asked):
                if not leaves_room(window, asked):
                    exchange.decide(_STEP, "passed", f"the {asked} tokens asked for the answer leave no room in {window}")
                    return False
                self._windows.learn_counting(exchange.upstream, exchange.model)
            if window is not None:
                self._windows.learn(exchange.upstream, exchange.model, window)
            else:
                self._windows.doubt(exchange.upstream, exchange.model)
            # An error may name more than a setting allows.
            known, _ = await self._windows.of(exchange.upstream, exchange.model, _asked(exchange))
            if known is None and certain and (known := supposed(said or weight(exchange))) is not None:
                self._windows.learn(exchange.upstream, exchange.model, known)
            exchange.window = min(filter(None, (known, window)), default=None)
            if exchange.window is None:
                return False
            # What was refused weighs more than was thought, whether the upstream says how much or not.
            thought = exchange.tokens_after
            if thought is None:
                # It went on as it came.
                await self._guarded(exchange, known=exchange.window)
                thought = exchange.tokens_before
            async with self._context(exchange) as context:
                refused = said or max(exchange.window, thought or 0)
                await self._report(exchange, context, refused, thought, is_refused=True, is_told=said is not None)
            await self._guarded(exchange, known=exchange.window)
            if len(exchange.sent) >= len(before):
                await self._guarded(exchange, known=exchange.window, closing=True)
        except TransomError as error:
            exchange.decide(_STEP, "failed", _said("nothing smaller", error))
            return False
        smaller = len(exchange.sent) < len(before)
        exchange.decide(_STEP, "retried" if smaller else "passed", f"the upstream takes {exchange.window} tokens")
        return smaller

    async def after(self, exchange: Exchange) -> None:
        """Take what the upstream counted as what the request weighs."""
        reported = exchange.reported
        if reported is None or reported.input_tokens <= 0 or not exchange.session:
            return
        read = reported.input_tokens
        if absurd(exchange, reported):
            exchange.decide(_STEP, "ignored", f"no request of {len(exchange.sent)} bytes has {read} tokens")
            if exchange.upstream.name not in self._absurd:
                self._absurd.add(exchange.upstream.name)
                _log.warning("request %s: %s counts more tokens than can be: %s", exchange.id, exchange.upstream.name, read)
            return
        if exchange.window is None or exchange.dry or exchange.tokens_after is None:
            # Nothing was compiled, or not what was sent.
            await self._noted(exchange, read + reported.output_tokens, was_cut=cut(exchange, reported))
            return
        async with self._context(exchange) as context:
            known = context.calibration
            last = self._compiled.get(context)
            is_last = last is not None and last.exchange == exchange.id
            expected = context.usage.tokens if is_last and len(known) >= _TAUGHT and (known.error or 0.0) <= _SURE else None
            was_cut, is_odd = cut(exchange, reported), False
            if not was_cut:
                if expected is not None and exchange.upstream.local and cut(exchange, reported, expected=expected):
                    # Ollama may cut little. Or something else did: providers drop reasoning by themselves.
                    self._windows.doubt(exchange.upstream, exchange.model)
                is_odd = not await self._report(exchange, context, read, exchange.tokens_after)
        await self._noted(exchange, 0 if is_odd else read + reported.output_tokens, was_cut=was_cut)

    async def _noted(self, exchange: Exchange, counted: int, *, was_cut: bool) -> None:
        upstream, model = exchange.upstream, exchange.model
        if not was_cut:
            self._windows.answered(upstream, model, counted)
            return
        assert exchange.reported is not None
        read = exchange.reported.input_tokens
        exchange.decide(_STEP, "noticed", f"the upstream read {read} tokens, and left out the rest without a word")
        _log.warning("request %s: %s left out what was too long for it; %s tokens were read", exchange.id, upstream.name, read)
        await self._windows.dropped(upstream, model, read)

    async def _report(
        self,
        exchange: Exchange,
        context: Context,
        tokens: int,
        estimated: int | None,
        *,
        is_told: bool = True,
        is_refused: bool = False,
    ) -> bool:
        """Take a figure as what was estimated weighs; false for one that cannot be believed, which then counts for nothing.

        Another request of the conversation may have been compiled since. A refusal counts in any case, for the request that it
        refused.
        """
        before, thought = context.calibration, context.usage.tokens
        context.report_usage(tokens, estimated=estimated or 0)
        pairs = context.calibration.pairs
        if not is_told or self._calibrations is None or context.calibration is before or not pairs:
            return True
        if await self._calibrations.learn(exchange.upstream, exchange.model, *pairs[-1]):
            return True
        if not is_refused:
            context.report_usage(thought)
            context.calibrate(before)
        return False

    async def aclose(self) -> None:
        """Give up what is held in memory."""
        await self._pool.aclose()
        await self._beside.aclose()

    async def _guarded(self, exchange: Exchange, known: int | None = None, *, closing: bool = False) -> None:
        assert exchange.endpoint is not None
        format_ = self._formats.get(exchange.endpoint.protocol)
        body = Spelled.of(exchange.body, format_.conversation, exchange.members)
        members = body.members
        held = next((name for name in _HELD if members.get(name) not in (None, b"null", b"[]", b'""')), None)
        if held is None and _KEEPING.search(members.get("context_management", b"")):
            held = "context_management"
        if held is not None:
            exchange.decide(_STEP, "passed", f"{held}: the history, or its window, is the provider's")
            return
        if format_.conversation not in members:
            # Ollama's prompts in one piece: there is no list of messages to exchange.
            exchange.decide(_STEP, "passed", f"the request has no {format_.conversation}")
            return
        begins = self._beginnings.of(body, format_)
        exchange.model = exchange.model or begins.model
        exchange.scope = scope_of(exchange.named, exchange.query, exchange.spent)
        exchange.session = session_key(exchange.scope, exchange.named, begins)
        window: int | None
        if known:
            window, source = known, "the upstream"
        else:
            window, source = await self._windows.of(exchange.upstream, exchange.model, _asked(exchange, members))
        exchange.window = window
        if window is None:
            exchange.decide(_STEP, "observed", "the window of the model is not known")
            return
        async with self._context(exchange) as context:
            if self._calibrations is not None and known is None:
                context.calibrate(await self._calibrations.of(exchange.upstream, exchange.model))
            if closing:
                context.request_new_context()
            work = _compiled(context, body, format_)
            is_short = len(exchange.body) <= min(_INLINE, window) or self._goes_on(context, body, format_)
            found, rendered = await (work if is_short else self._beside.run(work))
            self._compiled[context] = _Last(exchange.id, found.trigger - found.tokens_after)
        self._take(exchange, found, source)
        if rendered is not None and not exchange.dry:
            if format_.name in _ALTERNATING:
                rendered = taking_turns(rendered, members[format_.conversation])
            exchange.sent = _exchanged(exchange.body, members, format_.conversation, rendered)

    def _goes_on(self, context: Context, body: Spelled, format_: Format) -> bool:
        """Whether a conversation has so little new in it, and so much room, that what there is to do is done in no time."""
        last = self._compiled.get(context)
        return last is not None and len(body.text) <= _INLINE_KNOWN and context.adds(body, format_.name) <= min(_NEW, last.room)

    def _take(self, exchange: Exchange, meta: Standing | PayloadMeta, source: str) -> None:
        exchange.tokens_before, exchange.tokens_after = meta.tokens_before, meta.tokens_after
        if isinstance(meta, Standing) or not _is_edited(meta):
            exchange.decide(_STEP, "passed", f"it fits: {meta.tokens_after} of {self._named(exchange, source)}")
            return
        # The archive besides: it alone has the reasoning that was cleared with a result.
        uris = list(dict.fromkeys((*(moved.uri for moved in meta.moved), *meta.archives[-1:])))
        action = "closed" if meta.closed else "applied"
        exchange.strategy = meta.closed or exchange.strategy
        told = f"{meta.tokens_before} to {meta.tokens_after} of {self._named(exchange, source)}"
        exchange.decide(_STEP, action, told, uris)

    def _named(self, exchange: Exchange, source: str) -> str:
        """The window in words, and what the answer takes of it where that counts."""
        named = f"{exchange.window} tokens ({source})"
        asked = _answer_asked(exchange) if self._windows.counts_answer(exchange.upstream, exchange.model) else 0
        return f"{named}, {asked} of them for the answer" if asked else named

    def _context(self, exchange: Exchange) -> _Turn:
        window = self._kept_to(exchange)
        return _Turn(self._pool.using(f"s{exchange.scope}-{exchange.session}-{window}"), self._turns)

    def _kept_to(self, exchange: Exchange) -> int:
        """The window that the engine keeps to: the model's, less what an answer that counts takes of it."""
        assert exchange.window is not None
        assert exchange.endpoint is not None
        if not self._windows.counts_answer(exchange.upstream, exchange.model):
            return exchange.window
        return within(exchange.window, _answer_asked(exchange), exchange.endpoint.protocol)

    def _made(self, key: str) -> Context:
        scope, _, window = key[1:].split("-")
        return self._make(scope, int(window))


@dataclass(frozen=True, slots=True)
class _Last:
    """The last compile of a conversation: of which exchange, and how many tokens were left until its window closes."""

    exchange: str
    room: int


class _Turn:
    """``async with`` gives a conversation's context to one request at a time.

    Clients repeat requests before the first is answered: between loading and compiling nobody else may load.
    """

    __slots__ = ("_lock", "_turns", "_use")

    def __init__(self, use: AbstractAsyncContextManager[Context], turns: WeakKeyDictionary[Context, asyncio.Lock]) -> None:
        self._use = use
        self._turns = turns

    async def __aenter__(self) -> Context:
        context = await self._use.__aenter__()
        self._lock = self._turns.setdefault(context, asyncio.Lock())
        try:
            await self._lock.acquire()
        except BaseException:
            await self._use.__aexit__(*sys.exc_info())
            raise
        return context

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        await self._use.__aexit__(kind, error, trace)


async def _compiled(context: Context, body: Spelled, format_: Format) -> tuple[Standing | PayloadMeta, bytes | None]:
    """What is known of what goes on, and the conversation's list in it where it is not what came."""
    context.load(body, format_.name)
    standing = await context.standing(format_.name)
    if standing is not None:
        return standing, None
    payload = await context.compile(format_.name)
    return payload.meta, raw_object(payload.json())[format_.conversation] if _is_edited(payload.meta) else None


def _is_edited(meta: PayloadMeta) -> bool:
    return meta.lineage.current != meta.lineage.first or bool(meta.moved)


def _exchanged(body: bytes, members: Mapping[str, bytes], name: str, value: bytes) -> bytes:
    """A body with another value of one member; every other byte is as it was."""
    place = locate(body, name)
    if place is None:
        return join_object({**members, name: value})
    return body[: place[0]] + value + body[place[1] :]


def _said(what: str, error: TransomError) -> str:
    told = beginning(error.message, _MOST_SAID)
    return f"{what}: {told}" if what else told


def _answer_asked(exchange: Exchange) -> int:
    assert exchange.endpoint is not None
    members = exchange.members if exchange.members is not None else raw_object(exchange.body)
    return answer_asked(exchange.endpoint.protocol, members)


def _asked(exchange: Exchange, members: Mapping[str, bytes] | None = None) -> int | None:
    """The window that the request itself asks for."""
    if exchange.endpoint is None:
        return None
    members = members if members is not None else exchange.members
    options = (raw_object(exchange.body) if members is None else members).get("options")
    return asked_window(exchange.endpoint.protocol, {"options": loads(options)} if options else {}, exchange.headers)
