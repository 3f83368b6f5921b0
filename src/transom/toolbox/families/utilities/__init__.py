"""Utilities: converting and querying data, and what the tools know of where they run."""

from __future__ import annotations

from ...tool import Family
from .converting import convert_format
from .querying import json_query
from .surroundings import detect_os_environment, get_current_working_directory, get_enabled_tools

__all__ = ["FAMILY"]

FAMILY = Family(
    name="utilities",
    title="Utilities",
    tools=(
        json_query,
        convert_format,
        get_enabled_tools,
        detect_os_environment,
        get_current_working_directory,
    ),
)
