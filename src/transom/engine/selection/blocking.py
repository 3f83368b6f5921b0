"""Blocking: whether a call may be dispatched, and what the model is told where it may not.

Pure. The tools that go out are not touched: a block that changed them would move everything behind them out of the provider's
cache. So every call is looked at when it comes. What a model got wrong never raises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from ...errors import JSONError
from ...jsontext import EMPTY, dumps_text, loads
from ...messages import Tool
from .namespaces import unfolded
from .registry import LOAD_TOOLKIT, Registered, Toolkit, ToolNamespace
from .selection import Selection
from .signatures import parameters_of, signature
from .toolkits import ARGUMENT

__all__ = ["Cause", "Verdict", "check", "read_object"]

Cause = Literal["", "blocked", "not_selected", "not_loaded", "unknown", "arguments"]
"""Why a call is refused: by the caller's rules (``blocked``, ``not_selected``), or because the model got it wrong."""

_MOST_NAMES = 20
_SHOWN = 80
"""Characters of a model's own words that are repeated to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be done with a call.

    Attributes:
        allowed: it may be dispatched.
        name: the tool to dispatch to: for a call of a namespace, the one it stands for.
        arguments: its arguments; for a tool with free-text input, ``input`` alone.
        cause: why it is refused; empty where it is not.
        reason: what to give the model as the result of a refused call.
    """

    allowed: bool
    name: str
    arguments: Mapping[str, object] = EMPTY
    cause: Cause = ""
    reason: str = ""


def check(selection: Selection, name: str, given: object, ours: Collection[str]) -> Verdict:
    """Look at a call.

    Args:
        selection: what is offered.
        name: the tool that is called.
        given: its arguments: JSON text, an object, or nothing.
        ours: names of tools that the context itself answers. What is wrong with their arguments, they say.
    """
    if name in ours or (name == LOAD_TOOLKIT and selection.toolkits):
        return _ours(selection, name, given)
    registry = selection.registry
    holder, entry = registry.holders.get(name), registry.by_name.get(name)
    if isinstance(entry, ToolNamespace):
        return _namespace(selection, entry, given)
    tool = registry.tool(name)
    if tool is None and name == LOAD_TOOLKIT and registry.toolkits:
        return _refused(selection, name, "not_selected", selection.words.not_selected, tool=name, names=_names(selection, ours))
    if tool is None:
        return _refused(
            selection, name, "unknown", selection.words.unknown_tool, tool=name[:_SHOWN], names=_names(selection, ours)
        )
    owner = holder if holder is not None and not isinstance(entry, Registered) else None
    blocked = _blocked(selection, name, owner.name if owner is not None else name)
    if blocked is not None:
        return blocked
    offered = selection.offers(owner) if owner is not None else name in selection.selected
    if not offered:
        return _refused(selection, name, "not_selected", selection.words.not_selected, tool=name, names=_names(selection, ours))
    if isinstance(owner, ToolNamespace):
        example = dumps_text({owner.argument: name})
        return _refused(
            selection, name, "arguments", selection.words.in_namespace, tool=name, namespace=owner.name, example=example
        )
    if isinstance(owner, Toolkit) and owner.name not in selection.loaded:
        example = dumps_text({ARGUMENT: owner.name})
        return _refused(
            selection,
            name,
            "not_loaded",
            selection.words.not_loaded,
            tool=name,
            toolkit=owner.name,
            loader=LOAD_TOOLKIT,
            example=example,
        )
    return _with_arguments(selection, tool, given)


def read_object(given: object) -> Mapping[str, object] | str:
    """Arguments as an object; a text says why they are none, and is empty for JSON of another kind."""
    value = given
    if isinstance(given, str | bytes):
        try:
            value = loads(given) if given.strip() else {}
        except JSONError as error:
            return error.message.removeprefix("not JSON: ")[:_SHOWN] or "?"
    if value is None:
        return {}
    return {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else ""


def _ours(selection: Selection, name: str, given: object) -> Verdict:
    read = read_object(given)
    arguments = read if isinstance(read, Mapping) else {}
    asked = arguments.get(ARGUMENT) if name == LOAD_TOOLKIT else None
    blocked = _blocked(selection, name)
    if blocked is None and isinstance(asked, str):
        blocked = _blocked(selection, asked, called=name)
    return blocked or Verdict(allowed=True, name=name, arguments=arguments)


def _namespace(selection: Selection, namespace: ToolNamespace, given: object) -> Verdict:
    words, name = selection.words, namespace.name
    blocked = _blocked(selection, name)
    if blocked is not None:
        return blocked
    if name not in selection.selected:
        return _refused(selection, name, "not_selected", words.not_selected, tool=name, names=_names(selection, ()))
    actions = ", ".join(tool.name for tool in namespace.tools)
    read = read_object(given)
    if isinstance(read, str):
        return _unread(selection, name, f"{name}({namespace.argument}, …)", read)
    made = unfolded(namespace, read)
    if made is None:
        asked = read.get(namespace.argument)
        if asked is None or asked == "":
            return _refused(
                selection, name, "arguments", words.no_action, tool=name, argument=namespace.argument, actions=actions
            )
        shown = dumps_text(asked)[:_SHOWN]
        return _refused(selection, name, "arguments", words.unknown_action, tool=name, action=shown, actions=actions)
    return _blocked(selection, made.tool.name) or _with_arguments(selection, made.tool, made.arguments)


def _with_arguments(selection: Selection, tool: Tool, given: object) -> Verdict:
    """The names of the arguments against the schema."""
    if tool.kind != "function":
        read = read_object(given) if isinstance(given, Mapping) else {"input": given}
        return Verdict(allowed=True, name=tool.name, arguments=read if isinstance(read, Mapping) else EMPTY)
    words, line = selection.words, signature(tool)
    arguments = read_object(given)
    if isinstance(arguments, str):
        return _unread(selection, tool.name, line, arguments)
    known = parameters_of(tool)
    missing = [name for name in known.required if name not in arguments]
    if missing:
        return _refused(
            selection, tool.name, "arguments", words.missing, tool=tool.name, names=", ".join(missing), signature=line
        )
    unexpected = [] if known.open else [name[:_SHOWN] for name in arguments if name not in known.properties]
    if unexpected:
        return _refused(
            selection, tool.name, "arguments", words.unexpected, tool=tool.name, names=", ".join(unexpected), signature=line
        )
    return Verdict(allowed=True, name=tool.name, arguments=arguments)


def _blocked(selection: Selection, *names: str, called: str = "") -> Verdict | None:
    for name in names:
        if name in selection.blocked:
            words, why = selection.words, selection.blocked[name]
            template = words.blocked_why if why else words.blocked
            return _refused(selection, called or names[0], "blocked", template, tool=names[0], why=why)
    return None


def _unread(selection: Selection, name: str, line: str, why: str) -> Verdict:
    template = selection.words.bad_json if why else selection.words.no_object
    return _refused(selection, name, "arguments", template, tool=name, signature=line, why=why)


def _refused(
    selection: Selection, name: str, cause: Cause, template: str, *, names: str | _Names = "", **values: object
) -> Verdict:
    if isinstance(names, _Names):
        template, text = f"{template} {{others}}", names.said(selection, name)
        reason = selection.words.refusal(template, others=text, **values)
    else:
        reason = selection.words.refusal(template, names=names, **values)
    return Verdict(allowed=False, name=name, cause=cause, reason=reason.rstrip())


@dataclass(frozen=True, slots=True)
class _Names:
    """What can be called instead."""

    known: tuple[str, ...]

    def said(self, selection: Selection, name: str) -> str:
        words = selection.words
        similar = get_close_matches(name[:_SHOWN], self.known, n=3)
        if similar:
            return words.similar.format(names=", ".join(similar))
        if len(self.known) <= _MOST_NAMES:
            return words.others.format(names=", ".join(self.known)) if self.known else ""
        shown = ", ".join(self.known[:_MOST_NAMES])
        return words.some_others.format(names=shown, count=len(self.known) - _MOST_NAMES)


def _names(selection: Selection, ours: Collection[str]) -> _Names:
    return _Names(tuple(_callable(selection, ours)))


def _callable(selection: Selection, ours: Collection[str]) -> Iterator[str]:
    for name in dict.fromkeys([*(tool.name for tool in selection.front), *ours, *(tool.name for tool in selection.behind)]):
        if name not in selection.blocked:
            yield name
