"""What a client of the protocol server is told beside the tools: what this is, its prompts, its forms."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["ServingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ServingWords:
    """What the protocol server says.

    Attributes:
        title: what clients show as its name.
        paths, long_answers, long_answers_found, refusals, more_tools: what a model is told of the server as a whole, each where
            it is so: there are tools for files; what reads the rest of a long answer is in the list, or is reached by the tool
            that calls others; always; there are more tools than are listed. It is read on every turn.
        agree, agree_help: the one field of the form that asks for consent.
        template_title, template_help: the template of stored things.
        read_back_title, read_back_help, read_back_uri: the prompt that reads something back, and its argument.
        read_back_opening: what stands before what was read back (``{uri}``).
        skill_arguments: the argument of a prompt that is a skill.
    """

    title: str
    paths: str
    long_answers: str
    long_answers_found: str
    refusals: str
    more_tools: str
    agree: str
    agree_help: str
    template_title: str
    template_help: str
    read_back_title: str
    read_back_help: str
    read_back_uri: str
    read_back_opening: str
    skill_arguments: str

    def instructions(self, listed: Collection[str], callable_: Collection[str], *, files: bool) -> str:
        """What a model is told of the server, as far as it is so.

        Args:
            listed: the tools it is shown.
            callable_: those it can call, listed or not.
            files: whether there are tools for files among them.
        """
        found = self.long_answers_found if "context" in callable_ else ""
        parts = (
            self.paths if files else "",
            self.long_answers if "context" in listed else found,
            self.refusals,
            self.more_tools if len(callable_) > len(listed) else "",
        )
        return " ".join(filter(None, parts))
