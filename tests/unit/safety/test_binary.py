"""What counts as text."""

from __future__ import annotations

import pytest

from transom.safety.binary import BINARY_PROBE, is_binary


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8", "utf-8-sig", "latin-1"])
def test_text_is_text_in_every_encoding_that_says_so(encoding: str) -> None:
    assert not is_binary("Ärger\r\n".encode(encoding))


def test_a_nul_makes_a_file_binary_wherever_it_stands_among_the_first_bytes() -> None:
    assert is_binary(b"a" * (BINARY_PROBE - 1) + b"\0")
    assert not is_binary(b"a" * BINARY_PROBE + b"\0")
    assert is_binary("no mark".encode("utf-16-le"))
    assert is_binary("no mark".encode("utf-32-be"))
    assert not is_binary(b"")


def test_wide_text_in_either_order_is_known_by_its_mark() -> None:
    for mark, encoding in (("\ufeff", "utf-16-be"), ("\ufeff", "utf-16-le"), ("\ufeff", "utf-32-be"), ("\ufeff", "utf-32-le")):
        assert not is_binary((mark + "text").encode(encoding))
