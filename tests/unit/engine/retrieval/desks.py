"""A session's tools over a store in memory, and the pages of a view read one after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from transom import MemoryBackend, Store
from transom.engine.memory.facts import Facts
from transom.engine.memory.hooks import MemorySettings
from transom.engine.retrieval import Asked, Host, dispatch
from transom.jsontext import loads
from transom.tokens import Heuristic

COUNT = Heuristic().count
_NEXT = re.compile(r"\[… .*?Next: (\{.*\})(.*) …\]\Z")


@dataclass
class Desk:
    """What a model can ask, and what it is told."""

    store: Store = field(default_factory=lambda: Store(MemoryBackend()))
    budget: int = 2_000
    settings: MemorySettings = field(default_factory=MemorySettings)
    more: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = Facts(self.store, settings=self.settings)
        given: dict[str, object] = {"facts": self.facts, **self.more}
        self.host = Host(store=self.store, count=COUNT, budget=self.budget, **given)  # type: ignore[arg-type]

    async def ask(self, command: str, path: str | None = None, /, **arguments: object) -> str:
        """A call of the context tool."""
        return await self.call("context", {"command": command} | ({} if path is None else {"path": path}) | arguments)

    async def memory(self, command: str, path: str | None = None, /, **arguments: object) -> str:
        """A call of Anthropic's memory tool."""
        return await self.call("memory", {"command": command} | ({} if path is None else {"path": path}) | arguments)

    async def call(self, name: str, arguments: object) -> str:
        """Any call. No answer is larger than its budget."""
        text = await dispatch(self.host, Asked(name, arguments))
        assert self.host.count(text) <= self.host.budget, text
        return text

    async def pages(self, command: str, path: str, /, **arguments: object) -> list[str]:
        """Every page of a view, each asked for as the one before said."""
        asked: dict[str, object] = {"command": command, "path": path, **arguments}
        found = [await self.call("context", asked)]
        while (following := next_call(found[-1])) is not None:
            asked = {"path": path} | following
            found.append(await self.call("context", asked))
            assert len(found) < 2_000
        return found


def next_call(page: str) -> dict[str, object] | None:
    """The call that a page says gives the next one."""
    match = _NEXT.search(page)
    if match is None:
        return None
    value = loads(match[1])
    assert isinstance(value, dict)
    return value


def content(page: str) -> str:
    """What a page of a text shows, without heading, numbers and mark."""
    lines = page.split("\n")[1:]
    if next_call(page) is not None:
        lines = lines[:-1]
    return "\n".join(line.split("\t", 1)[1] if re.match(r" *\d+\t", line) else line for line in lines)


def joined(pages: list[str]) -> str:
    """The text that the pages show, pieces of one long line put together again."""
    text = ""
    for number, page in enumerate(pages):
        started = number and (before := next_call(pages[number - 1])) is not None and "offset" in before
        text += ("" if started or not number else "\n") + content(page)
    return text


def body_of(pages: list[str]) -> str:
    """The pages of an archive one after the other, without headings, marks and cuts."""
    text = ""
    for number, page in enumerate(pages):
        started = number and (before := next_call(pages[number - 1])) is not None and "offset" in before
        lines = page.split("\n")[1:]
        shown = "\n".join(lines[:-1] if next_call(page) is not None else lines)
        text += ("" if started or not number else "\n\n") + shown
    return text
