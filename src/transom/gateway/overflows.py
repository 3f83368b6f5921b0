"""Overflows: those that an upstream says, and those that it keeps to itself.

Pure. What servers say stands in ``transom.upstream.overflows``; here it is found in the bytes of an answer. Some servers say
nothing: Ollama drops the oldest messages and answers all the same, LM Studio may answer with nothing at all. Both show in what
was counted and in what came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from ..errors import JSONError
from ..jsontext import loads
from ..tokens.heuristic import Heuristic
from ..upstream.overflows import Overflow
from ..upstream.overflows import overflow as told
from ..upstream.windows import host_kind
from .exchange import Exchange, Reported

__all__ = ["Answered", "Overflow", "absurd", "cut", "likely", "overflow", "silent", "supposed", "weight"]

_BARE = frozenset({400, 413})
"""Cerebras and Mistral may refuse what is too long with one of these and no body."""
_MOST_READ = 1 << 20
_ENCODED = re.compile(rb"[A-Za-z0-9+/_=-]{1000,}")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
"""How many clients write all that is not ASCII. Counted as it stands, a Chinese text would weigh several times what it does."""
_NEAR = 0.8
"""Share of the window from which an empty answer is taken for an overflow."""
_PERHAPS = 0.5
"""The same, for a refusal without a word: where more is thought to be there, windows close before it is sent."""
_DROPPED = 0.5
"""Share of an estimate below which a count shows that something was left out; estimates lean upwards and may be a third off."""
_DROPPED_SURELY = 0.85
"""The same, of an estimate that rests on what the upstream counted a turn before."""
_ELSEWHERE = 4_000_000
"""Tokens that a request may weigh beyond one for each of its bytes, and that an answer may have: more than the windows of
models that read films."""
_LEAST = 2_000
"""Tokens from which estimates are compared at all."""
_SUPPOSED = 2 / 3
"""Share of what was refused that is surely less, since an estimate may be a third too high. What is sent in its place is about
half of that again, as a window closes well below its trigger; so one that is much smaller is met at the first try too."""
_LEAST_SUPPOSED = 2_048
"""Tokens below which a refusal without numbers names no window: something else is too long for it then."""


class Answered(Protocol):
    """What is known of an answer that has passed."""

    @property
    def empty(self) -> bool:
        """Nothing that a model says was in it."""
        ...

    @property
    def error(self) -> object | None:
        """The upstream's error in it."""
        ...


def overflow(protocol: str, status: int, body: bytes) -> Overflow | None:
    """What an error says of the window; ``None`` where it is about something else.

    Args:
        protocol: as an ``Endpoint`` names it.
        status: the answer's; 200 for an error in the middle of a stream.
        body: the error: a body, or the data of one event. Events with their names, and lines of JSON, are read too.
    """
    text = body[:_MOST_READ].strip()
    if not text:
        return Overflow(certain=False) if protocol == "openai" and status in _BARE else None
    return next(filter(None, (told(status, value) for value in _values(text, status))), None)


def likely(found: Overflow | None, exchange: Exchange) -> Overflow | None:
    """What was found, unless it is a bare refusal of a request that is far from filling its window.

    Args:
        found: what ``overflow`` found.
        exchange: the request, as it was sent.
    """
    if found is None or found.certain:
        return found
    return found if exchange.window is not None and weight(exchange) >= exchange.window * _PERHAPS else None


def silent(exchange: Exchange, reported: Reported | None, answer: Answered, *, expected: int | None = None) -> bool:
    """Whether the upstream left out what was too long for it and said nothing.

    Args:
        exchange: the request, as it was sent.
        reported: what the upstream counted.
        answer: what came back.
        expected: what it should have counted, going by its own count a turn before; ``None`` where there was none.
    """
    if exchange.endpoint is None or exchange.endpoint.kind != "generate" or answer.error is not None:
        return False
    if cut(exchange, reported, expected=expected):
        return True
    if not answer.empty or exchange.window is None:
        return False
    counted = reported.input_tokens if reported is not None else 0
    return max(expected or weight(exchange), counted) >= exchange.window * _NEAR


def cut(exchange: Exchange, reported: Reported | None, *, expected: int | None = None) -> bool:
    """Whether the upstream counted far less than it was sent.

    Args:
        exchange, reported, expected: as for ``silent``.
    """
    if reported is None or reported.input_tokens <= 0:
        return False
    if exchange.endpoint is None or exchange.endpoint.kind != "generate" or host_kind(exchange.upstream.address.host):
        # The providers' own APIs refuse what is too long; what they count less for is something else.
        return False
    read = reported.input_tokens
    if expected:
        return expected >= _LEAST and read < expected * _DROPPED_SURELY
    sent = weight(exchange)
    # What was learnt of a model's count may be wrong, and would take true counts for cuts for ever.
    return sent >= _LEAST and read < sent * _DROPPED and read < _plain_weight(exchange) * _DROPPED


def absurd(exchange: Exchange, reported: Reported) -> bool:
    """Whether the upstream counted more than a request can hold, and what it only names besides (files, pages).

    Args:
        exchange: the request, as it was sent.
        reported: what the upstream counted.
    """
    return reported.input_tokens > len(exchange.sent) + _ELSEWHERE or reported.output_tokens > _ELSEWHERE


def supposed(refused: int) -> int | None:
    """A window to go by, where a server refused a request as too long and nobody knows its window; ``None`` for no such window.

    Args:
        refused: tokens of the request.
    """
    tokens = int(refused * _SUPPOSED)
    return tokens if tokens >= _LEAST_SUPPOSED else None


def weight(exchange: Exchange) -> int:
    """Tokens of what was sent, estimated; what is encoded (pictures, files) is not text and left out."""
    known = exchange.tokens_before if exchange.dry else exchange.tokens_after
    return known if known is not None else _plain_weight(exchange)


def _plain_weight(exchange: Exchange) -> int:
    """The same by the bytes alone, whatever was learnt."""
    text = _ENCODED.sub(b"", exchange.sent).decode(errors="replace")
    return Heuristic().count(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))


def _values(text: bytes, status: int) -> Iterator[object]:
    try:
        yield loads(text)
    except JSONError:
        lines = [line.strip().removeprefix(b"data:").removeprefix(b"error:").strip() for line in text.splitlines()]
        for line in lines:
            if line.startswith((b"{", b"[")):
                try:
                    yield loads(line)
                except JSONError:
                    continue
        if status >= 400 and not text.startswith(b"<"):
            yield text.decode(errors="replace")
