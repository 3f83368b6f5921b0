"""English. See ``vocabulary.skills``."""

from __future__ import annotations

from ...skills import SkillWords

__all__ = ["SKILLS"]

SKILLS = SkillWords(
    block_name="skill",
    list_name="available_skills",
    opening="Instructions for the task at hand. Follow them until you are told otherwise.",
    replacing=(
        "Instructions for the task at hand, in place of those of the skill {before} above. "
        "Follow them until you are told otherwise."
    ),
    withdrawn="The instructions of the skill {name} above no longer apply.",
    files="Further files of this skill: {files}",
    more_files=", and {number} more",
    arguments="ARGUMENTS: {arguments}",
    list_opening="Skills: instructions for certain tasks, which can be loaded when a task fits.",
    list_opening_tool="Skills: instructions for certain tasks. When a task fits one, load it with {tool} before you begin.",
    shortened="descriptions shortened: {number}",
    left_out="skills not listed: {number}",
)
