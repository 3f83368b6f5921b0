"""Codex rollout files: JSON Lines of ``{"timestamp", "type", "payload"}``.

What a reader of these files would miss:

- What the model saw are the ``response_item`` lines; most ``event_msg`` lines say the same again for the screen.
- There are no message ids. A run of items by the model is one call; the ``token_count`` event after it reports its usage.
- ``compacted`` begins a new segment, with ``replacement_history`` where the version writes it and with the summary alone
  where not.
- The system prompt is in ``session_meta`` and the model in each ``turn_context``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from ...messages import Message
from ..format import Head
from .drafting import CallNote, SegmentDraft, SkipLog, own_words, parse_leniently
from .shape import mapping, sequence, text
from .source import line_number, rows_of
from .transcript import Conversation, Segment, Transcript
from .usage import chat_usage
from .wires import RESPONSES

__all__ = ["CodexRollout", "is_made"]

_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_UNSENT = frozenset({"ghost_snapshot", "other", "compaction_trigger"})
_EVENTS = {
    "token_count": "usage report; counted with the call it follows",
    "user_message": "the message again, for the screen",
    "agent_message": "the message again, for the screen",
    "agent_reasoning": "the reasoning again, for the screen",
    "exec_command_end": "the result of a call again, for the screen",
    "patch_apply_end": "the result of a call again, for the screen",
    "web_search_end": "the result of a call again, for the screen",
    "mcp_tool_call_end": "the result of a call again, for the screen",
}


def is_made(item: Mapping[str, object]) -> bool:
    """Whether an item of the Responses API was written by the model."""
    kind = text(item.get("type"))
    if kind in ("", "message"):
        return item.get("role") == "assistant"
    return kind.endswith("_call") or kind in ("reasoning", "compaction", "mcp_approval_request", "mcp_list_tools")


class CodexRollout:
    """The reader of ``codex-rollout`` files."""

    @property
    def name(self) -> str:
        """``codex-rollout``."""
        return "codex-rollout"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether some line is of a type that Codex writes."""
        return any(
            text((line := mapping(row)).get("type")) in _TYPES and isinstance(line.get("payload"), dict)
            for row in rows_of(document, lines=lines)
        )

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        rows = [
            (f"line {line_number(document, index)}", mapping(row)) for index, row in enumerate(rows_of(document, lines=lines))
        ]
        session = _Session(rows)
        for where, row in rows:
            session.line(where, text(row.get("type")), mapping(row.get("payload")))
        segments = session.finish()
        if not segments:
            raise FormatError("no response item in this Codex rollout", hint="was anything asked in it?")
        return Transcript(self.name, (Conversation("main", segments),), session.skips.done(), session.meta)


class _Session:
    """One pass over the lines. All items are parsed at once, then dealt out to the segments."""

    def __init__(self, rows: list[tuple[str, Mapping[str, object]]]) -> None:
        self.skips = SkipLog()
        self.meta: dict[str, object] = {}
        self._model = ""
        self._steps: list[tuple[Mapping[str, object] | None, CallNote]] = []
        self._places: list[str] = []
        self._instructions = ""
        self._first_model = next(
            (text(mapping(row.get("payload")).get("model")) for _, row in rows if row.get("type") == "turn_context"), ""
        )

    def line(self, where: str, kind: str, payload: Mapping[str, object]) -> None:
        """Take one line."""
        match kind:
            case "response_item":
                self._item(where, payload)
            case "compacted":
                self._compacted(where, payload)
            case "session_meta":
                self._session_meta(where, payload)
            case "turn_context":
                self._model = text(payload.get("model")) or self._model
                self.skips.add(where, kind, "settings of the turn; the model's name is used")
            case "event_msg":
                event = text(payload.get("type"))
                if event == "token_count":
                    usage = chat_usage(mapping(payload.get("info")).get("last_token_usage"))
                    self._steps.append((None, CallNote(usage=usage)))
                self.skips.add(where, f"event_msg/{event}", _EVENTS.get(event, "notice for the screen"))
            case _:
                self.skips.add(where, kind or "line", "a line the client keeps for itself; not sent to the model")

    def _item(self, where: str, payload: Mapping[str, object]) -> None:
        kind = text(payload.get("type"))
        if kind in _UNSENT:
            self.skips.add(where, f"response_item/{kind}", "record of the client; not sent to the model")
            return
        item = {key: value for key, value in payload.items() if value is not None}
        if kind == "function_call_output" and isinstance(item.get("output"), dict):
            item["output"] = mapping(item["output"]).get("content", "")
        self._add(where, item)

    def _add(self, where: str, item: Mapping[str, object]) -> None:
        self._steps.append((item, CallNote(model=self._model)))
        self._places.append(where)

    def _compacted(self, where: str, payload: Mapping[str, object]) -> None:
        self._steps.append((None, _NEW_SEGMENT))
        self.skips.add(where, "compacted", "marks a compaction: a new segment begins here")
        history = [mapping(item) for item in sequence(payload.get("replacement_history"))]
        for item in history:
            self._add(where, {key: value for key, value in item.items() if value is not None})
        if not history and text(payload.get("message")):
            content = [{"type": "input_text", "text": payload["message"]}]
            self._add(where, {"type": "message", "role": "user", "content": content})

    def _session_meta(self, where: str, payload: Mapping[str, object]) -> None:
        base = payload.get("base_instructions", payload.get("instructions"))
        self._instructions = self._instructions or text(base) or text(mapping(base).get("text"))
        for key in ("id", "cwd", "cli_version", "originator"):
            if text(payload.get(key)) and key not in self.meta:
                self.meta[key] = payload[key]
        self.skips.add(where, "session_meta", "facts about the session; its instructions are the system prompt")

    def finish(self) -> tuple[Segment, ...]:
        """The segments."""
        head, system = _opening(self._first_model, self._instructions)
        items = [item for item, _ in self._steps if item is not None]
        messages = iter(parse_leniently(RESPONSES, items, self._places, self.skips))
        segments: list[Segment] = []
        draft = SegmentDraft(head, list(system))
        for item, note in self._steps:
            if item is None and note is _NEW_SEGMENT:
                segments.append(draft.finish())
                draft = SegmentDraft(head, list(system))
            elif item is None:
                draft.annotate(note)
            elif (message := next(messages)) is None:
                continue
            elif is_made(item):
                draft.add_made(message, note)
            else:
                draft.add(message)
        segments.append(draft.finish())
        return tuple(segment for segment in segments if len(segment.messages) > len(system))


_NEW_SEGMENT = CallNote(id="(new segment)")


def _opening(model: str, instructions: str) -> tuple[Head, tuple[Message, ...]]:
    body: dict[str, object] = {"model": model} if model else {}
    if instructions:
        body["instructions"] = instructions
    request = RESPONSES.parse({**body, "input": []})
    return own_words(request.head), request.messages
