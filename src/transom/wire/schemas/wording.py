"""Constraints as sentences, and the description they are added to.

Knows the vocabulary. A sentence is left out where the description says it already; tools are described in English by whoever
wrote them, whatever the locale of a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...jsontext import dumps_text
from ...vocabulary.schemas import SchemaWords

__all__ = ["described", "says_default", "sentence"]

_COUNTED = {
    "minLength": "least_characters",
    "maxLength": "most_characters",
    "minimum": "least",
    "maximum": "most",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "multipleOf": "multiple",
    "minItems": "least_items",
    "maxItems": "most_items",
    "minProperties": "least_keys",
    "maxProperties": "most_keys",
}
_QUOTED = {"pattern": "pattern", "format": "format"}
_LONGEST = 200
"""Characters of a value that a sentence may quote; a longer one explains nothing and costs on every call."""


def sentence(word: str, value: object, words: SchemaWords) -> str:
    """What a keyword says, as a sentence; empty where there are no words for it.

    Args:
        word: the keyword.
        value: its value.
        words: the sentences.
    """
    match word:
        case "minLength" | "minItems" if value == 1:
            return words.not_empty
        case "minLength" | "minItems" | "minProperties" if value == 0:
            return ""
        case "uniqueItems":
            return words.unique if value is True else ""
        case "enum" if isinstance(value, list | tuple):
            text = ", ".join(dumps_text(item) for item in value)
            return words.quoted(words.values, text) if len(text) <= _LONGEST else ""
        case "default":
            return _said(words, words.default, value)
        case "example":
            return _said(words, words.example, value)
        case "prefixItems":
            return _said(words, words.order, value)
        case "propertyNames" if isinstance(value, Mapping) and isinstance(value.get("pattern"), str):
            return words.quoted(words.key_pattern, str(value["pattern"]))
    if word in _COUNTED and isinstance(value, int | float) and not isinstance(value, bool):
        return words.counted(getattr(words, _COUNTED[word]), value)
    if word in _QUOTED and isinstance(value, str) and len(value) <= _LONGEST:
        return words.quoted(getattr(words, _QUOTED[word]), value)
    return ""


def _said(words: SchemaWords, template: str, value: object) -> str:
    text = value if isinstance(value, str) and value else dumps_text(value)
    return words.quoted(template, text) if len(text) <= _LONGEST and "\n" not in text else ""


def says_default(description: str, value: object) -> bool:
    """Whether a description names a default by itself: the word "default" with the value close behind it, or just before."""
    text = value if isinstance(value, str) and value else dumps_text(value)
    quoted = rf"[\"'`]?{re.escape(text)}(?!\w|\.\d)[\"'`]?"
    # Bounded, as a description of nothing but such words or spaces would be read from each of them to its end.
    behind = rf"default\w{{0,16}}(?:\s{{1,8}}(?:is|to|value|value\s{{1,8}}is))?\s{{0,8}}[:=]?\s{{0,8}}{quoted}"
    return (
        re.search(rf"{behind}|{quoted}\s{{0,8}}\(?(?:is\s{{1,8}})?(?:the\s{{1,8}})?default", description, re.IGNORECASE)
        is not None
    )


def described(description: object, sentences: Iterable[str]) -> str:
    """A description with sentences after it, each once."""
    text = description.strip() if isinstance(description, str) else ""
    for added in sentences:
        if added and not re.search(rf"{re.escape(added.rstrip('.'))}(?!\w|\.\d)", text, re.IGNORECASE):
            if text and text[-1] not in ".!?:;…)":
                text += "."
            text = f"{text} {added}" if text else added
    return text
