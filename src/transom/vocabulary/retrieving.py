"""The context tools as a model reads them: definitions, views, errors."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RetrievalWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalWords:
    """The context tools as a model reads them: definitions, views, errors."""
