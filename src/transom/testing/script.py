"""What a scripted model answers, request by request: replies, faults, and the request a script may look at.

Knows messages; no server. ``ScriptedProvider`` speaks a script over HTTP, ``ScriptedModel`` in the same process.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..jsontext import EMPTY
from ..messages import Call, Message, Opaque
from ..tokens.heuristic import Heuristic
from ..wire.format import Request

__all__ = ["Fault", "Received", "Reply", "Script", "ScriptRunner", "Step", "calls", "says"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers.

    Attributes:
        text: its words.
        calls: tools it calls. A call without an id gets one.
        thinking: its reasoning, where the format has a place for it.
        finish: ``stop``, or why the answer is not whole.
        input_tokens, output_tokens: the usage to report; counted by the heuristic where ``None``.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    finish: Literal["stop", "length", "content_filter"] = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None


def says(text: str, *tool_calls: Call) -> Reply:
    """A reply of words, and of tool calls after them."""
    return Reply(text, tool_calls)


def calls(tool: str, /, **arguments: object) -> Reply:
    """A reply that calls one tool with these arguments and says nothing."""
    return Reply(calls=(Call(tool, json.dumps(arguments, ensure_ascii=False)),))


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that goes wrong. Made by its class methods.

    Attributes:
        kind: which way.
        status: HTTP status of a refusal.
        message: the server's words.
        retry_after: seconds that a refusal asks to wait; ``None`` leaves the header out.
    """

    kind: Literal["refuses", "hangs", "nothing", "page", "garbage", "in_success", "breaks_off"]
    status: int = 200
    message: str = ""
    retry_after: float | None = None

    @classmethod
    def refuses(cls, status: int = 500, message: str = "the scripted server failed", retry_after: float | None = None) -> Fault:
        """An error in the shape of the provider asked."""
        return cls("refuses", status, message, retry_after)

    @classmethod
    def hangs(cls) -> Fault:
        """No answer until the server is closed."""
        return cls("hangs")

    @classmethod
    def nothing(cls) -> Fault:
        """Status 200 and an empty body."""
        return cls("nothing")

    @classmethod
    def page(cls) -> Fault:
        """Status 200 and a web page, as a proxy's login or a wrong address gives."""
        return cls("page")

    @classmethod
    def garbage(cls) -> Fault:
        """Status 200 and JSON that is no answer of any provider."""
        return cls("garbage")

    @classmethod
    def in_success(cls, message: str = "the scripted model failed") -> Fault:
        """Status 200 and an error in the body."""
        return cls("in_success", 200, message)

    @classmethod
    def breaks_off(cls) -> Fault:
        """The connection is closed in the middle of the answer."""
        return cls("breaks_off")


Step = Reply | Fault | str
"""One answer of a script; a text stands for a reply of these words."""


@dataclass(frozen=True, slots=True)
class Received:
    """A request as the model sees it, whatever format it came in.

    Attributes:
        number: 1 for the first request.
        request: what it holds: head and messages.
        format: the wire format's name; empty for a call in the same process.
        path: of the address it was sent to.
        body: as parsed JSON.
        data: the very bytes that came; empty for a call in the same process.
        headers: by lower-case name.
        tokens: what it weighs, estimated from its text.
    """

    number: int
    request: Request
    format: str = ""
    path: str = ""
    body: Mapping[str, object] = EMPTY
    headers: Mapping[str, str] = field(default_factory=dict)
    tokens: int = 0
    data: bytes = b""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation, the system prompt first."""
        return self.request.messages

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools offered: in the request's field for them, and in items of the conversation (OpenAI Responses)."""
        return (*(tool.name for tool in self.request.head.tools), *_offered(self.request.messages))

    @property
    def last(self) -> Message:
        """The newest message."""
        return self.request.messages[-1]


Script = Iterable[Step] | Callable[[Received], Step]
"""Answers in order, or a function that is asked for each."""


@dataclass(slots=True)
class ScriptRunner:
    """Takes the next answer of a script, from any thread; notes what was asked."""

    script: Script
    received: list[Received] = field(default_factory=list)
    _left: Iterator[Step] = field(default_factory=lambda: iter(()), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        if not callable(self.script):
            self._left = iter(self.script)

    def next(self, received: Received) -> Step:
        """The answer to a request.

        Raises:
            LookupError: the script has none left.
        """
        with self._lock:
            self.received.append(received)
            step = self.script(received) if callable(self.script) else next(self._left, None)
        if step is None:
            raise LookupError(f"the script has no answer left for request {received.number}")
        return step


def _offered(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, Opaque) and part.kind == "additional_tools" and isinstance(part.value, Mapping):
                yield from _named(part.value.get("tools"))


def _named(tools: object) -> Iterator[str]:
    """The names of tools, those in namespaces included."""
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, Mapping) and tool.get("type") == "namespace":
            yield from _named(tool.get("tools"))
        elif isinstance(tool, Mapping) and isinstance(tool.get("name"), str):
            yield tool["name"]


def spoken(reply: Reply) -> int:
    """What a reply weighs, in tokens."""
    count = Heuristic().count
    return max(1, count(reply.text + reply.thinking) + sum(count(call.name + call.arguments) for call in reply.calls))
