"""What the guard does to requests: nothing where they fit; one deep cut where they do not, the same bytes from then on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from transom import Context, Store
from transom.gateway.endpoint import endpoint
from transom.gateway.exchange import Exchange, Reported
from transom.gateway.guard import Guard
from transom.gateway.identity import Beginning, Beginnings, session_key
from transom.gateway.upstreams import Upstream
from transom.gateway.windows import Windows
from transom.jsontext import raw_object
from transom.store.backend import StorageBackend
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.wire.registry import builtin_registry
from transom.wire.spelled import Spelled

UPSTREAM = Upstream(name="local", url="http://127.0.0.1:1234")


class Known:
    """Windows as a test sets them."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens
        self.learnt: list[int] = []
        self.counts = False

    async def of(self, upstream: Upstream, model: str, asked: int | None = None) -> tuple[int | None, str]:
        del upstream, model
        return asked or self.tokens, "a test"

    def learn(self, upstream: Upstream, model: str, tokens: int) -> None:
        del upstream, model
        self.learnt.append(tokens)
        self.tokens = tokens

    def counts_answer(self, upstream: Upstream, model: str) -> bool:
        del upstream, model
        return self.counts

    def learn_counting(self, upstream: Upstream, model: str) -> None:
        del upstream, model
        self.counts = True

    def doubt(self, upstream: Upstream, model: str) -> None:
        del upstream, model

    def answered(self, upstream: Upstream, model: str, counted: int = 0) -> None:
        del upstream, model, counted

    async def dropped(self, upstream: Upstream, model: str, counted: int) -> None:
        self.learn(upstream, model, counted)


def guard(window: int | None, store: Store | None = None) -> tuple[Guard, Store, Known]:
    kept, known = store or Store(MemoryBackend()), Known(window)

    def make(scope: str, size: int) -> Context:
        return Context(window=size, store=kept.scoped(scope) if scope else kept, prune=False)

    return Guard(make, known, builtin_registry()), kept, known


def asked(path: str, body: dict[str, Any] | bytes, headers: tuple[tuple[str, str], ...] = (), dry: bool = False) -> Exchange:
    data = body if isinstance(body, bytes) else json.dumps(body, indent=1).encode()
    found = endpoint("POST", path, dict(headers))
    return Exchange(
        id="1", method="POST", path=path, query="", headers=headers, endpoint=found, upstream=UPSTREAM, body=data, dry=dry
    )


def chat(turns: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for number in range(turns):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": f'{{ "n": {number} }}'}}
        messages += [
            {"role": "user", "content": f"Look at part {number}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"part {number}: " + "words and numbers " * 120},
            {"role": "assistant", "content": f"Part {number} is fine."},
        ]
    messages.append({"role": "user", "content": "What of part 0?"})
    return {"model": "small", "messages": messages, "temperature": 1.0, "odd_field": {"b": 1, "a": 2}}


def messages_of(turns: int) -> dict[str, Any]:
    body = chat(turns)
    plain = [item for item in body["messages"] if item["role"] != "tool" and "tool_calls" not in item][1:]
    for item in plain:
        item["content"] = f"{item['content']} " + "words and numbers " * 60
    return {"model": "claude", "max_tokens": 500, "system": "You help.", "messages": plain}


async def test_a_request_that_fits_goes_on_as_the_very_bytes_that_came() -> None:
    guarded, _, _ = guard(32_000)
    exchange = asked("/v1/chat/completions", chat(3))
    await guarded.before(exchange)
    assert exchange.sent is exchange.body
    assert [decision.action for decision in exchange.decisions] == ["passed"]


@pytest.mark.parametrize(
    ("path", "make", "field"),
    [("/v1/chat/completions", chat, "messages"), ("/v1/messages", messages_of, "messages")],
    ids=["openai", "anthropic"],
)
async def test_a_window_closes_once_and_stays_as_it_was_closed(path: str, make: Any, field: str) -> None:
    guarded, store, _ = guard(8_000)
    first = asked(path, make(30))
    await guarded.before(first)
    assert first.edited
    assert first.decisions[0].action == "closed"
    sent = json.loads(first.sent)
    assert {key: value for key, value in sent.items() if key != field} == {
        key: value for key, value in json.loads(first.body).items() if key != field
    }
    listed = raw_object(first.sent)[field]
    assert first.sent.replace(listed, b"*") == first.body.replace(raw_object(first.body)[field], b"*")
    assert sent[field][-1] == json.loads(first.body)[field][-1]
    for uri in first.decisions[0].uris:
        assert await store.get(uri)
    further = make(30)
    further[field] += [{"role": "assistant", "content": "It is fine."}, {"role": "user", "content": "And of part 1?"}]
    second = asked(path, further)
    await guarded.before(second)
    assert second.decisions[0].action == "applied"
    kept = json.loads(first.sent)[field]
    assert json.loads(second.sent)[field][: len(kept)] == kept

    again, _, _ = guard(8_000, store)
    other = asked(path, further)
    await again.before(other)
    assert other.sent == second.sent


async def test_an_unknown_window_is_only_observed_until_an_error_names_it() -> None:
    guarded, _, known = guard(None)
    exchange = asked("/v1/chat/completions", chat(30))
    await guarded.before(exchange)
    assert exchange.sent is exchange.body
    assert exchange.decisions[0].action == "observed"
    assert await guarded.overflowed(exchange, 20_000, 8_192)
    assert known.learnt == [8_192]
    assert len(exchange.sent) < len(exchange.body)


async def test_an_error_that_names_less_than_a_setting_holds_for_the_requests_that_follow() -> None:
    store = Store(MemoryBackend())
    windows = Windows(store, window=32_000)
    guarded = Guard(lambda scope, size: Context(window=size, store=store, prune=False), windows, builtin_registry())
    refused, other = asked("/v1/chat/completions", chat(30)), asked("/v1/chat/completions", {**chat(29), "model": "small"})
    await guarded.before(refused)
    assert not refused.edited
    assert await guarded.overflowed(refused, 20_000, 8_192)
    assert (refused.window, len(refused.sent) < len(refused.body)) == (8_192, True)
    other.headers = (("x-session-id", "another"),)
    await guarded.before(other)
    assert (other.window, other.edited) == (8_192, True)
    assert other.decisions[0].reason.endswith("of 8192 tokens (an error)")
    await guarded.aclose()
    await windows.aclose()


async def test_what_weighs_more_than_was_thought_closes() -> None:
    guarded, _, _ = guard(32_000)
    exchange = asked("/v1/chat/completions", chat(30))
    await guarded.before(exchange)
    assert not exchange.edited
    assert await guarded.overflowed(exchange, 40_000, None)
    assert exchange.edited


async def test_usage_of_the_upstream_counts_for_the_next_request() -> None:
    guarded, _, _ = guard(32_000)
    exchange = asked("/v1/chat/completions", chat(30))
    await guarded.before(exchange)
    exchange.reported = Reported(input_tokens=31_000)
    await guarded.after(exchange)
    following = asked("/v1/chat/completions", chat(31))
    await guarded.before(following)
    assert following.decisions[0].action == "closed"


@pytest.mark.parametrize(
    "body",
    [b"{", b"[]", b"\xff", b'{"model": "m"}', b'{"messages": 3}', b'{"messages": [{"role": "odd"}]}', b""],
    ids=["cut", "list", "bytes", "no messages", "number", "odd role", "empty"],
)
async def test_what_cannot_be_read_goes_on_as_it_came(body: bytes) -> None:
    guarded, _, _ = guard(8_000)
    exchange = asked("/v1/chat/completions", body)
    await guarded.before(exchange)
    assert exchange.sent is exchange.body
    assert exchange.decisions[0].action in {"passed", "failed"}


async def test_a_history_that_lies_with_the_provider_is_left_alone() -> None:
    guarded, _, _ = guard(2_000)
    exchange = asked("/v1/responses", {"model": "m", "previous_response_id": "resp_1", "input": "x " * 9_000})
    await guarded.before(exchange)
    assert exchange.sent is exchange.body
    assert "previous_response_id" in exchange.decisions[0].reason


async def test_dry_runs_decide_and_change_nothing() -> None:
    guarded, _, _ = guard(8_000)
    exchange = asked("/v1/chat/completions", chat(30), dry=True)
    await guarded.before(exchange)
    assert exchange.sent is exchange.body
    assert exchange.decisions[0].action == "closed"


async def test_nothing_crosses_credentials() -> None:
    guarded, store, _ = guard(8_000)
    one = asked("/v1/chat/completions", chat(30), (("authorization", "Bearer one"),))
    two = asked("/v1/chat/completions", chat(30), (("Authorization", "Bearer two"),))
    await guarded.before(one)
    await guarded.before(two)
    assert one.scope != two.scope
    assert [exchange.decisions[0].action for exchange in (one, two)] == ["closed", "closed"]
    assert not await store.list("windows")
    assert await store.scoped(one.scope).list("windows")


def test_a_cache_marker_that_moves_on_leaves_the_conversation_what_it_is() -> None:
    marked = [{"type": "text", "text": "Begin", "cache_control": {"type": "ephemeral"}}]
    plain = [{"type": "text", "text": "Begin"}]
    keys = set()
    for content in (marked, plain):
        body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}
        request = builtin_registry().get("anthropic").parse(json.dumps(body).encode())
        keys.add(session_key("scope", {"session-id": "named"}, Beginning.of(request)))
    assert len(keys) == 1


@pytest.mark.parametrize("leading", [0, 1, 3, 4, 5, 9])
def test_conversations_are_told_apart_by_the_first_message_behind_however_many_that_lead(leading: int) -> None:
    begins, chat_format = Beginnings(), builtin_registry().get("openai")

    def key(first: str, turns: int) -> str:
        said = [{"role": "assistant" if number % 2 else "user", "content": f"turn {number}"} for number in range(1, turns)]
        system = [{"role": "system", "content": f"rule {number}"} for number in range(leading)]
        body = json.dumps({"model": "m", "messages": [*system, {"role": "user", "content": first}, *said]}).encode()
        return session_key("", {}, begins.of(Spelled.of(body, "messages"), chat_format))

    for _ in range(2):
        assert len({key("One", turns) for turns in range(1, 12)}) == 1
        assert key("One", 3) != key("Two", 3)


def test_beginnings_that_are_forgotten_are_read_again() -> None:
    begins, chat_format = Beginnings(most=2), builtin_registry().get("openai")
    bodies = [
        json.dumps({"model": "m", "messages": [{"role": "user", "content": str(number)}]}).encode() for number in range(5)
    ]
    keys = [session_key("", {}, begins.of(Spelled.of(body, "messages"), chat_format)) for body in bodies * 2]
    assert keys[:5] == keys[5:]
    assert len(set(keys)) == 5


async def test_a_prompt_in_one_piece_goes_on_as_it_came_however_long_it_is() -> None:
    guarded, _, _ = guard(2_000)
    for body in ({"model": "m", "prompt": "words " * 9_000}, {"model": "m", "prompt": "words " * 9_000, "context": [1, 2]}):
        exchange = asked("/api/generate", body)
        await guarded.before(exchange)
        assert exchange.sent is exchange.body
        assert [decision.action for decision in exchange.decisions] == ["passed"]
        assert not await guarded.overflowed(exchange, 9_000, 2_000)


async def test_requests_of_one_conversation_at_once_are_each_what_they_would_be_alone() -> None:
    bodies = [chat(turns) for turns in (40, 12, 39, 41, 20)]
    alone = []
    for body in bodies:
        guarded, _, _ = guard(8_000)
        exchange = asked("/v1/chat/completions", body)
        await guarded.before(exchange)
        alone.append(exchange.decisions[0].action in {"closed", "applied"})
        await guarded.aclose()
    guarded, _, _ = guard(8_000)
    exchanges = [asked("/v1/chat/completions", body) for body in bodies]
    await asyncio.gather(*map(guarded.before, exchanges))
    for exchange, body, edited in zip(exchanges, bodies, alone, strict=True):
        sent = json.loads(exchange.sent)["messages"]
        assert sent[-1] == body["messages"][-1]
        assert exchange.edited is edited
        assert len(exchange.decisions) == 1
    await guarded.aclose()


async def test_a_client_that_leaves_while_its_conversation_is_closed_takes_nothing_with_it() -> None:
    guarded, _, _ = guard(8_000)
    exchange = asked("/v1/chat/completions", chat(60))
    leaving = asyncio.create_task(guarded.before(exchange))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    following = asked("/v1/chat/completions", chat(61))
    await guarded.before(following)
    assert following.decisions[0].action in {"closed", "applied"}
    await guarded.aclose()


async def test_an_error_that_a_decision_repeats_shows_no_secret() -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwx1234567890"
    guarded, _, _ = guard(8_000)
    exchange = asked("/v1/chat/completions", {"model": "m", "messages": [{"role": secret, "content": "x"}]})
    await guarded.before(exchange)
    assert exchange.decisions[0].action == "passed"
    assert "role" in exchange.decisions[0].reason
    assert secret not in exchange.decisions[0].reason


async def test_roles_take_turns_behind_a_cut() -> None:
    guarded, _, _ = guard(4_096)
    body = chat(0)
    for number in range(12):
        body["messages"][-1:] = [
            {"role": "user", "content": f"Look at part {number}. " + "words and numbers " * 60},
            {"role": "assistant", "content": f"Part {number} is fine. " + "words and numbers " * 30},
            {"role": "user", "content": "What now?"},
        ]
        exchange = asked("/v1/chat/completions", body)
        await guarded.before(exchange)
        roles = [item["role"] for item in json.loads(exchange.sent)["messages"]]
        assert all(one != two for one, two in pairwise(roles)), roles
    assert exchange.edited


@pytest.mark.parametrize("backend", [MemoryBackend, SQLiteBackend, FilesystemBackend])
async def test_many_large_conversations_at_once_are_closed_as_each_would_be_alone(
    backend: Callable[..., StorageBackend], tmp_path: Path
) -> None:
    def large(number: int) -> dict[str, Any]:
        body = chat(60)
        body["messages"][1]["content"] = f"Conversation {number} begins."
        return body

    def store(name: str) -> Store:
        return Store(backend() if backend is MemoryBackend else backend(tmp_path / name))

    sent = []
    for name, at_once in (("together", True), ("alone", False)):
        async with store(name) as kept:
            guarded, _, _ = guard(12_000, kept)
            asking = [asked("/v1/chat/completions", large(number)) for number in range(12)]
            assert len(asking[0].body) > 64 << 10
            if at_once:
                await asyncio.gather(*map(guarded.before, asking))
            else:
                for exchange in asking:
                    await guarded.before(exchange)
            assert {exchange.decisions[0].action for exchange in asking} == {"closed"}
            for exchange in asking:
                for uri in exchange.decisions[0].uris:
                    assert await kept.get(uri)
            sent.append([exchange.sent for exchange in asking])
            await guarded.aclose()
    assert sent[0] == sent[1]


async def test_a_small_work_of_one_does_not_wait_for_the_large_one_of_another() -> None:
    guarded, _, _ = guard(60_000)
    small = asked("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "words and " * 7_000}]})
    large = asked("/v1/chat/completions", chat(900))
    ended: list[Exchange] = []

    async def done(exchange: Exchange) -> None:
        await guarded.before(exchange)
        ended.append(exchange)

    await asyncio.gather(done(large), done(small))
    assert ended == [small, large]
    assert large.decisions[0].action == "closed"
    await guarded.aclose()
