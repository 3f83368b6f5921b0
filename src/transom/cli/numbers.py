"""Options that are numbers with a least value, spelled once; what is less is wrong usage, told before any work begins."""

from __future__ import annotations

import math
from typing import Annotated

from cyclopts import Parameter

__all__ = ["Budget", "Limit", "not_negative", "positive"]


def positive(_type: object, value: float | None) -> None:
    """More than 0, and finite."""
    if value is not None and not 0 < value < math.inf:
        raise ValueError("it is more than 0")


def not_negative(_type: object, value: float | None) -> None:
    """0 or more, and finite."""
    if value is not None and not 0 <= value < math.inf:
        raise ValueError("it is 0 or more")


Limit = Annotated[int, Parameter(name="--limit", validator=positive, help="Hits at most.")]
Budget = Annotated[int, Parameter(name="--budget", validator=not_negative, help="Tokens that the text for a model may have.")]
