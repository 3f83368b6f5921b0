"""Claude Code session files: JSON Lines whose lines form a tree by ``uuid`` and ``parentUuid``.

What a reader of these files would miss:

- One API message is written over several lines, a block each, with one ``message.id``; results of its calls may stand between,
  and those of parallel calls hang on the line of their call. They are one assistant message and then its results, in call
  order.
- Lines that are no messages (progress, hooks, system notes) are links of the tree all the same.
- A compaction is a ``compact_boundary`` line without parent (``logicalParentUuid`` says where it came from), followed by a
  user line with ``isCompactSummary``. A new segment begins there.
- A line whose parent is missing goes on where the file stood: the usage reported after such gaps shows that the history
  went on.
- ``<synthetic>`` assistant lines were written by the client. They are sent along as history, except for its own error notices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import FormatError
from ...messages import Message
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import mapping, text
from .source import line_number, rows_of
from .transcript import Conversation, Segment, Transcript
from .tree import branches, path_to
from .usage import anthropic_usage
from .wires import ANTHROPIC

__all__ = ["ClaudeCode"]

_REASONS = {
    "progress": "progress shown while a tool or hook ran",
    "file-history-snapshot": "backup of files for undo",
    "queue-operation": "bookkeeping of queued prompts; a prompt that was sent has a user line",
    "summary": "title of a session, for the list of sessions",
    "custom-title": "title of a session, for the list of sessions",
    "attachment": "the client's note of what it attached; the file does not hold what was sent",
    "system/compact_boundary": "marks a compaction: a new segment begins here",
    "system/stop_hook_summary": "outcome of a hook, shown to the user",
    "system/turn_duration": "how long the turn took, shown to the user",
}
_FIELDS = {
    "toolUseResult": "the client's own record of a result; the model was given the message",
    "todos": "state of the client's task list, for display",
}
_SYNTHETIC = "<synthetic>"


@dataclass(slots=True)
class _Unit:
    """A node of the tree: a user line, all lines of one API message, or (without blocks) a compaction."""

    parent: int
    line: int
    role: str
    content: list[object] | str = ""
    places: list[str] = field(default_factory=list)
    note: CallNote | None = None
    results: list[int] = field(default_factory=list)
    message: Message | None = None


class ClaudeCode:
    """The reader of ``claude-code`` files."""

    @property
    def name(self) -> str:
        """``claude-code``."""
        return "claude-code"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether some line is a message, a summary or a snapshot as Claude Code writes it."""
        return any(_is_line(mapping(row)) for row in rows_of(document, lines=lines))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        main, sides = _Thread("main"), _Thread("side")
        scan = _Scan(main, sides, skips)
        for index, row in enumerate(rows_of(document, lines=lines)):
            scan.line(line_number(document, index), mapping(row))
        conversations = [*main.conversations(skips), *sides.conversations(skips)]
        if not conversations:
            raise FormatError("no message in this Claude Code session", hint="was anything asked in it?")
        return Transcript(self.name, tuple(conversations), skips.done(), scan.meta)


def _is_line(row: Mapping[str, object]) -> bool:
    match row.get("type"):
        case "user" | "assistant":
            return "message" in row and "parentUuid" in row and "uuid" in row
        case "summary":
            return "leafUuid" in row
        case "file-history-snapshot":
            return "snapshot" in row
        case _:
            return False


@dataclass(slots=True)
class _Thread:
    """The main thread, or all side chains together: units in file order, each after its parent."""

    kind: str
    units: list[_Unit] = field(default_factory=list)
    by_message: dict[str, int] = field(default_factory=dict)
    owner_of_call: dict[str, int] = field(default_factory=dict)
    attached: dict[int, int] = field(default_factory=dict)

    def add(self, unit: _Unit) -> int:
        self.units.append(unit)
        return len(self.units) - 1

    def last(self) -> int:
        """The node after which a line without a known parent goes on; negative at the start."""
        index = len(self.units) - 1
        return self.attached.get(index, index)

    def conversations(self, skips: SkipLog) -> list[Conversation]:
        """The paths of this thread's tree that are worth a conversation; what is on none of them is skipped."""
        self._parse(skips)
        nodes = [index for index in range(len(self.units)) if index not in self.attached]
        position = {index: place for place, index in enumerate(nodes)}
        parents = [position.get(self.units[index].parent, -1) for index in nodes]
        counts = [_is_call(self.units[index]) for index in nodes]
        chosen, untouched = branches(parents, counts)
        found: list[Conversation] = []
        roots: set[int] = set()
        for leaf, own in chosen if self.kind == "main" else sorted(chosen):
            path = path_to(parents, leaf)
            segments = self._segments([nodes[place] for place in path], frozenset(nodes[place] for place in own))
            if segments:
                found.append(Conversation(self._name(found, path[0] in roots), segments))
            roots.add(path[0])
        for place in untouched:
            for index in (nodes[place], *self.units[nodes[place]].results):
                unit = self.units[index]
                for where in unit.places:
                    skips.add(where, unit.role, "left branch on which no model was called")
        return found

    def _name(self, found: list[Conversation], is_branch: bool) -> str:
        if self.kind == "main":
            return f"branch-{len(found)}" if found else "main"
        return f"side-{len(found) + 1}-branch" if is_branch else f"side-{len(found) + 1}"

    def _parse(self, skips: SkipLog) -> None:
        units = [unit for unit in self.units if unit.role]
        elements = [{"role": unit.role, "content": unit.content} for unit in units]
        messages = parse_leniently(ANTHROPIC, elements, [unit.places[0] for unit in units], skips)
        for unit, message in zip(units, messages, strict=True):
            unit.message = message

    def _segments(self, path: Sequence[int], own: frozenset[int]) -> tuple[Segment, ...]:
        segments: list[Segment] = []
        draft = SegmentDraft(Head())
        for index in path:
            unit = self.units[index]
            if not unit.role:
                segments.append(draft.finish())
                draft = SegmentDraft(Head())
            elif unit.message is not None:
                if unit.note is not None and index in own:
                    draft.add_made(unit.message, unit.note, alone=True)
                else:
                    draft.add(unit.message)
            for result in self._in_call_order(unit):
                answer = self.units[result].message
                if answer is not None:
                    draft.add(answer)
        segments.append(draft.finish())
        return tuple(segment for segment in segments if segment.messages)

    def _in_call_order(self, unit: _Unit) -> list[int]:
        order = {identity: place for place, identity in enumerate(_ids(unit.content, "tool_use", "id"))}
        return sorted(unit.results, key=lambda index: order.get(_first_result(self.units[index].content), len(order)))


class _Scan:
    """One pass over the lines: sorts them into threads, units and skips."""

    def __init__(self, main: _Thread, sides: _Thread, skips: SkipLog) -> None:
        self._threads = (main, sides)
        self._skips = skips
        self._holder: dict[str, tuple[_Thread, int]] = {}
        self.meta: dict[str, object] = {}

    def line(self, number: int, row: Mapping[str, object]) -> None:
        """Take one line."""
        where = f"line {number}"
        kind = text(row.get("type"))
        thread = self._threads[1 if row.get("isSidechain") is True else 0]
        uuid = text(row.get("uuid"))
        for key in ("sessionId", "version", "cwd", "gitBranch"):
            if key not in self.meta and text(row.get(key)):
                self.meta[key] = row[key]
        if uuid and uuid in self._holder:
            self._skips.add(where, kind, "the same line again (same uuid)")
            return
        parent = self._parent(thread, row)
        message = mapping(row.get("message"))
        if kind in ("user", "assistant") and message:
            index = self._message(thread, parent, number, row, message)
        elif kind == "system" and row.get("subtype") == "compact_boundary":
            self._skips.add(where, "system/compact_boundary", _REASONS["system/compact_boundary"])
            index = thread.add(_Unit(self._logical_parent(thread, row), number, ""))
        else:
            name = f"{kind}/{row['subtype']}" if row.get("subtype") else kind
            reason = _REASONS.get(name) or _REASONS.get(kind, "a line the client keeps for itself; not sent to the model")
            self._skips.add(where, name or "line", reason)
            index = parent
        if uuid:
            self._holder[uuid] = (thread, index)

    def _parent(self, thread: _Thread, row: Mapping[str, object]) -> int:
        identity = row.get("parentUuid")
        if not isinstance(identity, str):
            return -1
        holder, index = self._holder.get(identity, (thread, thread.last()))
        return thread.attached.get(index, index) if holder is thread else -1

    def _logical_parent(self, thread: _Thread, row: Mapping[str, object]) -> int:
        holder, index = self._holder.get(text(row.get("logicalParentUuid")), (thread, thread.last()))
        return thread.attached.get(index, index) if holder is thread else thread.last()

    def _message(
        self, thread: _Thread, parent: int, number: int, row: Mapping[str, object], message: Mapping[str, object]
    ) -> int:
        where = f"line {number}"
        content = message.get("content")
        self._skips.fields(where, row, _FIELDS)
        if not isinstance(content, str | list) or not content:
            self._skips.add(where, text(row.get("type")), "empty message")
            return parent
        if row.get("isApiErrorMessage") is True:
            self._skips.add(where, "assistant/error", "error notice of the client; not sent to the model")
            return parent
        if row.get("type") == "assistant":
            return self._assistant(thread, parent, number, content, message)
        if row.get("isCompactSummary") is True and not (parent >= 0 and not thread.units[parent].role):
            parent = thread.add(_Unit(parent if parent >= 0 else thread.last(), number, ""))
        unit = _Unit(parent, number, "user", content, [where])
        index = thread.add(unit)
        owner = thread.owner_of_call.get(_first_result(content), -1)
        if owner >= 0 and parent == owner:
            thread.units[owner].results.append(index)
            thread.attached[index] = owner
        return index

    def _assistant(
        self, thread: _Thread, parent: int, number: int, content: list[object] | str, message: Mapping[str, object]
    ) -> int:
        identity = text(message.get("id"))
        model = text(message.get("model"))
        note = None if model == _SYNTHETIC else CallNote(identity, model, anthropic_usage(message.get("usage")))
        index = thread.by_message.get(identity, -1) if identity else -1
        if index >= 0:
            unit = thread.units[index]
            if isinstance(unit.content, str):
                unit.content = _blocks(unit.content)
            unit.content.extend(_blocks(content))
            unit.note = note
            unit.places.append(f"line {number}")
        else:
            blocks = list(content) if isinstance(content, list) else content
            index = thread.add(_Unit(parent, number, "assistant", blocks, [f"line {number}"], note))
            if identity:
                thread.by_message[identity] = index
        for call in _ids(content, "tool_use", "id"):
            thread.owner_of_call[call] = index
        return index


def _is_call(unit: _Unit) -> bool:
    return unit.note is not None and unit.message is not None


def _blocks(content: list[object] | str) -> list[object]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _ids(content: list[object] | str, kind: str, key: str) -> list[str]:
    if isinstance(content, str):
        return []
    return [text(block.get(key)) for item in content if (block := mapping(item)).get("type") == kind]


def _first_result(content: list[object] | str) -> str:
    return next(iter(_ids(content, "tool_result", "tool_use_id")), "")
