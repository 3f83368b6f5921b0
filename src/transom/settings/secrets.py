"""Secrets, which no settings file holds: a setting names the environment variable that does."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..errors import SettingError

__all__ = ["secret"]


def secret(variable: str, setting: str, environment: Mapping[str, str] | None = None) -> str:
    """The value of a variable that a setting names.

    Args:
        variable: its name.
        setting: the setting, for the error.
        environment: the variables to read; those of the process.

    Raises:
        SettingError: it is not set, or set to nothing.
    """
    value = (os.environ if environment is None else environment).get(variable, "").strip()
    if not value:
        raise SettingError(f"{setting} names the variable {variable}, which is not set", hint=f"export {variable}=…")
    return value
