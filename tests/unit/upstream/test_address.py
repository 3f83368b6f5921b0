from __future__ import annotations

import pytest

from transom.errors import InputError
from transom.upstream.address import Address


@pytest.mark.parametrize(
    ("written", "chat", "root"),
    [
        ("http://127.0.0.1:1234", "/v1/chat/completions", ""),
        ("http://127.0.0.1:1234/", "/v1/chat/completions", ""),
        ("http://127.0.0.1:1234/v1", "/v1/chat/completions", ""),
        ("http://127.0.0.1:1234/v1/chat/completions", "/v1/chat/completions", ""),
        ("https://api.groq.com/openai/v1", "/openai/v1/chat/completions", "/openai"),
        ("https://openrouter.ai/api", "/api/v1/chat/completions", "/api"),
        ("https://host.example/v1beta/openai/", "/v1beta/openai/chat/completions", ""),
        ("https://api.example.com/chat/completions", "/chat/completions", ""),
        (" http://[::1]:8080/v1 ", "/v1/chat/completions", ""),
    ],
)
def test_a_host_a_base_and_the_whole_address_mean_the_same(written: str, chat: str, root: str) -> None:
    address = Address.parse(written)
    assert (address.chat, address.root) == (chat, root)


def test_the_port_is_that_of_the_scheme_where_none_is_given() -> None:
    assert Address.parse("http://host").port == 80
    assert Address.parse("https://host").port == 443
    assert Address.parse("https://host").shown == "https://host/v1"
    assert Address.parse("http://[::1]:8080").shown == "http://[::1]:8080/v1"


@pytest.mark.parametrize(
    "written",
    [
        *("", "127.0.0.1:1234", "localhost/v1", "ftp://host/v1", "http://", "file:///etc/passwd", "http://host:port"),
        *("http://ho st/v1", "http://host/v1\r\nX: y", "http://[::1", "http://host:99999"),
    ],
)
def test_what_is_no_address_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(InputError, match="127"):
        Address.parse(written)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(InputError) as caught:
        Address.parse("http://user:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


def test_a_query_goes_along_and_is_not_shown() -> None:
    address = Address.parse("https://host/v1?api-version=2&key=secret")
    assert address.query == "api-version=2&key=secret"
    assert "secret" not in address.shown
