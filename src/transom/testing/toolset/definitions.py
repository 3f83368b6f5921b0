"""How tool definitions of a set are put together: one function a type, and one a habit of generators.

Knows JSON Schema's words and messages; no tool.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...messages import Tool

__all__ = ["choice", "closed", "decimal", "flag", "integer", "listed", "plain", "record", "text", "titled"]

Schema = dict[str, object]


def text(description: str, **more: object) -> Schema:
    """A string."""
    return {"type": "string", "description": description, **more}


def integer(description: str, **more: object) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": description, **more}


def decimal(description: str, **more: object) -> Schema:
    """Any number."""
    return {"type": "number", "description": description, **more}


def flag(description: str, **more: object) -> Schema:
    """Yes or no."""
    return {"type": "boolean", "description": description, **more}


def choice(description: str, *values: str, **more: object) -> Schema:
    """One of several words."""
    return {"type": "string", "enum": list(values), "description": description, **more}


def listed(description: str, items: Mapping[str, object], **more: object) -> Schema:
    """A list of equal things."""
    return {"type": "array", "items": dict(items), "description": description, **more}


def record(description: str, properties: Mapping[str, object], required: tuple[str, ...] = (), **more: object) -> Schema:
    """An object with named fields."""
    return {"type": "object", "description": description, "properties": dict(properties), "required": list(required), **more}


def plain(name: str, description: str, properties: Mapping[str, object], required: tuple[str, ...] = ()) -> Tool:
    """A tool whose schema was written by hand."""
    return Tool(name, description, {"type": "object", "properties": dict(properties), "required": list(required)})


def closed(name: str, description: str, properties: Mapping[str, object], required: tuple[str, ...] = ()) -> Tool:
    """A tool as validators of TypeScript write them: the dialect is named, nothing further is allowed."""
    return Tool(
        name,
        description,
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": dict(properties),
            "required": list(required),
            "additionalProperties": False,
        },
    )


def titled(
    name: str,
    description: str,
    properties: Mapping[str, Mapping[str, object]],
    required: tuple[str, ...] = (),
    defs: Mapping[str, object] | None = None,
) -> Tool:
    """A tool as data classes of Python are written out: a title for everything, what is optional is a union with null."""
    written: dict[str, object] = {}
    for key, schema in properties.items():
        title = key.replace("_", " ").title()
        if key in required or "default" in schema or "$ref" in schema:
            written[key] = {**schema, "title": title}
        else:
            inner = {word: value for word, value in schema.items() if word != "description"}
            written[key] = {
                "anyOf": [inner, {"type": "null"}],
                "default": None,
                "description": schema.get("description", ""),
                "title": title,
            }
    body: dict[str, object] = {"$defs": dict(defs)} if defs else {}
    body.update(properties=written, required=list(required), title=f"{name}Arguments", type="object")
    return Tool(name, description, body)
