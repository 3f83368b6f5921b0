"""What is switched on: families and single tools, and what the list shows by default.

Knows names, no tool's work. A switch set by hand goes before a default, a tool's before its family's. ``all`` switches
everything on: what confirmation and the sandbox guard stays guarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .tool import Tool

__all__ = ["EVERYTHING", "Toggles"]

EVERYTHING = "all"


class Toggles:
    """The switches of one toolbox.

    Args:
        enable: families, tools, or ``all``.
        disable: families or tools that are off whatever else says.
    """

    def __init__(self, enable: Iterable[str] = (), disable: Iterable[str] = ()) -> None:
        self._set: dict[str, bool] = dict.fromkeys(enable, True) | dict.fromkeys(disable, False)
        self._listeners: list[Callable[[], None]] = []

    def is_on(self, tool: Tool) -> bool:
        """Whether it may be called."""
        return self._asked(tool, default=tool.on)

    def is_listed(self, tool: Tool) -> bool:
        """Whether the list shows it: it is on, and either stands in the default list or was switched on by name."""
        return self.is_on(tool) and self._asked(tool, default=tool.visible)

    def _asked(self, tool: Tool, *, default: bool) -> bool:
        for name in (tool.name, tool.family):
            if name in self._set:
                return self._set[name]
        return self._set.get(EVERYTHING, default) or default

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a tool, a family or ``all``; listeners are told if that changed anything."""
        if self._set.get(name) == on:
            return
        self._set[name] = on
        for listener in tuple(self._listeners):
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Be told of every change from now on.

        Returns:
            what ends that.
        """
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end
