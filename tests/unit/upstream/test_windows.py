from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Self

import pytest
from tests.unit.upstream.conftest import Paths

from transom.testing.provider import ScriptedProvider
from transom.upstream import Client, learn_window
from transom.upstream.windows import Told, ask_window, host_kind

LOADED = {"id": "m", "config": {"context_length": 8_192, "flash_attention": True}}
SHOWN = {
    "parameters": 'stop "<end>"\nnum_ctx                        16384\ntemperature 0.7',
    "model_info": {"llama.context_length": 131_072},
}


@pytest.mark.parametrize(
    ("paths", "window"),
    [
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}, 32_768),
        ({"/v1/models": {"data": [{"id": "x", "max_model_len": 1}, {"id": "m", "context_length": 200_000}]}}, 200_000),
        ({"/v1/models": {"data": [{"id": "m", "context_window": 131_072}]}}, 131_072),
        ({"/v1/models": {"data": [{"id": "other.gguf", "meta": {"n_ctx": 4_096, "n_ctx_train": 8_192}}]}}, 4_096),
        ({"/v1/models": {"data": [{"id": "m"}]}, "/props": {"default_generation_settings": {"n_ctx": 4_096}}}, 4_096),
        ({"/api/v0/models": {"data": [{"id": "m", "max_context_length": 99_999, "loaded_context_length": 8_000}]}}, 8_000),
        ({"/api/v0/models": {"data": [{"id": "m", "state": "not-loaded", "max_context_length": 99_999}]}}, None),
        ({"/api/ps": {"models": [{"name": "m:latest", "context_length": 4_096}]}, "/api/show": SHOWN}, 4_096),
        (
            {"/api/v1/models": {"models": [{"key": "x"}, {"key": "m", "loaded_instances": [LOADED]}]}},
            8_192,
        ),
        ({"/api/v1/models": {"models": [{"key": "m", "loaded_instances": [LOADED | {"id": "m:2"}, LOADED]}]}}, 8_192),
        ({"/api/v1/models": {"models": [{"key": "pub/m", "loaded_instances": [LOADED]}]}}, 8_192),
        ({"/api/v1/models": {"models": [{"key": "m", "loaded_instances": [], "max_context_length": 99_999}]}}, None),
        ({"/api/ps": {"models": []}, "/api/show": SHOWN}, 16_384),
        ({"/v1/models": {"data": [{"id": "m", "max_input_tokens": 200_000}]}}, 200_000),
        ({"/api/ps": {"models": []}, "/api/show": {"model_info": {"llama.context_length": 131_072}}}, None),
        ({"/api/show": SHOWN}, None),
        ({"/v1/models": {"data": [{"id": "x"}, {"id": "y"}]}}, None),
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": True}]}}, None),
        (
            {"/v1/models": {"data": "none"}, "/props": [1], "/api/v0/models": {"data": [7]}, "/api/ps": "x", "/api/show": []},
            None,
        ),
        ({}, None),
    ],
)
async def test_each_kind_of_host_is_asked_where_it_says_its_window(
    host: Paths, paths: Mapping[str, object], window: int | None
) -> None:
    assert await learn_window(Client(host(paths)), "m") == window


async def test_a_path_before_the_version_is_kept(host: Paths) -> None:
    url = host({"/llm/props": {"default_generation_settings": {"n_ctx": 2_048}}})
    assert await learn_window(Client(f"{url}/llm/v1"), "m") == 2_048


async def test_a_host_that_is_not_there_has_no_window() -> None:
    with ScriptedProvider() as provider:
        pass
    assert await learn_window(Client(provider.url), "m") is None


async def test_the_scripted_provider_says_its_window() -> None:
    with ScriptedProvider(window=12_000) as provider:
        assert await learn_window(Client(provider.url), "scripted") == 12_000


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ({"/api/v0/models": {"data": [{"id": "m", "state": "not-loaded"}]}}, Told(None, settled=False)),
        ({"/api/v1/models": {"models": [{"key": "m", "loaded_instances": []}]}}, Told(None, settled=False)),
        ({"/api/ps": {"models": []}, "/api/show": SHOWN}, Told(16_384, settled=False)),
        ({"/api/ps": {"models": []}}, Told(None, settled=False)),
        ({"/v1/models": {"data": [{"id": "m"}]}}, Told(None)),
    ],
)
async def test_a_model_that_is_not_loaded_is_to_be_asked_for_again(
    host: Paths, paths: Mapping[str, object], told: Told
) -> None:
    assert await ask_window(Client(host(paths)), "m") == told


async def test_a_question_about_a_model_never_loads_it() -> None:
    """Every request that is sent is one of those that are known to load nothing."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_error(404)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        assert await learn_window(Client(f"http://127.0.0.1:{server.server_port}"), "a/b c") is None
        server.shutdown()
        thread.join()
    assert asked[0] == "GET /v1/models"
    assert sorted(asked[1:]) == [
        "GET /api/ps",
        "GET /api/v0/models",
        "GET /api/v1/models",
        "GET /props?model=a%2Fb%20c&autoload=false",
    ]


class Watched:
    """Answers some paths with JSON, others with 404, each as soon as ``gate`` lets it; keeps what it is asked."""

    def __init__(self, paths: Mapping[str, object], gate: Callable[[str], object] = lambda _: None) -> None:
        self.asked: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                owner.asked.append(f"{self.command} {path}")
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = paths.get(path)
                with suppress(ConnectionError):
                    gate(path)
                    self.send_response(200 if body is not None else 404)
                    self.end_headers()
                    self.wfile.write(json.dumps(body if body is not None else {}).encode())

            do_POST = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    async def window(self) -> int | None:
        return await learn_window(Client(f"http://127.0.0.1:{self.server.server_port}"), "m")


async def test_a_host_is_asked_all_at_once_and_the_order_of_the_answers_decides() -> None:
    """None is answered before all were asked: one after another, none ever would be."""
    together = threading.Barrier(5)
    paths = {
        "/props": {"default_generation_settings": {"n_ctx": 4_096}},
        "/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 8_000}]},
        "/api/ps": {"models": [{"name": "m", "context_length": 2_048}]},
    }
    with Watched(paths, lambda _: together.wait(4)) as host:
        assert await host.window() == 4_096
        assert len(host.asked) == 5


async def test_a_host_that_tells_at_once_is_asked_nothing_more() -> None:
    with Watched({"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}) as host:
        assert await host.window() == 32_768
        assert host.asked == ["GET /v1/models"]


async def test_only_who_answers_as_ollama_does_is_sent_a_post() -> None:
    for running, posts in (({"models": []}, 1), ({"models": "none"}, 0), ([], 0), (None, 0)):
        with Watched({"/api/ps": running, "/api/show": SHOWN}) as host:
            assert await host.window() == (16_384 if posts else None)
            assert host.asked.count("POST /api/show") == posts


async def test_an_endpoint_that_breaks_off_takes_nothing_from_the_others() -> None:
    def gate(path: str) -> None:
        if path == "/props":
            raise ConnectionResetError

    with Watched({"/api/ps": {"models": [{"name": "m", "context_length": 2_048}]}}, gate) as host:
        assert await host.window() == 2_048


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("api.anthropic.com", "anthropic"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("API.OpenAI.com.", "openai"),
        ("notopenai.com", ""),
        ("127.0.0.1", ""),
    ],
)
def test_a_provider_is_known_by_its_domain(name: str, kind: str) -> None:
    assert host_kind(name) == kind
