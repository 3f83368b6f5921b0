"""Work that may hang: what was found until then is the answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from transom.toolbox.access.walls import gather


def counting(halt: Callable[[], None]) -> Iterator[int]:
    number = 0
    while True:
        halt()
        yield number
        number += 1


def test_work_that_ends_in_time_is_complete() -> None:
    found = gather(lambda _: iter([1, 2, 3]), seconds=5)
    assert (found.items, found.complete) == ([1, 2, 3], True)


def test_work_without_an_end_is_a_part() -> None:
    begun = time.monotonic()
    found = gather(counting, seconds=0.1)
    assert not found.complete
    assert found.items[:3] == [0, 1, 2]
    assert time.monotonic() - begun < 0.3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_system_call_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def reading(halt: Callable[[], None]) -> Iterator[bytes]:
        halt()
        yield b"first"
        with (tmp_path / "pipe").open("rb") as pipe:
            yield pipe.read()

    begun = time.monotonic()
    found = gather(reading, seconds=0.2)
    assert (found.items, found.complete) == ([b"first"], False)
    assert time.monotonic() - begun < 0.4
    (tmp_path / "pipe").open("wb").close()


def test_what_the_work_raises_is_raised() -> None:
    def failing(halt: Callable[[], None]) -> Iterator[int]:
        yield 1
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        gather(failing, seconds=5)


def test_whoever_waits_may_give_up() -> None:
    def tired() -> None:
        raise InterruptedError

    begun = time.monotonic()
    with pytest.raises(InterruptedError):
        gather(counting, seconds=60, go_on=tired)
    assert time.monotonic() - begun < 1
