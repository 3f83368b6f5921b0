"""Reasoning that a target cannot take: what is said of it, the same for every format.

Knows the report.
"""

from __future__ import annotations

from .report import Report

__all__ = ["note_redacted"]


def note_redacted(report: Report) -> None:
    """Say once that encrypted reasoning stayed behind: nobody but its provider can read it, so it never becomes text."""
    report.add("dropped", "messages", "encrypted reasoning, which only its own provider can read")
