"""What frames state, guardrails and announcements."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PlacementWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacementWords:
    """What frames state, guardrails and announcements.

    Attributes:
        contract: introduces the rules an answer has to follow, which stand in an element of their own.
        answer: asks for the answer inside an XML element.
    """

    contract: str
    answer: str

    def output_contract(self, rules: str) -> str:
        """The rules an answer has to follow, framed."""
        return f"{self.contract}\n<output_contract>\n{rules}\n</output_contract>"

    def answer_inside(self, name: str) -> str:
        """Where the answer has to stand."""
        return self.answer.format(name=name)
