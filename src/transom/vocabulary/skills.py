"""What frames a skill in a prompt, and the list of those there are."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SkillWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SkillWords:
    """What frames a skill and the list of skills.

    Attributes:
        block_name, list_name: the XML elements of a skill and of the list.
        opening: says what the block is.
        replacing: the same of one that stands later than the skill it replaces (``{before}``).
        withdrawn: says that a skill shown earlier no longer holds (``{name}``).
        files: which further files belong to the skill (``{files}``).
        more_files: how many of them are not named (``{number}``).
        arguments: what the skill was called with, where its text does not say where to put it (``{arguments}``).
        list_opening: says what the list is.
        list_opening_tool: the same where a tool loads a skill (``{tool}``).
        shortened: how many descriptions are not shown whole (``{number}``).
        left_out: how many skills are not named (``{number}``).
    """

    block_name: str
    list_name: str
    opening: str
    replacing: str
    withdrawn: str
    files: str
    more_files: str
    arguments: str
    list_opening: str
    list_opening_tool: str
    shortened: str
    left_out: str

    def opening_line(self, *, before: str) -> str:
        """What the block is; after one that it replaces, that it does."""
        return self.replacing.format(before=before) if before else self.opening

    def withdrawn_line(self, name: str) -> str:
        """That a skill no longer holds."""
        return self.withdrawn.format(name=name)

    def files_line(self, files: str, more: int) -> str:
        """Which further files belong to a skill."""
        return self.files.format(files=files) + (self.more_files.format(number=more) if more else "")

    def arguments_line(self, arguments: str) -> str:
        """What a skill was called with."""
        return self.arguments.format(arguments=arguments)

    def list_line(self, tool: str) -> str:
        """What the list of skills is, and which tool loads one of them; the tool may be empty."""
        return self.list_opening_tool.format(tool=tool) if tool else self.list_opening

    def shortened_note(self, number: int) -> str:
        """How many descriptions are not shown whole."""
        return self.shortened.format(number=number)

    def left_out_note(self, number: int) -> str:
        """How many skills are not named."""
        return self.left_out.format(number=number)
