"""Reasoning that a target cannot take: what becomes of it, the same for every format.

Knows parts and the report.
"""

from __future__ import annotations

from ..messages import Thinking
from .report import Report

__all__ = ["as_text", "note_redacted"]


def as_text(part: Thinking) -> str:
    """Reasoning turned into text, marked as what it was."""
    return f"<thinking>\n{part.text}\n</thinking>"


def note_redacted(report: Report) -> None:
    """Say once that encrypted reasoning stayed behind: nobody but its provider can read it, so it never becomes text."""
    report.add("dropped", "messages", "encrypted reasoning, which only its own provider can read")
