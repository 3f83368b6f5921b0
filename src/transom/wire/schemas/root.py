"""The root of a tool's schema: always one object, whatever it was written as.

Knows JSON Schema. No provider takes a union there, strict or not: "input_schema does not support oneOf, allOf, or anyOf at the
top level" (Anthropic, https://github.com/anthropics/claude-code/issues/5973), "schema must have type 'object' and not have
'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (OpenAI, https://github.com/github/github-mcp-server/issues/376).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...vocabulary.schemas import SchemaWords
from .flattening import Flat, Flattener, Recorder
from .wording import described

__all__ = ["flat_root", "mended_root", "names_of"]

_AT_NO_ROOT = frozenset({"anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "if", "then", "else"})


def mended_root(root: Mapping[str, object], record: Recorder, words: SchemaWords) -> dict[str, object]:
    """A schema as it is, but for what no provider takes at the root: a union, a reference, another type than object.

    Args:
        root: the schema.
        record: takes the notes.
        words: the sentence about arguments of which one is needed.
    """
    if root.get("type", "object") == "object" and not _AT_NO_ROOT & set(root):
        return dict(root)
    flat = flat_root(Flattener(root, record, keep_recursive=True), root, record, words)
    for word in sorted(_AT_NO_ROOT & set(flat.node)):
        del flat.node[word]
        record("loosened", "", word, "no provider takes it at the root")
    return {"type": "object", **flat.node}


def flat_root(flattener: Flattener, root: Mapping[str, object], record: Recorder, words: SchemaWords) -> Flat:
    """The root as one plain object.

    Args:
        flattener: takes the schema apart.
        root: the schema.
        record: takes the notes.
        words: the sentence about arguments of which one is needed.
    """
    flat = flattener.flatten(root, "", ("#",))
    if flat.branches:
        flat = _joined(flat, record, words)
    if flat.kind not in ("object", ""):
        record("loosened", "", "type", f"arguments are an object, not {flat.kind}")
        flat.node = {}
    flat.kind = "object"
    return flat


def _joined(flat: Flat, record: Recorder, words: SchemaWords) -> Flat:
    """Alternatives as one object with the properties of all of them; required is what all of them require."""
    objects = [branch for branch in flat.branches if branch.kind == "object"]
    if not objects:
        return Flat(flat.node, flat.branches[0].kind, stack=flat.stack)
    properties: dict[str, list[object]] = {}
    needed: list[list[str]] = []
    for branch in objects:
        own = branch.node.get("properties")
        for name, schema in own.items() if isinstance(own, Mapping) else ():
            kept = properties.setdefault(name, [])
            if schema not in kept:
                kept.append(schema)
        needed.append(names_of(branch.node.get("required")))
    shared = [name for name in needed[0] if all(name in names for names in needed)]
    node: dict[str, object] = {
        **flat.node,
        "properties": {name: kept[0] if len(kept) == 1 else {"anyOf": kept} for name, kept in properties.items()},
        "required": shared,
    }
    if all(branch.node.get("additionalProperties") is False for branch in objects):
        node["additionalProperties"] = False
    choices = [[name for name in names if name not in shared] for names in needed]
    if all(choices):
        text = "; ".join(" + ".join(names) for names in choices)
        node["description"] = described(node.get("description"), [words.quoted(words.alternatives, text)])
    record("described" if all(choices) else "loosened", "", "anyOf", "alternatives at the root became one object")
    return Flat(node, "object", stack=flat.stack)


def names_of(value: object) -> list[str]:
    """The names in a ``required`` list; none for what is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else []
