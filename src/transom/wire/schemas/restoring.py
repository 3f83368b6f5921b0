"""How a value is written under a converted schema, and how it is read back into the form of the original.

Knows values and finished schemas. A conversion builds one ``Codec`` beside each schema it writes, so that what is encoded and
what is undone cannot differ. Values that fit neither form pass through unchanged: whoever checks arguments says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...errors import JSONError
from ...jsontext import dumps_text, loads
from .fitting import fits

__all__ = ["AS_IS", "Alternatives", "AsIs", "Codec", "Fields", "Items", "JsonText", "Named", "Pairs", "encodes"]

NAME, VALUE = "name", "value"
"""Keys of one entry of an object that is written as a list."""


class Codec(Protocol):
    """Turns values of the original into values of the converted schema, and back."""

    def spell(self, value: object) -> object:
        """The value as the converted schema wants it."""
        ...

    def restore(self, value: object) -> object:
        """The value as the original schema has it."""
        ...


class AsIs:
    """The same value in both."""

    __slots__ = ()

    def spell(self, value: object) -> object:
        """The value."""
        return value

    def restore(self, value: object) -> object:
        """The value."""
        return value


AS_IS = AsIs()


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value of any kind, written as JSON text.

    Attributes:
        objects: only objects are written so.
    """

    objects: bool = False

    def spell(self, value: object) -> object:
        """JSON text."""
        return value if self.objects and not isinstance(value, Mapping) else dumps_text(value)

    def restore(self, value: object) -> object:
        """What the text says; a text that is no JSON is a text."""
        if not isinstance(value, str):
            return value
        try:
            read = loads(value)
        except JSONError:
            return value
        return read if isinstance(read, Mapping) or not self.objects else value


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object with free keys, written as a list of names and values."""

    value: Codec

    def spell(self, value: object) -> object:
        """A list of entries."""
        if not isinstance(value, Mapping):
            return value
        return [{NAME: name, VALUE: self.value.spell(item)} for name, item in value.items()]

    def restore(self, value: object) -> object:
        """An object; of two entries with the same name the later one holds."""
        if not isinstance(value, list | tuple):
            return value
        if not all(isinstance(entry, Mapping) and isinstance(entry.get(NAME), str) for entry in value):
            return value
        return {entry[NAME]: self.value.restore(entry.get(VALUE)) for entry in value}


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    item: Codec

    def spell(self, value: object) -> object:
        """The list with its items spelled."""
        return [self.item.spell(item) for item in value] if isinstance(value, list | tuple) else value

    def restore(self, value: object) -> object:
        """The list with its items restored."""
        return [self.item.restore(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with known properties.

    Attributes:
        fields: what each property needs.
        optional: properties that may be left out and for which the original has no null.
        all_required: what is left out is spelled as null.
        unused: a property that the original does not have.
    """

    fields: Mapping[str, Codec]
    optional: frozenset[str] = frozenset()
    all_required: bool = False
    unused: str = ""

    def spell(self, value: object) -> object:
        """The object with its properties spelled."""
        if not isinstance(value, Mapping):
            return value
        spelled = {name: self.fields.get(name, AS_IS).spell(item) for name, item in value.items()}
        return {**dict.fromkeys(self.fields), **spelled} if self.all_required else spelled

    def restore(self, value: object) -> object:
        """The object with its properties restored: a null that stands for "not given" goes."""
        if not isinstance(value, Mapping):
            return value
        return {
            name: self.fields.get(name, AS_IS).restore(item)
            for name, item in value.items()
            if not (item is None and name in self.optional) and (not self.unused or name != self.unused)
        }


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A union: the first alternative that a value fits, bounds included; else the first of its shape."""

    branches: Sequence[tuple[Mapping[str, object], Codec]]
    defs: Mapping[str, Mapping[str, object]]

    def spell(self, value: object) -> object:
        """The value as the first alternative spells it that takes the result."""
        spelled = [(schema, codec.spell(value)) for schema, codec in self.branches]
        for bounds in (True, False):
            for schema, result in spelled:
                if fits(schema, result, self.defs, bounds=bounds):
                    return result
        return value

    def restore(self, value: object) -> object:
        """The value as the first alternative reads it that takes it."""
        for bounds in (True, False):
            for schema, codec in self.branches:
                if fits(schema, value, self.defs, bounds=bounds):
                    return codec.restore(value)
        return value


@dataclass(frozen=True, slots=True)
class Named:
    """What a definition needs that holds itself."""

    name: str
    table: Mapping[str, Codec] = field(repr=False)

    def spell(self, value: object) -> object:
        """As the definition does."""
        return self.table[self.name].spell(value)

    def restore(self, value: object) -> object:
        """As the definition does."""
        return self.table[self.name].restore(value)


def encodes(codec: Codec, seen: frozenset[str] = frozenset()) -> bool:
    """Whether something in a value is written in another form."""
    match codec:
        case JsonText() | Pairs():
            return True
        case Items():
            return encodes(codec.item, seen)
        case Fields():
            return any(encodes(inner, seen) for inner in codec.fields.values())
        case Alternatives():
            return any(encodes(inner, seen) for _, inner in codec.branches)
        case Named() if codec.name not in seen and codec.name in codec.table:
            return encodes(codec.table[codec.name], seen | {codec.name})
    return False
