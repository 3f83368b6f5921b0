"""The subsets of JSON Schema that targets take, by name. Light: a list of tools needs no more of the conversion than this."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["PROFILES", "Profile"]

Profile = Literal["default", "openai-strict", "gemini", "grammar"]
"""``default`` leaves a schema as it is, but for unions at the root, which no provider takes; the others are the subsets of one
target each."""

PROFILES: tuple[Profile, ...] = get_args(Profile)
"""Every profile, by name."""
