"""Random tool schemas, values they take, and a judge of both: what the laws of schema conversion are tried on.

Knows as much of JSON Schema as tools use: types, lists of values, bounds, properties, maps, unions, intersections, references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

Schema = Mapping[str, object]

_NAMES = ("path", "query", "limit", "mode", "tags", "options")
_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8)
_PATTERNS = ("^[a-z]+$", "^#[0-9a-f]{6}$", "^(?!x)[a-z]+$")
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=4,
)


def _with_words(schema: object) -> st.SearchStrategy[dict[str, object]]:
    words = st.fixed_dictionaries(
        {},
        optional={
            "description": st.sampled_from(["Where to look.", "How many", "Default: 5."]),
            "title": st.just("Title"),
            "examples": st.just(["a"]),
            "x-order": st.just(1),
        },
    )
    assert isinstance(schema, Mapping)
    return words.map(lambda extra: {**extra, **schema})


@cache
def _scalars() -> st.SearchStrategy[dict[str, object]]:
    bounds = st.tuples(st.integers(-5, 3), st.integers(3, 9))
    return st.one_of(
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "boolean"},
                {"type": "string", "format": "uri"},
                {"type": "string", "format": "date"},
                {"const": "fixed"},
                {"const": 4},
                {"enum": ["a", "b", None]},
                {"enum": ["a", 1, True]},
                {"type": ["string", "integer", "null"]},
                {"type": "string", "nullable": True},
                {"type": "null"},
                {"type": "integer", "enum": [1, 2, 5]},
                {"type": "number", "exclusiveMinimum": 0, "maximum": 2.5},
                {"type": "number", "multipleOf": 0.5},
                {"type": "integer", "exclusiveMaximum": 7},
            ]
        ),
        st.sampled_from(_PATTERNS).map(lambda pattern: {"type": "string", "pattern": pattern}),
        st.tuples(st.integers(0, 2), st.integers(2, 6)).map(
            lambda ends: {"type": "string", "minLength": ends[0], "maxLength": ends[1]}
        ),
        bounds.map(lambda ends: {"type": "integer", "minimum": ends[0], "maximum": ends[1]}),
        st.lists(st.sampled_from(["on", "off", "auto", ""]), min_size=1, max_size=3, unique=True).map(
            lambda values: {"type": "string", "enum": values}
        ),
    ).flatmap(_with_words)


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[object]) -> dict[str, object]:
    names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4, unique=True))
    schema: dict[str, object] = {"type": "object", "properties": {name: draw(inner) for name in names}}
    required = draw(st.lists(st.sampled_from(names), unique=True))
    says, closed = draw(st.tuples(st.booleans(), st.booleans()))
    if required or says:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


@cache
def _schemas() -> st.SearchStrategy[dict[str, object]]:
    return st.recursive(
        _scalars(),
        lambda inner: st.one_of(
            _objects(inner),
            inner.map(lambda schema: {"type": "array", "items": schema, "maxItems": 3}),
            inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
            st.tuples(st.sampled_from(["anyOf", "anyOf", "oneOf"]), st.lists(inner, min_size=1, max_size=3)).map(
                lambda drawn: {drawn[0]: drawn[1]}
            ),
            st.lists(_objects(inner), min_size=2, max_size=3).map(lambda parts: {"anyOf": parts}),
            st.tuples(inner, st.just({"type": "null"})).map(lambda parts: {"anyOf": list(parts), "default": None}),
            st.sampled_from([{"type": "object"}, {}, {"type": "array"}]),
            st.just({"$ref": "#/$defs/Shared"}),
            st.just({"allOf": [{"$ref": "#/$defs/Shared"}], "description": "Shared."}),
        ).flatmap(_with_words),
        max_leaves=6,
    )


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, object]:
    """The parameters of a tool."""
    root = draw(_objects(_schemas()))
    root["$defs"] = {"Shared": draw(_objects(_scalars()))}
    return root


def values(schema: object, root: Schema) -> st.SearchStrategy[object]:
    """Values that a schema takes; of open objects only the keys that it names."""
    return _values(schema, root).filter(lambda value: accepts(schema, value, root))


def _values(schema: object, root: Schema) -> st.SearchStrategy[object]:
    if not isinstance(schema, Mapping):
        return _JSON
    if "$ref" in schema:
        return _values(resolve(str(schema["$ref"]), root), root)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        listed = schema["enum"]
        assert isinstance(listed, list)
        return st.sampled_from([value for value in listed if accepts(schema, value, root)] or [None])
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            parts = schema[word]
            assert isinstance(parts, list)
            return st.one_of([_values(part, root) for part in parts])
    kinds = schema.get("type")
    listed_kinds = kinds if isinstance(kinds, list) else [kinds]
    choices = [_typed(schema, kind, root) for kind in listed_kinds]
    if schema.get("nullable") is True:
        choices.append(st.none())
    return st.one_of(choices)


def _typed(schema: Schema, kind: object, root: Schema) -> st.SearchStrategy[object]:
    match kind:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(-6, 10)
        case "number":
            return st.integers(-4, 12).map(lambda number: number / 2)
        case "string":
            pattern = schema.get("pattern")
            return st.from_regex(str(pattern), fullmatch=True) if pattern else _TEXTS
        case "array":
            items = schema.get("items", {})
            return st.lists(_values(items, root), max_size=3)
        case "object":
            return _filled(schema, root)
    return _JSON


def _filled(schema: Schema, root: Schema) -> st.SearchStrategy[object]:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    if not properties:
        further = schema.get("additionalProperties", {})
        return st.dictionaries(_TEXTS, _values(further, root), max_size=2) if further is not False else st.just({})
    made = {name: _values(inner, root) for name, inner in properties.items()}
    return st.fixed_dictionaries(
        {name: value for name, value in made.items() if name in required},
        optional={name: value for name, value in made.items() if name not in required},
    )


def resolve(reference: str, root: Schema) -> object:
    """What a reference within the document leads to."""
    found: object = root
    for step in reference.split("/")[1:]:
        assert isinstance(found, Mapping)
        found = found[step]
    return found


def accepts(schema: object, value: object, root: Schema) -> bool:
    """Whether a schema takes a value."""
    if not isinstance(schema, Mapping):
        return schema is not False
    if value is None and schema.get("nullable") is True:
        return True
    return all(_holds(word, said, schema, value, root) for word, said in schema.items())


def _holds(word: str, said: object, schema: Schema, value: object, root: Schema) -> bool:
    match word:
        case "$ref":
            return accepts(resolve(str(said), root), value, root)
        case "const":
            return _same(value, said)
        case "enum" if isinstance(said, list):
            return any(_same(value, allowed) for allowed in said)
        case "type":
            return any(_is(value, kind) for kind in (said if isinstance(said, list) else [said]))
        case "anyOf" if isinstance(said, list):
            return any(accepts(part, value, root) for part in said)
        case "oneOf" if isinstance(said, list):
            return sum(accepts(part, value, root) for part in said) == 1
        case "allOf" if isinstance(said, list):
            return all(accepts(part, value, root) for part in said)
    if isinstance(value, Mapping):
        return _object_holds(word, said, schema, value, root)
    if isinstance(value, list):
        match word:
            case "items":
                return all(accepts(said, item, root) for item in value)
            case "minItems" | "maxItems" if isinstance(said, int):
                return len(value) >= said if word == "minItems" else len(value) <= said
    if isinstance(value, str):
        match word:
            case "pattern":
                return re.search(str(said), value) is not None
            case "minLength" | "maxLength" if isinstance(said, int):
                return len(value) >= said if word == "minLength" else len(value) <= said
    if isinstance(value, int | float) and not isinstance(value, bool) and isinstance(said, int | float):
        match word:
            case "minimum":
                return value >= said
            case "maximum":
                return value <= said
            case "exclusiveMinimum":
                return value > said
            case "exclusiveMaximum":
                return value < said
            case "multipleOf":
                return (Fraction(value) / Fraction(said)).denominator == 1
    return True


def _object_holds(word: str, said: object, schema: Schema, value: Mapping[str, object], root: Schema) -> bool:
    properties = schema.get("properties", {})
    assert isinstance(properties, Mapping)
    match word:
        case "properties":
            return all(accepts(inner, value[name], root) for name, inner in properties.items() if name in value)
        case "required" if isinstance(said, list):
            return all(name in value for name in said)
        case "additionalProperties":
            return all(accepts(said, item, root) for name, item in value.items() if name not in properties)
    return True


def _same(one: object, other: object) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _is(value: object, kind: object) -> bool:
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
    return isinstance(value, Mapping)
