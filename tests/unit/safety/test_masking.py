"""Text for others to read: no secret in it, whole or in part, and nothing else changed.

The keys here are made up while the tests run, so that no file of the repository holds the form of one.
"""

from __future__ import annotations

import io
import logging
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.safety.test_secrets import CASES, made

from transom.safety.masking import Masking, beginning, each_masked, log_fault, masked_address, traced
from transom.safety.secrets import masked

pytestmark = pytest.mark.feature("Z9")
KEYS = [token for _, token in CASES]
PASSWORD = "c0rrect" + made(6)


@pytest.fixture
def log() -> logging.Logger:
    logger = logging.Logger("a logger of its own")  # noqa: LOG001 - known to nobody else
    handler = logging.StreamHandler(io.StringIO())
    handler.addFilter(Masking())
    logger.addHandler(handler)
    return logger


def said(logger: logging.Logger) -> str:
    (handler,) = logger.handlers
    assert isinstance(handler, logging.StreamHandler)
    text = handler.stream.getvalue()
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("key", KEYS)
def test_a_log_has_no_secret_in_messages_arguments_and_tracebacks(log: logging.Logger, key: str) -> None:
    try:
        try:
            raise KeyError(f"refused: {key}")
        except KeyError as cause:
            raise RuntimeError(f"called with {key}") from cause
    except RuntimeError as error:
        log.exception(f"it broke with {key}: %s, %r", key, error, stack_info=True)  # noqa: G004 - as people do
    log.warning("as a mapping: %(key)s", {"key": key})
    text = said(log)
    assert key[8:] not in text
    assert "it broke with" in text
    assert text.count("Traceback") == 2
    assert "Stack (most recent call last)" in text


def test_arguments_that_do_not_fit_are_not_printed_in_a_complaint(
    log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    log.warning("%s and %s", KEYS[0])  # noqa: PLE1206
    assert "%s and %s (its arguments cannot be shown: TypeError)" in said(log)
    assert KEYS[0][8:] not in said(log) + capsys.readouterr().err


def test_what_holds_no_secret_is_logged_as_it_is(log: logging.Logger) -> None:
    log.warning("the tool %s took %.1f s", "read_file", 1.25)
    assert said(log) == "the tool read_file took 1.2 s\n"


@pytest.mark.parametrize("key", KEYS)
def test_a_fault_is_logged_without_secrets_where_no_filter_is(caplog: pytest.LogCaptureFixture, key: str) -> None:
    error = RuntimeError(f"called with {key}")
    log_fault(logging.getLogger("transom.test"), error, "the tool %s broke", "read_file")
    [record] = caplog.records
    assert record.getMessage() == "the tool read_file broke"
    assert record.funcName == "test_a_fault_is_logged_without_secrets_where_no_filter_is"
    assert "RuntimeError: called with" in caplog.text
    assert key[8:] not in caplog.text + traced(error)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("before", range(0, 60, 7))
def test_a_secret_that_is_cut_in_two_shows_no_more_than_one_that_is_not(key: str, before: int) -> None:
    text = "word " * 8 + "x" * before + " " + key + " and more"
    assert key[:10] not in beginning(text, 60)
    assert key[:10] not in beginning(text[:60], 100, was_cut=True)


@pytest.mark.parametrize("most", [1, 10, 200])
@given(text=st.text(max_size=300))
def test_a_beginning_is_as_long_as_it_may_be(most: int, text: str) -> None:
    shown = beginning(text, most)
    assert len(shown) <= most
    if len(masked(text)) <= most:
        assert shown == masked(text)


@given(
    st.lists(st.one_of(st.text(max_size=30), st.sampled_from([*KEYS, "-----BEGIN RSA PRIVATE KEY-----", "token=", "x = '"])))
)
def test_texts_are_masked_each_by_itself(texts: list[str]) -> None:
    assert each_masked(texts) == [masked(text) for text in texts]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"postgres://me:{PASSWORD}@db.internal/x", "postgres://me:***@db.internal/x"),
        ("redis://:ab@localhost", "redis://:***@localhost"),
        ("/here/redis:/me:ab@localhost", "/here/redis:/me:***@localhost"),
        ("C:/me@home/x.db", "C:/me@home/x.db"),
        ("https://me:p@ss:wo@rd@example.org/x@y", "https://me:***@example.org/x@y"),
        ("https://abcdefgh@example.org/", "https://***@example.org/"),
        ("ssh://git@example.org/x", "ssh://git@example.org/x"),
        ("http://h/v1?api-version=3&key=abc&x-sig=d", "http://h/v1?api-version=3&key=***&x-sig=***"),
        ("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
        ("/home/me/a@b.db", "/home/me/a@b.db"),
    ],
)
def test_an_address_shows_no_password_and_no_key(address: str, shown: str) -> None:
    assert masked_address(address) == shown
    assert masked_address(f"see {address} there") == f"see {shown} there"


@pytest.mark.parametrize("unit", ["a", "://", "aa:/", "?key=", "a@", "?", "x-", "token=", "sk-", "&keykey"])
def test_masking_takes_time_in_proportion_to_the_text(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    begun = time.perf_counter()
    beginning(text, was_cut=True)
    beginning(text, len(text), was_cut=True)
    masked_address(text)
    assert time.perf_counter() - begun < 10
