"""Typed settings, and where each value came from. The only reader of the environment."""

from .editing import set_in_file, unset_in_file
from .schema import Setting, Settings, catalogue
from .sources import FILE_NAME, Entry, Resolved, load, parse_text, project_file, user_file

__all__ = [
    "FILE_NAME",
    "Entry",
    "Resolved",
    "Setting",
    "Settings",
    "catalogue",
    "load",
    "parse_text",
    "project_file",
    "set_in_file",
    "unset_in_file",
    "user_file",
]
