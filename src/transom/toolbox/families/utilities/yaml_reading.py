"""A YAML reader that stops at a depth: for each bracket the library looks at all that are open, which takes the square of it.

Loaded with the first document that is read.
"""

from __future__ import annotations

from ruamel.yaml import YAML
from ruamel.yaml.scanner import Scanner

__all__ = ["TooDeep", "bounded_yaml"]


class TooDeep(Exception):
    """More levels than may be."""


def bounded_yaml(most: int) -> YAML:
    """A reader of plain values that raises ``TooDeep`` behind ``most`` levels."""

    class Bounded(Scanner):
        def fetch_flow_collection_start(self, TokenClass: object, to_push: str) -> None:  # noqa: N803 - the library's
            if len(self.flow_context) >= most:
                raise TooDeep
            super().fetch_flow_collection_start(TokenClass, to_push)

        def add_indent(self, column: int) -> bool:
            if len(self.indents) > most:
                raise TooDeep
            return bool(super().add_indent(column))

    reader = YAML(typ="safe", pure=True)
    reader.Scanner = Bounded
    return reader
