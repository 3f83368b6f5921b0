"""``server``: the provider keeps its own window in order, where it can; elsewhere a fallback does.

Knows what Anthropic's requests say for that, and the protocol of a fallback. What leaves a window there leaves it at the
provider: the history that is sent stays whole, and so does the fallback's duty to close it before it exceeds the window.

Sources: https://platform.claude.com/docs/en/build-with-claude/context-editing and
https://platform.claude.com/docs/en/build-with-claude/compaction
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ....errors import JSONError, StrategyError
from ....jsontext import dumps_text, loads
from ....wire.format import Head
from ...offload.payloads import RETRIEVAL_TOOLS
from ..strategy import Outcome, Span, Strategy

__all__ = ["Server", "server"]

TARGET = "anthropic"
FIELD = "context_management"

EDITING = "context-management-2025-06-27"
COMPACTION = "compact-2026-01-12"
"""Each kind of edit needs its beta: "To enable it, use the beta header context-management-2025-06-27"."""

CLEAR_TOOLS = "clear_tool_uses_20250919"
CLEAR_THINKING = "clear_thinking_20251015"
COMPACT = "compact_20260112"

LEAST_COMPACT = 50_000
"""Compaction: "Must be at least 50,000 tokens"."""

KEPT_TOOL_USES = 3
LEAST_SHARE = 10
"""Clearing moves the provider's cached prefix, so it waits until a tenth of the trigger can be cleared at once."""


@dataclass(frozen=True, slots=True)
class Server:
    """Leaves the window of Anthropic's requests to Anthropic.

    Attributes:
        edits: what to ask for, as JSON texts; ``None`` chooses by the request.
        fallback: what closes windows for other targets, and where a history does not fit even so.
        betas: further betas to name.
    """

    edits: tuple[str, ...] | None
    fallback: Strategy
    betas: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """``server``, and what closes windows elsewhere."""
        return f"server, else {self.fallback.name}"

    @property
    def model_free(self) -> bool:
        """Whether the fallback needs no model."""
        return bool(getattr(self.fallback, "model_free", False))

    @property
    def fingerprint(self) -> str:
        """That of the fallback: heads are its alone."""
        return self.fallback.fingerprint

    async def apply(self, span: Span) -> Outcome:
        """What the fallback decides."""
        return await self.fallback.apply(span)

    def manages(self, target: str) -> bool:
        """Whether requests of this target say that the provider keeps its window."""
        return target == TARGET

    def request_fields(self, head: Head, trigger: int) -> tuple[dict[str, object], tuple[str, ...]]:
        """What a request has to say, and the betas it needs. The same for every request with the same head.

        A request whose own body asks for edits keeps those.

        Args:
            head: of the request.
            trigger: tokens of the whole input at which the provider is to make room.

        Returns:
            Top-level fields of the body, and the names of betas.
        """
        own = head.fields.get(FIELD) if head.format == TARGET else None
        if own is not None:
            asked = own.get("edits") if isinstance(own, Mapping) else None
            listed = [edit for edit in asked if isinstance(edit, Mapping)] if isinstance(asked, Sequence) else []
            fields: dict[str, object] = {}
        else:
            listed = self._chosen(head, trigger)
            fields = {FIELD: {"edits": listed}}
        betas = tuple(dict.fromkeys([*(_beta(str(edit.get("type"))) for edit in listed), *self.betas]))
        stated = head.fields.get("betas") if head.format == TARGET else None
        if isinstance(stated, list | tuple):
            # The SDK takes betas as an argument beside those of the body: a request that came as its arguments goes out so.
            betas = tuple(dict.fromkeys([*map(str, stated), *betas]))
            fields["betas"] = list(betas)
        return fields, betas

    def _chosen(self, head: Head, trigger: int) -> list[Mapping[str, object]]:
        if self.edits is None:
            return _default(head, trigger)
        edits = [edit for edit in map(loads, self.edits) if isinstance(edit, dict)]
        # Where several are combined, Anthropic wants clear_thinking_20251015 first.
        edits.sort(key=lambda edit: edit["type"] != CLEAR_THINKING)
        for edit in edits:
            if edit["type"] in (CLEAR_TOOLS, COMPACT) and "trigger" not in edit:
                at = max(trigger, LEAST_COMPACT) if edit["type"] == COMPACT else trigger
                edit["trigger"] = {"type": "input_tokens", "value": at}
        return list(edits)


def _default(head: Head, trigger: int) -> list[Mapping[str, object]]:
    edits: list[Mapping[str, object]] = []
    thinking = head.fields.get("thinking") if head.format == TARGET else None
    if isinstance(thinking, Mapping) and thinking.get("type") in ("enabled", "adaptive"):
        # "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive". Unasked, some models drop all
        # thinking but the last, and the cached prefix with it, at every turn.
        edits.append({"type": CLEAR_THINKING, "keep": "all"})
    clearing: dict[str, object] = {
        "type": CLEAR_TOOLS,
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": KEPT_TOOL_USES},
        "clear_at_least": {"type": "input_tokens", "value": max(1, trigger // LEAST_SHARE)},
    }
    ours = sorted({tool.name for tool in head.tools} & RETRIEVAL_TOOLS)
    if ours:
        clearing["exclude_tools"] = ours
    return [*edits, clearing]


def _beta(kind: str) -> str:
    return COMPACTION if kind.startswith("compact_") else EDITING


def server(edits: Iterable[Mapping[str, object]] | None = None, *, fallback: Strategy, betas: Iterable[str] = ()) -> Server:
    """The provider keeps its own window in order.

    For the target ``anthropic`` the request says by ``context_management`` what the provider may clear or compact, and the
    payload names the betas to ask for (``payload.betas``, ``payload.headers``). The whole history is sent; the window closes
    here only when it does not fit at all. Every other target has the fallback at work, as if it stood alone.

    Args:
        edits: as Anthropic's API takes them, for example ``{"type": "clear_tool_uses_20250919"}``. By default old tool results
            are cleared at the trigger, and thinking, where the request has it, stays so that the provider's cache holds. An
            edit without a trigger is given ours.
        fallback: the strategy for everything else, for example ``chain(clear(), digest(), reset())``.
        betas: further betas to name, for kinds of edits that are not known here.

    Raises:
        StrategyError: an edit without a type or that JSON cannot hold, or a fallback that is no strategy or leaves windows to a
            provider itself.
    """
    if not isinstance(getattr(fallback, "fingerprint", None), str) or isinstance(fallback, Server):
        raise StrategyError(f"{fallback!r} is no fallback", hint="server(fallback=chain(clear(), digest(), reset()))")
    given: object = betas
    named = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given, None)
    if not all(isinstance(beta, str) for beta in named):
        raise StrategyError(f"{betas!r} are no names of betas", hint='betas=["context-management-2025-06-27"]')
    if edits is None:
        return Server(None, fallback, named)
    asked: object = edits
    if isinstance(asked, str | Mapping) or not isinstance(asked, Iterable):
        raise StrategyError(f"{edits!r} is no list of edits", hint='an edit has a type: [{"type": "clear_tool_uses_20250919"}]')
    listed = list(asked)
    for edit in listed:
        if not isinstance(edit, Mapping) or not isinstance(edit.get("type"), str):
            raise StrategyError(f"{edit!r} is no edit", hint='an edit has a type: [{"type": "clear_tool_uses_20250919"}]')
    try:
        return Server(tuple(dumps_text(dict(edit)) for edit in listed), fallback, named)
    except JSONError as error:
        raise StrategyError(
            f"an edit cannot be sent: {error.message}", hint='an edit has a type: [{"type": "clear_tool_uses_20250919"}]'
        ) from None
