"""Servers that the gateway's benchmark runs, each in a process of its own: ``gateways.py upstream|bare|own PORT-OF-UPSTREAM``.

``upstream`` answers whatever it is asked, as a stream where the body asks for one; headers say how many events and how often.
``bare`` forwards with the same libraries and does nothing else. ``own`` is the gateway as ``transom serve`` runs it, and takes
the window of the upstream's models behind its port. Each prints its port.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

WHOLE = json.dumps(
    {"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x" * 1500}, "finish_reason": "stop"}]}
).encode()
DONE = b"data: [DONE]\n\n"


class Upstream(asyncio.Protocol):
    """As little as answers a request."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.held = b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            head = self.held[:end].lower()
            length = int(_value(head, b"content-length") or 0)
            if len(self.held) < end + 4 + length:
                return
            body, self.held = self.held[end + 4 : end + 4 + length], self.held[end + 4 + length :]
            if b'"stream": true' in body[-200:] or b'"stream":true' in body[-200:]:
                count, pause = int(_value(head, b"x-events") or 20), float(_value(head, b"x-pause") or 0)
                self.task = asyncio.ensure_future(self.stream(count, pause))
            else:
                said = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(WHOLE)
                self.transport.write(said + WHOLE)

    async def stream(self, count: int, pause: float) -> None:
        write = self.transport.write
        write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(count):
            event = b'data: {"t":%d,"choices":[{"index":0,"delta":{"content":"word"}}]}\n\n' % time.monotonic_ns()
            write(b"%x\r\n%b\r\n" % (len(event), event))
            if pause:
                await asyncio.sleep(pause)
            if self.transport.is_closing():
                return
        write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(DONE), DONE))


def _value(head: bytes, name: bytes) -> bytes:
    at = head.find(b"\r\n" + name + b":")
    return b"" if at < 0 else head[at + len(name) + 3 :].partition(b"\r\n")[0].strip()


async def upstream() -> None:
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def bare(port: int) -> Any:
    """A forwarder as one writes it in a few minutes."""
    import aiohttp
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    sessions: list[aiohttp.ClientSession] = []

    async def forward(request: Request) -> StreamingResponse:
        if not sessions:
            connector = aiohttp.TCPConnector(limit=0)
            sessions.append(aiohttp.ClientSession(connector=connector, auto_decompress=False, timeout=aiohttp.ClientTimeout()))
        body = await request.body()
        headers = {name: value for name, value in request.headers.items() if name not in {"host", "content-length"}}
        answer = await sessions[0].post(f"http://127.0.0.1:{port}{request.url.path}", data=body, headers=headers)

        async def pieces() -> AsyncIterator[bytes]:
            async with answer:
                async for piece in answer.content.iter_any():
                    yield piece

        return StreamingResponse(pieces(), answer.status, {"content-type": answer.headers["content-type"]})

    return Starlette(routes=[Route("/{path:path}", forward, methods=["POST"])])


async def own(port: int, window: int) -> None:
    """Ours, with its guard and a store in a folder of its own."""
    from transom.gateway.access import Access
    from transom.gateway.listening import Listener
    from transom.gateway.serving import assembled
    from transom.gateway.upstreams import Routes, Upstream
    from transom.settings import load

    routes = Routes([Upstream(name="upstream", url=f"http://127.0.0.1:{port}", window=window)])
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings = load({"store": f"{folder}/bench.db"}, directory=Path(folder), environment={}, user=Path(folder, "none"))
        app = await assembled(stack, settings, routes, Access())
        await Listener(app, lambda: None).serve([_listening()])


def _listening() -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(listener.getsockname()[1], flush=True)
    return listener


def _configured(app: Any) -> Any:
    import uvicorn

    return uvicorn.Config(app, log_config=None, access_log=False, ws="none", server_header=False)


def main() -> None:
    kind, *rest = sys.argv[1:]
    with contextlib.suppress(KeyboardInterrupt):
        if kind == "upstream":
            import uvloop

            uvloop.run(upstream())
        elif kind == "bare":
            import uvicorn

            uvicorn.Server(_configured(bare(int(rest[0])))).run([_listening()])
        else:
            import uvloop

            uvloop.run(own(int(rest[0]), int(rest[1])))


if __name__ == "__main__":
    main()
