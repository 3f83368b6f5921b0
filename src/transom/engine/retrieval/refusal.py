"""A model's mistake: what it asked for cannot be done, said in words that tell what to do instead.

Raised anywhere in this package, caught in one place (``dispatch``), where it becomes the text of the tool's result.
"""

from __future__ import annotations

import re

from ...errors import InputError

__all__ = ["Refused", "sayable"]

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def sayable(text: str) -> str:
    """A refusal that any provider takes: what it quotes of a model's words may hold half a surrogate pair."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)


class Refused(InputError):
    """A refusal by kind.

    Args:
        kind: the name of its template in the vocabulary.
        values: what the template is filled with.
    """

    def __init__(self, kind: str, **values: object) -> None:
        super().__init__(f"{kind}: {values}")
        self.kind = kind
        self.values = values
