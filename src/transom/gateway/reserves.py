"""The answer's part of a window: how much a request asks for, and what that leaves to the conversation where it counts.

Pure. Most servers take what is asked for as a bound only; OpenAI's chat, vLLM, older models of Anthropic and some builds of
llama.cpp refuse a request whose input and answer together exceed the window.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..engine.overflow.budget import MIN_RESERVE, reserve_for
from ..errors import JSONError
from ..jsontext import loads, raw_object
from ..tokens.bounds import SMALLEST_WINDOW
from .endpoint import Protocol
from .exchange import Exchange

__all__ = ["answer_asked", "answer_of", "counts_answer", "leaves_room", "within"]

_NAMED: Mapping[Protocol, tuple[tuple[str, ...], ...]] = {
    "openai": (("max_completion_tokens",), ("max_tokens",)),
    "openai-responses": (("max_output_tokens",),),
    "anthropic": (("max_tokens",),),
    "gemini": (
        ("generationConfig", "maxOutputTokens"),
        ("generation_config", "max_output_tokens"),
        ("generationConfig", "max_output_tokens"),
        ("generation_config", "maxOutputTokens"),
    ),
    "ollama": (("options", "num_predict"),),
}
"""Where a request says how long its answer may be."""
_STEPS = 16
"""Parts of a window in which room is given: a client that reckons its ``max_tokens`` anew each turn is not to move it."""


def answer_asked(protocol: Protocol, members: Mapping[str, bytes]) -> int:
    """Tokens that a request asks for at most; 0 where it does not say.

    Args:
        protocol: as an ``Endpoint`` names it.
        members: of its body, as they were written.
    """
    for name, *inner in _NAMED.get(protocol, ()):
        try:
            value = loads(members[name]) if name in members else None
        except JSONError:
            continue
        for key in inner:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return 0


def answer_of(exchange: Exchange) -> int:
    """The same of an exchange with an endpoint."""
    assert exchange.endpoint is not None
    members = exchange.members if exchange.members is not None else raw_object(exchange.body)
    return answer_asked(exchange.endpoint.protocol, members)


def counts_answer(said: int | None, window: int | None, asked: int) -> bool:
    """Whether a refusal is one of input and answer together: the input alone would have fit.

    Args:
        said, window: tokens of the input and of the window, as the refusal names them.
        asked: what ``answer_asked`` gave.
    """
    return said is not None and window is not None and said <= window < said + asked


def leaves_room(window: int, asked: int) -> bool:
    """Whether an answer that counts leaves anything to ask with."""
    return window - asked >= SMALLEST_WINDOW


def within(window: int, asked: int, protocol: Protocol) -> int:
    """The window that the engine is to keep to, so that its input and the answer asked for fit into the true one.

    Args:
        window: the true one, in tokens.
        asked: what ``answer_asked`` gave.
        protocol: as an ``Endpoint`` names it. The engine keeps a part of its window free by itself.
    """
    if not leaves_room(window, asked):
        return window
    whole = protocol == "openai"
    if window - reserve_for(window, asked, counted=whole) <= window - asked:
        return window
    room, step = window - asked, window // _STEPS
    room = max(room // step * step, min(room, SMALLEST_WINDOW))
    return min(window, 2 * room if whole else max(room * 10 // 9, room + MIN_RESERVE))
