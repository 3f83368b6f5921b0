"""What a converted tool schema says in words, because its target cannot say it in keywords.

Each template is one sentence at the end of a description; a model reads it as part of the tool.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SchemaWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SchemaWords:
    """Sentences that stand for keywords of a schema.

    Attributes:
        not_empty: a text of at least one character, a list of at least one item.
        least_characters, most_characters: the length of a text (``{number}``).
        pattern: the regular expression it matches (``{value}``).
        format: what kind of text it is (``{value}``).
        least, most, above, below: bounds of a number (``{number}``).
        multiple: of which number it is a multiple (``{number}``).
        least_items, most_items: the length of a list (``{number}``).
        unique: no item stands twice in the list.
        order: what stands where in a list of fixed length (``{value}``, JSON).
        least_keys, most_keys: how many entries an object has (``{number}``).
        key_pattern: the regular expression its keys match (``{value}``).
        values: the values allowed (``{value}``).
        default: what is taken where nothing is given (``{value}``).
        example: a value as it might be given (``{value}``).
        alternatives: of which groups of arguments one is needed (``{value}``).
        as_text: a value of any kind that is written as JSON text.
        object_as_text: an object that is written as JSON text.
        pairs: an object that is written as a list of names and values.
        unused: an argument that only stands there because a target wants one.
    """

    not_empty: str
    least_characters: str
    most_characters: str
    pattern: str
    format: str
    least: str
    most: str
    above: str
    below: str
    multiple: str
    least_items: str
    most_items: str
    unique: str
    order: str
    least_keys: str
    most_keys: str
    key_pattern: str
    values: str
    default: str
    example: str
    alternatives: str
    as_text: str
    object_as_text: str
    pairs: str
    unused: str

    def counted(self, template: str, number: object) -> str:
        """A sentence that holds a number."""
        return template.format(number=number)

    def quoted(self, template: str, value: str) -> str:
        """A sentence that holds a value."""
        return template.format(value=value)
