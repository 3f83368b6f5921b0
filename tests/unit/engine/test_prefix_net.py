"""The net under the suite catches what it is there for, and lets a caller change its mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.prefix_net import prefix_net

from transom import Context, Message
from transom.wire.format import Element, Frame, Head, RenderOptions
from transom.wire.openai_chat import OpenAIChat
from transom.wire.registry import builtin_registry
from transom.wire.report import Report


class Forgetful(OpenAIChat):
    """A format that says at the top how often it was used."""

    def __init__(self) -> None:
        self.count = 0

    @property
    def name(self) -> str:
        return "forgetful"

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        self.count += 1
        frame, first = super().render_head(head, system, options, report)
        return frame, (*first, self.user_element(f"compile {self.count}"))


@pytest.mark.unstable_prefix("breaks its prefix on purpose, to show that a net of its own catches it")
async def test_the_net_catches_a_prefix_that_moved() -> None:
    formats = builtin_registry()
    forgetful = Forgetful()
    formats.register(forgetful)
    context = Context(window=8_000, formats=formats)
    context.system("Be brief.")
    context.append(Message("user", "one"))
    with prefix_net() as net:
        await context.compile("forgetful")
        context.append(Message("user", "two"))
        context.head = replace(context.head)  # another object, so that it is rendered anew
        await context.compile("forgetful")
    assert len(net.broken) == 1
    assert "forgetful, window w1" in net.broken[0]


async def test_the_net_lets_a_caller_change_the_past() -> None:
    context = Context(window=8_000)
    context.load([Message("user", "one"), Message("assistant", "two"), Message("user", "three")])
    with prefix_net() as net:
        await context.compile("openai")
        context.load([Message("user", "uno"), Message("assistant", "two"), Message("user", "three")])
        await context.compile("openai")
        context.system("Be brief.")
        await context.compile("openai")
    assert net.broken == []


@pytest.mark.unstable_prefix("shows that a marked test is left alone")
async def test_a_marked_test_leaves_the_net() -> None:
    formats = builtin_registry()
    formats.register(Forgetful())
    context = Context(window=8_000, formats=formats)
    context.system("Be brief.")
    for text in ("one", "two"):
        context.append(Message("user", text))
        await context.compile("forgetful")
