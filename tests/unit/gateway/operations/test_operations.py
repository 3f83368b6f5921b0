"""What the gateway tells of itself: on every answer, and to whoever asks under ``/_transom/``."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.unit.gateway.serving import ask, serving

from transom import Context, Store
from transom.gateway.access import Access
from transom.gateway.app import build_app
from transom.gateway.guard import Guard
from transom.gateway.operations import Book, Switch, build_operations
from transom.gateway.operations.recent import Recent
from transom.gateway.upstreams import Routes, Upstream
from transom.gateway.windows import Windows
from transom.store.backends.memory import MemoryBackend
from transom.testing.provider import Fault, ScriptedProvider, says
from transom.wire.registry import builtin_registry

KEY = "sk-proj-abcdefghijklmnopqrstuvwx1234567890"
JSON = "content-type: application/json"
ROUTES = Routes([Upstream(name="nobody", url="http://127.0.0.1:9")])


@dataclass
class Running:
    """A gateway before a scripted provider."""

    url: str
    provider: ScriptedProvider
    book: Book
    store: Store

    def chat(self, body: dict[str, Any] | bytes, *headers: str) -> tuple[int, dict[str, str], Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        got = ask(self.url, "POST", "/v1/chat/completions", data, JSON, f"authorization: Bearer {KEY}", *headers)
        return got.status, dict(got.headers), json.loads(got.body)

    def get(self, path: str) -> tuple[int, Any]:
        got = ask(self.url, "GET", f"/_transom/{path}")
        return got.status, json.loads(got.body)


@contextmanager
def running(
    window: int | None = 8_000, *, book: Book | None = None, dry: bool = False, access: Access | None = None
) -> Iterator[Running]:
    store, book = Store(MemoryBackend()), book or Book(clock=lambda: 1_800_000_000.0)
    with ScriptedProvider(lambda received: says("Fine.")) as provider:
        routes = Routes([Upstream(name="scripted", url=provider.url, window=window)])
        guard = Guard(lambda scope, size: Context(window=size, store=store, prune=False), Windows(store), builtin_registry())
        operations = build_operations(routes, book)
        app = build_app(routes, guard=Switch(guard, dry=dry), journal=book, operations=operations, access=access or Access())
        with serving(app) as url:
            yield Running(url, provider, book, store)


def sent(gateway: Running) -> list[Any]:
    """The messages that the provider got last."""
    messages = gateway.provider.received[-1].body["messages"]
    assert isinstance(messages, list)
    return messages


def conversation(turns: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for number in range(turns):
        messages += [
            {"role": "user", "content": f"Part {number}: " + "words and numbers " * 80},
            {"role": "assistant", "content": f"Part {number} is fine."},
        ]
    return {"model": "small", "messages": [*messages, {"role": "user", "content": "What of part 0?"}], "seed": 1.0}


@pytest.mark.feature("G8")
def test_an_answer_says_what_was_decided_and_what_is_left_of_the_window() -> None:
    with running() as gateway:
        status, headers, _ = gateway.chat(conversation(3))
        assert status == 200
        assert headers["x-transom-decision"] == "guard=passed"
        assert headers["x-transom-reason"].startswith("it fits: ")
        assert headers["x-transom-window"] == "8000"
        found = re.fullmatch(r"before=(\d+), after=(\d+)", headers["x-transom-tokens"])
        assert found is not None
        assert found[1] == found[2]
        assert "x-transom-strategy" not in headers
        used = int(found[1])
        assert headers["x-transom-budget"] == f"used={used}, left={8_000 - used}, share={used / 8_000:.2f}"
        assert gateway.get(f"requests/{headers['x-transom-request']}")[0] == 200

        _, closed, _ = gateway.chat(conversation(40))
        assert closed["x-transom-decision"] == "guard=closed"
        assert closed["x-transom-strategy"] == "digest"
        numbers = re.fullmatch(r"before=(\d+), after=(\d+)", closed["x-transom-tokens"])
        assert numbers is not None
        assert int(numbers[1]) > 8_000 > int(numbers[2])


@pytest.mark.feature("X6")
async def test_a_request_can_be_looked_at_afterwards_and_holds_no_credential() -> None:
    with running() as gateway:
        body = conversation(40)
        body["messages"][5]["content"] += f" my key is {KEY} and more"
        unknown = ("cookie", "x-credential", "x-pat", "x-custom-passwd", "x-amz-signature")
        _, headers, _ = gateway.chat(body, *(f"{name}: verysecretvalue" for name in unknown), "x-stainless-lang: python")
        got = ask(gateway.url, "GET", f"/_transom/requests/{headers['x-transom-request']}")
        assert KEY not in got.body.decode()
        assert "verysecretvalue" not in got.body.decode()
        assert b'"seed": 1.0' in got.body or b'"seed":1.0' in got.body, "numbers stay as they were written"
        seen = json.loads(got.body)
        assert ["x-stainless-lang", "python"] in seen["headers"]
        assert ["content-type", "application/json"] in seen["headers"]
        assert all([name, "…"] in seen["headers"] for name in ("authorization", *unknown))
        assert seen["at"] == "2027-01-15T08:00:00.000+00:00"
        assert seen["outcome"] == "answered"
        assert seen["edited"] is True
        assert len(seen["came"]["messages"]) == 82
        assert len(seen["went"]["messages"]) < 60
        assert seen["went"]["messages"] == sent(gateway)
        assert seen["tokens"]["before"] > seen["tokens"]["after"]
        assert seen["tokens"]["input"] > 0
        assert 0 < seen["seconds"]["first_byte"] <= seen["seconds"]["total"]
        (decision,) = seen["decisions"]
        assert decision["action"] == "closed"
        assert decision["uris"]
        for uri in decision["uris"]:
            assert await gateway.store.get(uri), "what left can be read back"


def test_the_last_requests_are_listed_newest_first_and_bounded() -> None:
    with running(book=Book(Recent(most=3))) as gateway:
        ids = [gateway.chat(conversation(number))[1]["x-transom-request"] for number in range(5)]
        _, listed = gateway.get("requests")
        assert [each["id"] for each in listed["requests"]] == ids[:1:-1]
        assert [each["id"] for each in gateway.get("requests?limit=1")[1]["requests"]] == ids[4:]
        assert "came" not in listed["requests"][0]
        assert gateway.get(f"requests/{ids[0]}")[0] == 404


@pytest.mark.parametrize("limit", ["abc", "-1", "1.5", "", "9999999999"])
def test_a_limit_that_is_no_number_is_refused_in_one_sentence(limit: str) -> None:
    with serving(build_app(ROUTES, operations=build_operations(ROUTES, Book()))) as url:
        got = ask(url, "GET", f"/_transom/requests?limit={limit}")
    assert got.status == 400
    assert json.loads(got.body)["error"]["message"] == "limit is a whole number in digits, such as ?limit=10"


def test_the_bodies_that_are_held_are_bounded_too() -> None:
    with running(None, book=Book(Recent(most_bytes=20_000))) as gateway:
        ids = [gateway.chat(conversation(8))[1]["x-transom-request"] for _ in range(3)]
        shown = [gateway.get(f"requests/{each}")[1] for each in ids]
        assert [each["came"] is None for each in shown] == [True, True, False]
        assert shown[2]["went"] == shown[2]["came"]
        assert shown[2]["edited"] is False
        assert all(each["path"] == "/v1/chat/completions" for each in shown)


def test_a_request_can_ask_to_be_left_alone() -> None:
    with running() as gateway:
        body = json.dumps(conversation(40), indent=1).encode()
        _, headers, _ = gateway.chat(body, "x-transom-bypass: 1")
        assert headers["x-transom-decision"] == "guard=bypassed"
        assert "x-transom-window" not in headers
        assert len(sent(gateway)) == 82
        _, headers, _ = gateway.chat(body, "x-transom-bypass: 0")
        assert headers["x-transom-decision"] == "guard=closed"


@pytest.mark.parametrize(("always", "header"), [(True, "x-nothing: 1"), (False, "x-transom-dry-run: 1")])
def test_a_dry_run_says_what_would_be_done_and_sends_what_came(always: bool, header: str) -> None:
    with running(dry=always) as gateway:
        _, headers, _ = gateway.chat(conversation(40), header)
        assert headers["x-transom-decision"] == "guard=closed"
        assert headers["x-transom-dry-run"] == "1"
        assert "left=0" in headers["x-transom-budget"]
        numbers = re.fullmatch(r"before=(\d+), after=(\d+), would=(\d+)", headers["x-transom-tokens"])
        assert numbers is not None
        assert int(numbers[1]) == int(numbers[2]) > int(numbers[3])
        assert len(sent(gateway)) == 82
        seen = gateway.get(f"requests/{headers['x-transom-request']}")[1]
        assert seen["dry_run"] is True
        assert seen["edited"] is False
        assert seen["tokens"]["before"] == seen["tokens"]["after"] > seen["tokens"]["would"]
        assert [each["dry_run"] for each in seen["decisions"]] == [True]
        metrics = ask(gateway.url, "GET", "/_transom/metrics").body.decode()
        assert 'transom_decisions_total{step="guard",action="closed",dry_run="true"} 1' in metrics
        assert 'dry_run="false"' not in metrics


def test_metrics_are_what_prometheus_reads() -> None:
    with running() as gateway:
        gateway.chat(conversation(3))
        gateway.chat(conversation(40))
        got = ask(gateway.url, "GET", "/_transom/metrics")
        assert got.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
        samples = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(got.body.decode())
            for sample in family.samples
        }
    by_name = {name: value for (name, _), value in samples.items()}
    asked = (("outcome", "answered"), ("protocol", "openai"), ("upstream", "scripted"))
    assert samples["transom_requests_total", asked] == 2
    assert samples["transom_decisions_total", (("action", "closed"), ("dry_run", "false"), ("step", "guard"))] == 1
    assert by_name["transom_tokens_removed_total"] > 1_000
    assert samples["transom_tokens_reported_total", (("kind", "output"), ("upstream", "scripted"))] > 0
    assert by_name["transom_requests_active"] == 0
    assert samples["transom_first_byte_seconds_bucket", (("le", "+Inf"), ("upstream", "scripted"))] == 2
    assert by_name["transom_first_byte_seconds_count"] == 2


def test_health_asks_each_upstream() -> None:
    with ScriptedProvider() as here:
        with ScriptedProvider() as gone:
            pass
        routes = Routes([Upstream(name="here", url=here.url), Upstream(name="gone", url=gone.url, key=KEY)])
        with serving(build_app(routes, operations=build_operations(routes, Book()))) as url:
            got = ask(url, "GET", "/_transom/healthz")
            account = json.loads(got.body)
    assert got.status == 503
    assert account["status"] == "unavailable"
    assert [(each["name"], each["ok"], each["status"]) for each in account["upstreams"]] == [
        ("here", True, 200),
        ("gone", False, None),
    ]
    assert KEY not in got.body.decode()


def test_all_well_is_said_with_200_and_nothing_else_is_answered() -> None:
    with running() as gateway:
        assert gateway.get("healthz")[0] == 200
        assert gateway.get("nothing")[0] == 404
        assert ask(gateway.url, "POST", "/_transom/healthz").status == 405
        assert ask(gateway.url, "HEAD", "/_transom/metrics").status == 200
        page = ask(gateway.url, "GET", "/_transom/requests", b"", "origin: http://evil.example")
        assert page.status == 403, "a page in the browser reads nothing of it"


def test_each_request_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "transom.gateway"), ScriptedProvider([says("Fine."), Fault.refuses(500)]) as provider:
        book = Book()
        routes = Routes([Upstream(name="scripted", url=provider.url)])
        with serving(build_app(routes, journal=book)) as url:
            for _ in range(2):
                ask(url, "POST", "/v1/chat/completions", json.dumps(conversation(1)).encode(), JSON)
    lines = [record for record in caplog.records if record.name == "transom.gateway"]
    assert [record.levelname for record in lines] == ["INFO", "WARNING"]
    assert "POST /v1/chat/completions scripted small answered 200" in lines[0].getMessage()
    assert "refused 500" in lines[1].getMessage()
    assert all("\n" not in record.getMessage() for record in lines)


def test_clients_who_share_the_gateways_token_are_told_apart_by_their_own_keys() -> None:
    with running(access=Access("0.0.0.0", token=KEY)) as gateway:
        scopes = []
        for own in (("x-api-key: one",), ("x-api-key: two",), ("x-api-key: one",), ()):
            _, headers, _ = gateway.chat(conversation(2), *own)
            got = ask(gateway.url, "GET", f"/_transom/requests/{headers['x-transom-request']}", b"", f"x-transom-token: {KEY}")
            scopes.append(json.loads(got.body)["scope"])
        one, two, again, none = scopes
        assert one == again
        assert len({one, two, none}) == 3
        assert none == "", "the token tells nobody from another"
