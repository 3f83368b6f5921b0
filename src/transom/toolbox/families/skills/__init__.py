"""Skills: instructions for certain tasks, listed, loaded when a task fits, with the files that belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from ...tool import Family, Refused, Result, ToolContext, tool
from .libraries import Skills, skill_services

if TYPE_CHECKING:
    from ....engine.skills.library import SkillLibrary
    from ....engine.skills.skill import Skill

__all__ = ["FAMILY", "Skills", "skill_services"]

_PAGE = 16_000
"""Characters of a file that one call gives at most."""
_NAMED = 20


@tool(family="skills", title="List skills", read_only=True, idempotent=True, visible=True)
def list_skills(context: ToolContext, max_tokens: Annotated[int, Meta(ge=100, le=20_000)] = 2_000) -> Result:
    """List the skills there are: instructions for certain tasks. Load one with load_skill when a task fits.

    Args:
        max_tokens: how long the list may be.
    """
    # Skills are read by who asks for them, and what reads them is loaded then, here and below.
    from ....engine.skills.listing import render_listing
    from ....tokens.heuristic import Heuristic

    skills = context.use(Skills)
    with skills.lock:
        library = skills.library(context)
        chosen = [skill for skill in library.skills if skill.for_model]
        unusable = library.unusable
        shadowed = library.shadowed
    listing = render_listing(chosen, context.words.skills, max_tokens=max_tokens, count=Heuristic().count, tool="load_skill")
    words = context.words.loading
    text = listing.text or words.nothing([str(folder) for folder in skills.directories(context)])
    notes = [words.unusable.format(directory=broken.directory, reason=broken.reason) for broken in unusable]
    return Result(
        data={
            "skills": [_described(skill) for skill in chosen],
            "shadowed": [{"name": hidden.name, "directory": str(hidden.directory)} for hidden in shadowed],
            "unusable": [{"directory": str(broken.directory), "reason": broken.reason} for broken in unusable],
        },
        text="\n".join([text, *notes]),
    )


@tool(family="skills", title="Load a skill", read_only=True, idempotent=True, visible=True, tier=2)
def load_skill(context: ToolContext, name: str, arguments: str | None = None) -> Result:
    """Give a skill's instructions, to be followed for the task at hand.

    Args:
        name: which, as list_skills shows it.
        arguments: what it is called with, if it takes any, as a user would type it.
    """
    from ....engine.skills.block import place_skill

    skills = context.use(Skills)
    with skills.lock:
        skill = _found(context, skills.library(context), name)
    placed = place_skill(skill, arguments, context.words.skills)
    return Result(data=_described(skill), text=placed.text, provenance=str(skill.directory))


@tool(family="skills", title="Read a skill's file", read_only=True, idempotent=True, reader=True)
def read_skill_file(context: ToolContext, name: str, path: str, offset: Annotated[int, Meta(ge=0)] = 0) -> Result:
    """Read one of the further files of a skill.

    Args:
        name: the skill.
        path: the file, relative to the skill's folder, as load_skill names it.
        offset: characters to leave out at the beginning, as an earlier answer told.
    """
    from ....engine.skills.folder import files_of, read_beside

    skills, words = context.use(Skills), context.words.loading
    with skills.lock:
        skill = _found(context, skills.library(context), name)
    wanted = path.removeprefix("./")
    # Asked anew: a skill is not read again where only a folder inside it has changed.
    files = files_of(skill.directory) if skill.directory is not None else []
    if wanted not in files:
        raise Refused("not_found", words.missing_file(skill.name, path, files[:_NAMED]))
    text = read_beside(skill, wanted)
    if offset and offset >= len(text):
        raise Refused("out_of_range", words.beyond.format(offset=offset, total=len(text)))
    end = _end(text, offset)
    heading = words.page.format(path=wanted, skill=skill.name, first=min(offset + 1, end), last=end, total=len(text))
    more = [words.more.format(offset=end)] if end < len(text) else []
    data: dict[str, object] = {"name": skill.name, "path": wanted, "offset": offset, "end": end, "total": len(text)}
    return Result(
        data=data,
        text="\n".join([heading, text[offset:end], *more]),
        provenance=str(skill.directory / wanted) if skill.directory is not None else None,
    )


def _found(context: ToolContext, library: SkillLibrary, name: str) -> Skill:
    """A skill that a model may load.

    Raises:
        Refused: there is none of this name, or only the user may call it.
    """
    words = context.words.loading
    if name not in library:
        known = [skill.name for skill in library.skills if skill.for_model]
        if not known:
            raise Refused("not_found", words.nothing([str(folder) for folder in library.directories]))
        raise Refused("not_found", words.unknown.format(name=name, known=", ".join(known[:_NAMED])))
    skill = library.get(name)
    if not skill.for_model:
        raise Refused("disabled", words.not_for_model.format(name=name))
    return skill


def _end(text: str, offset: int) -> int:
    """Where a page ends: behind a line, if one ends in its second half."""
    if len(text) - offset <= _PAGE:
        return len(text)
    line = text.rfind("\n", offset + _PAGE // 2, offset + _PAGE)
    return line + 1 if line >= 0 else offset + _PAGE


def _described(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "description": skill.summary,
        "arguments": list(skill.arguments),
        "argument_hint": skill.argument_hint,
        "allowed_tools": list(skill.allowed_tools),
        "directory": str(skill.directory) if skill.directory is not None else None,
        "files": list(skill.files),
    }


FAMILY = Family(name="skills", title="Skills", tools=(list_skills, load_skill, read_skill_file))
