"""What each part of a snapshot has to be: the shapes in which ``snapshot`` and ``restoring`` write a session, checked at once.

Knows types and bounds, and no session. Messages, tools and window records are checked by those who read them. Fields that later
releases added may be absent; a field that is not named here is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict, TypeVar

from msgspec import Meta

from ..errors import FormatError, JSONError
from ..jsontext import typed
from ..messages.tools import ToolChoice
from .memory.fact import Fact, check_importance, check_key, project_folder
from .placement.announcements import Channel
from .placement.dynamic_state import StatePlace
from .selection.pruning import Combine
from .skills.block import SkillPlace

__all__ = ["HeadShape", "LoaderShape", "SessionShape", "WindowShape", "check_additions", "check_tools", "shaped"]

T = TypeVar("T")
Count = Annotated[int, Meta(ge=0, le=2**53)]
Tokens = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Ratio = Annotated[float, Meta(gt=0.01, lt=100.0)]
"""Far beyond the bounds that a calibration keeps to."""


class LoaderShape(TypedDict):
    """What was loaded."""

    format: str
    system: Count
    fields: list[str] | None


class HeadShape(TypedDict):
    """Model, tools and sampling."""

    format: NotRequired[str]
    model: NotRequired[str | None]
    tools: NotRequired[list[object]]
    tool_choice: NotRequired[ToolChoice | None]
    max_output_tokens: NotRequired[Tokens | None]
    params: NotRequired[dict[str, object] | None]
    fields: NotRequired[dict[str, object] | None]
    unshared: NotRequired[list[str]]


class WindowShape(TypedDict):
    """The window that is open."""

    base: dict[str, object] | None
    records: list[object]
    parted: bool
    adopted: bool


class SessionShape(TypedDict):
    """What reports taught and what was said already."""

    ratio: Ratio
    usage: tuple[Tokens, Tokens] | None
    calibration: list[tuple[Count, Count]]
    estimated: Tokens
    target: str | None
    asked: str
    repairs: Count
    reported: list[str]
    failed: list[str]
    removed: list[str]
    noticed: str
    warned: str
    new_context: bool
    managed: bool


class _State(TypedDict):
    value: object
    tag: str
    place: StatePlace


class _Placed(TypedDict):
    name: str
    inner: str
    text: str


class _Block(TypedDict):
    text: str
    keys: list[str]
    lines: dict[str, str]
    left_out: Count


class _Frozen(TypedDict):
    memory: NotRequired[_Block | None]
    state: NotRequired[str]
    skill: NotRequired[_Placed | None]


class _Additions(TypedDict):
    tail: NotRequired[str]
    pending: NotRequired[list[str]]
    project: NotRequired[str]
    state: NotRequired[_State | None]
    guardrail: NotRequired[tuple[str, str, str] | None]
    announcements: NotRequired[list[tuple[str, str, Channel]]]
    skill: NotRequired[_Placed | None]
    skill_place: NotRequired[SkillPlace]
    frozen: NotRequired[_Frozen | None]
    sticky: NotRequired[dict[str, tuple[str, Count]] | None]
    facts: NotRequired[list[Fact]]


class _Entry(TypedDict):
    tool: NotRequired[object]
    namespace: NotRequired[str]
    toolkit: NotRequired[str]
    description: NotRequired[str]
    tools: NotRequired[list[object]]
    tags: NotRequired[list[str]]
    argument: NotRequired[str]


class _Tools(TypedDict):
    registered: NotRequired[list[_Entry]]
    tags: NotRequired[list[str] | None]
    allow: NotRequired[list[str] | None]
    combine: NotRequired[Combine]
    loaded: NotRequired[list[str]]
    blocked: NotRequired[list[tuple[str, str]]]


def shaped(value: object, kind: type[T], name: str) -> T:
    """A part of a snapshot, of the shape it has to have.

    Args:
        value: as it stands in the snapshot.
        kind: the shape.
        name: what the part is called there.

    Raises:
        FormatError: the part is missing or of another shape; says where.
    """
    try:
        return typed(value, kind)
    except JSONError as error:
        raise FormatError(f"the snapshot is damaged: {name}: {error.message}", hint="take it from Context.snapshot") from None


def check_additions(value: Mapping[str, object]) -> None:
    """Refuse additions of another shape.

    Raises:
        FormatError: says where.
        InputError, URIError: a fact that could not be put back.
    """
    for fact in shaped(value, _Additions, "additions").get("facts", ()):
        # A key or project that has no place in the store would be found out when the fact is put back.
        check_key(fact.key)
        project_folder(fact.project)
        check_importance(fact.importance)


def check_tools(value: object) -> None:
    """Refuse a selection of tools of another shape; ``None`` is none.

    Raises:
        FormatError: says where.
    """
    if value is not None:
        shaped(value, _Tools, "tools")
