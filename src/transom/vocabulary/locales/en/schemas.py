"""English. See ``vocabulary.schemas``."""

from __future__ import annotations

from ...schemas import SchemaWords

__all__ = ["SCHEMAS"]

SCHEMAS = SchemaWords(
    not_empty="Not empty.",
    least_characters="At least {number} characters.",
    most_characters="At most {number} characters.",
    pattern="Matches {value}",
    format="Format: {value}.",
    least="At least {number}.",
    most="At most {number}.",
    above="More than {number}.",
    below="Less than {number}.",
    multiple="A multiple of {number}.",
    least_items="At least {number} items.",
    most_items="At most {number} items.",
    unique="No item twice.",
    order="In this order: {value}",
    least_keys="At least {number} entries.",
    most_keys="At most {number} entries.",
    key_pattern="Names match {value}",
    values="One of: {value}.",
    default="Default: {value}.",
    example="Example: {value}",
    alternatives="Needed is one of: {value}.",
    as_text="Written as JSON.",
    object_as_text="A JSON object, written as text.",
    pairs="One entry for each name.",
    unused="Leave this out.",
)
