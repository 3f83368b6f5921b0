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
    shortened="{number} descriptions shortened",
    left_out="{number} skills not listed",
    tool_description=(
        "Load the instructions of a skill before you begin a task that fits it. The skills there are, and when to use each, "
        "are listed in the conversation; a name that does not exist is answered with the names that do."
    ),
    tool_name="The skill's name, as listed.",
    tool_arguments="What the skill is to work on, as one text, if it takes arguments.",
    unknown="there is no skill {name}. There are: {known}",
    none="there are no skills",
    bad_arguments="{problem}",
)
