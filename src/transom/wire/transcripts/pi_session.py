"""Session files of the pi coding agent: JSON Lines, a ``session`` line and then entries.

What a reader of these files would miss:

- Later versions give entries ``id`` and ``parentId`` (a tree); in earlier ones each entry follows the one before it.
- A ``compaction`` entry replaces what came before the entry it names as first kept: the model then sees the summary, the kept
  entries and what follows. ``firstKeptEntryIndex`` counts all lines from 0, the ``session`` line included.
- ``bashExecution`` is a command the user ran by hand; the model sees it as a user message.
- An aborted or failed turn may have no content at all: that is no message and no call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import FormatError
from ...messages import Message, Thinking
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import count, mapping, sequence, text
from .source import line_number, rows_of
from .transcript import Conversation, Segment, Transcript
from .tree import branches, path_to
from .usage import split_usage
from .wires import ANTHROPIC

__all__ = ["PiSession"]

_REASONS = {
    "session": "facts about the session",
    "model_change": "the user chose another model; each call names its own",
    "thinking_level_change": "the user chose another thinking level",
    "label": "a bookmark of the user",
    "session_info": "the session's name",
    "custom": "state of an extension; not sent to the model",
}


@dataclass(slots=True)
class _Entry:
    """One line that is a place in the tree. Without an element it is only a link."""

    line: int
    parent: int
    element: dict[str, object] | None = None
    note: CallNote | None = None
    compaction: Mapping[str, object] | None = None
    message: Message | None = None

    @property
    def where(self) -> str:
        return f"line {self.line}"


class PiSession:
    """The reader of ``pi-session`` files."""

    @property
    def name(self) -> str:
        """``pi-session``."""
        return "pi-session"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the first line opens a pi session, or lines are entries with a message in them."""
        rows = [mapping(row) for row in rows_of(document, lines=lines)]
        if rows and rows[0].get("type") == "session":
            return "cwd" in rows[0] or "id" in rows[0]
        return any(row.get("type") == "message" and "role" in mapping(row.get("message")) and "uuid" not in row for row in rows)

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        entries: list[_Entry] = []
        by_id: dict[str, int] = {}
        meta: dict[str, object] = {}
        for index, value in enumerate(rows_of(document, lines=lines)):
            row = mapping(value)
            parent = by_id.get(text(row.get("parentId")), -1) if "parentId" in row else index - 1
            entries.append(_entry(line_number(document, index), parent, row, skips))
            if text(row.get("id")) and row.get("type") != "session":
                by_id[text(row["id"])] = index
            if row.get("type") == "session":
                meta.update({key: row[key] for key in ("id", "cwd", "version") if key in row})
        _parse(entries, skips)
        conversations = _conversations(entries, by_id, skips)
        if not conversations:
            raise FormatError("no message in this pi session", hint="was anything asked in it?")
        return Transcript(self.name, tuple(conversations), skips.done(), meta)


def _entry(line: int, parent: int, row: Mapping[str, object], skips: SkipLog) -> _Entry:
    entry = _Entry(line, parent)
    kind = text(row.get("type"))
    match kind:
        case "message":
            message = mapping(row.get("message"))
            entry.element = _element(entry.where, message, skips)
            if entry.element is not None and message.get("role") == "assistant":
                entry.note = _note(message)
        case "compaction":
            entry.compaction = row
            entry.element = _user(text(row.get("summary")))
        case "branch_summary":
            entry.element = _user(text(row.get("summary")))
        case "custom_message":
            entry.element = {"role": "user", "content": _content(row.get("content"))}
        case _:
            reason = _REASONS.get(kind, "a line the client keeps for itself; not sent to the model")
            skips.add(entry.where, kind or "line", reason)
    return entry


def _note(message: Mapping[str, object]) -> CallNote:
    usage = mapping(message.get("usage"))
    reported = split_usage(
        fresh=count(usage.get("input")),
        written=count(usage.get("cacheWrite")),
        cached=count(usage.get("cacheRead")),
        output=count(usage.get("output")),
    )
    return CallNote(text(message.get("responseId")), text(message.get("model")), reported)


def _element(where: str, message: Mapping[str, object], skips: SkipLog) -> dict[str, object] | None:
    role = text(message.get("role"))
    match role:
        case "user":
            return {"role": "user", "content": _content(message.get("content"))}
        case "assistant":
            blocks = _content(message.get("content"))
            if not blocks:
                why = text(message.get("errorMessage")) or text(message.get("stopReason"))
                skips.add(where, "assistant", f"empty message: {why[:200]}" if why else "empty message")
                return None
            return {"role": "assistant", "content": blocks}
        case "toolResult":
            skips.fields(where, message, {"details": "the client's own record of a result; the model was given the message"})
            result: dict[str, object] = {
                "type": "tool_result",
                "tool_use_id": text(message.get("toolCallId")),
                "content": _content(message.get("content")),
            }
            if message.get("isError") is True:
                result["is_error"] = True
            return {"role": "user", "content": [result]}
        case "bashExecution":
            if message.get("excludeFromContext") is True:
                skips.add(where, role, "command that the user kept from the model")
                return None
            return _user(_execution(message))
        case _:
            skips.add(where, role or "message", "a role that is not sent to the model")
            return None


def _user(words: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def _execution(message: Mapping[str, object]) -> str:
    output = text(message.get("output"))
    lines = [f"Ran `{text(message.get('command'))}`", f"```\n{output}\n```" if output else "(no output)"]
    if message.get("cancelled") is True:
        lines.append("(command cancelled)")
    elif count(message.get("exitCode")):
        lines.append(f"Command exited with code {message['exitCode']}")
    if message.get("truncated") is True and text(message.get("fullOutputPath")):
        lines.append(f"[Output truncated. Full output: {message['fullOutputPath']}]")
    return "\n".join(lines)


def _content(content: object) -> list[object]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [_block(mapping(block)) for block in sequence(content)]


def _block(block: Mapping[str, object]) -> dict[str, object]:
    match block.get("type"):
        case "text":
            return {"type": "text", "text": text(block.get("text"))}
        case "thinking" if block.get("redacted") is True:
            return {"type": "redacted_thinking", "data": text(block.get("thinkingSignature"))}
        case "thinking":
            return {
                "type": "thinking",
                "thinking": text(block.get("thinking")),
                "signature": text(block.get("thinkingSignature")),
            }
        case "toolCall":
            arguments = block.get("arguments")
            return {
                "type": "tool_use",
                "id": text(block.get("id")),
                "name": text(block.get("name")),
                "input": arguments if isinstance(arguments, dict) else {},
            }
        case "image":
            source = {"type": "base64", "media_type": text(block.get("mimeType")), "data": text(block.get("data"))}
            return {"type": "image", "source": source}
        case _:
            return dict(block)


def _parse(entries: Sequence[_Entry], skips: SkipLog) -> None:
    held = [(entry, entry.element) for entry in entries if entry.element is not None]
    messages = parse_leniently(ANTHROPIC, [element for _, element in held], [entry.where for entry, _ in held], skips)
    for (entry, _), message in zip(held, messages, strict=True):
        entry.message = _without_unsigned(message) if message is not None else None


def _without_unsigned(message: Message) -> Message:
    """Reasoning that broke off has no signature, and no provider takes such a block back: it must not go out as it stands."""
    if not any(isinstance(part, Thinking) and not part.signature for part in message.parts):
        return message
    parts = tuple(Thinking(part.text) if isinstance(part, Thinking) and not part.signature else part for part in message.parts)
    return Message.of(message.role, parts)


def _conversations(entries: Sequence[_Entry], by_id: Mapping[str, int], skips: SkipLog) -> list[Conversation]:
    parents = [entry.parent for entry in entries]
    chosen, untouched = branches(parents, [entry.note is not None and entry.message is not None for entry in entries])
    found: list[Conversation] = []
    for leaf, own in chosen:
        segments = _segments(entries, path_to(parents, leaf), own, by_id)
        if segments:
            found.append(Conversation(f"branch-{len(found)}" if found else "main", segments))
    for index in untouched:
        if entries[index].element is not None:
            skips.add(entries[index].where, "message", "left branch on which no model was called")
    return found


def _segments(
    entries: Sequence[_Entry], path: Sequence[int], own: frozenset[int], by_id: Mapping[str, int]
) -> tuple[Segment, ...]:
    head = Head()
    segments: list[Segment] = []
    draft = SegmentDraft(head)
    for place, index in enumerate(path):
        entry = entries[index]
        if entry.compaction is not None:
            segments.append(draft.finish())
            draft = SegmentDraft(head)
        if entry.message is None:
            continue
        if entry.note is not None and index in own:
            draft.add_made(entry.message, entry.note)
        else:
            draft.add(entry.message)
        if entry.compaction is not None:
            first = _first_kept(entry.compaction, entries, by_id, index)
            for kept in path[bisect_left(path, first) : place]:
                kept_entry = entries[kept]
                if kept_entry.message is not None and kept_entry.compaction is None:
                    draft.add(kept_entry.message)
    segments.append(draft.finish())
    return tuple(segment for segment in segments if segment.messages)


def _first_kept(row: Mapping[str, object], entries: Sequence[_Entry], by_id: Mapping[str, int], otherwise: int) -> int:
    index = row.get("firstKeptEntryIndex")
    if isinstance(index, int):
        return bisect_left(entries, index + 1, key=lambda entry: entry.line)
    return by_id.get(text(row.get("firstKeptEntryId")), otherwise)
