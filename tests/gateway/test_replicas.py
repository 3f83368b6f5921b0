"""Two gateways behind one address, with one store: what a request becomes does not hang on which of them it meets."""

from __future__ import annotations

import itertools
import json
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.gateway.conftest import Serve
from tests.unit.gateway.test_prefixes import chat, messages, responses, served

from transom.testing.provider import ScriptedProvider, says

TURNS = 18


def post(url: str, path: str, body: bytes) -> int:
    request = urllib.request.Request(
        f"{url}{path}", body, {"content-type": "application/json", "anthropic-version": "2023-06-01"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
        return int(answer.status)


@pytest.mark.feature("G10", "O21")
def test_replicas_that_share_a_store_send_the_same_bytes_for_the_same_request(serve: Serve) -> None:
    with ScriptedProvider(lambda _: says("Fine.")) as provider, ThreadPoolExecutor(2) as both:
        urls = [serve(provider.url, "--window", "4000").url for _ in range(2)]
        ways: list[Callable[[int], tuple[str, str, dict[str, Any]]]] = [chat, messages, responses]
        for make in ways:
            before = b""
            edited = kept = 0
            for turns, first in zip(range(1, TURNS), itertools.cycle(urls), strict=False):
                path, field, body = make(turns)
                data = json.dumps(body).encode()
                known = len(provider.received)
                if turns % 5 == 0:
                    # Both at once, whichever of them closes.
                    assert list(both.map(lambda url, to=path, what=data: post(url, to, what), urls)) == [200, 200]
                else:
                    assert [post(url, path, data) for url in (first, *(url for url in urls if url != first))] == [200, 200]
                one, two = (each.data for each in provider.received[known:])
                assert one == two
                edited += one != data
                kept += bool(before) and served(before, one, field)
                before = one
            assert edited >= TURNS // 3
            assert kept >= TURNS - 2 - edited // 3
