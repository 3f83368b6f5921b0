"""Places: the namespaces as a model works in them, one protocol over memory, notes and what can only be read.

Memory is reached through its facts, so that every hook is asked; notes lie in the store as they are. Nothing here knows a word
that a model reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...store.backend import Write
from ...store.blobs import encode_text
from .addresses import Address
from .host import EntriesPort, FactLike, FactsPort, Host
from .refusal import Refused

__all__ = [
    "ENTRIES",
    "Facts",
    "Notes",
    "Place",
    "Stored",
    "Writable",
    "memory_of",
    "place_of",
    "text_of_data",
    "writable_place",
]


ENTRIES = "entries/"
"""The folder of memory where entries lie."""


class Place(Protocol):
    """One namespace."""

    async def read(self, path: str) -> bytes | None:
        """The exact bytes under a path."""
        ...

    async def paths(self, prefix: str) -> Sequence[str]:
        """The paths that begin so, sorted."""
        ...


class Writable(Place, Protocol):
    """One that can be written. Callers hold a claim."""

    async def create(self, path: str, text: str) -> bool:
        """Store unless something is there; whether it did."""
        ...

    async def replace(self, path: str, text: str) -> None:
        """Store in place of what is there."""
        ...

    async def delete(self, path: str) -> None:
        """Remove."""
        ...

    async def rename(self, old: str, new: str) -> bool:
        """Give an entry another path; ``False`` where that is taken."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """A namespace as it lies in the store, as far as the session sees it."""

    host: Host
    name: str

    async def read(self, path: str) -> bytes | None:
        """See ``Place``."""
        if not self.host.sees(self.name, path):
            return None
        entry = await self.host.store.read(self.name, path)
        return None if entry is None else entry.data

    async def paths(self, prefix: str) -> Sequence[str]:
        """See ``Place``."""
        return [path for path in await self.host.store.list(self.name, prefix) if self.host.sees(self.name, path)]


@dataclass(frozen=True, slots=True)
class Notes:
    """Texts of the model's own."""

    host: Host

    async def read(self, path: str) -> bytes | None:
        """See ``Place``."""
        return await Stored(self.host, "notes").read(path)

    async def paths(self, prefix: str) -> Sequence[str]:
        """See ``Place``."""
        return await self.host.store.list("notes", prefix)

    async def create(self, path: str, text: str) -> bool:
        """See ``Writable``. Between processes without a claim as well."""
        write = Write("notes", path, encode_text(text), text=text, if_absent=True)
        return (await self.host.store.commit([write]))[0]

    async def replace(self, path: str, text: str) -> None:
        """See ``Writable``. What is kept beside the text stays."""
        entry = await self.host.store.read("notes", path)
        meta = {} if entry is None else entry.meta
        await self.host.store.put("notes", text, path=path, meta=meta, sync=True)

    async def delete(self, path: str) -> None:
        """See ``Writable``."""
        await self.host.store.delete("notes", path)

    async def rename(self, old: str, new: str) -> bool:
        """See ``Writable``. The new entry is on disk before the old one goes."""
        entry = await self.host.store.read("notes", old)
        if entry is None:
            raise Refused("not_found", uri=Address("notes", old).uri, folder="notes")
        write = Write("notes", new, entry.data, entry.meta, text_of_data(entry.data), if_absent=True)
        if not (await self.host.store.commit([write]))[0]:
            return False
        await self.host.store.delete("notes", old)
        return True


@dataclass(frozen=True, slots=True)
class Facts:
    """Memory, as this session sees it: paths are keys, and a project's own fact is also found under its full path. What is
    remembered without a key is read below ``entries/``.
    """

    facts: FactsPort
    turn: int
    entries: EntriesPort | None = None

    async def find(self, path: str) -> FactLike | None:
        """The fact at a path. Under the full path of a project's fact, that one and no global one of the same key."""
        fact = await self.facts.get(path, turn=self.turn)
        return fact if fact is not None and path in {fact.key, fact.path} else None

    async def read(self, path: str) -> bytes | None:
        """See ``Place``."""
        if self.entries is not None and path.startswith(ENTRIES):
            entry = await self.entries.at(path)
            return None if entry is None else encode_text(entry.content)
        fact = await self.find(path)
        return None if fact is None else encode_text(fact.value)

    async def paths(self, prefix: str) -> Sequence[str]:
        """See ``Place``."""
        if self.entries is not None and prefix.startswith(ENTRIES):
            return sorted(entry.path for entry in await self.entries.list() if entry.path.startswith(prefix))
        return [fact.key for fact in await self.below(prefix)]

    async def below(self, prefix: str) -> Sequence[FactLike]:
        """The facts whose keys begin so, as they are now in every process, in key order."""
        await self.facts.refresh()
        return sorted(await self.facts.list(prefix, turn=self.turn), key=lambda fact: fact.key)

    async def create(self, path: str, text: str) -> bool:
        """See ``Writable``."""
        if await self.find(path) is not None:
            return False
        await self.facts.set(path, text, turn=self.turn)
        return True

    async def replace(self, path: str, text: str) -> None:
        """See ``Writable``. Description, importance and lifetime stay."""
        await self.facts.revise(path, text, turn=self.turn)

    async def delete(self, path: str) -> None:
        """See ``Writable``."""
        await self.facts.delete(path, turn=self.turn)

    async def rename(self, old: str, new: str) -> bool:
        """See ``Writable``."""
        if await self.find(new) is not None:
            return False
        await self.facts.rename(old, new, turn=self.turn)
        return True


def memory_of(host: Host) -> Facts:
    """The session's memory.

    Raises:
        Refused: it has none.
    """
    if host.facts is None:
        raise Refused("no_memory")
    return Facts(host.facts, host.turn, host.entries)


def place_of(host: Host, namespace: str) -> Place:
    """The namespace of a host.

    Raises:
        Refused: the session has no memory.
    """
    match namespace:
        case "memory":
            return memory_of(host)
        case "notes":
            return Notes(host)
        case _:
            return Stored(host, namespace)


def writable_place(host: Host, at: Address) -> Writable:
    """The namespace an entry is to be written in.

    Raises:
        Refused: it can be read only.
    """
    place = place_of(host, at.namespace)
    is_entry = at.namespace == "memory" and host.entries is not None and at.path.startswith(ENTRIES)
    if is_entry or at.namespace not in host.writable:
        named = ", ".join(name for name in host.readable if name in host.writable) or "-"
        raise Refused("read_only", uri=at.uri, writable=named)
    assert isinstance(place, Notes | Facts)
    return place


def text_of_data(data: bytes) -> str | None:
    """Bytes as text, lone surrogates included; ``None`` where they are none."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
