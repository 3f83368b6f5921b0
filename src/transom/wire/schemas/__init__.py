"""Tool schemas in the form each target takes, with a report of what that cost, and arguments back in the form of the original.

A schema is written once, in JSON Schema; ``convert_tool`` writes it for a target, ``restore_arguments`` undoes in the
arguments of a call what the conversion had to encode. The rules of each target stand in its module, with their sources.
"""

from __future__ import annotations

from .converting import (
    PROFILES,
    SCHEMA_PROFILE,
    Profile,
    broken_rules,
    convert_schema,
    convert_tool,
    convert_tools,
    profile_for,
    restore_arguments,
    spell_arguments,
)
from .report import SchemaNote, SchemaReport

__all__ = [
    "PROFILES",
    "SCHEMA_PROFILE",
    "Profile",
    "SchemaNote",
    "SchemaReport",
    "broken_rules",
    "convert_schema",
    "convert_tool",
    "convert_tools",
    "profile_for",
    "restore_arguments",
    "spell_arguments",
]
