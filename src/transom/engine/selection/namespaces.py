"""Namespaces: several tools as one definition, and a call of it taken apart again.

Arguments stand side by side under ``action``, as models know it from memory and editor tools, and not in an object of their
own: every provider takes that form, and small models fill it in. What each action needs, its line in the description says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import InputError
from ...messages import Tool
from ...vocabulary.selecting import SelectingWords
from .registry import ToolNamespace
from .signatures import parameters_of, signature, summary

__all__ = ["Unfolded", "namespace_tool", "unfolded"]

_DEEPEST = 200
"""Levels of objects and lists in a schema. Those of published tools have some twenty."""


class Unfolded(NamedTuple):
    """A call of a namespace as the call it stands for."""

    tool: Tool
    arguments: dict[str, object]


def namespace_tool(namespace: ToolNamespace, words: SelectingWords) -> Tool:
    """The one tool that stands for all of them: the same bytes for the same namespace and words.

    Raises:
        InputError: one of the tools takes the argument that says which action, or has a schema that is nested too deep.
    """
    properties: dict[str, object] = {
        namespace.argument: {
            "type": "string",
            "enum": [tool.name for tool in namespace.tools],
            "description": words.action,
        }
    }
    uses: dict[str, list[tuple[str, object]]] = {}
    definitions: dict[str, object] = {}
    is_open = False
    for tool in namespace.tools:
        placed = _placed(tool, definitions)
        known = parameters_of(placed)
        is_open = is_open or known.open
        for name, schema in known.properties.items():
            if name == namespace.argument:
                raise InputError(
                    f"{tool.name!r} takes {name!r}, the argument by which the namespace {namespace.name!r} tells actions apart",
                    hint="ToolNamespace(…, argument='command')",
                )
            uses.setdefault(name, []).append((tool.name, schema))
    for name, used in uses.items():
        properties[name] = _shared(used, len(namespace.tools), words)
    lines = [words.line(signature(tool), summary(tool)) for tool in namespace.tools]
    parameters: dict[str, object] = {"type": "object", "properties": properties, "required": [namespace.argument]}
    if definitions:
        parameters["$defs"] = definitions
    if is_open:
        parameters["additionalProperties"] = True
    description = words.namespace.format(description=namespace.description).strip()
    return Tool(namespace.name, "\n".join([description, *lines]), parameters)


def unfolded(namespace: ToolNamespace, given: Mapping[str, object]) -> Unfolded | None:
    """The call that a namespace's call stands for; ``None`` where it names no action of it.

    An argument of another action that holds ``null`` is left out: where a target wants every argument (OpenAI's strict mode),
    that is how a model leaves one out.
    """
    tool = namespace.member(given.get(namespace.argument))
    if tool is None:
        return None
    own = parameters_of(tool).properties
    arguments = {
        name: value for name, value in given.items() if name != namespace.argument and (value is not None or name in own)
    }
    return Unfolded(tool, arguments)


def _shared(used: Sequence[tuple[str, object]], actions: int, words: SelectingWords) -> object:
    """One argument as all its actions take it together."""
    kinds: list[object] = []
    said: dict[str, list[str]] = {}
    for action, schema in used:
        kind: object = schema
        description = ""
        if isinstance(schema, Mapping):
            kind = {key: value for key, value in schema.items() if key != "description"}
            description = str(schema.get("description") or "")
        if kind not in kinds:
            kinds.append(kind)
        said.setdefault(description, []).append(action)
    if len(used) == actions and len(said) == 1 and len(kinds) == 1:
        return used[0][1]
    texts = [words.argument_for(", ".join(names), description) for description, names in said.items()]
    shown = {"description": " ".join(texts)}
    if len(kinds) == 1:
        return {**kinds[0], **shown} if isinstance(kinds[0], Mapping) else kinds[0]
    return {"anyOf": kinds, **shown}


def _placed(tool: Tool, definitions: dict[str, object]) -> Tool:
    """A tool whose references hold in the namespace's schema, where its definitions lie under its own name."""
    schema = tool.parameters
    if schema is None or not _refers(tool):
        return tool
    moved = _moved(schema, tool.name.replace("~", "~0").replace("/", "~1"))
    definitions[tool.name] = moved
    # Its own level is read here; a reference out of it is found below the tool's name.
    return Tool(tool.name, tool.description, {**_mapping(moved), "$defs": {tool.name: moved}})


def _moved(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return {
            key: f"#/$defs/{name}{inner[1:]}"
            if key == "$ref" and isinstance(inner, str) and inner.startswith("#")
            else _moved(inner, name)
            for key, inner in value.items()
        }
    return [_moved(item, name) for item in value] if isinstance(value, list | tuple) else value


def _refers(tool: Tool) -> bool:
    """Whether a tool's schema has references.

    Raises:
        InputError: it is nested deeper than anything that reads it can go.
    """
    found = False
    ahead: list[tuple[object, int]] = [(tool.parameters, 0)]
    while ahead:
        value, depth = ahead.pop()
        if depth > _DEEPEST:
            raise InputError(
                f"the schema of {tool.name!r} is nested more than {_DEEPEST} levels deep",
                hint="describe the inner levels by a $ref to a definition, or take them as text",
            )
        if isinstance(value, Mapping):
            found = found or isinstance(value.get("$ref"), str)
            ahead.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list | tuple):
            ahead.extend((inner, depth + 1) for inner in value)
    return found


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value
