"""One request on its way through: asked, and its answer handed back; once more where it had been too long.

Knows exchanges, the guard by what it promises, and how answers fail. What has been said to the client cannot be taken back: a
status is sent with the first piece, and what goes wrong after it is told inside the answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .asking import Asking
from .bodies import ClientGoneError, Decoder, UnknownCodingError, codings, decoder
from .exchange import Exchange, Reported
from .forwarding import Answer, FailedError, Limits
from .headers import Header, back
from .parties import Ended, Guarding, Journal
from .presence import Presence
from .relaying import Outgoing, Pieces, Pulse
from .retry import Retry
from .streams import Reader, keepalive, reader
from .streams.usage_chunk import UsageChunkFilter
from .telling import Telling

__all__ = ["Passage"]

_log = logging.getLogger(__name__)

_MOST_HELD = 256 << 10
"""Bytes of a refusal, or of events without content, that are held before they are handed on."""
_SAYING = frozenset({200, 201, 202, 203})
"""Statuses, short of errors, whose answers say what a model said. No other has a body that could (RFC 9110, 15.3 and 15.4)."""
_JSON_ERRORS = (b'{"error"', b'{"type":"error"', b'{"object":"error"')


@dataclass(slots=True, kw_only=True)
class Passage:
    """One request.

    Attributes:
        exchange: what is asked.
        asking: how.
        guard, journal, limits: what it is done with.
        presence: the client's.
        out: the answer to it.
        share: what is done to the answer's headers for a page.
        clock: seconds.
    """

    exchange: Exchange
    asking: Asking
    guard: Guarding
    journal: Journal
    limits: Limits
    presence: Presence
    out: Outgoing
    share: Callable[[list[Header]], list[Header]]
    clock: Callable[[], float]
    _telling: Telling = field(init=False)
    _retry: Retry = field(init=False)
    _reader: Reader | None = None
    _failure: str = ""
    _streams: bool = False
    _may_bridge: bool = False
    _is_measured: bool = False
    _filter: UsageChunkFilter | None = None
    _held: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._telling = Telling(self.exchange, self.journal, self.out, self.share)
        self._retry = Retry(self.exchange, self.asking, self.guard)

    async def run(self) -> None:
        """Ask and answer. Whatever goes wrong at the upstream is answered too."""
        try:
            while True:
                answer = await self._asked()
                try:
                    if not await self._answered(answer):
                        return
                finally:
                    answer.close()
                self._held = []
                self._streams = False
        except FailedError as failed:
            await self._fail(failed.status, failed.message)
        except ClientGoneError:
            raise
        except Exception:  # noqa: BLE001 - a fault of ours is told as every other is
            _log.exception("request %s failed", self.exchange.id)
            await self._fail(500, "a fault of the gateway; see its log")

    def ended(self, began: float, now: float, *, aborted: bool) -> Ended:
        """How it ended."""
        read = self._reader
        error = read.error if read is not None else None
        how: Literal["answered", "refused", "failed", "aborted"] = "answered"
        if aborted and (read is None or not read.ended):
            # Who hangs up once an answer has ended has all of it.
            how = "aborted"
        elif self._failure:
            how = "failed"
        elif error is not None or self.out.status >= 400:
            how = "refused"
        return Ended(
            how=how,
            status=self.out.status,
            message=self._failure or (error.message if error is not None else ""),
            size=self.out.size,
            began=began,
            first=self.out.first,
            ended=now,
            model=read.model if read is not None else "",
            finish=read.finish if read is not None else "",
        )

    @property
    def reported(self) -> Reported | None:
        """What the upstream counted, if it said."""
        usage = self._reader.usage if self._reader is not None else None
        if usage is None:
            return None
        read = usage.prompt_tokens if usage.prompt_tokens is not None else usage.input_tokens
        return Reported(input_tokens=read or 0, output_tokens=usage.output_tokens or 0, cached_tokens=usage.cached_tokens or 0)

    @property
    def _generates(self) -> bool:
        return self.exchange.endpoint is not None and self.exchange.endpoint.kind == "generate"

    # ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _asked(self) -> Answer:
        """The upstream's answer, once its status is known; the client of a stream is kept waiting meanwhile."""
        framing = self._telling.framing if self.exchange.stream and self._generates else "whole"
        if framing == "whole":
            return await self.asking.ask()
        asking = asyncio.create_task(self.asking.ask())
        try:
            await asyncio.wait({asking}, timeout=self.limits.patience)
            while not asking.done():
                await self._telling.promise()
                await asyncio.wait({asking}, timeout=self.limits.quiet)
            return asking.result()
        except asyncio.CancelledError:
            asking.cancel()
            await asyncio.wait({asking})
            if not asking.cancelled() and asking.exception() is None:
                asking.result().close()
            raise

    def _bridge(self, read: Reader) -> bytes:
        """What may be said now that means nothing. An answer that has not begun is taken for what was asked for."""
        if self._is_open(read):
            return read.keepalive()
        return keepalive(read.protocol, self._telling.framing) if self._may_bridge else b""

    def _is_open(self, read: Reader) -> bool:
        """Whether something of ours may stand inside the answer: it is a stream, by its own word or by the request's."""
        is_stream = read.framing == "events" or (self.exchange.stream and read.framing != "whole")
        return is_stream and not self._is_measured

    # ── answering ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _answered(self, answer: Answer) -> bool:
        """Hand an answer back; true where the request became smaller instead, and is to be asked again."""
        decoders = self._decoders(answer) if self._generates else None
        self._is_measured = False
        says = answer.status >= 400 or answer.status in _SAYING
        if decoders is None or not (says or self._telling.is_promised):
            if self._telling.is_promised:
                raise FailedError(502, f"{self._place()} answered in a coding that is not known")
            await self._hand(answer)
            return False
        assert self.exchange.endpoint is not None
        protocol = self.exchange.endpoint.protocol
        kind = answer.header("content-type")
        read = self._reader = reader(protocol, kind, self.clock, status=answer.status)
        pieces = Pieces(answer, decoders)
        is_whole = kind.startswith("application/json") and self._telling.framing == "events"
        self._may_bridge = self.exchange.stream and not is_whole
        if self._telling.is_promised:
            if answer.status >= 400 or is_whole or not says:
                return await self._belated(answer, read, pieces)
        else:
            length = None if decoders or self._may_bridge or self._is_open(read) else answer.length
            self._is_measured = length is not None
            self._telling.plan(answer.status, back(answer.headers, decoded=bool(decoders), length=length))
        if answer.status >= 400:
            return await self._refused(answer, read, pieces)
        with Pulse(answer, lambda: self._bridge(read), self.out, self.limits) as pulse:
            return await self._relay(answer.status, read, pieces, pulse)

    async def _hand(self, answer: Answer) -> None:
        """An answer that is not looked at: as it is, coding and all."""
        length = None if answer.status in {204, 304} else answer.length
        self._telling.plan(answer.status, back(answer.headers, length=length))
        while piece := await answer.read():
            await self.out.piece(piece)
        await self._end()

    async def _refused(self, answer: Answer, read: Reader, pieces: Pieces) -> bool:
        """An error instead of an answer: looked at, and handed on as it is."""
        try:
            said = await self._gathered(read, pieces)
        except FailedError:
            # The status stands, whatever became of the words.
            await self.out.piece(b"".join(self._held))
            raise
        if self.asking.refused(answer.status, said) or await self._retry.refused(answer.status, said):
            return True
        await self._release()
        if len(said) >= _MOST_HELD:
            while piece := await pieces.next():
                await self.out.piece(piece)
        read.close()
        await self._end()
        return False

    async def _gathered(self, read: Reader, pieces: Pieces) -> bytes:
        """An answer in one piece, held as far as it may be."""
        held = 0
        while held < _MOST_HELD and (piece := await pieces.next()):
            self._held.append(piece)
            held += len(piece)
            read.feed(piece)
        return b"".join(self._held)

    async def _belated(self, answer: Answer, read: Reader, pieces: Pieces) -> bool:
        """An answer in one piece, where the client was promised a stream already."""
        said_whole = await self._gathered(read, pieces)
        read.close()
        if self.asking.refused(answer.status, said_whole) or await self._retry.refused(answer.status, said_whole):
            return True
        error = read.error
        status = answer.status if answer.status >= 400 else 502
        said = (error.message if error is not None else "") or f"the upstream answered {answer.status} and no stream"
        await self._say(status, said)
        return False

    async def _relay(self, status: int, read: Reader, pieces: Pieces, pulse: Pulse) -> bool:
        """The pieces of an answer as they come. True where it turned out to be an overflow before anything was handed on."""
        self._streams = True
        self._filter = self.asking.filter() if not self._is_measured else None
        risky = len(self.exchange.sent) > self.limits.risky
        holding = True
        until = asyncio.get_running_loop().time() + self.limits.hold
        while True:
            piece = await self._next(pieces, pulse, until if holding and self._held else None)
            if piece is None:
                holding = False
                await self._release()
                continue
            if not piece:
                break
            self._may_bridge = False
            read.feed(piece)
            if self._filter is not None:
                piece = self._filter.feed(piece)
            if not holding:
                if piece:
                    await self.out.piece(piece)
                continue
            self._held.append(piece)
            if read.error is not None and read.empty:
                if await self._retry.failed(read.error):
                    return True
            elif self._keeps_holding(read, risky=risky):
                continue
            holding = False
            await self._release()
        read.close()
        return await self._finish(status, read)

    async def _next(self, pieces: Pieces, pulse: Pulse, until: float | None) -> bytes | None:
        """The next piece; ``None`` where what is held has been held for long enough."""
        if until is None:
            return await pulse.next(pieces)
        try:
            async with asyncio.timeout_at(until):
                return await pulse.next(pieces)
        except TimeoutError:
            return None

    def _keeps_holding(self, read: Reader, *, risky: bool) -> bool:
        size = sum(map(len, self._held))
        if not self._is_open(read):
            begins = b"".join(self._held)[:64].replace(b" ", b"").replace(b"\n", b"")
            return begins.startswith(_JSON_ERRORS) and size < _MOST_HELD
        return risky and read.empty and not read.settled and size < _MOST_HELD

    async def _finish(self, status: int, read: Reader) -> bool:
        if self._held:
            if (read.error is not None and read.empty and await self._retry.failed(read.error)) or await self._cut(read):
                return True
            await self._release()
        rest = self._filter.close() if self._filter is not None else b""
        if not self.out.size and not rest:
            if await self._cut(read):
                return True
            if self.out.status or status == 200:
                raise FailedError(502, f"{self._place()} answered nothing")
        if rest:
            await self.out.piece(rest)
        if not read.settled and self._is_open(read):
            await self._say(502, f"{self._place()} closed its answer before the end")
            return False
        await self._end()
        return False

    async def _cut(self, read: Reader) -> bool:
        return await self._retry.answered(self.reported, read)

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _release(self) -> None:
        held, self._held = self._held, []
        if whole := b"".join(held):
            await self.out.piece(whole)

    async def _end(self) -> None:
        self.presence.over()
        await self.out.end()

    async def _fail(self, status: int, message: str) -> None:
        """The upstream gave no answer, or broke it off."""
        self._failure = message
        if not self.out.status:
            self._held = []
            said = self._telling.failed(status, message)
            self.presence.over()
            await self.out.end(said)
            return
        read = self._reader
        if read is not None and self._streams:
            read.close()
            self._held.append(self._filter.close() if self._filter is not None else b"")
            await self._release()
            if read.settled and self._is_open(read):
                # All was said before it broke off.
                self._failure = ""
                await self._end()
                return
        await self._say(status, message)

    async def _say(self, status: int, message: str) -> None:
        """Tell inside an answer that it cannot go on. Where it has no place for that, the connection is broken off."""
        self._failure = message
        read = self._reader
        if read is None or not self._streams:
            said = self._telling.early(status, message)
        else:
            said = read.error_event(status, message) if self._is_open(read) else b""
        if said:
            self.presence.over()
            await self.out.end(said)

    def _decoders(self, answer: Answer) -> list[Decoder] | None:
        """What undoes the answer's codings; ``None`` where one is not known, so that it cannot be looked at."""
        try:
            return [decoder(name) for name in reversed(codings(answer.listed("content-encoding")))]
        except UnknownCodingError:
            return None

    def _place(self) -> str:
        return self.exchange.upstream.address.at(self.asking.path)
