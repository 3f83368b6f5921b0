"""Servers of a few lines on loopback, for what no scripted provider says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Raw = Callable[[bytes], str]
Paths = Callable[[Mapping[str, object]], str]


@pytest.fixture
def raw_server() -> Iterator[Raw]:
    """Answers every connection with the same bytes and closes it; gives the address."""
    listeners: list[socket.socket] = []

    def start(answer: bytes) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                # Who asks may go away before the answer is out.
                with connection, suppress(OSError):
                    received = b""
                    while b"\r\n\r\n" not in received and (piece := connection.recv(65_536)):
                        received += piece
                    connection.sendall(answer)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65_536):
                        pass

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for listener in listeners:
        with listener:
            listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def host() -> Iterator[Paths]:
    """Answers the paths given with JSON, and any other with 404; gives the address."""
    servers: list[ThreadingHTTPServer] = []

    def start(known: Mapping[str, object]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = known.get(self.path.partition("?")[0])
                # Who asks everything at once goes away when it knows enough.
                with suppress(ConnectionError):
                    self.send_response(200 if body is not None else 404)
                    self.end_headers()
                    self.wfile.write(json.dumps(body if body is not None else {"error": "not found"}).encode())

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
