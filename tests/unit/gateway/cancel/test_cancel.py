"""When the client goes away, the upstream's work ends: mid-stream, before the first byte, and where nothing is streamed."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import suppress
from typing import Literal

import pytest
from tests.unit.gateway.serving import HOST, Asked, raw, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.exchange import Exchange
from transom.gateway.parties import Ended, NullJournal
from transom.gateway.upstreams import Routes, Upstream

Case = Literal["mid-stream", "before the first byte", "not streamed"]

_PATHS = {
    "openai": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:{method}",
    "ollama": "/api/chat",
}
_EVENTS = {
    "openai": b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
    "openai-responses": b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n',
    "anthropic": b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"a"}}\n\n',
    "gemini": b'data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\r\n\r\n',
    "ollama": b'{"message":{"content":"a"},"done":false}\n',
}


class _Journal(NullJournal):
    def __init__(self) -> None:
        self.over = threading.Event()
        self.last: Ended | None = None

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        self.last = ended
        self.over.set()


@pytest.mark.parametrize("protocol", list(_PATHS))
@pytest.mark.parametrize("case", ["mid-stream", "before the first byte", "not streamed"])
def test_the_upstream_request_ends_at_once(protocol: str, case: Case) -> None:
    reached, closed = threading.Event(), threading.Event()
    ended: list[float] = []

    async def handle(asked: Asked) -> None:
        if case == "mid-stream":
            await asked.begin(kind="application/x-ndjson" if protocol == "ollama" else "text/event-stream")
            await asked.chunk(_EVENTS[protocol])
        reached.set()
        await asked.gone()
        ended.append(time.monotonic())
        closed.set()
        asked.writer.close()

    stream = case != "not streamed"
    path = _PATHS[protocol].format(method="streamGenerateContent?alt=sse" if stream else "generateContent")
    body = json.dumps({"model": "m", "stream": stream, "messages": [], "input": "a"}).encode()
    journal = _Journal()
    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), journal=journal)) as url:
        client = raw(url, "POST", path, body, "content-type: application/json")
        assert reached.wait(5)
        if case == "mid-stream":
            assert client.recv(1) == b"H"
        begun = time.monotonic()
        client.close()
        assert closed.wait(5)
        assert ended[0] - begun < 0.2
        assert journal.over.wait(5)
    assert journal.last is not None
    assert journal.last.how == "aborted"


def test_a_client_that_hangs_up_once_the_answer_has_ended_has_been_answered() -> None:
    closed = threading.Event()

    async def handle(asked: Asked) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        said = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        asked.writer.write(head + b"%x\r\n%b\r\n" % (len(said), said))
        await asked.writer.drain()
        # It keeps its connection for a while, as some do.
        await asked.reader.read()
        closed.set()
        asked.writer.close()

    body = json.dumps({"model": "m", "stream": True, "messages": []}).encode()
    journal = _Journal()
    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), journal=journal)) as url:
        client = raw(url, "POST", "/v1/chat/completions", body, "content-type: application/json")
        held = b""
        while b"[DONE]" not in held:
            held += client.recv(4096)
        client.close()
        assert closed.wait(5)
        assert journal.over.wait(5)
    assert journal.last is not None
    assert journal.last.how == "answered"


def test_a_client_that_goes_while_it_sends_a_large_body_ends_the_upstream_request() -> None:
    with socket.create_server((HOST, 0)) as listener:
        address = f"http://{HOST}:{listener.getsockname()[1]}"
        with serving(build_app(Routes([Upstream(name="u", url=address)]))) as url:
            client = socket.create_connection((HOST, int(url.rpartition(":")[2])), timeout=5)
            client.sendall(b"POST /v1/files HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000000\r\n\r\n" + b"x" * 1000)
            server, _ = listener.accept()
            server.settimeout(2)
            with server:
                received = server.recv(4096)
                while b"xxx" not in received:
                    received += server.recv(4096)
                client.close()
                begun = time.monotonic()
                with suppress(ConnectionError):
                    while server.recv(4096):
                        pass
                assert time.monotonic() - begun < 0.5
