"""Options that more than one command has, spelled once.

An option that overrides a setting has ``None`` as its default, which leaves the setting to its other sources: hand what was
given to ``transom.settings.load``.
"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

__all__ = ["JSON", "Prune", "Scope", "StorePath", "Strategy", "Target", "Tokenizer", "Window"]

JSON = Annotated[bool, Parameter(name="--json", negative="", show_default=False, help="Print exact JSON instead of text.")]
Window = Annotated[int | None, Parameter(name="--window", help="The window that payloads must fit, in tokens.")]
Target = Annotated[str | None, Parameter(name="--target", help="The wire format to write.")]
Strategy = Annotated[str | None, Parameter(name="--strategy", help="Overflow strategies in order, separated by commas.")]
StorePath = Annotated[str | None, Parameter(name="--store", help="What keeps what leaves the window: a file, or a folder.")]
Tokenizer = Annotated[str | None, Parameter(name="--tokenizer", help="heuristic, o200k, cl100k or chars4.")]
Prune = Annotated[bool | None, Parameter(name="--prune", negative="--no-prune", help="Shorten large tool results.")]
Scope = Annotated[str | None, Parameter(name="--scope", help="Whose records are shared.")]
