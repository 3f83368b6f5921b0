"""The tools for memory of one session over a store, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transom import Store
from transom.store.backends.memory import MemoryBackend
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.memory import FAMILY, memory_services
from transom.toolbox.tool import Envelope

NOW = 1_700_000_000.0


@dataclass
class Box:
    """Tools over a store, called by one session."""

    store: Store = field(default_factory=lambda: Store(MemoryBackend()))
    session: str | None = "s1"
    project: str | None = None
    stateful: bool = True
    services: Mapping[type, object] = field(default_factory=dict)
    clock: Callable[[], float] = lambda: NOW
    box: Toolbox | None = None

    def __post_init__(self) -> None:
        if self.box is None:
            self.box = Toolbox((FAMILY,), services={Store: self.store, **memory_services(self.store)}, clock=self.clock)
        self._caller = Caller(session=self.session, project=self.project, stateful=self.stateful, services=self.services)

    async def call(self, tool: str, **arguments: object) -> Envelope:
        """What a tool answers."""
        assert self.box is not None
        return await self.box.call(tool, arguments, self._caller)

    async def ok(self, tool: str, **arguments: object) -> Envelope:
        """The same; it must have worked."""
        answer = await self.call(tool, **arguments)
        assert answer.ok, answer.text
        return answer
