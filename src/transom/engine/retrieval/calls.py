"""Calls as agents hold them: ours, or any provider's JSON or SDK object, read by shape.

A call that is of none of these shapes is the programmer's mistake and raises. What a model wrote into the arguments is not
looked at here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ...errors import InputError
from ...messages import Call

__all__ = ["Asked", "read_call"]

_ARGUMENTS = ("arguments", "input", "args")


class Asked(NamedTuple):
    """Which tool is called, and with what: JSON text, parsed JSON, or nothing."""

    name: str
    arguments: object


def read_call(call: object) -> Asked:
    """The name and the arguments of a call.

    Args:
        call: a ``Call``; a call of OpenAI Chat (``{"function": {"name", "arguments"}}``), of OpenAI Responses
            (``{"type": "function_call", "name", "arguments"}``), of Anthropic (``{"type": "tool_use", "name", "input"}``) or
            of Gemini (``{"functionCall": {"name", "args"}}``, or the inner object); a pair of name and arguments; or an SDK's
            object with the same attributes.

    Raises:
        InputError: none of these.
    """
    if isinstance(call, Call):
        return Asked(call.name, call.arguments)
    if isinstance(call, tuple) and len(call) == 2 and isinstance(call[0], str):
        return Asked(call[0], call[1])
    for wrapper in ("function", "functionCall", "function_call", "custom"):
        inner = _field(call, wrapper)
        if inner is not None and isinstance(_field(inner, "name"), str):
            return _plain(inner)
    if isinstance(_field(call, "name"), str):
        return _plain(call)
    raise InputError(
        f"a {type(call).__name__} is no tool call",
        hint="give the call as the provider's answer holds it, or (name, arguments)",
    )


def _plain(call: object) -> Asked:
    name = _field(call, "name")
    given = next((value for field in _ARGUMENTS if (value := _field(call, field)) is not None), None)
    return Asked(str(name), given)


def _field(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return value.get(name)
    return None if isinstance(value, str | bytes | tuple | list) else getattr(value, name, None)
