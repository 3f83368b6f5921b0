"""English. See ``vocabulary.loading``."""

from __future__ import annotations

from ...loading import LoadingWords

__all__ = ["LOADING"]

LOADING = LoadingWords(
    none="There are no skills. A skill is a folder with a SKILL.md in one of: {directories}.",
    nowhere="There are no skills, and no folder to look for them.",
    unusable="{directory} cannot be used: {reason}",
    page="{path} of the skill {skill}, characters {first}-{last} of {total}:",
    more="[more: offset={offset}]",
    unknown="There is no skill {name}. There are: {known}.",
    not_for_model="Only the user may call the skill {name}. Ask the user, or choose another one.",
    no_file="The skill {skill} has no file {path}. It has: {files}.",
    no_files="The skill {skill} has no file {path}, and none beside its SKILL.md.",
    beyond="offset {offset} is behind the end; the file has {total} characters.",
)
