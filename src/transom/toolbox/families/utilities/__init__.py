"""Utilities: converting, querying and measuring data, looking for secrets, and what the tools know of where they run."""

from __future__ import annotations

from ...tool import Family
from .conversion import convert_format
from .measuring import hash_file, token_count
from .querying import json_query
from .scanning import secret_scan
from .surroundings import detect_os_environment, get_current_working_directory, get_enabled_tools

__all__ = ["FAMILY"]

FAMILY = Family(
    name="utilities",
    title="Utilities",
    tools=(
        json_query,
        convert_format,
        secret_scan,
        hash_file,
        token_count,
        get_enabled_tools,
        detect_os_environment,
        get_current_working_directory,
    ),
)
