"""Selection: what of the registered tools a session offers.

An immutable value: a change gives another one, and what did not change of it keeps its objects, so that tools that were
rendered are not rendered again. In front stand, in the order of registration, tools and namespaces, then ``load_toolkit``;
behind everything else, in the order of loading, the tools of loaded toolkits. Nothing here is looked at during a compile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import InputError
from ...messages import Tool
from ...vocabulary import ENGLISH
from ...vocabulary.selecting import SelectingWords
from .namespaces import namespace_tool
from .pruning import EVERYTHING, Combine, Pruning, pruning
from .registry import LOAD_TOOLKIT, NO_TOOLS, Entry, Registered, Toolkit, ToolNamespace, ToolRegistry
from .toolkits import load_tool

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selection:
    """What is registered, what of it goes out, what is loaded, what is blocked.

    Attributes:
        words: what the model reads.
        registry: everything there is.
        rule: what is let through.
        loaded: names of loaded toolkits, in the order of loading.
        blocked: names that must not be called, with the reason the model is given; it may be empty.
        front: the tools that stand first.
        behind: the tools that stand last.
        selected: names of the entries that are let through.
        toolkits: what can be loaded.
    """

    words: SelectingWords = ENGLISH.selecting
    registry: ToolRegistry = NO_TOOLS
    rule: Pruning = EVERYTHING
    loaded: tuple[str, ...] = ()
    blocked: Mapping[str, str] = field(default_factory=dict)
    front: tuple[Tool, ...] = ()
    behind: tuple[Tool, ...] = ()
    selected: frozenset[str] = frozenset()
    toolkits: tuple[Toolkit, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether tools go out as they were given: nothing is tagged, folded, pruned or blocked."""
        return self.registry.is_plain and self.rule is EVERYTHING and not self.blocked

    def toolkit(self, name: object) -> Toolkit | None:
        """A toolkit that can be loaded, or is, by name."""
        entry = self.registry.by_name.get(name) if isinstance(name, str) else None
        return entry if isinstance(entry, Toolkit) and self.offers(entry) else None

    def offers(self, entry: Entry) -> bool:
        """Whether an entry goes out or, a toolkit, can be loaded; one that is loaded stays where only tags are selected."""
        return entry.name in self.selected or (
            isinstance(entry, Toolkit) and entry.name in self.loaded and self.rule.keeps(entry)
        )

    def registered(self, given: Iterable[object]) -> Selection:
        """With other tools, all of which go out. Blocks stay.

        Raises:
            InputError: see ``ToolRegistry.of``.
        """
        return self._over(ToolRegistry.of(given), EVERYTHING)

    def adopted(self, tools: tuple[Tool, ...], sent: Sequence[Tool]) -> Selection:
        """With the tools of a request that was loaded. Blocks stay, and so do allowed names; tags go, since a request has none.

        A request that repeats what goes out anyway changes nothing: agents send back what they were given.

        Args:
            tools: those of the request.
            sent: those that go out now.
        """
        if self.registry.is_plain:
            known = [entry.tool for entry in self.registry.entries if isinstance(entry, Registered)]
            if len(known) == len(tools) and all(map(_same, known, tools)):
                return self
        if not self.is_plain and tools:
            names = [tool.name for tool in tools]
            if names in ([tool.name for tool in sent], [tool.name for tool in (*self.front, *self.behind)]):
                return self
        rule = EVERYTHING if self.rule.allow is None else Pruning(allow=self.rule.allow)
        return self._over(ToolRegistry(tuple(Registered(tool) for tool in tools)), rule)

    def pruned(self, *, tags: Collection[str] | None, allow: Collection[str] | None, combine: Combine) -> Selection:
        """With another rule.

        Raises:
            InputError: see ``pruning``.
        """
        rule = pruning(self.registry, tags=tags, allow=allow, combine=combine)
        return self if rule == self.rule else self._over(self.registry, EVERYTHING if rule == EVERYTHING else rule)

    def with_toolkit(self, name: str) -> Selection:
        """With a toolkit's tools at the end, unless an allow-list leaves it out. One that is loaded stays where it is."""
        if name in self.loaded or name not in self.registry.toolkits:
            return self
        loaded = (*self.loaded, name)
        made = replace(self, loaded=loaded)
        return replace(made, behind=made._behind())

    def without_toolkits(self) -> Selection:
        """With nothing loaded."""
        return replace(self, loaded=(), behind=()) if self.loaded else self

    def with_blocked(self, names: Iterable[str], why: str, ours: Collection[str]) -> Selection:
        """With names that must not be called.

        Args:
            names: tools, namespaces (all their actions), toolkits (loading them, and all their tools).
            why: what the model is told.
            ours: further names that there are.

        Raises:
            InputError: nothing has that name, or it is no text.
        """
        blocked = dict(self.blocked)
        for name in names:
            _check_name(name)
            if not self.registry.known(name) and name not in ours and not (name == LOAD_TOOLKIT and self.toolkits):
                known = sorted({*self.registry.by_name, *self.registry.holders, *ours})
                raise InputError(f"no tool is called {name!r}", hint=f"there are {', '.join(known[:20]) or 'none'}")
            blocked[name] = why
        return replace(self, blocked=blocked)

    def without_blocked(self, names: Collection[str]) -> Selection:
        """With names that may be called again; no names: all of them.

        Raises:
            InputError: one is not blocked.
        """
        for name in names:
            _check_name(name)
            if name not in self.blocked:
                raise InputError(
                    f"{name!r} is not blocked", hint=f"blocked are {', '.join(self.blocked)}" if self.blocked else "nothing is"
                )
        kept = {name: why for name, why in self.blocked.items() if name not in names} if names else {}
        return replace(self, blocked=kept)

    def restored(self, registry: ToolRegistry, rule: Pruning, loaded: Iterable[str], blocked: Mapping[str, str]) -> Selection:
        """As it was when it was written down."""
        return replace(self, registry=registry, loaded=tuple(loaded), blocked=blocked)._over(registry, rule)

    def _over(self, registry: ToolRegistry, rule: Pruning) -> Selection:
        """The same over other tools or by another rule. Toolkits stay loaded where they are still registered."""
        entries = rule(registry)
        selected = frozenset(entry.name for entry in entries)
        toolkits = tuple(entry for entry in entries if isinstance(entry, Toolkit))
        front = [
            namespace_tool(entry, self.words) if isinstance(entry, ToolNamespace) else entry.tool
            for entry in entries
            if not isinstance(entry, Toolkit)
        ]
        if toolkits:
            front.append(load_tool(toolkits, self.words))
        same = len(front) == len(self.front) and all(map(_same, front, self.front))
        made = replace(
            self,
            registry=registry,
            rule=rule,
            front=self.front if same else tuple(front),
            selected=selected,
            toolkits=toolkits,
            loaded=tuple(name for name in self.loaded if name in registry.toolkits),
        )
        return replace(made, behind=made._behind())

    def _behind(self) -> tuple[Tool, ...]:
        kits = [self.registry.by_name[name] for name in self.loaded]
        behind = tuple(tool for kit in kits if isinstance(kit, Toolkit) and self.offers(kit) for tool in kit.tools)
        same = len(behind) == len(self.behind) and all(map(_same, behind, self.behind))
        return self.behind if same else behind


def _same(one: Tool, two: Tool) -> bool:
    """Whether two definitions are the same bytes. Where both were read from a provider's, these say it sooner than schemas."""
    if one is two:
        return True
    if one.origin is not None and two.origin is not None:
        return (one.origin.format, one.origin.raw) == (two.origin.format, two.origin.raw)
    try:
        return one.origin is two.origin and one == two
    except RecursionError:
        # Schemas deeper than anything can send: a compile says so, whichever of them it gets.
        return False


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise InputError(f"a name is a text, not a {type(name).__name__}", hint="give names one by one: block_tools('a', 'b')")
