"""``openhands-output``: benchmark output of OpenHands, one run an object, its events in ``history``. Each run is a
conversation.

What a reader of these files would miss:

- An action carries the model's whole answer in ``tool_call_metadata.model_response``; the parallel actions of one answer
  carry it each. The answer is one assistant message, and its id is the call.
- An error observation without cause answers a call that was dropped before it was recorded: a result without a call.
- A recall that found something added it to the prompt; other recalls, state changes and the like are the program's own affairs.
- A ``condensation`` action is the agent's own compaction: a new segment without the forgotten events, with the summary in
  their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import FormatError
from ...messages import Message
from ..format import Head
from .chat_elements import add_chat, chat_call, chat_element, chat_head
from .drafting import NO_NOTE, CallNote, SegmentDraft, SkipLog, parse_leniently
from .shape import mapping, sequence, text
from .source import line_number, rows_of
from .transcript import Conversation, Segment, Transcript
from .usage import chat_usage
from .wires import CHAT

__all__ = ["OpenHandsOutput"]

_REASONS = {
    "recall": "lookup of workspace facts; the event holds no message",
    "agent_state_changed": "the program's state",
    "change_agent_state": "the program's state",
    "null": "the program's state",
}
_RUN_FIELDS = {
    "metadata": "settings of the run; the model's name is used",
    "metrics": "figures of the run",
    "instance": "the benchmark's task",
    "instruction": "the first user message again",
    "test_result": "outcome of the run",
    "error": "how the run ended",
}


@dataclass(slots=True)
class _Event:
    """An event that is a message, or a condensation (without an element)."""

    where: str
    id: object
    element: dict[str, object] | None
    note: CallNote = NO_NOTE
    condensation: Mapping[str, object] | None = None
    message: Message | None = None


class OpenHandsOutput:
    """The reader of ``openhands-output`` files."""

    @property
    def name(self) -> str:
        """``openhands-output``."""
        return "openhands-output"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the objects are runs with a history of actions and observations."""
        return any(
            any(_is_event(mapping(event)) for event in sequence(mapping(run).get("history")))
            for run in rows_of(document, lines=lines)
        )

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        runs = rows_of(document, lines=lines)
        conversations: list[Conversation] = []
        for index, value in enumerate(runs):
            run = mapping(value)
            where = f"line {line_number(document, index)}" if lines else f"runs[{index}]"
            skips.fields(where, run, _RUN_FIELDS)
            segments = _read_run(where, run, skips)
            if segments:
                conversations.append(Conversation("main" if len(runs) == 1 else f"run-{index + 1}", segments))
            else:
                skips.add(where, "run", "a run without messages")
        if not conversations:
            raise FormatError("no run with messages", hint="a run holds its events in 'history'")
        return Transcript(self.name, tuple(conversations), skips.done())


def _is_event(event: Mapping[str, object]) -> bool:
    return "source" in event and ("action" in event or "observation" in event)


def _read_run(where: str, run: Mapping[str, object], skips: SkipLog) -> tuple[Segment, ...]:
    events: list[_Event] = []
    answered: set[str] = set()
    tools: list[object] = []
    for place, value in enumerate(sequence(run.get("history"))):
        raw = mapping(value)
        event = _event(f"{where}, history[{place}]", raw, answered, skips)
        if event is not None:
            events.append(event)
        if raw.get("action") == "system" and not tools:
            tools = sequence(mapping(raw.get("args")).get("tools"))
    held = [event for event in events if event.element is not None]
    messages = parse_leniently(CHAT, [event.element for event in held], [event.where for event in held], skips)
    for event, message in zip(held, messages, strict=True):
        event.message = message
    config = mapping(mapping(run.get("metadata")).get("llm_config"))
    head = chat_head(
        model=text(config.get("model")), tools=tools, temperature=config.get("temperature"), top_p=config.get("top_p")
    )
    return _segments(events, head)


def _event(where: str, raw: Mapping[str, object], answered: set[str], skips: SkipLog) -> _Event | None:
    kind = text(raw.get("action")) or text(raw.get("observation"))
    args = mapping(raw.get("args"))
    identity = raw.get("id")
    metadata = mapping(raw.get("tool_call_metadata"))
    if "action" in raw:
        if kind == "condensation":
            skips.add(where, kind, "marks a compaction: a new segment begins here")
            return _Event(where, identity, None, condensation=args)
        if kind == "system":
            return _Event(where, identity, {"role": "system", "content": text(args.get("content"))})
        if metadata:
            return _answer(where, raw, metadata, answered, skips)
        if kind == "message":
            role = "user" if raw.get("source") == "user" else "assistant"
            return _Event(where, identity, {"role": role, "content": text(args.get("content")) or text(raw.get("message"))})
    elif metadata:
        content = {"content": text(raw.get("content")), "role": "tool"}
        element = {**content, "tool_call_id": metadata.get("tool_call_id"), "name": metadata.get("function_name")}
        return _Event(where, identity, chat_element(element))
    elif kind == "recall" and (knowledge := _knowledge(mapping(raw.get("extras")))):
        return _Event(where, identity, {"role": "user", "content": knowledge})
    elif kind == "error":
        return _Event(where, identity, {"role": "tool", "content": text(raw.get("content"))})
    skips.add(where, kind or "event", _REASONS.get(kind, "an event that is not sent to the model"))
    return None


def _knowledge(extras: Mapping[str, object]) -> str:
    """What a recall added to the prompt: instructions of the repository, knowledge that a keyword called up."""
    found = [text(extras.get(key)) for key in ("repo_instructions", "additional_agent_instructions")]
    found += [text(mapping(item).get("content")) for item in sequence(extras.get("microagent_knowledge"))]
    return "\n\n".join(words for words in found if words)


def _answer(
    where: str, raw: Mapping[str, object], metadata: Mapping[str, object], answered: set[str], skips: SkipLog
) -> _Event | None:
    response = mapping(metadata.get("model_response"))
    identity = text(response.get("id"))
    if identity and identity in answered:
        skips.add(where, text(raw.get("action")), "another call of an answer that stands above whole")
        return None
    answered.add(identity)
    message = mapping(mapping(next(iter(sequence(response.get("choices"))), None)).get("message"))
    if not message:
        args = mapping(raw.get("args"))
        call = chat_call(text(metadata.get("function_name")), args, text(metadata.get("tool_call_id")))
        message = {"role": "assistant", "content": args.get("thought"), "tool_calls": [call]}
    note = CallNote(identity, text(response.get("model")), chat_usage(response.get("usage")))
    return _Event(where, raw.get("id"), chat_element(message), note)


def _segments(events: Sequence[_Event], head: Head) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    draft = SegmentDraft(head)
    view: list[_Event] = []
    for event in events:
        if event.condensation is not None:
            segments.append(draft.finish())
            draft = SegmentDraft(head)
            view = _condensed(view, event)
            for kept in view:
                if kept.message is not None:
                    draft.add(kept.message)
        elif event.message is not None:
            add_chat(draft, event.message, event.note)
            view.append(event)
    segments.append(draft.finish())
    return tuple(segment for segment in segments if segment.messages)


def _condensed(view: Sequence[_Event], event: _Event) -> list[_Event]:
    """What the agent sees after a condensation."""
    args = mapping(event.condensation)
    named = {identity for identity in sequence(args.get("forgotten_event_ids")) if isinstance(identity, int)}
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")

    def is_forgotten(identity: object) -> bool:
        if not isinstance(identity, int):
            return False
        return identity in named or (isinstance(first, int) and isinstance(last, int) and first <= identity <= last)

    kept = [other for other in view if not is_forgotten(other.id)]
    summary = text(args.get("summary"))
    if summary:
        offset = args.get("summary_offset")
        (message,) = CHAT.parse_items([{"role": "user", "content": summary}])
        position = offset if isinstance(offset, int) and 0 <= offset <= len(kept) else min(1, len(kept))
        kept.insert(position, _Event(event.where, event.id, None, message=message))
    return kept
