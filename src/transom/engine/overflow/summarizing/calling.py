"""Asking a summarizing model: one function for synchronous and asynchronous ones, and one reason where it fails.

Knows nothing of what is asked. Whatever a model raises becomes a ``StrategyError`` with a one-line reason, so that a chain goes
on; only the cancellation of the compile itself and the user's interrupt pass through.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable
from typing import Protocol

from ....errors import StrategyError
from ....messages import Message
from ....safety.masking import beginning
from ..patience import ended

__all__ = ["Summarizer", "ask", "held_tokens", "model_name", "one_line"]

REASON_LENGTH = 200
"""Characters shown of what a model raised."""


class Summarizer(Protocol):
    """A model that writes a text: any callable on messages, synchronous or not.

    It is given a system message and a user message and gives the text of the answer. A synchronous one runs in a thread of its
    own. It may have an attribute ``window``: the tokens that it can hold, question and answer together. A callable whose
    ``__qualname__`` does not tell which model it asks should have a text attribute ``fingerprint`` that does: summaries are
    shared between runs whose models are called the same.
    """

    def __call__(self, messages: list[Message], /) -> str | Awaitable[str]:
        """The answer to ``messages``."""
        ...


def model_name(model: Summarizer) -> str:
    """What tells one model from another: its ``fingerprint``, or else where it is defined."""
    own = getattr(model, "fingerprint", None)
    if isinstance(own, str):
        return own
    inner: object = model
    while isinstance(inner, functools.partial):
        inner = inner.func
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}"


def held_tokens(model: Summarizer) -> int | None:
    """What a model says it can hold, in tokens."""
    window = getattr(model, "window", None)
    return window if isinstance(window, int) and not isinstance(window, bool) and window > 0 else None


def one_line(error: BaseException) -> str:
    """Why a model failed: its own words, shortened and without secrets, or the kind of the error."""
    text = beginning(" ".join(str(error).split()), REASON_LENGTH)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


async def ask(model: Summarizer, messages: list[Message]) -> object:
    """What the model answers, unchecked.

    Raises:
        StrategyError: the model raised something, be it an exit; ``hint`` is empty, the reason is in the message.
        KeyboardInterrupt: the user's, while an asynchronous model was at work.
    """
    answer: object
    if inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(getattr(model, "__call__", None)):  # noqa: B004
        answer, error = model(messages), None
    else:
        answer, error = await _in_thread(model, messages)
    if error is None and isinstance(answer, Awaitable):
        answer, error = await ended(answer)
        if isinstance(error, KeyboardInterrupt):
            raise error
    if isinstance(error, asyncio.CancelledError):
        # Something inside the model, not the compile.
        raise StrategyError("the model's request was cancelled")
    if error is not None:
        # A model is anybody's code: a provider's SDK, a socket, a script that calls sys.exit.
        raise StrategyError(f"the model failed: {one_line(error)}") from error
    return answer


async def _in_thread(model: Summarizer, messages: list[Message]) -> tuple[object, BaseException | None]:
    """What a synchronous model gives or raises, run beside the event loop.

    In a daemon thread and not in the loop's pool: one that hangs would keep the pool, and with it the program, from ending.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[tuple[object, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: object, error: BaseException | None) -> None:
        if not answered.done():
            answered.set_result((value, error))

    def work() -> None:
        value: object = None
        raised: BaseException | None = None
        try:
            value = context.run(model, messages)
        except BaseException as error:  # noqa: BLE001
            # What is raised in a thread reaches nobody else. No exit is the user's here: that reaches the main thread.
            raised = error
        # A loop that is closed by now: the compile has long given up waiting.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, value, raised)

    threading.Thread(target=work, name="transom-summarizer", daemon=True).start()
    return await answered
