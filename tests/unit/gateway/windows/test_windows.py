"""Where the window of a model is known from, how long that holds, and what it costs the requests that wait for it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from transom import Store
from transom.gateway.upstreams import Upstream
from transom.gateway.window_table import table_window
from transom.gateway.windows import Windows, asked_window
from transom.store.backends.memory import MemoryBackend


class Host:
    """A model server that tells what a test puts into ``paths``, and can be made to say nothing at all."""

    def __init__(self) -> None:
        self.paths: dict[str, object] = {}
        self.asked: list[str] = []
        self.hangs = threading.Event()
        self.closing = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.partition("?")[0]
                owner.asked.append(path)
                if owner.hangs.is_set():
                    owner.closing.wait()
                body = owner.paths.get(path)
                self.send_response(200 if body is not None else 404)
                self.end_headers()
                self.wfile.write(json.dumps(body if body is not None else {"error": "not found"}).encode())

            do_POST = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

            def handle(self) -> None:
                with suppress(ConnectionError):
                    super().handle()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.upstream = Upstream(name="local", url=f"http://127.0.0.1:{self._server.server_port}")

    def loads(self, tokens: int, model: str = "m") -> None:
        self.paths["/v1/models"] = {"data": [{"id": model, "max_model_len": tokens}, {"id": "other"}]}

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class Clock:
    """Seconds as a test sets them."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def host() -> Iterator[Host]:
    started = Host()
    yield started
    started.close()


def store() -> Store:
    return Store(MemoryBackend())


async def test_the_setting_comes_first_and_nobody_is_asked(host: Host) -> None:
    host.loads(32_768)
    set_here = Upstream(name="local", url=host.upstream.url, window=9_000)
    assert await Windows(store(), window=5_000).of(set_here, "m") == (9_000, "a setting")
    assert await Windows(store(), window=5_000).of(host.upstream, "m") == (5_000, "a setting")
    assert host.asked == []


async def test_a_server_is_asked_once_for_all_requests_that_wait(host: Host) -> None:
    host.loads(32_768)
    windows = Windows(store())
    assert await asyncio.gather(*(windows.of(host.upstream, "m") for _ in range(20))) == [(32_768, "the server")] * 20
    assert host.asked == ["/v1/models"]
    assert await windows.of(host.upstream, "m") == (32_768, "the server")
    assert host.asked == ["/v1/models"]
    await windows.aclose()


async def test_what_a_request_asks_for_is_what_it_gets(host: Host) -> None:
    host.loads(32_768)
    windows = Windows(store())
    assert await windows.of(host.upstream, "m", asked_window("ollama", {"options": {"num_ctx": 6_000}})) == (
        6_000,
        "the request",
    )
    assert asked_window("ollama", {"options": {"num_ctx": True}}) is None
    assert asked_window("ollama", {"options": "x"}) is None
    assert asked_window("openai", {"options": {"num_ctx": 6_000}}) is None
    await windows.aclose()


async def test_a_model_that_is_not_loaded_is_asked_for_again_once_it_has_answered(host: Host) -> None:
    host.paths["/api/v0/models"] = {"data": [{"id": "m", "state": "not-loaded", "max_context_length": 99_999}]}
    windows = Windows(store(), clock=Clock())
    assert await windows.of(host.upstream, "m") == (None, "")
    host.paths["/api/v0/models"] = {"data": [{"id": "m", "state": "loaded", "loaded_context_length": 8_000}]}
    windows.answered(host.upstream, "m")
    assert await windows.of(host.upstream, "m") == (8_000, "the server")
    await windows.aclose()


async def test_an_error_teaches_until_the_server_tells_something_new(host: Host) -> None:
    clock, kept = Clock(), store()
    host.loads(32_768)
    windows = Windows(kept, clock=clock)
    assert await windows.of(host.upstream, "m") == (32_768, "the server")
    windows.learn(host.upstream, "m", 16_000)
    assert await windows.of(host.upstream, "m") == (16_000, "an error")
    assert len(host.asked) == 2, "an overflow is a reason to ask again"
    clock.now += 3_600
    assert await windows.of(host.upstream, "m") == (16_000, "an error")
    host.loads(20_000)
    clock.now += 3_600
    assert await windows.of(host.upstream, "m") == (20_000, "the server")
    await windows.aclose()


async def test_a_setting_yields_to_an_error_that_names_less_until_it_is_another(
    host: Host, caplog: pytest.LogCaptureFixture
) -> None:
    """Else each later request would be refused first, and sent twice."""
    kept, windows = store(), Windows(store(), window=36_000)
    for named in (36_000, 99_000):
        windows.learn(host.upstream, "m", named)
        assert await windows.of(host.upstream, "m") == (36_000, "a setting")
    assert (host.asked, caplog.messages) == ([], [])
    windows = Windows(kept, window=36_000)
    for _ in range(3):
        windows.learn(host.upstream, "m", 16_000)
        assert await windows.of(host.upstream, "m") == (16_000, "an error")
    assert await windows.of(host.upstream, "other") == (36_000, "a setting")
    assert caplog.messages == [
        "the window set for m at local, 36000 tokens, is larger than what the server takes: 16000 tokens (an error)"
    ]
    await windows.aclose()
    for setting, window in ((36_000, (16_000, "an error")), (8_000, (8_000, "a setting")), (40_000, (40_000, "a setting"))):
        again = Windows(kept, window=setting)
        assert await again.of(host.upstream, "m") == window
        await again.aclose()


@pytest.mark.parametrize("means", ["drop", "refusal"])
async def test_a_setting_yields_to_what_the_server_tells_once_there_is_a_reason_to_ask_it(
    host: Host, means: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock, kept = Clock(), store()
    host.paths["/api/ps"] = {"models": [{"name": "m", "context_length": 8_192}]}
    windows = Windows(kept, window=36_000, clock=clock)
    assert await windows.of(host.upstream, "m") == (36_000, "a setting")
    assert host.asked == []
    if means == "drop":
        await windows.dropped(host.upstream, "m", 4_000)
    else:
        windows.doubt(host.upstream, "m")
    assert await windows.of(host.upstream, "m") == (8_192, "the server")
    assert len(caplog.messages) == 1
    await windows.aclose()
    again = Windows(kept, window=36_000, clock=clock)
    assert await again.of(host.upstream, "m") == (8_192, "the server")
    for loaded, window in ((16_384, (16_384, "the server")), (65_536, (36_000, "a setting"))):
        host.paths["/api/ps"] = {"models": [{"name": "m", "context_length": loaded}]}
        clock.now += 61
        assert await again.of(host.upstream, "m") == window, "it was loaded anew"
    asked = len(host.asked)
    clock.now += 61
    assert await again.of(host.upstream, "m") == (36_000, "a setting")
    assert len(host.asked) == asked, "nothing speaks against the setting any more"
    await again.aclose()


async def test_an_error_that_names_less_than_the_server_tells_holds_against_a_setting(host: Host) -> None:
    host.loads(32_768)
    windows = Windows(store(), window=36_000, clock=Clock())
    windows.learn(host.upstream, "m", 16_000)
    for _ in range(3):
        assert await windows.of(host.upstream, "m") == (16_000, "an error")
        windows.doubt(host.upstream, "m")
    host.loads(20_000)
    assert await windows.of(host.upstream, "m") == (20_000, "the server")
    await windows.aclose()


async def test_a_setting_does_not_yield_to_a_count_alone(host: Host) -> None:
    windows = Windows(store(), window=36_000)
    await windows.dropped(host.upstream, "m", 4_000)
    assert await windows.of(host.upstream, "m") == (36_000, "a setting")
    await windows.aclose()


async def test_a_restart_knows_what_was_found(host: Host) -> None:
    kept = store()
    host.loads(32_768)
    windows = Windows(kept)
    await windows.of(host.upstream, "m")
    await windows.aclose()
    host.hangs.set()
    again = Windows(kept)
    begun = time.monotonic()
    assert await again.of(host.upstream, "m") == (32_768, "the server")
    assert time.monotonic() - begun < 3, "what is known waits for news only a moment"
    await again.aclose()


async def test_a_server_that_says_nothing_delays_no_request_for_long(host: Host) -> None:
    host.loads(32_768)
    host.hangs.set()
    windows = Windows(store(), patience=0.2)
    begun = time.monotonic()
    assert await windows.of(host.upstream, "m") == (None, "")
    assert time.monotonic() - begun < 3
    waiting = asyncio.create_task(windows.of(host.upstream, "m"))
    await asyncio.sleep(0)
    host.closing.set()
    assert await waiting == (32_768, "the server"), "the answer is used when it comes"
    await windows.aclose()


async def test_a_change_of_model_is_a_reason_to_ask_again(host: Host) -> None:
    host.loads(32_768)
    windows = Windows(store(), clock=Clock())
    await windows.of(host.upstream, "m")
    await windows.of(host.upstream, "other")
    host.loads(4_096)
    assert await windows.of(host.upstream, "m") == (4_096, "the server")
    await windows.aclose()


async def test_a_model_loaded_anew_is_noticed_after_a_while(host: Host) -> None:
    clock = Clock()
    host.loads(32_768)
    windows = Windows(store(), clock=clock)
    await windows.of(host.upstream, "m")
    host.loads(65_536)
    assert (await windows.of(host.upstream, "m"))[0] == 32_768
    clock.now += 61
    assert (await windows.of(host.upstream, "m"))[0] == 65_536
    windows.doubt(host.upstream, "m")
    host.loads(8_192)
    assert (await windows.of(host.upstream, "m"))[0] == 8_192
    await windows.aclose()


async def test_a_silent_drop_names_a_window_where_the_server_does_not() -> None:
    host, kept = Host(), store()
    windows = Windows(kept, clock=Clock())
    try:
        assert await windows.of(host.upstream, "m") == (None, "")
        windows.answered(host.upstream, "m", 7_500)
        await windows.dropped(host.upstream, "m", 4_000)
        assert await windows.of(host.upstream, "m") == (None, ""), "a single count may be a slip"
        windows.answered(host.upstream, "m", 4_500)
        await windows.dropped(host.upstream, "m", 4_000)
        assert await windows.of(host.upstream, "m") == (None, ""), "it has read more since"
        windows.answered(host.upstream, "m", 3_900)
        await windows.dropped(host.upstream, "m", 4_000)
        assert await windows.of(host.upstream, "m") == (7_500, "what the server read"), "it has read more than that before"
        await windows.aclose()
        windows = Windows(kept, clock=Clock())
        assert await windows.of(host.upstream, "m") == (7_500, "what the server read"), "also after a restart"
        for _ in range(2):
            await windows.dropped(host.upstream, "small", 300)
        assert await windows.of(host.upstream, "small") == (None, "")
        host.paths["/api/ps"] = {"models": [{"name": "m", "context_length": 8_192}]}
        await windows.dropped(host.upstream, "m", 4_000)
        assert await windows.of(host.upstream, "m") == (8_192, "the server")
    finally:
        await windows.aclose()
        host.close()


async def test_what_the_server_tells_replaces_what_was_only_supposed(host: Host) -> None:
    windows = Windows(store(), clock=Clock())
    assert await windows.of(host.upstream, "m") == (None, "")
    windows.learn(host.upstream, "m", 6_000)
    assert await windows.of(host.upstream, "m") == (6_000, "an error")
    host.loads(4_096)
    windows.doubt(host.upstream, "m")
    assert await windows.of(host.upstream, "m") == (4_096, "the server")
    host.loads(32_768)
    windows.doubt(host.upstream, "m")
    assert await windows.of(host.upstream, "m") == (32_768, "the server")
    await windows.aclose()


async def test_a_store_that_fails_takes_nothing_away(host: Host) -> None:
    class Broken(MemoryBackend):
        async def write(self, *args: object, **named: object) -> None:
            raise OSError("no space left")

        async def read(self, *args: object, **named: object) -> None:
            raise OSError("gone")

    host.loads(32_768)
    windows = Windows(Store(Broken()))
    assert await windows.of(host.upstream, "m") == (32_768, "the server")
    await windows.aclose()


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("gpt-4o-mini", 128_000),
        ("openai/gpt-5.2", 272_000),
        ("gpt-5", 272_000),
        ("gpt-5-chat-latest", 128_000),
        ("gpt-5.4-pro", 922_000),
        ("gpt-4", 8_192),
        ("o3-mini", 200_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-opus-4-7[1m]", 1_000_000),
        ("us.anthropic.claude-sonnet-4-5-v1:0", 200_000),
        ("gemini-2.5-pro", 1_048_576),
        ("grok-4", 256_000),
        ("llama3.1", None),
        ("gpt-oss-20b", None),
        ("", None),
    ],
)
def test_the_table_knows_models_that_have_one_window_wherever_they_run(model: str, tokens: int | None) -> None:
    assert table_window(model) == tokens


async def test_claude_takes_a_million_tokens_only_where_the_request_says_so(host: Host) -> None:
    windows = Windows(store())
    beta: Mapping[str, str] = {"anthropic-beta": "claude-code-20250219,context-1m-2025-08-07"}
    assert (await windows.of(host.upstream, "claude-x"))[0] == 200_000
    assert (await windows.of(host.upstream, "claude-x", asked_window("anthropic", {}, list(beta.items()))))[0] == 1_000_000
    assert (await windows.of(host.upstream, "claude-x[1m]"))[0] == 1_000_000
    host.paths["/v1/models"] = {"data": [{"id": "claude-y", "max_input_tokens": 1_000_000}]}
    assert await windows.of(host.upstream, "claude-y") == (200_000, "the server")
    assert (await windows.of(host.upstream, "claude-y", 1_000_000))[0] == 1_000_000
    await windows.aclose()


@pytest.mark.parametrize("told", [1, 512, 1_023, 100_000_001, 10**30])
async def test_a_figure_that_can_be_no_windows_is_not_believed_whoever_tells_it(host: Host, told: int) -> None:
    host.loads(told)
    windows, kept = Windows(store()), store()
    assert await windows.of(host.upstream, "m") == (None, "")
    windows.learn(host.upstream, "m", told)
    assert await windows.of(host.upstream, "m") == (None, ""), "an error"
    windows.learn(host.upstream, "m", 8_192)
    assert await windows.of(host.upstream, "m") == (8_192, "an error")
    assert asked_window("ollama", {"options": {"num_ctx": told}}) is None
    assert await Windows(store(), window=told).of(host.upstream, "m") == (None, ""), "a setting"
    before = Windows(kept)
    before.learn(host.upstream, "m", 8_192)
    await before.aclose()
    (path,) = await kept.namespace("models").list()
    await kept.namespace("models").put(json.dumps({"told": told, "learnt": told, "against": None}).encode(), path=path)
    again = Windows(kept)
    assert await again.of(host.upstream, "m") == (None, ""), "the store"
    for each in (windows, before, again):
        await each.aclose()
