"""``swe-agent-traj``: SWE-agent trajectories. ``history`` is the conversation, one for each ``agent`` that takes part.

Tool messages name the call they answer in a list (``tool_call_ids``). ``trajectory`` repeats, for each step, the messages
that were sent, older observations cut down by history processors: the conversation here holds them whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import FormatError
from .chat_elements import chat_element, chat_head, chat_segment
from .drafting import CallNote, SkipLog
from .shape import mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript

__all__ = ["SWEAgentTrajectory"]

_FIELDS = {
    "thought": "part of the message's text again",
    "action": "the call again, as a command line",
    "thinking_blocks": "reasoning that chat messages cannot hold",
}


class SWEAgentTrajectory:
    """The reader of ``swe-agent-traj`` files."""

    @property
    def name(self) -> str:
        """``swe-agent-traj``."""
        return "swe-agent-traj"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document has a trajectory and a history of messages."""
        body = mapping(document)
        history = sequence(body.get("history"))
        return not lines and "trajectory" in body and bool(history) and all("role" in mapping(item) for item in history)

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        skips = SkipLog()
        agents: dict[str, list[tuple[str, Mapping[str, object], CallNote]]] = {}
        for index, value in enumerate(sequence(body.get("history"))):
            message = mapping(value)
            where = f"history[{index}]"
            skips.fields(where, message, _FIELDS)
            element = chat_element(message)
            ids = [text(item) for item in sequence(message.get("tool_call_ids"))]
            if ids and "tool_call_id" not in element:
                element["tool_call_id"] = ids[0]
            for other in ids[1:]:
                skips.add(where, "tool_call_ids", f"the same message also answers call {other}")
            agents.setdefault(text(message.get("agent")) or "main", []).append((where, element, CallNote()))
        if not agents:
            raise FormatError("no message in this trajectory", hint="a trajectory holds its messages in 'history'")
        reasons = {
            "trajectory": "the messages again, as sent before each step",
            "info": "outcome of the run",
            "replay_config": "settings of the run",
        }
        skips.fields("document", body, reasons)
        head = chat_head(model=_model(body))
        main = next(iter(agents)) if "main" not in agents else "main"
        conversations = [
            Conversation("main" if agent == main else agent, (chat_segment(agents[agent], head, skips),))
            for agent in sorted(agents, key=lambda agent: agent != main)
        ]
        return Transcript(self.name, tuple(conversations), skips.done())


def _model(body: Mapping[str, object]) -> str:
    name = text(mapping(mapping(mapping(body.get("replay_config")).get("agent")).get("model")).get("name"))
    return "" if name == "replay" else name
