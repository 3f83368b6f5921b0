"""Answering: the context tools of one session: what is offered, which calls are ours, and how much room an answer has.

Knows settings and the request's head; the conversation only as the tokens that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...errors import InputError
from ...messages import Message, Result, Tool
from ...store.store import Store
from ...vocabulary import Vocabulary
from ...wire.format import Head
from ..placement.labels import Labels
from .calls import read_call
from .definition import MEMORY_TOOL, context_tools, native_memory_tool
from .dispatch import dispatch
from .host import WRITABLE, EntriesPort, FactsPort, Host
from .room import SMALLEST

__all__ = ["Answering", "Retrieval"]

_FLOOR = 512
"""Tokens an answer may have though the window is about to close: the next compile makes room, a shorter page helps nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """How a session's context tool works.

    Attributes:
        name: what it is called: ``context``, or ``transom_context`` where the caller has a tool ``context`` of its own.
        budget: tokens an answer may have at most; less where less is left before the window closes.
        writable: namespaces that the model may write: ``memory`` and ``notes``, one of them, or none.
        new_context: offer the tool ``new_context`` as well, by which the model closes its window.
        native_memory: offer Anthropic's own memory tool as well; other targets leave it out.

    Raises:
        InputError: a value that makes no sense.
    """

    name: Literal["context", "transom_context"] = "context"
    budget: int = 2_000
    writable: Collection[str] = WRITABLE
    new_context: bool = True
    native_memory: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.writable, str) or not frozenset(self.writable) <= WRITABLE:
            raise InputError(f"{self.writable!r} cannot be made writable", hint="a set of memory and notes")
        if self.budget < SMALLEST:
            raise InputError(f"a view of {self.budget} tokens", hint=f"give at least {SMALLEST}")
        if self.name not in {"context", "transom_context"}:
            # What it returns is known by its name, and is never pruned or cleared.
            raise InputError(f"a context tool called {self.name!r}", hint="context or transom_context")


class Answering:
    """What a context asks of its context tools.

    Args:
        settings: how they work.
        store: where everything lies.
        count: tokens of a text.
        vocabulary: what the model reads.
        facts, entries: memory.
        request_new_context: called when the model asks for a new window.
        labels: which labels are shown.
    """

    def __init__(
        self,
        settings: Retrieval,
        *,
        store: Store,
        count: Callable[[str], int],
        vocabulary: Vocabulary,
        facts: FactsPort | None,
        entries: EntriesPort | None,
        request_new_context: Callable[[], object],
        labels: Labels,
    ) -> None:
        self.settings = settings
        self._host = Host(
            store=store,
            count=count,
            budget=settings.budget,
            facts=facts,
            entries=entries,
            vocabulary=vocabulary,
            writable=frozenset(settings.writable),
            request_new_context=request_new_context if settings.new_context else None,
            name=settings.name,
            labels=labels,
        )
        ours = context_tools(vocabulary, name=settings.name)
        native = (native_memory_tool(),) if settings.native_memory else ()
        self.tools: tuple[Tool, ...] = (*(ours if settings.new_context else ours[:1]), *native)
        self._given = 0
        self._offered: tuple[Head, Head] | None = None

    def offered(self, head: Head) -> Head:
        """The head with our tools behind the caller's. The same object for the same head, so that what was rendered is kept.

        Raises:
            InputError: the caller has a tool of the same name.
        """
        if self._offered is not None and any(head is known for known in self._offered):
            return self._offered[1]
        shapes = {tool.name: _arguments(tool) for tool in self.tools}
        own = [tool for tool in head.tools if tool.name not in shapes or shapes[tool.name] != _arguments(tool)]
        for tool in own:
            if tool.name in shapes:
                raise InputError(
                    f"there are two tools called {tool.name!r}", hint='call ours otherwise: Retrieval(name="transom_context")'
                )
        self._offered = (head, replace(head, tools=(*own, *self.tools)))
        return self._offered[1]

    def owns(self, name: str, tools: Sequence[Tool]) -> bool:
        """Whether a tool is ours: one that is offered, or Anthropic's memory tool where the caller offers it.

        Args:
            name: as it is called.
            tools: what the model may call.
        """
        return any(tool.name == name for tool in self.tools) or (
            name == MEMORY_TOOL and any(self._is_native(tool) for tool in tools)
        )

    async def answer(self, call: object, tools: Sequence[Tool], *, before_closing: int, before_end: int, turn: int) -> str:
        """The result of a call.

        Args:
            call: in any of the shapes that ``read_call`` reads.
            tools: what the model may call.
            before_closing, before_end: tokens until the window closes, and until it is full.
            turn: the session's turn.

        Raises:
            InputError: no call, or of a tool that is not ours.
        """
        asked = read_call(call)
        if not self.owns(asked.name, tools):
            raise InputError(
                f"{asked.name!r} is no tool of this context",
                hint="ask owns_tool first; calls of your own tools are yours to answer",
            )
        free = max(before_closing, min(_FLOOR, before_end // 2)) - self._given
        host = replace(self._host, budget=max(SMALLEST, min(self.settings.budget, free)), turn=turn)
        text = await dispatch(host, asked)
        self._given += host.count(text)
        return text

    def settled(self, messages: Iterable[Message] | None = None) -> None:
        """What was given so far counts with the conversation from now on, or was not taken.

        Args:
            messages: what came to the conversation; only results settle anything. ``None`` where a payload was made.
        """
        if messages is None or any(isinstance(part, Result) for message in messages for part in message.parts):
            self._given = 0

    @staticmethod
    def _is_native(tool: Tool) -> bool:
        origin = tool.origin
        return tool.name == MEMORY_TOOL and tool.kind == "native" and origin is not None and b'"memory_' in origin.raw


def _arguments(tool: Tool) -> frozenset[str] | None:
    """The names of a function's arguments: they tell ours from another tool of that name, whatever words and fields it has."""
    properties = (tool.parameters or {}).get("properties", {})
    return frozenset(properties) if tool.kind == "function" and isinstance(properties, Mapping) else None
