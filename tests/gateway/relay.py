"""A relay on loopback that keeps the bytes of every request, and hands answers back as they come."""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

_CONNECTION = {"connection", "transfer-encoding", "content-length", "host", "upgrade", "keep-alive"}


@dataclass(frozen=True, slots=True)
class Passed:
    """One request as it passed, and the headers of its answer."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    status: int = 0
    answered: dict[str, str] = field(default_factory=dict)


class Relay:
    """Listens on a free port and asks ``target`` for everything. A context manager.

    Args:
        target: who is asked.
        tells: whether what the target tells of its models is handed on; there is nothing of the kind where it is not.
    """

    def __init__(self, target: str, *, tells: bool = True) -> None:
        self.target = urlsplit(target)
        self.tells = tells
        self.passed: list[Passed] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def posted(self) -> list[Passed]:
        """Those that a model answers."""
        return [each for each in self.passed if each.method == "POST"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A side that went away is no failure of a test."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._pass()

    do_POST = do_HEAD = do_OPTIONS = do_GET  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _pass(self) -> None:
        body = self._body()
        relay = self.server.relay
        if self.command == "GET" and not relay.tells:
            self.send_error(404)
            return
        upgrade = {"Upgrade", "Connection"} if self.headers.get("Upgrade") else set()
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _CONNECTION or name in upgrade}
        connection = http.client.HTTPConnection(relay.target.hostname or "", relay.target.port or 80)
        connection.request(self.command, self.path, body=body if self.command == "POST" else None, headers=headers)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        kept = {name.lower(): value for name, value in self.headers.items()}
        relay.passed.append(Passed(self.command, self.path, kept, body, answer.status, told))
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _CONNECTION:
                self.send_header(name, value)
        whole = self.command == "HEAD" or answer.length is not None
        if whole:
            self.send_header("Content-Length", str(answer.length or 0))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := answer.read1(65_536):
            self.wfile.write(piece if whole else b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not whole:
            self.wfile.write(b"0\r\n\r\n")
        connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""
