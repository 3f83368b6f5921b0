"""The verbs by which a caller chooses what the model can call: tools, rules, blocks, and verdicts on calls.

Knows the session's selection and its head. What goes out changes when one of these verbs, or the model's ``load_toolkit``, says
so, and at no other time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from ..errors import InputError
from ..jsontext import dumps_text
from ..messages import Message, Tool
from ..observe.bus import EventBus
from ..tokens import Tokenizer, weigh_tools
from ..vocabulary import Vocabulary
from ..wire.format import Head
from .events import ToolBlocked
from .loading import Loader
from .retrieval import Answering, Asked, read_call
from .selection.blocking import Verdict, check, read_object
from .selection.namespaces import unfolded
from .selection.pruning import Combine
from .selection.registry import LOAD_TOOLKIT, Registered, Toolkit, ToolNamespace
from .selection.selection import Selection
from .selection.toolkits import ARGUMENT, loaded_text
from .spelling import restored
from .state import CompileSettings, Session

__all__ = ["Choosing"]

_LEAST_LEFT = 8
"""A toolkit is loaded only where an eighth of the window stays free for the conversation: a model that loads everything must
not leave itself without a window."""
_LONGEST_ANSWER = 2_000
"""Tokens of the answer to a load, at most."""
_SHORTEST_ANSWER = 64
"""Tokens that it may have however little is left: it says that the toolkit is loaded."""


class _Composed(NamedTuple):
    """A head with what goes out of its tools, and what it was made of."""

    given: Head
    front: tuple[Tool, ...]
    behind: tuple[Tool, ...]
    made: Head


class Choosing:
    """A context whose tools are chosen."""

    bus: EventBus
    _session: Session
    _tokenizer: Tokenizer
    _vocabulary: Vocabulary
    _answering: Answering | None
    _loader: Loader
    _settings: CompileSettings
    _composed: _Composed | None
    _target: str | None

    def tools(self, *tools: Tool | Registered | ToolNamespace | Toolkit) -> None:
        """Set the tools that the model may call; they replace those of a loaded conversation.

        All of them go out, in this order, until ``select_tools`` says otherwise. Toolkits that are loaded stay so where they
        are among them, and so do blocks.

        Args:
            tools: single tools, with or without tags; namespaces, which are one tool for the model; toolkits, which it loads
                when it needs them.

        Raises:
            InputError: a provider's own JSON instead of a ``Tool``, or two things of one name.
        """
        selection = self._session.selection.registered(tools)
        for name in self._our_names:
            if name in selection.registry.holders:
                raise InputError(
                    f"there are two tools called {name!r}", hint='call ours otherwise: Retrieval(name="transom_context")'
                )
        known = self._session.selection.registry.toolkits
        self._choose(selection)
        if not known >= selection.registry.toolkits:
            # What the conversation loaded before they were there.
            self._session.loads.pending.clear()
            self._note_loads(self._loader.messages)

    def select_tools(
        self,
        *,
        tags: Collection[str] | None = None,
        allow: Collection[str] | None = None,
        combine: Combine = "union",
    ) -> tuple[str, ...]:
        """Send only some of the tools, from the next compile on; without arguments, all of them again.

        What is sent keeps the order of registration. Tools stand before everything else in a payload: each change costs a
        provider's cache the whole prefix.

        Args:
            tags: send what carries one of these. What carries no tag is not sent; toolkits that are loaded stay.
            allow: send what has one of these names: tools, namespaces, toolkits. No names: nothing but our own tools.
            combine: where both are given: what one of them lets through (``union``), or only what both do (``intersection``).

        Returns:
            The names that are sent, our own tools included.

        Raises:
            InputError: a tag or a name that nothing has, the name of something in a namespace or toolkit, no tag at all, or
                tags and names of which nothing has both.
        """
        self._choose(self._session.selection.pruned(tags=tags, allow=allow, combine=combine))
        return tuple(tool.name for tool in self._session.head.tools)

    @property
    def loaded_toolkits(self) -> tuple[str, ...]:
        """The toolkits that the model has loaded, in that order."""
        return self._session.selection.loaded

    def block_tools(self, *names: str, why: str = "") -> None:
        """Forbid calls of tools. The tools that are sent stay as they are, byte for byte: a call is refused when it comes.

        Args:
            names: tools, namespaces (all their actions), toolkits (loading them, and all their tools), our own tools.
            why: what the model is told, in your words.

        Raises:
            InputError: nothing has that name.
        """
        self._session.selection = self._session.selection.with_blocked(names, why, self._our_names)

    def unblock_tools(self, *names: str) -> None:
        """Allow calls again; without names, of everything.

        Raises:
            InputError: one of them is not blocked.
        """
        self._session.selection = self._session.selection.without_blocked(names)

    @property
    def blocked_tools(self) -> tuple[str, ...]:
        """What is blocked, in the order in which it was."""
        return tuple(self._session.selection.blocked)

    def check_tool_call(self, call: object) -> Verdict:
        """Whether a call may be dispatched, and to what: ask for every call before you run it.

        Refused is a call of a tool that is not there, not selected, not loaded or blocked, and one whose arguments lack a name
        or have one too many; ``reason`` is then the result to give the model. Values are not looked at. A call of a namespace
        comes back as the call it stands for. A call that your rules refuse is told of as ``tool_blocked``.

        Args:
            call: as for ``handle_tool``.

        Raises:
            InputError: no call.
        """
        return self._judged(self._read(call))

    def resolve_tool_call(self, call: object) -> Asked:
        """The tool and the arguments that a call stands for: for a call of a namespace, those of the action; any other call as
        it is. Nothing is checked, and nothing is refused.

        Args:
            call: as for ``handle_tool``.

        Raises:
            InputError: no call.
        """
        asked = self._read(call)
        namespace = self._session.selection.registry.by_name.get(asked.name)
        given = read_object(asked.arguments) if isinstance(namespace, ToolNamespace) else ""
        if isinstance(namespace, ToolNamespace) and not isinstance(given, str):
            made = unfolded(namespace, given)
            return Asked(made.tool.name, made.arguments) if made is not None else asked
        return asked

    def _read(self, call: object) -> Asked:
        """A call with its arguments in the form of the tool's own schema, whatever the model was shown."""
        asked = read_call(call)
        wanted = self._settings.tool_schemas
        tool = next((tool for tool in self._session.head.tools if tool.name == asked.name), None) if wanted else None
        given = read_object(asked.arguments) if tool is not None else ""
        if tool is None or isinstance(given, str):
            return asked
        return Asked(asked.name, restored(tool.parameters, given, wanted, self._target or ""))

    @property
    def _our_names(self) -> tuple[str, ...]:
        """What the context itself answers, ``load_toolkit`` aside."""
        return tuple(tool.name for tool in self._answering.tools) if self._answering is not None else ()

    def _loads(self, name: str) -> bool:
        """Whether a call of a tool loads a toolkit."""
        return name == LOAD_TOOLKIT and bool(self._session.selection.toolkits)

    def _answer_choice(self, call: object, available: int, budget: int) -> str | None:
        """The answer to a call of one of our tools that is blocked, or that loads a toolkit; ``None`` for any other.

        Args:
            call: as for ``handle_tool``.
            available: tokens that the conversation may weigh.
            budget: tokens that the answer may have.

        Raises:
            InputError: no call.
        """
        asked = self._read(call)
        ours = self._answering is not None and self._answering.owns(asked.name, self._session.head.tools)
        if not ours and not self._loads(asked.name):
            return None
        verdict = self._judged(asked)
        if not verdict.allowed:
            return verdict.reason
        return self._load_toolkit(verdict, available, budget) if self._loads(asked.name) else None

    def _judged(self, asked: Asked) -> Verdict:
        verdict = check(self._session.selection, asked.name, asked.arguments, self._our_names)
        if verdict.cause in {"blocked", "not_selected"}:
            self.bus.emit(ToolBlocked(verdict.name, verdict.cause, verdict.reason))
        return verdict

    def _choose(self, selection: Selection) -> None:
        """Offer what a selection says. Where it cannot be offered, everything is as before."""
        self._session.head = self._compose(self._session.head, selection)
        self._session.selection = selection

    def _take_head(self, head: Head) -> None:
        """Take over a head, whose tools are another registry where they are not what goes out already."""
        selection, sent = self._session.selection, self._session.head.tools
        if head.tools is not sent and not (self._composed is not None and head is self._composed.given):
            selection = selection.adopted(head.tools, sent)
        self._session.head = self._compose(head, selection)
        self._session.selection = selection

    def _compose(self, head: Head, selection: Selection) -> Head:
        """A head with the tools that go out: one object as long as nothing of it changes, so that what was rendered is kept."""
        known = self._composed
        front, behind = selection.front, selection.behind
        same = known is not None and known.front is front and known.behind is behind
        if same and known is not None and (head is known.given or head is known.made):
            return known.made
        if same and known is not None:
            tools = known.made.tools
        elif self._answering is None:
            tools = (*front, *behind) if behind else front
        else:
            tools = (*self._answering.offered(replace(head, tools=front)).tools, *behind)
        made = head if head.tools is tools else replace(head, tools=tools)
        self._composed = _Composed(head, front, behind, made)
        return made

    def _load_toolkit(self, verdict: Verdict, available: int, budget: int) -> str:
        """Answer a call of ``load_toolkit``.

        Args:
            verdict: the call.
            available: tokens that the conversation may weigh.
            budget: tokens that the answer may have.
        """
        selection, words = self._session.selection, self._vocabulary.selecting
        names = ", ".join(kit.name for kit in selection.toolkits)
        asked = verdict.arguments.get(ARGUMENT)
        if not isinstance(asked, str) or not asked:
            example = dumps_text({ARGUMENT: selection.toolkits[0].name})
            return words.refusal(words.no_toolkit, example=example, names=names)
        kit = selection.toolkit(asked)
        if kit is None:
            return words.refusal(words.unknown_toolkit, name=asked[:80], names=names)
        before = asked in selection.loaded
        if not before:
            needed, room = weigh_tools(kit.tools, self._tokenizer), available - self._settings.window // _LEAST_LEFT
            if needed > room:
                return words.refusal(words.no_room, name=asked, tokens=needed, room=max(0, room))
            self._choose(selection.with_toolkit(asked))
        longest = max(_SHORTEST_ANSWER, min(_LONGEST_ANSWER, budget))
        return loaded_text(kit, words, lambda text: self._tokenizer.count(text) <= longest, before=before)

    def _note_loads(self, messages: Iterable[Message]) -> None:
        """Load what a conversation says was loaded."""
        selection = self._session.selection
        if selection.registry.toolkits:
            for name in self._session.loads.note(messages, selection.words):
                self._choose(self._session.selection.with_toolkit(name))

    def _forget_loads(self) -> None:
        """Another conversation begins."""
        self._session.loads.pending.clear()
        self._choose(self._session.selection.without_toolkits())
