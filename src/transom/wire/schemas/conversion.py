"""One schema into a target's subset: what it keeps, what becomes words, what is written in another form.

Knows a ``Dialect``; which target that is, it does not ask. Every property of the original is a property of the result, and
every value of the original can still be said, unless a note says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...vocabulary.schemas import SchemaWords
from .dialect import Dialect, pointed
from .flattening import Flat, Flattener, Stack, are_apart
from .merging import ANNOTATIONS
from .report import Change, SchemaNote
from .restoring import AS_IS, NAME, VALUE, Alternatives, Codec, Fields, Items, JsonText, Named, Pairs, encodes
from .root import flat_root, names_of
from .wording import described, says_default, sentence

__all__ = ["UNUSED", "Conversion"]

UNUSED = "unused"
"""The property of an object that has none, where a target wants one."""

MOST_SCHEMAS = 4_000
"""Schemas that references may unfold to; beyond it they are cut. The largest published tools have a few hundred."""

_BOUNDS = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
_SILENT = ANNOTATIONS - {"default", "examples", "example", "description"}
_STRUCTURE = frozenset(
    {"properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems", "additionalItems", "enum",
     "unevaluatedProperties", "unevaluatedItems"}
)  # fmt: skip


@dataclass(slots=True)
class Conversion:
    """A conversion at work.

    Attributes:
        root: the original document.
        dialect: the target's subset.
        words: what becomes of constraints that have no keyword.
        notes: what was changed, in order.
        defs: definitions that hold themselves, where the target takes them.
        codecs: how values of these definitions are spelled.
    """

    root: Mapping[str, object]
    dialect: Dialect
    words: SchemaWords
    notes: list[SchemaNote] = field(default_factory=list)
    defs: dict[str, dict[str, object]] = field(default_factory=dict)
    codecs: dict[str, Codec] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _noted: set[SchemaNote] = field(default_factory=set)
    _seen: int = 0
    _flattener: Flattener = field(init=False)

    def __post_init__(self) -> None:
        """Make the one that takes schemas apart."""
        self._flattener = Flattener(self.root, self.record, keep_recursive=self.dialect.references)

    def record(self, change: Change, where: str, keyword: str, detail: str) -> None:
        """Note a change; the same one at the same place once."""
        note = SchemaNote(change, where, keyword, detail)
        if note not in self._noted:
            self._noted.add(note)
            self.notes.append(note)

    def convert(self) -> tuple[dict[str, object], Codec]:
        """The whole document: always an object at the root."""
        flat = flat_root(self._flattener, self.root, self.record, self.words)
        schema, codec = self._object(flat, "", root=True)
        if self.defs:
            schema["$defs"] = dict(self.defs)
        return schema, codec

    def _schema(self, schema: object, where: str, stack: Stack) -> tuple[dict[str, object], Codec]:
        self._seen += 1
        if self._seen > MOST_SCHEMAS:
            self.record("cut", where, "$ref", f"references unfold to more than {MOST_SCHEMAS} schemas: any value was written")
            return self._text(Flat({}), where)
        return self._written(self._flattener.flatten(schema, where, stack), where)

    def _written(self, flat: Flat, where: str) -> tuple[dict[str, object], Codec]:
        """A schema of one level, with "or null" where it belongs."""
        if flat.recursive:
            schema, codec = self._reference(flat)
        elif flat.branches:
            schema, codec = self._union(flat, where)
        elif flat.is_any:
            return self._text(flat, where)
        elif flat.kind == "null":
            return self._nothing(flat, where), AS_IS
        else:
            schema, codec = self._single(flat, where)
        return (self._or_null(schema) if flat.nullable else schema), codec

    def _single(self, flat: Flat, where: str) -> tuple[dict[str, object], Codec]:
        if flat.kind == "object":
            return self._object(flat, where)
        if flat.kind == "array":
            return self._array(flat, where)
        written: dict[str, object] = {"type": flat.kind}
        sentences = self._constraints(flat, where, written)
        values = flat.node.get("enum")
        if isinstance(values, list | tuple):
            self._values(flat.kind, values, where, written, sentences)
        return self._with_words(written, flat, where, sentences), AS_IS

    def _values(
        self, kind: str, values: list[object] | tuple[object, ...], where: str, written: dict[str, object], sentences: list[str]
    ) -> None:
        usable = [value for value in values if value != ""] if self.dialect.enum_types == {"string"} else list(values)
        if kind in self.dialect.enum_types and len(usable) == len(values):
            written["enum"] = usable
            return
        sentences.append(sentence("enum", values, self.words))
        self.record("described", where, "enum", f"values of type {kind} cannot be listed for this target")
        numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        if kind in ("integer", "number") and numbers:
            written.update(minimum=min(numbers), maximum=max(numbers))

    def _constraints(self, flat: Flat, where: str, written: dict[str, object] | None) -> list[str]:
        """Write what the target keeps, unless the value is written in another form; returns sentences for the rest."""
        sentences: list[str] = []
        node = dict(_plain_bounds(flat.node))
        for word, value in node.items():
            if word in ANNOTATIONS or word in _STRUCTURE:
                continue
            if written is not None and self.dialect.keeps(flat.kind, word, value):
                written[word] = value
                continue
            if written is not None and word in _BOUNDS and isinstance(value, int | float) and not isinstance(value, bool):
                bound, step = _BOUNDS[word]
                whole = flat.kind == "integer" and isinstance(value, int)
                if bound not in node and self.dialect.keeps(flat.kind, bound, value + step if whole else value):
                    written[bound] = value + step if whole else value
                    if whole:
                        self.record("rewritten", where, word, f"as {bound}")
                        continue
            words = sentence(word, value, self.words)
            sentences.append(words)
            if words:
                self.record("described", where, word, "the target has no such keyword: a sentence says it")
            elif not _says_nothing(word, value):
                self.record("loosened", where, word, "the target has no such keyword")
        return sentences

    def _with_words(
        self, written: dict[str, object], flat: Flat, where: str, sentences: list[str], *, only_words: bool = False
    ) -> dict[str, object]:
        """Description first, then what was written; default and examples in words."""
        description = flat.node.get("description")
        text = description if isinstance(description, str) else ""
        if "default" in flat.node:
            value = flat.node["default"]
            if value is not None and not says_default(text, value):
                sentences.append(sentence("default", value, self.words))
            self.record("dropped", where, "default", "said in the description" if value is not None else "nothing by default")
        examples = flat.node.get("examples")
        given = examples[0] if isinstance(examples, list | tuple) and examples else flat.node.get("example")
        if given is not None:
            sentences.append(sentence("example", given, self.words))
            self.record("dropped", where, "examples", "the first one is said in the description")
        for word in flat.node:
            if word in _SILENT:
                self.record("dropped", where, word, "an annotation")
        text = described(text, sentences)
        return {**({"description": text} if text else {}), **written} if not only_words else {"description": text}

    def _object(self, flat: Flat, where: str, *, root: bool = False) -> tuple[dict[str, object], Codec]:
        given = flat.node.get("properties")
        properties: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
        required = names_of(flat.node.get("required"))
        further = flat.node.get("additionalProperties", flat.node.get("unevaluatedProperties"))
        patterns = flat.node.get("patternProperties")
        if further is not False:
            properties.update({name: {} for name in required if name not in properties})
        if not properties and not root:
            if isinstance(patterns, Mapping) and patterns:
                return self._pairs(flat, patterns, where)
            if isinstance(further, Mapping) and further:
                return self._pairs(flat, {"": further}, where)
            if further is not False:
                return self._text(flat, where)
        written: dict[str, object] = {"type": "object", "properties": {}}
        sentences = self._constraints(flat, where, written)
        fields: dict[str, Codec] = {}
        children: dict[str, object] = {}
        optional: set[str] = set()
        for name, schema in properties.items():
            child, codec, nullable = self._property(schema, f"{where}/properties/{pointed(name)}", flat.stack, name in required)
            children[name] = child
            fields[name] = codec
            if name not in required and not nullable:
                optional.add(name)
        unused = "" if children or self.dialect.empty_objects else UNUSED
        if unused:
            children[unused] = {"description": self.words.unused, "type": "boolean"}
            self.record("rewritten", where, "properties", "the target wants a property: one that is never used was added")
        written["properties"] = children
        written["required"] = list(children) if self.dialect.all_required else [name for name in required if name in children]
        if self.dialect.closed:
            written["additionalProperties"] = False
        elif not written["required"]:
            del written["required"]
        if (further is not False and further is not None) or (isinstance(patterns, Mapping) and patterns):
            self.record("closed", where, "additionalProperties", "only the keys that are listed can be given")
        codec = Fields(fields, frozenset(optional), self.dialect.all_required, unused)
        return self._with_words(written, flat, where, sentences), codec

    def _property(self, schema: object, where: str, stack: Stack, required: bool) -> tuple[dict[str, object], Codec, bool]:
        """A property, its codec, and whether the original takes null for it."""
        self._seen += 1
        if self._seen > MOST_SCHEMAS:
            self.record("cut", where, "$ref", f"references unfold to more than {MOST_SCHEMAS} schemas: any value was written")
            flat = Flat({})
        else:
            flat = self._flattener.flatten(schema, where, stack)
        # A value of any kind says null as text: without text it is left out.
        nullable = (flat.nullable or flat.kind == "null") and not flat.is_any
        written, codec = self._written(flat, where)
        if self.dialect.all_required and not required and not _takes_null(written):
            written = self._or_null(written)
            self.record("rewritten", where, "required", "optional: null leaves it out")
        return written, codec, nullable

    def _array(self, flat: Flat, where: str) -> tuple[dict[str, object], Codec]:
        items: object = flat.node.get("items", {})
        fixed = flat.node.get("prefixItems", items if isinstance(items, list | tuple) else None)
        written: dict[str, object] = {"type": "array"}
        sentences = self._constraints(flat, where, written)
        if isinstance(fixed, list | tuple) and fixed:
            further = flat.node.get("items") if "prefixItems" in flat.node else flat.node.get("additionalItems")
            items = {"anyOf": [*fixed, *([further] if isinstance(further, Mapping) and further else [])]}
            sentences.append(sentence("prefixItems", [_short(schema) for schema in fixed], self.words))
            self.record("described", where, "prefixItems", "each item may be what any place allows")
        elif isinstance(items, list | tuple):
            items = {}
        written["items"], codec = self._schema(items, f"{where}/items", flat.stack)
        return self._with_words(written, flat, where, sentences), AS_IS if codec is AS_IS else Items(codec)

    def _pairs(self, flat: Flat, values: Mapping[str, object], where: str) -> tuple[dict[str, object], Codec]:
        """An object with free keys as a list of names and values."""
        schemas = list(values.values())
        inner = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        value, codec = self._schema(inner, f"{where}/additionalProperties", flat.stack)
        entry: dict[str, object] = {
            "type": "object",
            "properties": {NAME: {"type": "string"}, VALUE: value},
            "required": [NAME, VALUE],
        }
        if self.dialect.closed:
            entry["additionalProperties"] = False
        written: dict[str, object] = {"type": "array", "items": entry}
        sentences = [self.words.pairs, *self._constraints(flat, where, None)]
        sentences.extend(self.words.quoted(self.words.key_pattern, pattern) for pattern in values if pattern)
        self.record("encoded", where, "additionalProperties", "free keys are written as a list of names and values")
        return self._with_words(written, flat, where, sentences), Pairs(codec)

    def _text(self, flat: Flat, where: str) -> tuple[dict[str, object], Codec]:
        """Any value, or an object of any shape, as JSON text."""
        objects = flat.kind == "object"
        words = self.words.object_as_text if objects else self.words.as_text
        self.record("encoded", where, "type", "a value of any shape is written as JSON text")
        sentences = [words, *self._constraints(flat, where, None)]
        schema = self._with_words({"type": "string"}, flat, where, sentences)
        return (self._or_null(schema) if flat.nullable else schema), JsonText(objects)

    def _nothing(self, flat: Flat, where: str) -> dict[str, object]:
        """Only null."""
        if self.dialect.null == "nullable":
            self.record("loosened", where, "type", "the target has no type for null alone")
            return self._with_words({"type": "boolean", "nullable": True}, flat, where, [self.words.unused])
        return self._with_words({"type": "null"}, flat, where, [])

    def _union(self, flat: Flat, where: str) -> tuple[dict[str, object], Codec]:
        branches: list[tuple[dict[str, object], Codec]] = []
        originals: list[Flat] = []
        for index, branch in enumerate(flat.branches):
            made = self._written(branch, f"{where}/anyOf/{index}")
            if not any(made[0] == other for other, _ in branches):
                branches.append(made)
                originals.append(branch)
        if _look_alike(branches, originals):
            # Written, a value could be read back in two ways: only the whole of it as text says which one is meant.
            self.record("loosened", where, "anyOf", "alternatives that are written alike became any value")
            return self._text(Flat(flat.node), where)
        sentences = self._constraints(flat, where, None)
        if len(branches) == 1:
            schema, codec = branches[0]
            flat.node.setdefault("description", schema.get("description"))
            return self._with_words(
                {word: v for word, v in schema.items() if word != "description"}, flat, where, sentences
            ), codec
        union: dict[str, object] = {"anyOf": [schema for schema, _ in branches]}
        codec = Alternatives(tuple(branches), self.defs) if any(codec is not AS_IS for _, codec in branches) else AS_IS
        if not self.dialect.lone_unions:
            return self._with_words(union, flat, where, sentences), codec
        words = self._with_words({}, flat, where, sentences, only_words=True)["description"]
        if words:
            first = branches[0][0]
            text = described(words, [str(first.get("description", ""))])
            union["anyOf"] = [
                {"description": text, **{k: v for k, v in first.items() if k != "description"}},
                *(s for s, _ in branches[1:]),
            ]
        return union, codec

    def _reference(self, flat: Flat) -> tuple[dict[str, object], Codec]:
        """A definition that holds itself, once, and a reference to it."""
        reference = flat.recursive
        if reference not in self._names:
            wanted = reference.rpartition("/")[2].strip("#") or "Arguments"
            name = next(name for name in _numbered(wanted) if name not in self.defs)
            self._names[reference] = name
            self.defs[name] = {}
            target = self._flattener.resolve(reference)
            # The stack of a definition is its own: it is the same wherever it is used.
            inner = self._flattener.flatten(target, f"/$defs/{pointed(name)}", (reference,))
            if inner.recursive:
                self.record("cut", f"/$defs/{pointed(name)}", "$ref", f"{reference} is only itself: any value was written")
                inner = Flat({})
            # An alternative that is the definition itself adds nothing to it.
            inner.branches = [branch for branch in inner.branches if branch.recursive != reference]
            self.defs[name], self.codecs[name] = self._written(inner, f"/$defs/{pointed(name)}")
        name = self._names[reference]
        return {"$ref": f"#/$defs/{pointed(name)}"}, Named(name, self.codecs)

    def _or_null(self, schema: dict[str, object]) -> dict[str, object]:
        """The schema, or null."""
        if _takes_null(schema):
            return schema
        form = self.dialect.null
        union = schema.get("anyOf")
        if form == "nullable":
            if isinstance(union, list):
                return {**schema, "anyOf": [{**branch, "nullable": True} for branch in union]}
            return {**schema, "nullable": True}
        if isinstance(union, list):
            return {**schema, "anyOf": [*union, {"type": "null"}]}
        if form == "type" and isinstance(schema.get("type"), str) and schema["type"] not in ("object", "array"):
            widened = {**schema, "type": [schema["type"], "null"]}
            if isinstance(schema.get("enum"), list):
                widened["enum"] = [*_values(schema), None]
            return widened
        inner = {word: value for word, value in schema.items() if word != "description"}
        text = {"description": schema["description"]} if "description" in schema else {}
        return {**text, "anyOf": [inner, {"type": "null"}]}


def _look_alike(branches: Sequence[tuple[dict[str, object], Codec]], originals: Sequence[Flat]) -> bool:
    """Whether one value could come from two alternatives of which one writes something in another form."""
    for index, (one, codec) in enumerate(branches):
        for also in range(index + 1, len(branches)):
            other, further = branches[also]
            if not encodes(codec) and not encodes(further):
                continue
            if one.get("type", "object") != other.get("type", "object"):
                continue
            if originals[index].kind != originals[also].kind or not are_apart((originals[index], originals[also])):
                return True
    return False


def _plain_bounds(node: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Keywords with the draft-4 form of exclusive bounds (``true`` beside the bound) written as the later drafts do."""
    for word, value in node.items():
        if word in _BOUNDS and isinstance(value, bool):
            continue
        exclusive = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(word, "")
        yield (exclusive if exclusive and node.get(exclusive) is True else word), value


def _says_nothing(word: str, value: object) -> bool:
    return (word in ("minLength", "minItems", "minProperties") and value == 0) or value is None or word.startswith("x-")


def _values(schema: Mapping[str, object]) -> list[object]:
    values = schema.get("enum")
    return list(values) if isinstance(values, list | tuple) else []


def _takes_null(schema: Mapping[str, object]) -> bool:
    kinds, union = schema.get("type"), schema.get("anyOf")
    if schema.get("nullable") is True or kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return True
    return isinstance(union, list) and any(isinstance(branch, Mapping) and _takes_null(branch) for branch in union)


def _short(schema: object) -> object:
    """A schema in one word, where there is one."""
    if not isinstance(schema, Mapping):
        return schema
    return schema.get("title") or schema.get("description") or schema.get("type") or "any"


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}{number}"
        number += 1
