"""The registry: which tools there are, what they are for, and what they stand in.

Knows tools and their names; nothing of a session. Three kinds of entries stand in it, in the caller's order: single tools, with
tags; namespaces, which are one tool for the model; toolkits, whose tools a model loads when it needs them. One level only:
neither holds another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import InputError
from ...messages import Tool

__all__ = ["LOAD_TOOLKIT", "NO_TOOLS", "Entry", "Registered", "ToolNamespace", "ToolRegistry", "Toolkit"]

LOAD_TOOLKIT = "load_toolkit"
"""The tool by which a model loads a toolkit."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A tool with what it is for.

    Attributes:
        tool: the tool.
        tags: kinds of work that need it, in the caller's words.

    Raises:
        InputError: no tool, or tags that are one text.
    """

    tool: Tool
    tags: Collection[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.tool, Tool):
            raise InputError(f"{_kind(self.tool)} cannot be registered", hint="Tool(name, description, parameters)")
        object.__setattr__(self, "tags", _tags(self.tags))

    @property
    def name(self) -> str:
        """What it is called."""
        return self.tool.name


@dataclass(frozen=True, slots=True)
class ToolNamespace:
    """Several tools that a model sees as one, with an argument that says which of them it wants.

    Its definition never changes while it is registered. A call of it is taken apart again by ``Context.check_tool_call`` and
    ``Context.resolve_tool_call``, so that tools are dispatched by their own names.

    Attributes:
        name: what the one tool is called.
        description: what its tools have in common.
        tools: the tools; their names are the actions.
        tags: as for a single tool.
        argument: the argument that says which action; another name where one of the tools takes an argument ``action``.

    Raises:
        InputError: no tools, two of one name, one that takes the argument itself, or something that is no function.
    """

    name: str
    description: str
    tools: tuple[Tool, ...]
    tags: Collection[str] = ()
    argument: str = "action"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", _members("namespace", self.name, self.tools))
        object.__setattr__(self, "tags", _tags(self.tags))
        for tool in self.tools:
            if tool.kind != "function":
                raise InputError(
                    f"{tool.name!r} takes no arguments by name and cannot be an action of the namespace {self.name!r}",
                    hint="register it by itself",
                )

    def member(self, name: object) -> Tool | None:
        """The tool of that name."""
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True, slots=True)
class Toolkit:
    """Tools that are in nobody's way until they are needed: a model sees one line of them, and loads them by ``load_toolkit``.

    Attributes:
        name: what it is loaded by.
        description: one line, by which a model can tell whether it needs it.
        tools: the tools, in the order in which they come.
        tags: as for a single tool.

    Raises:
        InputError: no tools, two of one name, or one that is none: a toolkit holds no namespace and no toolkit.
    """

    name: str
    description: str
    tools: tuple[Tool, ...]
    tags: Collection[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", _members("toolkit", self.name, self.tools))
        object.__setattr__(self, "tags", _tags(self.tags))


Entry = Registered | ToolNamespace | Toolkit


@dataclass(frozen=True, slots=True)
class ToolRegistry:
    """Everything that is registered, in order.

    Attributes:
        entries: single tools, namespaces and toolkits.
        by_name: each under its own name.
        holders: the namespace or toolkit that a tool is in, by the tool's name.
        toolkits: the names of the toolkits.
    """

    entries: tuple[Entry, ...]
    by_name: Mapping[str, Entry] = field(init=False, compare=False, repr=False)
    holders: Mapping[str, ToolNamespace | Toolkit] = field(init=False, compare=False, repr=False)
    toolkits: frozenset[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        by_name: dict[str, Entry] = {}
        holders: dict[str, ToolNamespace | Toolkit] = {}
        for entry in self.entries:
            # The first of two that a loaded body holds under one name: which one a provider takes is not ours to say.
            by_name.setdefault(entry.name, entry)
            if not isinstance(entry, Registered):
                holders.update((tool.name, entry) for tool in entry.tools)
        object.__setattr__(self, "by_name", by_name)
        object.__setattr__(self, "holders", holders)
        object.__setattr__(self, "toolkits", frozenset(entry.name for entry in self.entries if isinstance(entry, Toolkit)))

    @classmethod
    def of(cls, given: Iterable[object]) -> ToolRegistry:
        """What a caller registers.

        Raises:
            InputError: something else than tools, namespaces and toolkits; two things of one name.
        """
        entries: list[Entry] = []
        for item in given:
            if not isinstance(item, Tool | Registered | ToolNamespace | Toolkit):
                raise InputError(
                    f"tools takes Tool objects, not {_kind(item)}",
                    hint="Tool(name, description, parameters); or Registered(…), ToolNamespace(…), Toolkit(…) of such tools",
                )
            entries.append(Registered(item) if isinstance(item, Tool) else item)
        made = cls(tuple(entries))
        made._refuse_doubles()
        return made

    @property
    def tags(self) -> frozenset[str]:
        """Every tag that something carries."""
        return frozenset(tag for entry in self.entries for tag in entry.tags)

    @property
    def is_plain(self) -> bool:
        """Whether it is nothing but tools."""
        return all(isinstance(entry, Registered) and not entry.tags for entry in self.entries)

    def tool(self, name: str) -> Tool | None:
        """A tool by its own name, wherever it stands."""
        holder, entry = self.holders.get(name), self.by_name.get(name)
        if isinstance(entry, Registered):
            return entry.tool
        return next((tool for tool in holder.tools if tool.name == name), None) if holder is not None else None

    def known(self, name: str) -> bool:
        """Whether anything has that name: a tool, a namespace, a toolkit."""
        return name in self.by_name or name in self.holders

    def _refuse_doubles(self) -> None:
        seen: set[str] = set()
        for name in self._names():
            if name in seen:
                raise InputError(
                    f"two things are called {name!r}",
                    hint="calls are dispatched by name: tools, namespaces and toolkits each need one of their own",
                )
            seen.add(name)

    def _names(self) -> Iterator[str]:
        for entry in self.entries:
            yield entry.name
            if not isinstance(entry, Registered):
                yield from (tool.name for tool in entry.tools)
        if self.toolkits:
            yield LOAD_TOOLKIT


NO_TOOLS = ToolRegistry(())
"""Nothing is registered."""


def _members(kind: str, name: str, tools: object) -> tuple[Tool, ...]:
    given = tuple(tools) if isinstance(tools, Iterable) and not isinstance(tools, str | bytes) else (tools,)
    if not name:
        raise InputError(f"a {kind} without a name", hint="give the name that a model calls it by")
    if not given:
        raise InputError(f"the {kind} {name!r} has no tools", hint="give at least one Tool")
    for tool in given:
        if not isinstance(tool, Tool):
            raise InputError(f"the {kind} {name!r} holds {_kind(tool)}", hint="it holds Tool objects, no further level")
    return given


def _tags(given: object) -> tuple[str, ...]:
    """Tags in order of name, each once."""
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(tag, str) for tag in given):
        raise InputError(f"tags are {given!r}", hint="give a set of texts: tags={'files'}")
    return tuple(sorted(set(given)))


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"
