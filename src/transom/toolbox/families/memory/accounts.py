"""An account of a stretch of work, taken by rule from what happened: which tools were used, what was decided, what went wrong.

Pure. What happened comes as events that a model lists, or is read off a conversation. Nothing is paraphrased: every item is the
event's own first line.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ....errors import JSONError
from ....jsontext import loads
from ....messages import Call, Message, Result, Text
from ....vocabulary.memorizing import MemorizingWords

__all__ = ["Account", "account_of_events", "account_of_messages"]

OFTEN = 3
"""A tool that was called more often than this is worth naming first."""
_MOST = 20
_LINE = 300
"""Items of a section, and characters of an item."""

_KINDS = {
    "decision": "decisions",
    "error": "errors",
    "failure": "errors",
    "config": "changes",
    "config_change": "changes",
    "configuration": "changes",
    "request": "requests",
    "user": "requests",
}
_NAMES = ("title", "summary", "description", "content", "message", "detail", "details", "text", "name")


@dataclass(slots=True)
class Account:
    """What happened, by kind.

    Attributes:
        tools: how often each was called.
        decisions, changes, errors, requests, events: one line each, in order.
    """

    tools: Counter[str] = field(default_factory=Counter)
    decisions: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing happened."""
        return not (self.tools or self.decisions or self.changes or self.errors or self.requests or self.events)

    def text(self, words: MemorizingWords) -> str:
        """All of it in words; tools by how often they were called."""
        ranked = dict(sorted(self.tools.items(), key=lambda item: (-item[1], item[0])))
        often = {name: count for name, count in ranked.items() if count > OFTEN}
        others = {name: count for name, count in ranked.items() if count <= OFTEN}
        blocks = [
            f"{getattr(words, heading)} {words.tally(counts)}"
            for heading, counts in (("often", often), ("others", others))
            if counts
        ]
        for heading in ("requests", "decisions", "changes", "errors", "events"):
            items: list[str] = getattr(self, heading)
            if items:
                blocks.append(words.section(heading, items, _MOST))
        return "\n".join(blocks)


def account_of_events(events: Sequence[str | Mapping[str, object]], changes: Sequence[str | Mapping[str, object]]) -> Account:
    """An account of events as a model lists them: texts, or objects with ``type``, ``tool`` and a text under a usual name."""
    account = Account()
    for event in map(_read, events):
        kind = event.get("type") if isinstance(event, Mapping) else None
        tool = event.get("tool", event.get("tool_name")) if isinstance(event, Mapping) else None
        if isinstance(tool, str) and tool:
            count = event.get("count", 1) if isinstance(event, Mapping) else 1
            account.tools[tool] += count if isinstance(count, int) and count > 0 else 1
        said = _said(event)
        if said and not (tool and said == tool):
            items: list[str] = getattr(account, _KINDS.get(kind.lower() if isinstance(kind, str) else "", "events"))
            items.append(said)
    account.changes += filter(None, (_said(_read(change)) for change in changes))
    return account


def account_of_messages(messages: Iterable[Message]) -> Account:
    """An account of a conversation: what the user asked for, which tools were called, which results were errors."""
    account = Account()
    for message in messages:
        for part in message.parts:
            match part:
                case Call():
                    account.tools[part.name] += 1
                case Result() if part.is_error:
                    if said := _line(part.text):
                        account.errors.append(said)
                case Text() if message.role == "user":
                    if said := _line(part.text):
                        account.requests.append(said)
                case _:
                    pass
    return account


def _read(event: str | Mapping[str, object]) -> str | Mapping[str, object]:
    """An event that was written as JSON, as targets do whose schemas know no open objects; any other as it is."""
    if isinstance(event, str) and event.startswith("{"):
        with contextlib.suppress(JSONError):
            value = loads(event)
            if isinstance(value, Mapping):
                return value
    return event


def _said(event: str | Mapping[str, object]) -> str:
    """What an event says, in a line."""
    if isinstance(event, str):
        return _line(event)
    if "key" in event and ("value" in event or "new" in event):
        return _line(f"{event['key']} = {event.get('value', event.get('new'))}")
    said = [text for name in _NAMES if isinstance(text := event.get(name), str) and text.strip()]
    return _line(": ".join(dict.fromkeys(_line(text) for text in said[:2])))


def _line(text: str) -> str:
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _LINE else f"{line[:_LINE].rstrip()} …"
