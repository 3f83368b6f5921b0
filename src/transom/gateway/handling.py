"""One request from its head to the end of its answer: its body read as far as it must be, guarded, asked, written down.

Knows who has a say in a request, and in which order; not who may ask.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from .answers import answer, error_of
from .asked import Asked, members_of, told
from .asking import Asking
from .bodies import Body, ClientGoneError, Receive, Room, TooLargeError, UnknownCodingError, read_body, undone
from .endpoint import Endpoint, endpoint, is_misplaced
from .exchange import Exchange
from .forwarding import Forwarder, Limits
from .headers import named, texts
from .parties import Guarding, Journal
from .passage import Passage
from .presence import Presence
from .relaying import Outgoing, Send
from .upstreams import Edit, Routes

__all__ = ["Handling"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """What requests are handled with.

    Attributes:
        routes, guard, journal, limits, identify, clock: see ``app.build_app``.
        forwarder: asks upstreams.
    """

    routes: Routes
    guard: Guarding
    journal: Journal
    limits: Limits
    forwarder: Forwarder
    identify: Callable[[], str]
    clock: Callable[[], float]
    _room: Room = field(default_factory=Room)
    _refusing: set[tuple[str, Edit]] = field(default_factory=set)

    async def handle(self, asked: Asked, receive: Receive, send: Send) -> None:
        """Read what is to be read, ask, and answer."""
        named_there = self.routes.named(asked.path, asked.port)
        path = named_there[1] if named_there is not None else asked.path
        headers = texts(asked.headers)
        point = endpoint(asked.method, path, dict(headers))
        room = self._room
        reads = point is not None and (
            point.kind in {"generate", "count"} or (named_there is None and len(self.routes.upstreams) > 1)
        )
        announced = named(asked.headers, b"content-length").decode("latin-1")
        length = int(announced) if announced.isdecimal() else None
        has_body = length != 0 if length is not None else bool(named(asked.headers, b"transfer-encoding"))
        body: Body | None = None
        try:
            if not has_body:
                body = Body(b"", whole=True, room=room)
                body.arrived.set()
            elif reads:
                body = await read_body(receive, length, room, self.limits.most_read)
            else:
                body = Body(b"", whole=False, room=room)
            await self._passed(asked, headers, path, point, body, length, receive, send)
        except ClientGoneError:
            return
        finally:
            if body is not None:
                body.release()

    async def _passed(
        self,
        asked: Asked,
        headers: list[tuple[str, str]],
        path: str,
        point: Endpoint | None,
        body: Body,
        length: int | None,
        receive: Receive,
        send: Send,
    ) -> None:
        plain = b""
        coding = named(asked.headers, b"content-encoding").decode("latin-1")
        inspected = body.whole and bool(body.data)
        try:
            plain = await undone(body.data, coding) if inspected and coding else body.data if inspected else b""
        except UnknownCodingError as error:
            await answer(send, 415, error_of(path, 415, f"the coding {error} of the body is not known here", point))
            return
        except TooLargeError:
            await answer(send, 413, error_of(path, 413, "the body unfolds to more than 64 MiB", point))
            return
        except ValueError:
            # Not of its coding, or cut off: the upstream says so better.
            inspected = False
        members = members_of(plain)
        model, stream = told(members, point)
        upstream, onward_path = self.routes.choose(asked.path, model, asked.port)
        exchange = Exchange(
            id=self.identify(),
            method=asked.method,
            path=path,
            query=asked.query,
            headers=headers,
            endpoint=point,
            upstream=upstream,
            body=plain,
            members=members,
            model=model,
            stream=stream,
            spent=asked.admitted.spent,
        )
        if not body.whole and point is not None and point.kind in {"generate", "count"}:
            is_large = length is None or length > self.limits.most_read
            exchange.decide("gateway", "passed", "too large to be looked at" if is_large else "no room to look at it now")
        out = Outgoing(send, self.clock)
        began = self.clock()
        streamed: AsyncIterator[bytes] | None = None if body.whole else body.stream(receive)
        guarded = point is not None and point.kind in {"generate", "count"}
        misplaced = point is None and is_misplaced(asked.method, path)
        if misplaced:
            # It goes on as every unknown path does; but its sender believes it to be guarded.
            exchange.decide("gateway", "passed", "path not known")
        watched = guarded or misplaced
        passage: Passage | None = None
        aborted = True
        try:
            async with Presence(receive, None if body.whole else body.arrived) as presence:
                if inspected and guarded:
                    await self.guard.before(exchange)
                if exchange.dry:
                    exchange.sent = exchange.body
                passage = Passage(
                    exchange=exchange,
                    asking=Asking(
                        exchange=exchange,
                        path=onward_path,
                        raw=body.data,
                        stream=streamed,
                        length=length,
                        forwarder=self.forwarder,
                        refusing=self._refusing,
                    ),
                    guard=self.guard,
                    journal=self.journal,
                    limits=self.limits,
                    presence=presence,
                    out=out,
                    share=asked.admitted.sharing,
                    clock=self.clock,
                )
                if watched:
                    self.journal.began(exchange)
                await passage.run()
            aborted = False
        finally:
            if passage is not None and watched:
                exchange.reported = passage.reported
                self.journal.ended(exchange, passage.ended(began, self.clock(), aborted=aborted))
                await self._after(exchange)

    async def _after(self, exchange: Exchange) -> None:
        known = len(exchange.decisions)
        try:
            await self.guard.after(exchange)
            if later := exchange.decisions[known:]:
                self.journal.noted(exchange, later)
        except Exception:  # noqa: BLE001 - the client has its answer; only the next request would have gained by it
            _log.exception("what the upstream counted for request %s is not taken note of", exchange.id)
