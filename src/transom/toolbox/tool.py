"""What a tool is: a typed function with a docstring, what is declared beside it, and what it gets and gives.

Knows neither files nor processes nor any family. Name, description and schema are read off the function; arguments are checked
by msgspec against the same signature, so the schema that a model sees and the check it meets cannot differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol, TypeVar, get_type_hints

from ..safety.verdict import Verdict
from ..vocabulary import Vocabulary
from .signature import Signature

__all__ = [
    "Alias",
    "CallCancelled",
    "CatalogView",
    "Confidence",
    "Envelope",
    "Family",
    "Hints",
    "Listing",
    "Refused",
    "Result",
    "Tool",
    "ToolContext",
    "tool",
]

Confidence = Literal["extracted", "inferred", "ambiguous"]
"""How sure a result is: read off a source, concluded from one, or one of several readings."""

Service = TypeVar("Service")
Needed = bool | Callable[[Mapping[str, object]], bool]


class CallCancelled(Exception):
    """Whoever called this tool does not want its answer any more."""


class Refused(Exception):
    """A tool's failure, as text that the model can act on.

    Args:
        error: the symbol of its class, for example ``not_found``.
        text: what is wrong and what to do next, in sentences.
        data: what a program may want to know of it.
    """

    def __init__(self, error: str, text: str, *, data: Mapping[str, object] | None = None) -> None:
        super().__init__(text)
        self.error = error
        self.text = text
        self.data: Mapping[str, object] = data or {}

    @classmethod
    def by(cls, verdict: Verdict, words: Vocabulary) -> Refused:
        """The refusal that a verdict asks for, in words."""
        return cls(verdict.error or "invalid_input", words.refusing.say(verdict.reason, verdict.facts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a tool gives when it worked.

    Attributes:
        data: the result for programs. What JSON can hold.
        text: the result for a model.
        confidence: how sure it is.
        provenance: where it came from: a path, an address, a URL. ``None`` where that says itself.
        uri: where the whole of it is, if ``text`` holds only a part.
    """

    data: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    confidence: Confidence = "extracted"
    provenance: str | None = None
    uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What every face hands over: one shape for all tools, worked or not.

    Attributes:
        ok: it worked.
        error: the symbol of what went wrong, or ``None``.
        data, text, confidence, provenance, uri: as in ``Result``.
    """

    ok: bool
    error: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    uri: str | None = None
    confidence: Confidence = "extracted"
    provenance: str | None = None

    def as_dict(self) -> dict[str, object]:
        """It as JSON holds it, keys in a fixed order."""
        return {
            "ok": self.ok,
            "error": self.error,
            "data": dict(self.data),
            "text": self.text,
            "uri": self.uri,
            "confidence": self.confidence,
            "provenance": self.provenance,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The four behaviours that clients ask about (Model Context Protocol, tool annotations).

    Attributes:
        read_only: changes nothing outside the toolbox.
        destructive: may remove or overwrite what was there; only meaningful where not read-only.
        idempotent: the same call again changes nothing more.
        open_world: reaches what is outside this machine.
    """

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """An older name that answers and is never listed.

    Attributes:
        name: the older name.
        arguments: parameters that had other names, old to new.
        fixed: arguments that the older tool implied.
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One tool as the catalog describes it to a tool.

    Attributes:
        name, family, title, description: what it is.
        enabled: it may be called.
        visible: it stands in the default list.
        schema: the JSON Schema of its arguments.
        aliases: older names.
    """

    name: str
    family: str
    title: str
    description: str
    enabled: bool
    visible: bool
    schema: Mapping[str, object]
    aliases: tuple[str, ...] = ()


class CatalogView(Protocol):
    """What tools may know of the catalog."""

    def listings(self) -> Sequence[Listing]:
        """Every tool there is, in the catalog's order."""
        ...

    async def call(self, name: str, arguments: Mapping[str, object]) -> Envelope:
        """Call another tool as the same caller, through every check."""
        ...


class ToolContext(Protocol):
    """What a tool gets beside its arguments."""

    @property
    def words(self) -> Vocabulary:
        """What it says to a model is taken from here."""
        ...

    @property
    def session(self) -> str | None:
        """The caller's session; ``None`` for a call that belongs to none."""
        ...

    @property
    def project(self) -> str | None:
        """The caller's project, if it has one."""
        ...

    @property
    def stateful(self) -> bool:
        """Later calls of this session see what this one sets, for example the working directory."""
        ...

    @property
    def catalog(self) -> CatalogView:
        """The other tools."""
        ...

    def use(self, kind: type[Service]) -> Service:
        """The service of that type, as the runtime registered it.

        Raises:
            Refused: ``unavailable``: there is none here.
        """
        ...

    def clock(self) -> float:
        """Seconds since the epoch."""
        ...

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell whoever waits how far it is. Cheap, from any thread; heard only where the caller listens."""
        ...

    def wait(self, errand: Coroutine[object, object, Service]) -> Service:
        """Have a coroutine run by the loop that made the call, and wait for it; for plain functions only."""
        ...

    def check(self) -> None:
        """Whether to go on; to be called in loops of plain functions.

        Raises:
            CallCancelled: the caller gave up.
        """
        ...


Body = Callable[..., Result | Envelope | Awaitable[Result | Envelope]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool: its function and what is declared beside it.

    Attributes:
        name: as models call it.
        family: the family's name.
        title: what people read in a client.
        body: the function; its first parameter is the ``ToolContext``.
        hints: the four annotations.
        on: enabled unless someone turns it off.
        visible: stands in the default list while it is enabled.
        reader: it pages its answers itself, so they are never spilled to the store.
        confirm: whether a call needs the user's consent, for all arguments or by them.
        preview: what a call would do, for whoever is asked to consent; the same parameters, changes nothing.
        seconds: how long a call may take, at most.
        drains: it changes the conversation's own context, so it waits for other calls of the session to end.
        aliases: older names that answer.
        tier: what goes first where a limit forces a choice: 1 critical … 5 background.
        forwards: it only calls another tool; whatever is said of a call is said of that one.
    """

    name: str
    family: str
    title: str
    body: Body
    hints: Hints
    on: bool = True
    visible: bool = False
    reader: bool = False
    confirm: Needed = False
    preview: Body | None = None
    seconds: float = 60.0
    drains: bool = False
    aliases: tuple[Alias, ...] = ()
    tier: int = 3
    forwards: bool = False

    @cached_property
    def signature(self) -> Signature:
        """Its arguments: schema, check and names. Made when first asked for: a hundred of them take time at start."""
        return Signature(self.name, self.body, get_type_hints(self.body, include_extras=True))

    @property
    def description(self) -> str:
        """What its docstring says before the arguments."""
        return self.signature.description

    @property
    def schema(self) -> Mapping[str, object]:
        """The JSON Schema of its arguments."""
        return self.signature.schema

    @property
    def asynchronous(self) -> bool:
        """Its function is a coroutine function; plain ones run in a thread."""
        return inspect.iscoroutinefunction(self.body)

    def needs_consent(self, arguments: Mapping[str, object]) -> bool:
        """Whether a call with these arguments must be confirmed."""
        return self.confirm(arguments) if callable(self.confirm) else self.confirm

    def check(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The arguments as the function takes them, defaults left out.

        Raises:
            msgspec.ValidationError: one that is missing, unknown, of the wrong type or out of bounds.
        """
        return self.signature.check(arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Tools that belong together, switched on and off as one.

    Attributes:
        name: as ``--enable`` takes it.
        title: what people read.
        tools: its tools, in the order they are listed.
    """

    name: str
    title: str
    tools: tuple[Tool, ...]


def tool(
    *,
    family: str,
    title: str,
    read_only: bool = False,
    destructive: bool = True,
    idempotent: bool = False,
    open_world: bool = False,
    on: bool = True,
    visible: bool = False,
    reader: bool = False,
    confirm: Needed = False,
    preview: Body | None = None,
    seconds: float = 60.0,
    drains: bool = False,
    aliases: Sequence[Alias | str] = (),
    tier: int = 3,
    forwards: bool = False,
    name: str = "",
) -> Callable[[Body], Tool]:
    """Make a tool of a function; the arguments are the attributes of ``Tool`` and ``Hints``.

    The four hints default as the Model Context Protocol has them, but for ``open_world``: hardly any tool of ours leaves
    the machine.
    """

    def made(body: Body) -> Tool:
        return Tool(
            name=name or body.__name__,
            family=family,
            title=title,
            body=body,
            hints=Hints(
                read_only=read_only, destructive=destructive and not read_only, idempotent=idempotent, open_world=open_world
            ),
            on=on,
            visible=visible,
            reader=reader,
            confirm=confirm,
            preview=preview,
            seconds=seconds,
            drains=drains,
            aliases=tuple(Alias(name=item) if isinstance(item, str) else item for item in aliases),
            tier=tier,
            forwards=forwards,
        )

    return made
