"""The faster ``__init__`` is the dataclass's own in all but speed."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from transom.messages import Attachment, Call, Opaque, Origin, RedactedThinking, Result, Text, Thinking
from transom.messages.construction import quick_init


@pytest.mark.parametrize("kind", [Text, Thinking, RedactedThinking, Attachment, Call, Opaque, Result, Origin])
def test_the_signature_is_that_of_the_fields(kind: type) -> None:
    names = list(inspect.signature(kind).parameters)
    assert names == list(kind.__slots__)  # type: ignore[attr-defined]


def test_parts_are_still_frozen_equal_hashable_and_can_be_copied() -> None:
    call = Call("f", id="a")
    assert call == Call(name="f", arguments="{}", id="a") != Call("g", id="a")
    assert hash(call) == hash(Call("f", id="a"))
    assert replace(call, id="b") == Call("f", id="b")
    assert copy.copy(call) == call
    assert pickle.loads(pickle.dumps(Origin("openai", b"x"))) == Origin("openai", b"x")
    with pytest.raises(FrozenInstanceError):
        call.id = "c"  # type: ignore[misc]
    with pytest.raises(TypeError, match="argument"):
        Call()  # type: ignore[call-arg]


def test_a_class_that_would_change_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        value: int

        def __post_init__(self) -> None:
            pass

    @dataclass(frozen=True, slots=True)
    class Fresh:
        values: list[int] = field(default_factory=list)

    for kind in (Checked, Fresh):
        with pytest.raises(TypeError):
            quick_init(kind)
