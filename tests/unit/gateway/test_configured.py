"""Upstreams as settings write them: what belongs to each, and what does not fit."""

from __future__ import annotations

import pytest

from transom.errors import SettingError
from transom.gateway.configured import configured
from transom.gateway.upstreams import Upstream
from transom.settings import load

TWO = "local=http://127.0.0.1:1, claude=https://api.anthropic.com"


def made(**told: object) -> list[Upstream]:
    return configured(load({"upstream": TWO, **told}))


def test_each_upstream_has_its_port_and_its_edits() -> None:
    local, claude = made(upstream_port="local=9001, claude=0", upstream_edits="local=usage, local=ttl, claude=none")
    assert (local.port, claude.port) == (9001, 0)
    assert (sorted(local.edits), sorted(claude.edits)) == (["ttl", "usage"], [])


def test_without_settings_there_is_no_port_and_the_kind_decides_the_edits() -> None:
    local, claude = made()
    assert (local.port, claude.port) == (None, None)
    assert (sorted(local.edits), sorted(claude.edits)) == (["billing", "usage"], ["usage"])


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"upstream_port": "other=1"}, "there is no upstream 'other'"),
        ({"upstream_port": "local=9001, claude=9001"}, "'claude' cannot have port 9001, which is for 'local'"),
        ({"upstream_port": "local=9001, local=9002"}, "upstream_port names 'local' twice"),
        ({"upstream_port": "local=9001", "serve_port": 9001}, "which is for the gateway itself"),
        ({"upstream_port": "local=70000"}, "70000 is no port"),
        ({"upstream_port": "9001"}, "upstream_port"),
        ({"upstream_edits": "other=usage"}, "there is no upstream 'other'"),
        ({"upstream_edits": "local=none, local=usage"}, "exclude each other"),
        ({"upstream_edits": "local=all"}, "usage, billing, ttl; or none"),
        ({"upstream_edits": "claude=billing"}, "'claude' is Anthropic's own API"),
        ({"upstream_window": "local=1000"}, "the window of 'local' cannot be 1000"),
        ({"upstream_window": "local=100_000_001"}, "the window of 'local' cannot be 100_000_001"),
        ({"upstream_window": "local=____"}, "the window of 'local' cannot be ____"),
    ],
)
def test_what_does_not_fit_is_said(told: dict[str, object], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        made(**told)


@pytest.mark.parametrize(
    "query", ["key=abc", "api-version=1&subscription-key=abc", "access_token=abc", "sig=a%20b", "c%6Fde=x"]
)
def test_a_key_in_an_address_is_refused_and_not_repeated(query: str) -> None:
    with pytest.raises(SettingError, match="the address of 'upstream' holds a key") as refused:
        configured(load({"upstream": f"https://models.example/v1?{query}"}))
    assert "abc" not in str(refused.value)
    assert "--upstream-key VARIABLE" in str(refused.value)


def test_what_is_no_key_may_stand_in_an_address() -> None:
    (made,) = configured(load({"upstream": "https://models.example/v1?api-version=2024-10-21&deployment=x"}))
    assert made.address.query == "api-version=2024-10-21&deployment=x"


@pytest.mark.parametrize("key", ["one\r\ntwo", "one\ttwo", "one\x00", "ключ"])
def test_a_key_that_no_header_may_hold_is_refused_and_not_repeated(key: str) -> None:
    told = {"upstream": "http://127.0.0.1:1", "upstream_key": "KEY"}
    with pytest.raises(SettingError, match="what KEY holds can stand in no header") as refused:
        configured(load(told), {"KEY": key})
    assert key not in str(refused.value)


def test_a_line_end_behind_a_key_is_none_of_it() -> None:
    (made,) = configured(load({"upstream": "http://127.0.0.1:1", "upstream_key": "KEY"}), {"KEY": "abc\r\n"})
    assert made.key == "abc"


def test_two_ports_may_both_be_free_ones() -> None:
    assert [each.port for each in made(upstream_port="local=0, claude=0", serve_port=0)] == [0, 0]
