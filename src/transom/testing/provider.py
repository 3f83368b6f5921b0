"""A provider on loopback that answers from a script: what an agent's loop is tested with, SDK and all.

Speaks OpenAI Chat Completions and Responses, Anthropic Messages, Gemini ``generateContent`` and Ollama's ``/api/chat`` on one
port, streaming or not.

What the real ones refuse it refuses, in their words and shapes: a request that breaks a rule of its provider, or is larger than
the window. What goes wrong at real providers can be scripted too. No key is checked::

    with ScriptedProvider([calls("read_file", path="a.py"), says("Done.")], window=8_000) as provider:
        client = OpenAI(base_url=f"{provider.url}/v1", api_key="none")
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from .answering import Answering, Sent
from .script import Fault, Received, Reply, Script, ScriptRunner, calls, says

__all__ = ["Fault", "Received", "Reply", "ScriptedProvider", "calls", "says"]


class ScriptedProvider:
    """A loopback server. Use it as a context manager, or call ``start`` and ``close``.

    Args:
        script: answers in order, or a function that is asked for each with what was received.
        window: tokens above which a request is refused as too long, by the heuristic's count; ``None`` takes any.
        strict: refuse what breaks a rule of the provider, and fail where the script calls a tool that was not offered.
        model: the name that answers carry where the request names none.
    """

    def __init__(self, script: Script = (), *, window: int | None = None, strict: bool = True, model: str = "scripted") -> None:
        self._answering = Answering(ScriptRunner(script), window, strict, model)
        self._url = ""
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def received(self) -> list[Received]:
        """Requests that were answered from the script, in order."""
        return self._answering.runner.received

    @property
    def refusals(self) -> list[str]:
        """What was refused, by the words it was refused with."""
        return self._answering.refusals

    @property
    def url(self) -> str:
        """The address without a path: what the Anthropic and Gemini SDKs take; OpenAI's wants ``/v1`` after it."""
        assert self._url, "the provider is not started"
        return self._url

    def start(self) -> Self:
        """Listen on a free port of the loopback interface."""
        self._server = _Server(self._answering)
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="scripted provider", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop; requests that hang are dropped. Does nothing when it is closed."""
        server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is not None and thread is not None:
            server.shutdown()
            thread.join()
            server.drop_all()
            server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    """Its threads end before ``server_close`` returns: what they wait for is dropped first."""

    daemon_threads = False

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def opened(self, connection: socket.socket) -> None:
        with self._guard:
            self._open.add(connection)
            if self.closing.is_set():
                _shut(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._guard:
            self._open.discard(connection)

    def drop_all(self) -> None:
        """Shut down every connection that a client still holds."""
        with self._guard:
            self.closing.set()
            for connection in self._open:
                _shut(connection)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of the server's; any other is one."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on as it came


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.opened(self.connection)

    def finish(self) -> None:
        self.server.closed(self.connection)
        super().finish()

    def do_GET(self) -> None:
        self._send(self.server.answering.get(self.path.partition("?")[0]))

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = self.server.answering.post(self.path.partition("?")[0], headers, data)
        if sent is None:
            self.server.closing.wait()
            self.close_connection = True
        else:
            self._send(sent)

    def _send(self, sent: Sent) -> None:
        self.send_response(sent.status)
        self.send_header("Content-Type", sent.kind)
        if sent.events is None:
            self.send_header("Content-Length", str(len(sent.body)))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        for name, value in sent.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = self.close_connection or not sent.whole
        if sent.events is None:
            self.wfile.write(sent.body if sent.whole else sent.body[: len(sent.body) // 2])
        else:
            self._stream(sent.events, whole=sent.whole)

    def _stream(self, events: Sequence[bytes], *, whole: bool) -> None:
        for event in events if whole else events[: len(events) // 2]:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.wfile.flush()
        if whole:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Nothing: the output of a test is its own."""
