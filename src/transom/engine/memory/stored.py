"""What facts and entries share of how the store holds them: one namespace, text as bytes, meta that may be damaged."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...errors import InputError
from ...store.blobs import encode_text
from ...vocabulary.placing import CONFIDENCES, Confidence

__all__ = ["MAX_BYTES", "NAMESPACE", "check_confidence", "check_text", "confidence_of", "number_of", "text_of"]

NAMESPACE = "memory"
"""The namespace of the store that facts and entries share."""

MAX_BYTES = 262_144
"""A text has that many bytes of UTF-8 at most. What is larger is a document: it belongs into notes or a file."""


def check_text(text: object, what: str) -> None:
    """Make sure that a text is one, and not too long.

    Args:
        text: what was handed in.
        what: what it is to become, for the error.

    Raises:
        InputError: it is not.
    """
    if not isinstance(text, str):
        raise InputError(f"{what} is text, not {type(text).__name__}", hint="write JSON as text")
    if len(text) * 4 > MAX_BYTES and (size := len(encode_text(text))) > MAX_BYTES:
        raise InputError(f"{what} of {size:,} bytes", hint=f"at most {MAX_BYTES:,}: put the rest into notes or a file")


def text_of(data: bytes) -> str:
    """The text that was stored; of bytes that are none, what can be read."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def number_of(meta: Mapping[str, object], name: str) -> float | None:
    """A number of the meta, or ``None`` where there is none that makes sense."""
    value = meta.get(name)
    try:
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
    except OverflowError:
        return None


def check_confidence(confidence: Confidence) -> Confidence:
    """The confidence itself.

    Raises:
        InputError: there is none of that name.
    """
    if confidence not in CONFIDENCES:
        raise InputError(f"a confidence of {confidence!r}", hint=f"one of {', '.join(CONFIDENCES)}")
    return confidence


def confidence_of(meta: Mapping[str, object]) -> Confidence:
    """How sure a stored text is; ``extracted`` where the meta names nothing that there is."""
    return next((name for name in CONFIDENCES if name == meta.get("confidence")), "extracted")
