"""A gateway on loopback in a thread, and an upstream whose every byte a test decides."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import uvicorn

from transom.gateway.app import ASGIApp
from transom.gateway.connection import Connection

HOST = "127.0.0.1"


@contextmanager
def serving(app: ASGIApp, connection: type[Connection] = Connection) -> Iterator[str]:
    """The application on a free port; its URL."""
    listener = socket.create_server((HOST, 0))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=connection,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=5,
        )
    )
    thread = threading.Thread(target=server.run, args=([listener],), name="gateway", daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
        assert not thread.is_alive()


@dataclass(slots=True)
class Asked:
    """One request as it arrived, and the connection it came over."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    async def answer(self, status: int, body: bytes, *headers: str, kind: str = "application/json") -> None:
        head = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(body)}", *headers]
        self.writer.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)
        await self.writer.drain()

    async def begin(self, *headers: str, kind: str = "text/event-stream", status: int = 200) -> None:
        head = [f"HTTP/1.1 {status} X", f"content-type: {kind}", "transfer-encoding: chunked", *headers]
        self.writer.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n")
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        self.writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await self.writer.drain()

    async def end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    async def gone(self) -> None:
        """Until the other side closes the connection."""
        with suppress(ConnectionError):
            while await self.reader.read(1024):
                pass


Handler = Callable[[Asked], Awaitable[None]]


@dataclass(slots=True)
class Upstream:
    """A server whose answers are written by hand, in a thread of its own."""

    handler: Handler
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    url: str = ""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await self._head(reader):
                line, *lines = head.decode("latin-1").split("\r\n")
                headers = [(name.lower(), value.strip()) for name, _, value in (text.partition(":") for text in lines if text)]
                asked = Asked(line, headers, b"", reader, writer)
                asked.body = await self._body(asked)
                self.asked.append(asked)
                await self.handler(asked)
                if writer.is_closing():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return (await reader.readuntil(b"\r\n\r\n"))[:-4]
        except asyncio.IncompleteReadError:
            return b""

    async def _body(self, asked: Asked) -> bytes:
        if length := asked.header("content-length"):
            return await asked.reader.readexactly(int(length))
        if asked.header("transfer-encoding") != "chunked":
            return b""
        body = b""
        while size := int(await asked.reader.readline(), 16):
            body += await asked.reader.readexactly(size)
            await asked.reader.readexactly(2)
        await asked.reader.readexactly(2)
        return body


@contextmanager
def upstream(handler: Handler) -> Iterator[Upstream]:
    """The server on a free port."""
    found = Upstream(handler)
    ready = threading.Event()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        server = await asyncio.start_server(found.connected, HOST, 0, limit=1 << 20)
        found.url = f"http://{HOST}:{server.sockets[0].getsockname()[1]}"
        stopping = asyncio.Event()
        running.append((asyncio.get_running_loop(), stopping))
        ready.set()
        await stopping.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="upstream", daemon=True)
    thread.start()
    assert ready.wait(5)
    try:
        yield found
    finally:
        loop, stop = running[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        assert not thread.is_alive()


@dataclass(slots=True)
class Got:
    """An answer as it went over the wire."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    complete: bool

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


def raw(url: str, method: str, path: str, body: bytes = b"", *headers: str, host: str = "") -> socket.socket:
    """Send a request and leave the answer to be read."""
    port = int(url.rpartition(":")[2])
    connection = socket.create_connection((HOST, port), timeout=20)
    head = [f"{method} {path} HTTP/1.1", f"host: {host or f'{HOST}:{port}'}", *headers]
    if body or method == "POST":
        head.append(f"content-length: {len(body)}")
    connection.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)
    return connection


def got(connection: socket.socket, *, bodiless: bool = False) -> Got:
    """The whole answer, its chunks put together."""
    stream = connection.makefile("rb")
    while (status := int(stream.readline().split()[1])) == 100:
        stream.readline()
    headers: list[tuple[str, str]] = []
    while line := stream.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name.lower(), value.strip()))
    found = Got(status, headers, b"", complete=True)
    if bodiless or status in {204, 304}:
        pass
    elif found.header("transfer-encoding") == "chunked":
        found.complete = False
        while (line := stream.readline()) and (size := int(line, 16)):
            found.body += stream.read(size)
            stream.readline()
        found.complete = line.strip() == b"0"
    else:
        length = int(found.header("content-length") or 0)
        found.body = stream.read(length)
        found.complete = len(found.body) == length
    stream.close()
    connection.close()
    return found


def ask(url: str, method: str, path: str, body: bytes = b"", *headers: str, host: str = "") -> Got:
    """Ask and read the answer."""
    return got(raw(url, method, path, body, *headers, host=host), bodiless=method == "HEAD")
