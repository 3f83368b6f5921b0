"""What frames state, guardrails and announcements, and what is said of how sure a text is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["CONFIDENCES", "Confidence", "PlacementWords"]

Confidence = Literal["extracted", "inferred", "ambiguous"]
"""Whether a text says what was seen or said, what was concluded, retold or summed up, or what may be meant otherwise."""

CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacementWords:
    """What frames state, guardrails and announcements.

    Attributes:
        contract: introduces the rules an answer has to follow, which stand in an element of their own.
        answer: asks for the answer inside an XML element.

    How sure something is, and where it comes from:

    Attributes:
        labelled: the label, around ``{what}``.
        label_joint: stands between the parts of a label.
        extracted, inferred, ambiguous: how sure it is.
        from_fact, from_entry, from_conversation, from_text, from_summary, from_session: what it comes from.
        dated: when it was written down: ``{day}``, as 2025-03-31.
    """

    contract: str
    answer: str
    labelled: str
    label_joint: str
    extracted: str
    inferred: str
    ambiguous: str
    from_fact: str
    from_entry: str
    from_conversation: str
    from_text: str
    from_summary: str
    from_session: str
    dated: str

    def label(self, confidence: Confidence, *, source: str = "", uri: str = "", day: str = "") -> str:
        """How sure something is, and where it comes from.

        Args:
            confidence: how sure it is.
            source: ``fact``, ``entry``, ``conversation``, ``text``, ``summary`` or ``session``; or nothing.
            uri: its address.
            day: when it was written down.
        """
        parts = [str(getattr(self, confidence))]
        parts += [str(getattr(self, f"from_{source}"))] if source else []
        parts += [self.dated.format(day=day)] if day else []
        parts += [uri] if uri else []
        return self.labelled.format(what=self.label_joint.join(parts))

    def output_contract(self, rules: str) -> str:
        """The rules an answer has to follow, framed."""
        return f"{self.contract}\n<output_contract>\n{rules}\n</output_contract>"

    def answer_inside(self, name: str) -> str:
        """Where the answer has to stand."""
        return self.answer.format(name=name)
