"""What repair and rendering put into a conversation in nobody's name: openings, stand-ins, notes.

A provider wants a message where there is none, or has no place for something that is there; what then stands there is said in
these words.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MendingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MendingWords:
    """What repair and rendering put into a conversation in nobody's name.

    Attributes:
        opening: stands in for the user message that providers want first.
        missing_result: stands in for the result of a call that has none.
        prefill: asks for the continuation of an answer that has begun, where a target does not continue one. The beginning
            follows it.
        reasoning: reasoning turned into text (``{text}``), marked as what it was.
        system: a system message inside the conversation (``{text}``), where a target knows none.
        attachment: stands in for a file that a target cannot take: its ``{name}`` and ``{media_type}``.
        file: what a file is called that has no name.
    """

    opening: str
    missing_result: str
    prefill: str
    reasoning: str
    system: str
    attachment: str
    file: str

    def as_reasoning(self, text: str) -> str:
        """Reasoning as text."""
        return self.reasoning.format(text=text)

    def as_system(self, text: str) -> str:
        """A system message as text of the user."""
        return self.system.format(text=text)

    def left_out(self, name: str, media_type: str) -> str:
        """The line where a file stood."""
        return self.attachment.format(name=name, media_type=media_type)
