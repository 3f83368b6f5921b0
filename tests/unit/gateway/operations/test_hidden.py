"""What is known to be a key is shown nowhere, whatever it looks like; and the client's bytes stay exact."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gateway.serving import Asked, Got, ask, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.keys import is_key_name, keys_of, shown_query, without_keys
from transom.gateway.operations import Book, build_operations
from transom.gateway.upstreams import Routes, Upstream

CHAT = "/v1/chat/completions"
OWN = 'correct"horse/battery'
"""A key that no form gives away."""


@contextmanager
def echoing(key: str | None = None) -> Iterator[str]:
    """A gateway before an upstream that refuses, and repeats the credentials that it got."""

    async def refuse(asked: Asked) -> None:
        sent = [value for name, value in asked.headers if is_key_name(name)]
        error = {"error": {"message": f"no such key: {' '.join(sent)}, asked at {asked.line}", "code": "invalid_api_key"}}
        await asked.answer(401, json.dumps(error).encode())

    book = Book()
    with upstream(refuse) as server:
        routes = Routes([Upstream(name="u", url=server.url, key=key)])
        with serving(build_app(routes, journal=book, operations=build_operations(routes, book))) as url:
            yield url


def told(url: str) -> tuple[str, Any]:
    """All that is shown of the newest request, as text and as JSON."""
    listed = ask(url, "GET", "/_transom/requests").body
    whole = ask(url, "GET", f"/_transom/requests/{json.loads(listed)['requests'][0]['id']}").body
    return (listed + whole).decode(), json.loads(whole)


def refused(url: str, path: str, *headers: str, body: object = None) -> Got:
    got = ask(url, "POST", path, json.dumps(body or {"model": "m", "messages": []}).encode(), *headers)
    assert got.status == 401
    return got


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("headers", "own", "key"),
    [
        (("authorization: Bearer my-plain-words",), None, "my-plain-words"),
        (("x-api-key: my/plain+words",), None, "my/plain+words"),
        (("ocp-apim-subscription-key: my-plain-words",), None, "my-plain-words"),
        (("cookie: theme=dark; session_id=my-plain-words",), None, "my-plain-words"),
        (("authorization: Bearer whatever-it-is",), OWN, OWN),
    ],
)
def test_a_key_that_an_upstream_repeats_reaches_the_client_and_nobody_else(
    caplog: pytest.LogCaptureFixture, headers: tuple[str, ...], own: str | None, key: str
) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": f"why is {key} refused?"}]}
    with caplog.at_level(logging.INFO, "transom.gateway"), echoing(own) as url:
        got = refused(url, CHAT, *headers, body=body)
        assert key in json.loads(got.body)["error"]["message"], "an answer is not touched"
        shown, _ = told(url)
    line = "\n".join(record.getMessage() for record in caplog.records)
    for text in (shown, line):
        assert "no such key" in text
        assert key not in text
        assert json.dumps(key)[1:-1] not in text


@pytest.mark.feature("Z10")
def test_a_secret_in_the_query_is_not_shown_and_neither_is_what_repeats_it(caplog: pytest.LogCaptureFixture) -> None:
    named = {name: f"value-of-{name}" for name in ("access_token", "sig", "auth", "code", "subscription-key", "key", "q")}
    query = "&".join(f"{name}={value}" for name, value in named.items())
    with caplog.at_level(logging.INFO, "transom.gateway"), echoing() as url:
        refused(url, f"{CHAT}?alt=sse&{query}&api-version=2024-10-21&value-alone")
        shown, seen = told(url)
    assert seen["query"] == f"alt=sse&{'&'.join(f'{name}=…' for name in named)}&api-version=2024-10-21&…"
    for name, value in named.items():
        # What is not called like a key is hidden where it stands, and not looked for elsewhere.
        assert value not in shown + caplog.text or name == "q"


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="*"), min_size=8, max_size=40),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_no_spelling_of_a_known_key_stays_in_a_text(key: str, before: str, after: str) -> None:
    spellings = [key, json.dumps(key)[1:-1], quote(key, safe="")]
    for spelled in spellings:
        masked = without_keys(before + spelled + after, keys_of([("x-api-key", key)], ""))
        assert not any(each in masked for each in spellings)


def test_a_key_that_a_text_was_cut_off_in_is_masked_too() -> None:
    key = "correct-horse-battery-staple"
    assert without_keys("the key correct-horse-b…", [key]) == "the key corr***"
    assert without_keys("all is correct", [key]) == "all is correct"


@pytest.mark.parametrize(
    ("query", "shown"), [("", ""), ("alt=sse", "alt=sse"), ("alt=a%20b;sig=x", "alt=…"), ("beta=true&", "beta=true&")]
)
def test_of_a_query_names_are_shown_and_few_values(query: str, shown: str) -> None:
    assert shown_query(query) == shown


@pytest.mark.parametrize(
    ("headers", "query", "secret"),
    [
        (
            [("authorization", "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE0000001/x, Signature=fe5f80f77d5f")],
            "",
            "AKIAEXAMPLE0000001",
        ),
        ([("authorization", "Digest username=u, response=6629fae49393a05397450978")], "", "6629fae49393a05397450978"),
        ([("x-my-stuff", "0123456789abcdef-secret")], "", "0123456789abcdef-secret"),
        ([], "0123456789abcdef-secret", "0123456789abcdef-secret"),
        ([], "alt=sse&0123456789abcdef-secret", "0123456789abcdef-secret"),
    ],
)
def test_a_key_in_an_odd_place_is_masked_where_an_upstream_repeats_it(
    headers: list[tuple[str, str]], query: str, secret: str
) -> None:
    assert secret not in without_keys(f"bad credential {secret}, try again", keys_of(headers, query))


def test_what_says_how_a_client_runs_is_no_key() -> None:
    assert (
        keys_of([("user-agent", "client/1.2.3-with-a-long-name"), ("x-stainless-runtime-version", "v22.10.0-and-more")], "")
        == []
    )


def test_a_stand_in_for_a_key_is_no_key() -> None:
    assert (
        keys_of([("authorization", "Bearer none"), ("idempotency-key", "0123456789"), ("session-id", "0123456789")], "") == []
    )
