"""Toolkits: the tool that loads them, and what it answers.

The definition names every toolkit in a line and never changes while they are registered; what is loaded, the answers say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...messages import Tool
from ...vocabulary.selecting import SelectingWords
from .registry import LOAD_TOOLKIT, Toolkit
from .signatures import signature, summary

__all__ = ["ARGUMENT", "load_tool", "loaded_text"]

ARGUMENT = "toolkit"
"""The argument of ``load_toolkit``."""


def load_tool(toolkits: Sequence[Toolkit], words: SelectingWords) -> Tool:
    """The tool by which a model loads one of these."""
    lines = [words.toolkit_line.format(name=kit.name, description=" ".join(kit.description.split())) for kit in toolkits]
    argument = {"type": "string", "enum": [kit.name for kit in toolkits], "description": words.toolkit}
    return Tool(
        LOAD_TOOLKIT,
        "\n".join([words.load_toolkit, *lines]),
        {"type": "object", "properties": {ARGUMENT: argument}, "required": [ARGUMENT]},
    )


def loaded_text(toolkit: Toolkit, words: SelectingWords, fits: Callable[[str], bool], *, before: bool) -> str:
    """The answer to a load: a line for each tool, as many as fit.

    Args:
        toolkit: what was loaded.
        words: what the model reads.
        fits: whether an answer is short enough.
        before: it was loaded already.
    """
    heading = (words.loaded_before if before else words.loaded).format(name=toolkit.name)
    lines = [words.line(signature(tool), summary(tool)) for tool in toolkit.tools]

    def text(shown: int) -> str:
        rest = len(lines) - shown
        more = [words.tools_more.format(count=rest)] if rest else []
        return "\n".join([heading, *lines[:shown], *more])

    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(text(middle)) else (low, middle - 1)
    return text(low)
