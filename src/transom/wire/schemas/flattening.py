"""A schema without references, intersections and unions on its own level: one plain schema, or plain alternatives.

Knows JSON Schema, no target. Only the level at hand is worked on; what stands in properties and items is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .merging import ANNOTATIONS, merge
from .report import Change

__all__ = ["Flat", "Flattener", "Recorder", "Stack", "are_apart"]

Stack = tuple[str, ...]
"""References that were followed from the root to the place at hand."""

_KEYWORDS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}),
    "array": frozenset(
        {"items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
         "maxContains", "unevaluatedItems"}
    ),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties",
         "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"}
    ),
}  # fmt: skip
_ALL = frozenset().union(*_KEYWORDS.values())
_INFERRED = {word: kind for kind in ("object", "array", "string", "number") for word in _KEYWORDS[kind] if word != "format"}
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})
_STEP = re.compile(r"~[01]")
_DEEPEST = 100
"""Steps of a pointer, and references and parts that follow each other at one place, beyond which a schema is cut. Tools that
are in use have 20 at most; what comes from a stranger must not exhaust the stack."""


class Recorder(Protocol):
    """Takes the notes of a conversion."""

    def __call__(self, change: Change, where: str, keyword: str, detail: str) -> None:
        """Record one change."""
        ...


@dataclass(slots=True)
class Flat:
    """One level of a schema, taken apart.

    Attributes:
        node: keywords of one type at most: no reference, no intersection, no union, no ``const``. Empty for "any value".
        kind: its type; empty for "any value".
        branches: the alternatives, where there are several; ``node`` then holds annotations only.
        nullable: ``null`` is allowed.
        stack: references followed down to here.
        recursive: the reference this is, where it leads into itself and was asked to stay one.
    """

    node: dict[str, object]
    kind: str = ""
    branches: list[Flat] = field(default_factory=list)
    nullable: bool = False
    stack: Stack = ()
    recursive: str = ""

    @property
    def is_any(self) -> bool:
        """Whether every value is allowed."""
        return not self.kind and not self.branches and not self.recursive


class Flattener:
    """Takes schemas of one document apart, level by level.

    Args:
        root: the document, for its references.
        record: takes the notes.
        keep_recursive: leave a reference that leads into itself, instead of cutting it.
    """

    def __init__(self, root: Mapping[str, object], record: Recorder, *, keep_recursive: bool) -> None:
        self._root = root
        self._record = record
        self._keep_recursive = keep_recursive

    def resolve(self, reference: str) -> object:
        """What a reference leads to; ``None`` where it leads out of the document or nowhere."""
        if reference != "#" and not reference.startswith("#/"):
            return None
        found: object = self._root
        for step in reference.split("/")[1:]:
            key = _STEP.sub(lambda match: "~" if match[0] == "~0" else "/", step)
            if isinstance(found, Mapping):
                found = found.get(key)
            elif isinstance(found, list | tuple) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return found

    def flatten(self, schema: object, where: str, stack: Stack) -> Flat:
        """One level of a schema."""
        if where.count("/") > _DEEPEST:
            self._record("cut", where, "", "nested too deeply: any value was written")
            return Flat({}, stack=stack)
        node, stack, recursive = self._expand(schema, where, stack)
        if recursive:
            nullable = node.pop("nullable", None) is True
            return Flat(node, nullable=nullable, stack=stack, recursive=recursive)
        if "const" in node:
            node = merge({"enum": [node.pop("const")]}, node, self._noting(where))
            self._record("rewritten", where, "const", "a list of one value")
        word = next((name for name in ("anyOf", "oneOf") if isinstance(node.get(name), list | tuple) and node[name]), "")
        return self._union(node, word, where, stack) if word else self._typed(node, where, stack)

    def _noting(self, where: str) -> _Loosening:
        return _Loosening(self._record, where)

    def _expand(self, schema: object, where: str, stack: Stack, depth: int = 0) -> tuple[dict[str, object], Stack, str]:
        """A schema with its references and intersections followed; the last value is a reference that stays one."""
        if depth > _DEEPEST:
            self._record("cut", where, "", "references or parts follow each other without end: any value was written")
            return {}, stack, ""
        if not isinstance(schema, Mapping):
            if schema is not True:
                self._record("loosened", where, "", "no schema that allows anything: any value was written")
            return {}, stack, ""
        node = dict(schema)
        reference = node.pop("$ref", None) or node.pop("$dynamicRef", None)
        if isinstance(reference, str):
            target = self.resolve(reference)
            if reference in stack:
                if self._keep_recursive:
                    return node, stack, reference
                self._record("cut", where, "$ref", f"{reference} holds itself: any value was written")
                return {word: value for word, value in node.items() if word in ANNOTATIONS}, stack, ""
            if target is None:
                self._record("loosened", where, "$ref", f"{reference} leads nowhere: any value was written")
            else:
                inner, stack, recursive = self._expand(target, where, (*stack, reference), depth + 1)
                if recursive:
                    return {**inner, **node}, stack, recursive
                self._record("rewritten", where, "$ref", f"what {reference} says stands here")
                node = merge(node, inner, self._noting(where))
        parts = node.pop("allOf", None)
        for part in parts if isinstance(parts, list | tuple) else ():
            inner, stack, recursive = self._expand(part, where, stack, depth + 1)
            if recursive:
                self._record("cut", where, "allOf", f"{recursive} holds itself: that part was left out")
                continue
            node = merge(node, inner, self._noting(where))
        if parts is not None:
            self._record("rewritten", where, "allOf", "all parts as one schema")
        return node, stack, ""

    def _union(self, node: dict[str, object], word: str, where: str, stack: Stack) -> Flat:
        alternatives = node.pop(word)
        assert isinstance(alternatives, list | tuple)
        if word == "anyOf" and node.pop("oneOf", None) is not None:
            self._record("loosened", where, "oneOf", "one of two unions at one place")
        shared = {key: value for key, value in node.items() if key not in ANNOTATIONS}
        flat = Flat({key: value for key, value in node.items() if key in ANNOTATIONS}, stack=stack)
        anything = False
        for index, alternative in enumerate(alternatives):
            place = f"{where}/anyOf/{index}"
            if shared:
                expanded, inner_stack, recursive = self._expand(alternative, place, stack)
                whole = alternative if recursive else merge(shared, expanded, self._noting(place))
                branch = self.flatten(whole, place, stack if recursive else inner_stack)
            else:
                branch = self.flatten(alternative, place, stack)
            flat.nullable |= branch.nullable
            branch.nullable = False
            if branch.branches:
                branch.branches[0].node = merge(branch.node, branch.branches[0].node, self._noting(place))
                flat.branches.extend(branch.branches)
            elif branch.kind == "null":
                flat.nullable = True
            else:
                anything |= branch.is_any
                flat.branches.append(branch)
        if word == "oneOf" and len(flat.branches) > 1 and not are_apart(flat.branches):
            self._record("loosened", where, "oneOf", "exactly one of them became at least one")
        if anything:
            flat.branches = []
        elif not flat.branches:
            flat.kind = "null" if flat.nullable else ""
        elif len(flat.branches) == 1:
            only = flat.branches[0]
            return Flat(
                merge(flat.node, only.node, self._noting(where)),
                only.kind,
                nullable=flat.nullable,
                stack=only.stack,
                recursive=only.recursive,
            )
        return flat

    def _typed(self, node: dict[str, object], where: str, stack: Stack) -> Flat:
        nullable = node.pop("nullable", None) is True
        said = node.pop("type", None)
        kinds = [kind for kind in (said if isinstance(said, list | tuple) else [said]) if kind in _TYPES]
        values = node.pop("enum", None)
        if isinstance(values, list | tuple) and values:
            return self._listed(node, kinds, values, nullable, stack)
        if not kinds:
            inferred = next((_INFERRED[word] for word in node if word in _INFERRED), "")
            if not inferred:
                return Flat(node, nullable=nullable, stack=stack)
            self._record("rewritten", where, "type", f"{inferred}, as the keywords beside it suggest")
            kinds = [inferred]
        if "null" in kinds and len(kinds) > 1:
            kinds.remove("null")
            nullable = True
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        branches = [Flat(_of_type(node, kind), kind, stack=stack) for kind in kinds]
        if len(branches) == 1:
            annotations = {word: value for word, value in node.items() if word in ANNOTATIONS or word not in _ALL}
            branches[0].node = {**annotations, **branches[0].node}
            branches[0].nullable = nullable
            return branches[0]
        return Flat({word: value for word, value in node.items() if word not in _ALL}, "", branches, nullable, stack)

    def _listed(
        self, node: dict[str, object], kinds: list[str], values: Sequence[object], nullable: bool, stack: Stack
    ) -> Flat:
        """Values by type: one schema for each."""
        groups: dict[str, list[object]] = {}
        for value in values:
            kind = _kind(value)
            if kinds and kind not in kinds:
                kind = "number" if kind == "integer" and "number" in kinds else ""
            if kind == "null":
                nullable = True
            elif kind:
                groups.setdefault(kind, []).append(value)
        if not groups:
            return Flat(node, "null" if nullable else (kinds[0] if kinds else ""), nullable=nullable, stack=stack)
        annotations = {word: value for word, value in node.items() if word not in _ALL}
        branches = [
            Flat({**_of_type(node, kind), "enum": list(dict.fromkeys(group)) if kind in _HASHED else group}, kind, stack=stack)
            for kind, group in groups.items()
        ]
        if len(branches) == 1:
            branches[0].node = {**annotations, **branches[0].node}
            branches[0].nullable = nullable
            return branches[0]
        return Flat(annotations, "", branches, nullable, stack)


_HASHED = frozenset({"string", "integer"})


class _Loosening:
    """Notes a keyword that a merge gave up."""

    __slots__ = ("_record", "_where")

    def __init__(self, record: Recorder, where: str) -> None:
        self._record = record
        self._where = where

    def __call__(self, keyword: str, detail: str) -> None:
        self._record("loosened", self._where, keyword, detail)


def _of_type(node: Mapping[str, object], kind: str) -> dict[str, object]:
    """The keywords that say something about values of a type."""
    own = _KEYWORDS.get("number" if kind == "integer" else kind, frozenset())
    return {word: value for word, value in node.items() if word in own}


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case str():
            return "string"
        case Mapping():
            return "object"
        case list() | tuple():
            return "array"
        case _:
            return "number"


def are_apart(branches: Sequence[Flat]) -> bool:
    """Whether no value fits two of the alternatives, as far as types and a common property of fixed values show."""
    for index, one in enumerate(branches):
        for other in branches[index + 1 :]:
            kinds = {one.kind, other.kind}
            if len(kinds) == 2 and kinds != {"integer", "number"} and "" not in kinds:
                continue
            if kinds == {"object"} and any(True for _ in _tags(one.node, other.node)):
                continue
            mine, yours = one.node.get("enum"), other.node.get("enum")
            if isinstance(mine, list) and isinstance(yours, list) and not any(value in yours for value in mine):
                continue
            return False
    return True


def _tags(one: Mapping[str, object], other: Mapping[str, object]) -> Iterator[str]:
    """Required properties that hold one fixed value in both, and not the same."""
    mine, yours = one.get("properties"), other.get("properties")
    if not isinstance(mine, Mapping) or not isinstance(yours, Mapping):
        return
    for name, schema in mine.items():
        fixed, also = _fixed(schema), _fixed(yours.get(name))
        if fixed and also and not any(value in also for value in fixed):
            lists = one.get("required"), other.get("required")
            if all(isinstance(names, list | tuple) and name in names for names in lists):
                yield name


def _fixed(schema: object) -> list[object]:
    if not isinstance(schema, Mapping):
        return []
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return list(values) if isinstance(values, list | tuple) else []
