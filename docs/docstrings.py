"""Turns the docstrings of a public name into Markdown.

Knows Python and the house's way to write docstrings (a text, then ``Args:``, ``Attributes:``, ``Returns:``, ``Raises:``), and
no name of the project.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

HEADINGS = {"Args:": "Arguments", "Attributes:": "Attributes", "Returns:": "Returns", "Raises:": "Raises"}
LONGEST_DEFAULT = 40
WIDTH = 100


def described(name: str, value: object, home: str) -> str:
    """A section: how to import it, its signature, what it promises, and its members."""
    parts = [f"### {name}\n", f"`from {home} import {name}`\n"]
    if inspect.isclass(value):
        parts += [_constructor(name, value), markdown(inspect.getdoc(value) or "")]
        parts += [_member(value, *member) for member in _members(value)]
    elif callable(value):
        parts += [_fenced(signature(name, value)), markdown(inspect.getdoc(value) or "")]
    return "\n".join(part for part in parts if part)


def markdown(doc: str) -> str:
    """A docstring as Markdown."""
    lines: list[str] = []
    listed = False
    for line in doc.splitlines():
        if line in HEADINGS:
            lines.append(f"**{HEADINGS[line]}**\n")
            listed = line != "Returns:"
        elif not line.startswith(" "):
            lines.append(line)
            listed = False
        elif listed and (entry := re.match(r"    ([\w*][\w*, ]*): (.*)", line)):
            names = ", ".join(f"`{name.strip()}`" for name in entry[1].split(","))
            lines.append(f"- {names}: {entry[2]}")
        else:
            lines.append(f"  {line.strip()}" if listed else line.strip())
    return re.sub(r"``(.+?)``", r"`\1`", "\n".join(lines)) + "\n"


def signature(name: str, function: object) -> str:
    """A call as it is written, on several lines where it is long."""
    assert callable(function)
    found = inspect.signature(function)
    arguments = list(_arguments(found.parameters))
    returned = found.return_annotation
    tail = f" -> {_spelled(returned)}" if returned not in (inspect.Signature.empty, None, "None") else ""
    line = f"{name}({', '.join(arguments)}){tail}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {argument}," for argument in arguments), f"){tail}"])


def _arguments(parameters: Mapping[str, inspect.Parameter]) -> Iterator[str]:
    keyword_only = False
    for parameter in parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keyword_only = keyword_only or star == "*"
        text = f"{star}{parameter.name}"
        if parameter.annotation is not parameter.empty:
            text += f": {_spelled(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {_default(parameter.default)}"
        yield text


def _spelled(annotation: object) -> str:
    if isinstance(annotation, str):
        return annotation.strip("'").replace("builtins.", "")
    return getattr(annotation, "__name__", str(annotation))


def _default(value: object) -> str:
    if isinstance(value, Mapping):
        return repr(dict(value))
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(repr, sorted(value))) + "}"
    if inspect.isfunction(value) or inspect.isbuiltin(value):
        return value.__qualname__ if value.__module__ == "builtins" else f"{value.__module__}.{value.__qualname__}"
    text = repr(value)
    return text if len(text) <= LONGEST_DEFAULT else "…"


def _constructor(name: str, value: type) -> str:
    if getattr(value, "_is_protocol", False):
        return "Anything of this shape will do.\n"
    return _fenced(signature(name, value))


def _members(value: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(value).items():
        called = isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member)
        if called and not name.startswith("_") and inspect.getdoc(member):
            yield name, member


def _member(owner: type, name: str, member: object) -> str:
    text = markdown(inspect.getdoc(member) or "")
    if isinstance(member, property):
        assert member.fget is not None
        returned = _spelled(inspect.signature(member.fget).return_annotation)
        return f"#### {owner.__name__}.{name}\n\n{_fenced(f'{name}: {returned}')}\n{text}"
    call = signature(name, getattr(owner, name))
    waited = "await " if inspect.iscoroutinefunction(getattr(owner, name)) else ""
    return f"#### {owner.__name__}.{name}\n\n{_fenced(waited + call)}\n{text}"


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```\n"
