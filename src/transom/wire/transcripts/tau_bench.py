"""``tau-bench-runs``: a list of benchmark runs, each with its chat messages in ``traj``. Each run is a conversation.

Call ids come back in later turns with a result of their own; they are left as they are.
"""

from __future__ import annotations

from ...errors import FormatError
from .chat_elements import chat_element, chat_head, chat_segment
from .drafting import CallNote, SkipLog
from .shape import mapping, sequence
from .source import rows_of
from .transcript import Conversation, Transcript

__all__ = ["TauBenchRuns"]


class TauBenchRuns:
    """The reader of ``tau-bench-runs`` files."""

    @property
    def name(self) -> str:
        """``tau-bench-runs``."""
        return "tau-bench-runs"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the elements are runs with a ``traj``."""
        return any(isinstance(mapping(run).get("traj"), list) for run in rows_of(document, lines=lines))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        skips = SkipLog()
        conversations: list[Conversation] = []
        runs = rows_of(document, lines=lines)
        for number, value in enumerate(runs):
            run = mapping(value)
            where = f"runs[{number}]"
            elements = []
            for index, item in enumerate(sequence(run.get("traj"))):
                elements.append((f"{where}.traj[{index}]", chat_element(mapping(item)), CallNote()))
            skips.fields(where, run, {"info": "the task and its score; not part of the conversation"})
            if elements:
                name = "main" if len(runs) == 1 else f"run-{number + 1}"
                conversations.append(Conversation(name, (chat_segment(elements, chat_head(), skips),)))
            else:
                skips.add(where, "run", "a run without messages")
        if not conversations:
            raise FormatError("no run with messages", hint="a run holds its messages in 'traj'")
        return Transcript(self.name, tuple(conversations), skips.done())
