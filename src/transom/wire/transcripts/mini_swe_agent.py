"""``mini-swe-agent`` trajectories: plain chat messages, commands and their output as text.

The raw answer of the provider rides in ``extra.response`` of each assistant message: its id and usage are used, the rest
skipped.
"""

from __future__ import annotations

from ...errors import FormatError
from .chat_elements import chat_element, chat_head, chat_segment
from .drafting import CallNote, SkipLog
from .shape import mapping, sequence, text
from .source import one_document
from .transcript import Conversation, Transcript
from .usage import chat_usage

__all__ = ["MiniSWEAgent"]


class MiniSWEAgent:
    """The reader of ``mini-swe-agent`` files."""

    @property
    def name(self) -> str:
        """``mini-swe-agent``."""
        return "mini-swe-agent"

    def detect(self, document: object, *, lines: bool) -> bool:
        """Whether the document names the format, or the program that wrote it."""
        body = mapping(document)
        named = text(body.get("trajectory_format")).startswith("mini-swe-agent")
        return not lines and isinstance(body.get("messages"), list) and (named or "mini_version" in mapping(body.get("info")))

    def read(self, document: object, *, lines: bool) -> Transcript:
        """See ``TranscriptReader.read``."""
        body = mapping(one_document(document, lines=lines))
        info = mapping(body.get("info"))
        config = mapping(mapping(info.get("config")).get("model"))
        skips = SkipLog()
        skips.fields("document", body, {"info": "outcome, cost and settings of the run"})
        elements = []
        for index, value in enumerate(sequence(body.get("messages"))):
            message = mapping(value)
            response = mapping(mapping(message.get("extra")).get("response"))
            where = f"messages[{index}]"
            skips.fields(where, message, {"extra": "the provider's raw answer; its text is the message"})
            note = CallNote(text(response.get("id")), text(response.get("model")), chat_usage(response.get("usage")))
            elements.append((where, chat_element(message), note))
        if not elements:
            raise FormatError("no message in this trajectory", hint="a trajectory holds its messages in 'messages'")
        params = mapping(config.get("model_kwargs"))
        head = chat_head(model=text(config.get("model_name")), temperature=params.get("temperature"))
        meta = {"exit_status": info.get("exit_status"), "instance_id": body.get("instance_id")}
        return Transcript(self.name, (Conversation("main", (chat_segment(elements, head, skips),)),), skips.done(), meta)
