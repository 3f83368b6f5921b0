"""A value of the wrong type, complained of in the words of both OpenAI formats.

Knows JSON values; no provider.
"""

from __future__ import annotations

__all__ = ["mistyped"]


def mistyped(where: str, expected: str, value: object) -> str:
    """The complaint about what stands somewhere, and is not what was expected there."""
    names = {
        "NoneType": "null",
        "str": "a string",
        "dict": "an object",
        "list": "an array",
        "bool": "a boolean",
        "int": "an integer",
    }
    got = names.get(type(value).__name__, "a decimal")
    return f"Invalid type for '{where}': expected {expected}, but got {got} instead."
