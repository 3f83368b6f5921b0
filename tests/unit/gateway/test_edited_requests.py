"""Which edits an upstream gets, over real sockets: by its kind, by its settings, and by what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.unit.gateway.serving import Asked, Got, ask, serving, upstream
from tests.unit.gateway.serving import Upstream as Server

from transom.gateway.app import build_app
from transom.gateway.operations import Switch
from transom.gateway.parties import NullGuard
from transom.gateway.upstreams import Edit, Routes, Upstream

MESSAGES, COUNT, CHAT = "/v1/messages?beta=true", "/v1/messages/count_tokens", "/v1/chat/completions"
LINE = b'{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1; cch=1"}'
KEPT = b'{"type":"text","text":"You are", "cache_control":{"type":"ephemeral"%b}}'
BODY = b'{"model":"m" ,"system":[%b, %b],"messages":[{"role":"user","content":"\\u00e9 ttl"}]}'
CAME = BODY % (LINE, KEPT % b', "ttl":"1h"')
WITHOUT_LINE = CAME.replace(LINE + b", ", b"")
WITHOUT_BOTH = WITHOUT_LINE.replace(b', "ttl":"1h"', b"")
STREAM = b'{"model":"m","stream":true,"messages":[]}'


async def answered(asked: Asked) -> None:
    await asked.answer(200, b'{"input_tokens":1}')


async def refusing(asked: Asked) -> None:
    """As servers do that know no lifetime."""
    if b'"ttl"' in asked.body:
        await asked.answer(422, b'{"error":{"message":"system.0.cache_control.ttl: Extra inputs are not permitted"}}')
    else:
        await answered(asked)


@contextmanager
def between(
    handler: Any = answered, chosen: frozenset[Edit] | None = None, *, dry: bool = False
) -> Iterator[tuple[str, Server]]:
    with upstream(handler) as server:
        routes = Routes([Upstream(name="u", url=server.url, chosen=chosen)])
        with serving(build_app(routes, guard=Switch(NullGuard(), dry=dry))) as url:
            yield url, server


def sent(url: str, server: Server, path: str, body: bytes, *headers: str) -> tuple[Got, list[bytes]]:
    """The answer, and what the upstream was asked for it."""
    known = len(server.asked)
    got = ask(url, "POST", path, body, *headers)
    return got, [asked.body for asked in server.asked[known:]]


@pytest.mark.feature("G1")
def test_the_billing_line_stays_behind_and_every_turn_is_edited_alike() -> None:
    with between() as (url, server):
        for path in (MESSAGES, COUNT, MESSAGES):
            assert sent(url, server, path, CAME)[1] == [WITHOUT_LINE]
        assert sent(url, server, MESSAGES, WITHOUT_LINE)[1] == [WITHOUT_LINE]
        assert sent(url, server, MESSAGES, CAME, "x-transom-bypass: 1")[1] == [CAME]
        assert sent(url, server, "/v1/messages/batches", CAME)[1] == [CAME]


def test_nothing_is_edited_in_a_dry_run() -> None:
    with between(dry=True) as (url, server):
        assert sent(url, server, MESSAGES, CAME)[1] == [CAME]
        assert sent(url, server, CHAT, STREAM)[1] == [STREAM]


@pytest.mark.parametrize(
    ("chosen", "went"),
    [
        (frozenset[Edit](), CAME),
        (frozenset[Edit]({"usage"}), CAME),
        (frozenset[Edit]({"billing", "ttl"}), WITHOUT_BOTH),
    ],
)
def test_settings_choose_what_is_edited(chosen: frozenset[Edit], went: bytes) -> None:
    with between(chosen=chosen) as (url, server):
        assert sent(url, server, MESSAGES, CAME)[1] == [went]
        assert sent(url, server, COUNT, CAME)[1] == [went]
        (chat,) = sent(url, server, CHAT, STREAM)[1]
        assert (b"stream_options" in chat) is ("usage" in chosen)


@pytest.mark.feature("G1")
def test_an_upstream_that_refuses_a_lifetime_is_asked_without_one_from_then_on() -> None:
    with between(refusing) as (url, server):
        got, asked = sent(url, server, MESSAGES, CAME)
        assert (got.status, asked) == (200, [WITHOUT_LINE, WITHOUT_BOTH])
        for path in (MESSAGES, COUNT):
            got, asked = sent(url, server, path, CAME)
            assert (got.status, asked) == (200, [WITHOUT_BOTH])


def test_a_refusal_is_the_clients_where_settings_choose_the_edits() -> None:
    with between(refusing, frozenset()) as (url, server):
        got, asked = sent(url, server, MESSAGES, CAME)
        assert (got.status, asked) == (422, [CAME])
        assert b"cache_control.ttl" in got.body


@pytest.mark.parametrize(("status", "times"), [(400, 2), (422, 2), (500, 1)])
def test_a_refusal_that_no_edit_mends_is_handed_on_as_it_is(status: int, times: int) -> None:
    said = b'{"error":{"message":"no ttl here, and no cache"}}'

    async def handle(asked: Asked) -> None:
        await asked.answer(status, said)

    with between(handle) as (url, server):
        got, asked = sent(url, server, MESSAGES, CAME)
        assert (got.status, got.body, len(asked)) == (status, said, times)
        got, asked = sent(url, server, MESSAGES, WITHOUT_BOTH)
        assert (got.status, got.body, asked) == (status, said, [WITHOUT_BOTH])


@pytest.mark.parametrize(
    ("url", "edits"),
    [
        ("https://api.anthropic.com", {"usage"}),
        ("https://anthropic.com.example", {"usage", "billing"}),
        ("http://127.0.0.1:1234", {"usage", "billing"}),
    ],
)
def test_what_is_anthropics_stays_whole(url: str, edits: set[Edit]) -> None:
    assert Upstream(name="u", url=url).edits == edits
