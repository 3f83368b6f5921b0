"""What a client of the protocol server is told beside the tools: what this is, its prompts, its forms."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ServingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ServingWords:
    """What the protocol server says.

    Attributes:
        title: what clients show as its name.
        instructions: what a model is told of the server as a whole. It is read on every turn.
        agree, agree_help: the one field of the form that asks for consent.
        template_title, template_help: the template of stored things.
        read_back_title, read_back_help, read_back_uri: the prompt that reads something back, and its argument.
        read_back_opening: what stands before what was read back (``{uri}``).
        skill_arguments: the argument of a prompt that is a skill.
    """

    title: str
    instructions: str
    agree: str
    agree_help: str
    template_title: str
    template_help: str
    read_back_title: str
    read_back_help: str
    read_back_uri: str
    read_back_opening: str
    skill_arguments: str
