"""Which wire format a request body, or a bare list of messages, is written in.

Knows a registry. Each format says for itself whether a body is its own. Where several could be meant the one that shows its own
marks comes first; plain exchanges of texts are read as OpenAI Chat, which every other format's simplest form resembles.
"""

from __future__ import annotations

from ..errors import FormatError
from ..jsontext import loads
from .format import Format
from .registry import FormatRegistry

__all__ = ["detect"]

_LEAST_PARTICULAR = "openai"


def detect(body: object, registry: FormatRegistry) -> Format:
    """The format of a body.

    Args:
        body: parsed JSON, or JSON text.
        registry: the formats that may be meant.

    Raises:
        FormatError: none of them.
        JSONError: text that is not JSON.
    """
    value = loads(body) if isinstance(body, bytes | bytearray | memoryview | str) else body
    plain: Format | None = None
    for candidate in registry:
        if candidate.name == _LEAST_PARTICULAR:
            plain = candidate
        elif candidate.detect(value):
            return candidate
    if plain is not None and plain.detect(value):
        return plain
    raise FormatError(
        "the body is of no known wire format",
        hint=f"name it ({', '.join(registry.names)}); an agent's session file is read by transom.wire.transcripts.load",
    )
