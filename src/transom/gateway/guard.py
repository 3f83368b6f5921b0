"""The guard: a conversation that would not fit is closed once, stays as it was closed, and nothing of it is lost.

Knows the engine by its verbs, and the window of a model by what it is told. It edits a request only where a window has closed
or must close now: then the conversation's list is exchanged and every other byte stays the client's. Whatever fails here, the
request goes on as it came, and a decision says why.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..engine.context import Context
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
from .learning import Learning
from .overflows import supposed, weight
from .reserves import answer_of, counts_answer, leaves_room
from .turns import Last, Make, Turns
from .window_source import WindowSource
from .windows import asked_window

if TYPE_CHECKING:
    from ..engine.payload import PayloadMeta
    from .calibrations import Calibrations

__all__ = ["Guard"]

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

_ALTERNATING = frozenset({"openai", "ollama"})
"""Formats behind which chat templates stand that may refuse two messages of one role in a row."""

_log = logging.getLogger(__name__)


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
        self._windows = windows
        self._formats = formats
        self._calibrations = calibrations
        self._turns = Turns(make, windows, most_open)
        self._learning = Learning(self._turns, windows, calibrations)
        self._beginnings = Beginnings()
        self._beside = Beside()

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
            asked = answer_of(exchange)
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
            async with self._turns.of(exchange) as context:
                refused = said or max(exchange.window, thought or 0)
                await self._learning.report(exchange, context, refused, thought, is_refused=True, is_told=said is not None)
            await self._guarded(exchange, known=exchange.window)
            if len(exchange.sent) >= len(before):
                await self._guarded(exchange, known=exchange.window, closing=True)
        except TransomError as error:
            exchange.decide(_STEP, "failed", _said("nothing smaller", error))
            return False
        smaller = len(exchange.sent) < len(before)
        reason = f"the upstream takes {exchange.window} tokens"
        exchange.decide(_STEP, "retried" if smaller else "kept", reason if smaller else f"{reason}, and nothing more can leave")
        return smaller

    async def after(self, exchange: Exchange) -> None:
        """Take what the upstream counted as what the request weighs."""
        await self._learning.after(exchange)

    async def aclose(self) -> None:
        """Give up what is held in memory."""
        await self._turns.aclose()
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
        async with self._turns.of(exchange) as context:
            if self._calibrations is not None and known is None:
                context.calibrate(await self._calibrations.of(exchange.upstream, exchange.model))
            if closing:
                context.request_new_context()
            work = _compiled(context, body, format_)
            is_short = len(exchange.body) <= min(_INLINE, window) or self._goes_on(context, body, format_)
            found, rendered = await (work if is_short else self._beside.run(work))
            self._turns.compiled(context, Last(exchange.id, found.trigger - found.tokens_after))
        self._take(exchange, found, source)
        if rendered is not None and not exchange.dry:
            if format_.name in _ALTERNATING:
                rendered = taking_turns(rendered, members[format_.conversation])
            exchange.sent = _exchanged(exchange.body, members, format_.conversation, rendered)

    def _goes_on(self, context: Context, body: Spelled, format_: Format) -> bool:
        """Whether a conversation has so little new in it, and so much room, that what there is to do is done in no time."""
        last = self._turns.last(context)
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
        asked = answer_of(exchange) if self._windows.counts_answer(exchange.upstream, exchange.model) else 0
        return f"{named}, {asked} of them for the answer" if asked else named


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


def _asked(exchange: Exchange, members: Mapping[str, bytes] | None = None) -> int | None:
    """The window that the request itself asks for."""
    if exchange.endpoint is None:
        return None
    members = members if members is not None else exchange.members
    options = (raw_object(exchange.body) if members is None else members).get("options")
    return asked_window(exchange.endpoint.protocol, {"options": loads(options)} if options else {}, exchange.headers)
