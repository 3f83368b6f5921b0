from __future__ import annotations

import asyncio
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.unit.upstream.conftest import Raw

from transom.errors import InputError, JSONError, UpstreamError
from transom.testing.provider import Fault, Received, ScriptedProvider
from transom.testing.script import Step
from transom.upstream import Client, Limits

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def http(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def exchanging() -> list[threading.Thread]:
    """Threads that still wait for a server."""
    return [thread for thread in threading.enumerate() if thread.name == "transom-client"]


async def failure(url: str, *, key: str | None = None, limits: Limits | None = None) -> UpstreamError:
    client = Client(url, key=key, limits=limits)
    with pytest.raises(UpstreamError) as caught:
        await client.post(client.address.chat, BODY)
    return caught.value


async def test_json_goes_out_and_comes_back() -> None:
    with ScriptedProvider(["Hello."]) as provider:
        client = Client(provider.url, key="secret-key")
        value = await client.post("/v1/chat/completions", BODY)
    assert isinstance(value, dict)
    assert value["choices"][0]["message"]["content"] == "Hello."
    headers = provider.received[0].headers
    assert headers["authorization"] == "Bearer secret-key"
    assert headers["content-type"] == "application/json"
    assert provider.received[0].body == BODY


async def test_a_query_of_the_address_goes_with_every_request(raw_server: Raw) -> None:
    client = Client(raw_server(http(b'{"a":1}')) + "/v1?api-version=7")
    assert await client.get("/v1/models", "x=1") == {"a": 1}


async def test_a_body_that_is_no_json_never_leaves() -> None:
    with pytest.raises(JSONError):
        await Client("http://127.0.0.1:9").post("/v1", {"a": {1, 2}})


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.refuses(500, "out of memory"), "answered 500: out of memory"),
        (Fault.refuses(429, "slow down"), "answered 429: slow down"),
        (Fault.refuses(401, "who are you"), "the key is missing or wrong"),
        (Fault.nothing(), "answered 200 and nothing"),
        (Fault.page(), "with a web page"),
        (Fault.in_success("model crashed"), "answered 200: model crashed"),
        (Fault.breaks_off(), "broke off its answer"),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else "",
)
async def test_what_goes_wrong_is_said_in_one_line(fault: Fault, said: str) -> None:
    with ScriptedProvider([fault]) as provider:
        error = await failure(provider.url)
    assert said in str(error)
    assert provider.url in error.message
    assert error.code == "upstream"
    assert "\n" not in str(error)


async def test_the_status_and_the_servers_symbol_can_be_branched_on() -> None:
    with ScriptedProvider(["Hi"], window=16) as provider:
        client = Client(provider.url)
        long = {"model": "m", "messages": [{"role": "user", "content": "word " * 100}]}
        with pytest.raises(UpstreamError, match="maximum context length is 16 tokens") as caught:
            await client.post("/v1/chat/completions", long)
    assert (caught.value.status, caught.value.kind) == (400, "context_length_exceeded")


async def test_a_port_where_nobody_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = await failure(f"http://127.0.0.1:{port}")
    assert f"nothing listens at http://127.0.0.1:{port}/v1/chat/completions" in str(error)
    assert error.status is None


async def test_a_server_without_tls_is_told_from_one_that_is_not_there() -> None:
    with ScriptedProvider() as provider:
        url = provider.url.replace("http://", "https://")
        error = await failure(url)
    assert f"no secure connection to {url}" in str(error)
    assert "is it https?" in error.hint


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server with a certificate that it signed itself: its address, and the certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made: list[str | Path] = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        key,
        "-out",
        certificate,
    ]
    subprocess.run([*made, *named], check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.wfile.write(http(b'{"secure":true}'))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        def get_request(self) -> tuple[socket.socket, object]:
            connection, address = super().get_request()
            return context.wrap_socket(connection, server_side=True), address

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


async def test_a_certificate_that_nobody_vouches_for_is_refused(secured: tuple[str, Path]) -> None:
    error = await failure(secured[0])
    assert "self-signed certificate" in str(error)
    assert "SSL_CERT_FILE" in error.hint


async def test_a_certificate_that_the_user_names_is_trusted(secured: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(secured[1]))
    assert await Client(secured[0]).post("/v1", BODY) == {"secure": True}


async def test_a_server_that_hangs_is_given_up_and_its_thread_ends() -> None:
    with ScriptedProvider([Fault.hangs()]) as provider:
        begun = time.monotonic()
        error = await failure(provider.url, limits=Limits(total=0.1))
        assert time.monotonic() - begun < 5
        for thread in exchanging():
            thread.join(10)
        assert exchanging() == []
    assert "gave no answer within 0.1 seconds" in str(error)


async def test_a_pause_longer_than_the_limit_between_two_bytes_is_given_up() -> None:
    with ScriptedProvider([Fault.hangs()]) as provider:
        error = await failure(provider.url, limits=Limits(read=0.1))
    assert "gave no answer in time" in str(error)


async def test_a_cancelled_call_lets_go_of_its_connection() -> None:
    loop, arrived = asyncio.get_running_loop(), asyncio.Event()

    def hang(received: Received) -> Step:
        loop.call_soon_threadsafe(arrived.set)
        return Fault.hangs()

    with ScriptedProvider(hang) as provider:
        client = Client(provider.url)
        task = asyncio.create_task(client.post(client.address.chat, BODY))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for thread in exchanging():
            thread.join(10)
        assert exchanging() == []


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts of POSIX")
def test_a_program_that_is_interrupted_while_its_model_hangs_ends_at_once() -> None:
    program = """
import os, signal, sys, threading
from transom import Context, Message, chain, reset, summarize
from transom.upstream import ChatModel
ctx = Context(window=3_000, overflow=chain(summarize(ChatModel(sys.argv[1], "m")), reset()))
for number in range(40):
    ctx.append(Message("user", f"{number} " + "word " * 60), Message("assistant", "word " * 60))
ctx.compile_sync("openai")
"""
    arrived = threading.Event()

    def hang(received: Received) -> Step:
        arrived.set()
        return Fault.hangs()

    with ScriptedProvider(hang) as provider:
        running = subprocess.Popen([sys.executable, "-c", program, provider.url], stderr=subprocess.PIPE)
        assert arrived.wait(30)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors


async def test_redirects_are_not_followed(raw_server: Raw) -> None:
    answer = http(b'{"moved":true}', "307 Temporary Redirect", "Location: https://elsewhere.example/v1?key=x")
    error = await failure(raw_server(answer), key="secret")
    assert "points elsewhere (307)" in str(error)
    assert "https://elsewhere.example/v1" in error.hint
    assert "key=x" not in str(error)


async def test_an_answer_without_end_is_not_read_to_its_end(raw_server: Raw) -> None:
    url = raw_server(http(b'"' + b"x" * 100_000 + b'"'))
    error = await failure(url, limits=Limits(answer_bytes=10_000))
    assert "more than 10,000 bytes" in str(error)
    exact = Client(raw_server(http(b'"' + b"x" * 98 + b'"')), limits=Limits(answer_bytes=100))
    assert await exact.get("/") == "x" * 98


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "closed the connection without an answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"),
        (http(b"OK"), "something that is not JSON"),
        (http(b"null"), "something that is not JSON"),
        (http(b"\xff\xfe"), "something that is not JSON"),
        (http(b"data: {}\n\n", "200 OK", "Content-Type: text/event-stream"), "with a stream"),
        (http(b"<html>Bad gateway</html>", "502 Bad Gateway"), "answered 502"),
        (http(b'{"detail":"Not Found"}', "404 Not Found"), "answered 404: Not Found"),
        (http(b'{"error":"model \'m\' not found"}', "404 Not Found"), "answered 404: model 'm' not found"),
        (http(b'[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]', "400 Bad Request"), "answered 400: bad"),
        (http(b'{"object":"error","message":"too long","type":"BadRequestError"}'), "answered 200: too long"),
        (http(b'{"type":"error","error":{"type":"api_error","message":"Overloaded"}}', "529 Busy"), "529: Overloaded"),
        (http(b'{"error":{}}'), "an error without a message"),
        (http(b'{"error":{"message":"' + b"long " * 1_000 + b'"}}', "500 Oh"), "500: long long "),
    ],
)
async def test_whatever_a_server_says_is_told_apart(raw_server: Raw, answer: bytes, said: str) -> None:
    error = await failure(raw_server(answer))
    assert said in str(error)
    assert len(str(error)) < 800


async def test_a_key_that_a_server_repeats_is_not_shown(raw_server: Raw) -> None:
    url = raw_server(http(b'{"error":{"message":"Incorrect API key provided: sk-secret-1"}}', "401 Unauthorized"))
    error = await failure(url, key="sk-secret-1")
    assert "sk-secret-1" not in str(error)
    assert "Incorrect API key provided: …" in str(error)
    assert error.status == 401


@pytest.mark.parametrize("key", ["", "  ", "a\nb", "a\r\nX-Evil: 1", "schlüssel", "a\x00"])
def test_a_key_that_no_header_may_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(InputError) as caught:
        Client("http://host", key=key)
    assert not key.strip() or key not in str(caught.value)


def test_a_client_shows_where_it_points_and_no_key() -> None:
    assert repr(Client("https://host/v1?key=a", key="secret")) == "Client('https://host/v1')"


@pytest.mark.parametrize("quiet", [b'{"error":null,"a":1}', b'{"error":"","a":1}'])
async def test_an_empty_error_field_is_no_error(raw_server: Raw, quiet: bytes) -> None:
    value = await Client(raw_server(http(quiet))).get("/")
    assert isinstance(value, dict)
    assert value["a"] == 1
