"""A real llama.cpp server behind the gateway: its window, its errors, its streams, and what its cache can still serve."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI
from tests.gateway.conftest import Serve
from tests.unit.upstream.test_llama_cpp import WINDOW, Running, pytestmark

__all__ = ["pytestmark"]

SPARED = 32
"""Tokens that a turn through the gateway may cost more than the same turn sent directly."""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    running = Running()
    yield running
    running.kill()


def post(url: str, body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    request = urllib.request.Request(
        f"{url}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer), dict(answer.headers)


def talk(url: str, turns: int, words: int) -> list[dict[str, Any]]:
    """A conversation of so many turns, its answers made up, so that two of them are the same; what was answered."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are brief."}]
    answers = []
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Part {turn}: " + " ".join(f"word{turn}x{each}" for each in range(words))})
        answers.append(post(url, {"model": "any", "messages": messages, "max_tokens": 1, "temperature": 0})[0])
        messages.append({"role": "assistant", "content": f"I have read part {turn}."})
    return answers


@pytest.mark.feature("G2")
def test_its_window_is_learned_and_kept(server: Running, serve: Serve) -> None:
    served = serve(server.url)
    answers = talk(served.url, 3, 85)
    assert all(answer["usage"]["prompt_tokens"] <= WINDOW for answer in answers)
    seen = served.get("/_transom/requests")["requests"]
    assert {each["status"] for each in seen} == {200}
    assert {each["window"] for each in seen} == {WINDOW}
    assert any(each["edited"] for each in seen)


@pytest.mark.feature("G2")
def test_its_error_teaches_what_no_setting_said_and_the_client_sees_none(server: Running, serve: Serve) -> None:
    served = serve(server.url, "--window", "100000")
    talk(served.url, 5, 85)
    seen = served.get("/_transom/requests")["requests"]
    assert {each["status"] for each in seen} == {200}
    assert any(decision["action"] == "retried" for each in seen for decision in each["decisions"])


@pytest.mark.feature("G1")
def test_what_it_offers_beside_is_reached(server: Running, serve: Serve) -> None:
    served = serve(server.url)
    assert served.get("/props")["default_generation_settings"]["n_ctx"] == WINDOW
    assert served.get("/v1/models")["data"]
    assert served.get("/_transom/healthz")["status"] == "ok"


@pytest.mark.feature("G1")
def test_it_streams_in_three_protocols(server: Running, serve: Serve) -> None:
    served = serve(server.url)
    asked: list[Any] = [{"role": "user", "content": "Say hello."}]
    with OpenAI(base_url=f"{served.url}/v1", api_key="key", max_retries=0) as client:
        chunks = list(client.chat.completions.create(model="any", messages=asked, max_tokens=8, temperature=0, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        # Event by event: this server leaves out indexes that the SDK's collecting stream wants, with or without a gateway.
        events = list(
            client.responses.create(model="any", input="Say hello.", max_output_tokens=16, temperature=0, stream=True)
        )
        assert events[-1].type in {"response.completed", "response.incomplete"}
    with Anthropic(base_url=served.url, api_key="key", max_retries=0) as anthropic:
        with anthropic.messages.stream(model="any", messages=asked, max_tokens=8, extra_body={"temperature": 0}) as messages:
            assert messages.get_final_text()
        assert anthropic.messages.count_tokens(model="any", messages=asked).input_tokens > 0
    seen = served.get("/_transom/requests")["requests"]
    assert {(each["protocol"], each["status"]) for each in seen} == {
        ("openai", 200),
        ("openai-responses", 200),
        ("anthropic", 200),
    }
    assert all(each["tokens"]["input"] for each in seen if each["kind"] == "generate")


@pytest.mark.feature("G1")
def test_its_cache_serves_as_much_as_without_the_gateway(serve: Serve) -> None:
    direct: list[int] = []
    through: list[int] = []
    for evaluated in (direct, through):
        server = Running()
        try:
            url = server.url if evaluated is direct else serve(server.url).url
            evaluated += [answer["timings"]["prompt_n"] for answer in talk(url, 4, 10)]
        finally:
            server.kill()
    assert len(direct) == 4
    assert max(more - less for more, less in zip(through[1:], direct[1:], strict=True)) <= SPARED
