"""A model that answers from a script, in the same process: what ``summarize`` and its like are tested with.

Knows the script; no server and no wire format. For a model behind HTTP see ``ScriptedProvider``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ..errors import UpstreamError
from ..messages import Message
from ..wire.format import Head, Request
from .script import Fault, Received, Reply, Script, ScriptRunner

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Called with messages, it gives the next answer of its script: a summarizer without a model.

    ``Fault.hangs()`` never answers (cancel it), ``Fault.nothing()`` answers an empty text, ``Fault.in_success(text)`` gives the
    error's words as the answer, as a careless client would; every other fault raises ``UpstreamError``.

    Args:
        script: answers in order, or a function that is asked for each.
        name: the model's name; a strategy's fingerprint holds it.
        window: tokens that it can hold; ``None`` where unknown.
    """

    def __init__(self, script: Script, *, name: str = "scripted", window: int | None = None) -> None:
        self.name = name
        self.window = window
        self._runner = ScriptRunner(script)

    @property
    def fingerprint(self) -> str:
        """What tells it from other models."""
        return self.name

    @property
    def received(self) -> list[Received]:
        """What it was asked, in order."""
        return self._runner.received

    async def __call__(self, messages: Sequence[Message]) -> str:
        """The next answer's text.

        Raises:
            LookupError: the script is at its end.
            UpstreamError: the script says so.
        """
        request = Request(head=Head(model=self.name), messages=tuple(messages))
        step = self._runner.next(Received(len(self.received) + 1, request))
        match step:
            case str():
                return step
            case Reply():
                return step.text
            case Fault(kind="hangs"):
                await asyncio.Event().wait()
                raise AssertionError("unreachable")
            case Fault(kind="nothing"):
                return ""
            case Fault(kind="in_success"):
                return step.message
            case Fault():
                raise UpstreamError(step.message or f"the scripted model {step.kind}", status=step.status)
