"""The toolbox as faces hold it: what is listed, how its schemas are spelt for a target, and the one way to call.

Knows no protocol and builds no service: what tools use is handed in by type.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..vocabulary import ENGLISH, Vocabulary
from ..wire.profiles import Profile
from .catalog import by_name, families
from .discovery import DISCOVERY
from .dispatch import NOBODY, Caller, Dispatcher, Policy
from .toggles import Toggles
from .tool import Envelope, Family, Tool

if TYPE_CHECKING:
    from ..messages import Tool as Described
    from ..wire.schemas import SchemaReport

__all__ = ["Toolbox"]


class Toolbox:
    """The tools of some families, ready to be called.

    Args:
        chosen: the families; those of this distribution if none are given. The two tools of discovery are always there.
        services: what tools may use, by type; with a ``Store`` among them, answers too large to hand over are kept there.
        toggles: what is switched on; the defaults if not given.
        words: what models are told.
        clock: seconds since the epoch.
        policies: rules of the application's own, asked before each call.
        per_session: makes the services that each session has for itself.

    Raises:
        InputError: two tools answer to one name.
    """

    def __init__(
        self,
        chosen: Iterable[Family] | None = None,
        *,
        services: Mapping[type, object] | None = None,
        toggles: Toggles | None = None,
        words: Vocabulary = ENGLISH,
        clock: Callable[[], float] = time.time,
        policies: Sequence[Policy] = (),
        per_session: Callable[[], Mapping[type, object]] = dict,
    ) -> None:
        self.families: tuple[Family, ...] = (*(families() if chosen is None else chosen), DISCOVERY)
        self.tools: Mapping[str, Tool] = by_name(self.families)
        self.toggles = toggles or Toggles()
        self.words = words
        self.services: Mapping[type, object] = services or {}
        self._per_session = per_session
        self._dispatcher = Dispatcher(
            self.tools, toggles=self.toggles, services=self.services, words=words, clock=clock, policies=policies
        )

    def listed(self, *, discovery: bool = False, most: int | None = None) -> list[Tool]:
        """The tools a client is shown, always in the same order.

        Args:
            discovery: only the two that find and call the others.
            most: how many the client can take; the two that reach the others are kept, then what matters most.
        """
        if discovery:
            return list(DISCOVERY.tools)
        shown = [tool for tool in self.tools.values() if self.toggles.is_listed(tool)]
        if most is None or len(shown) <= most:
            return shown
        ranked = sorted(shown, key=lambda tool: (tool.family != DISCOVERY.name, tool.tier))
        kept = {tool.name for tool in ranked[:most]}
        return [tool for tool in shown if tool.name in kept]

    def schemas(
        self, profile: Profile = "default", tools: Iterable[Tool] | None = None
    ) -> tuple[tuple[Described, ...], SchemaReport]:
        """Tools as a target takes them, and what that weakened.

        Args:
            profile: which target.
            tools: which; those listed if not given.
        """
        # Messages and what converts schemas take long to load, and a list as it is needs neither.
        from ..messages import Tool as Described
        from ..wire.schemas import convert_tools

        chosen = self.listed() if tools is None else tools
        described = [Described(name=tool.name, description=tool.description, parameters=tool.schema) for tool in chosen]
        return convert_tools(described, profile)

    def session(self) -> Mapping[type, object]:
        """Services for a new session, to be handed over with each of its calls (``Caller.services``)."""
        return self._per_session()

    def knows(self, name: str) -> bool:
        """Whether a name, or an older one, is a tool's."""
        return self._dispatcher.knows(name)

    async def call(self, name: str, arguments: object, caller: Caller = NOBODY) -> Envelope:
        """Call a tool; see ``Dispatcher.call``."""
        return await self._dispatcher.call(name, arguments, caller)
