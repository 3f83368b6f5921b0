"""English, the language every other locale is measured against.

Its sections are modules of this package and are loaded by whoever asks for them first: a process uses few of them, and their
classes take longer to build than all else that a command loads.
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module

from ...words import Vocabulary

__all__ = ["ENGLISH"]


class _English(Vocabulary):
    """A vocabulary whose sections are empty slots until they are asked for."""

    __slots__ = ()

    def __getattr__(self, name: str) -> object:
        if not any(item.name == name for item in fields(self)):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        section: object = getattr(import_module(f".{name}", __name__), name.upper())
        object.__setattr__(self, name, section)
        return section


def _begun(**texts: str) -> Vocabulary:
    made = object.__new__(_English)
    for name, text in texts.items():
        object.__setattr__(made, name, text)
    return made


ENGLISH = _begun(
    locale="en",
    lines="lines {first}-{last}",
    line="line {line}",
    characters="characters {first}-{last} of line {line}",
    stretch="from line {first}, character {first_character}, to line {last}, character {last_character},",
    gap="{what} not shown: {hidden} of {whole} bytes. Whole text: {uri}",
    gap_again="{what} not shown: {hidden} bytes",
    cleared_result="result of {tool} cleared: {size} bytes. Whole text: {uri}",
    cleared_nameless_result="tool result cleared: {size} bytes. Whole text: {uri}",
    cleared_file="; {media_type}, {size} characters of base64: {uri}",
    reset=(
        "The {messages} messages before this point ({window}) no longer fit into the window and were set aside without a "
        "summary. They are kept in full at {archive}"
    ),
)
