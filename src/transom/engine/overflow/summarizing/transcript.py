"""The messages of a span as a summarizing model reads them: numbered, long texts excerpted, files described.

Pure. What is shortened is a verbatim excerpt whose mark names the address of the whole text; those texts are handed back, so
that a summary which cites one is never ahead of the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ....jsontext import dumps_text
from ....messages import Attachment, Call, Message, Opaque, Part, Result, Text, Turn
from ....store.blobs import blob_uri
from ....tokens.counter import Tokenizer
from ....vocabulary import Vocabulary
from ...ledger.edits import result_names
from ...offload.excerpts import byte_size, excerpt, excerpt_to

__all__ = ["Spoken", "Transcript", "spoken_messages"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message to be summarized.

    Attributes:
        number: its line in the archive, counted from 1.
        message: as it came.
        tools: for each of its results, the tool it came from.
    """

    number: int
    message: Message
    tools: tuple[str, ...] = ()


def spoken_messages(turns: Iterable[tuple[Turn, bool]]) -> Iterator[Spoken]:
    """The messages of turns, numbered over all of them; only those of turns marked true are given."""
    number = 0
    for turn, wanted in turns:
        for message, tools in zip(turn.messages, result_names(turn), strict=True):
            number += 1
            if wanted:
                yield Spoken(number, message, tools)


@dataclass(slots=True)
class Transcript:
    """Writes messages out.

    Attributes:
        vocabulary, tokenizer: words and weights.
        result_length: characters shown of a tool result before it is excerpted; calls' arguments get as many.
        texts: every text whose address a mark names, by address.
    """

    vocabulary: Vocabulary
    tokenizer: Tokenizer
    result_length: int
    texts: dict[str, str] = field(default_factory=dict)

    def entry(self, spoken: Spoken) -> str:
        """One message."""
        return self._written(spoken, None)

    def entry_within(self, spoken: Spoken, limit: int) -> str:
        """One message in at most about ``limit`` tokens: its texts share the room."""
        written = self.entry(spoken)
        if self.tokenizer.count(written) <= limit:
            return written
        return self._written(spoken, limit * 9 // 10)

    def whole_within(self, text: str, limit: int) -> str:
        """Any text in at most ``limit`` tokens."""
        if self.tokenizer.count(text) <= limit:
            return text
        self.texts[blob_uri(text)] = text
        return excerpt_to(text, uri=blob_uri(text), limit_tokens=limit, tokenizer=self.tokenizer, vocabulary=self.vocabulary)

    def _written(self, spoken: Spoken, limit: int | None) -> str:
        words = self.vocabulary.summarizing
        role = words.speaker(spoken.message.role)
        role = f"{role} {spoken.message.name}" if spoken.message.name else role
        lines = [words.entry.format(number=spoken.number, role=role)]
        pieces = sum(_holds_text(part) for part in _flat(spoken.message.parts)) or 1
        share = None if limit is None else max(limit // pieces, 1)
        tools = iter(spoken.tools)
        for part in spoken.message.parts:
            match part:
                case Text():
                    lines.append(self._shown(part.text, share))
                case Call():
                    lines.append(words.call.format(name=part.name, arguments=self._result(part.arguments, share)))
                case Result():
                    lines.append(words.result_line(next(tools, part.name), failed=part.is_error))
                    lines.extend(self._content(item, share) for item in part.content)
                case _:
                    lines.append(self._described(part))
        return "\n".join(line for line in lines if line)

    def _content(self, item: Part, share: int | None) -> str:
        return self._result(item.text, share) if isinstance(item, Text) else self._described(item)

    def _described(self, part: Part) -> str:
        words = self.vocabulary.summarizing
        match part:
            case Attachment():
                size = None if part.data is None else len(part.data) * 3 // 4
                return words.attachment_line(part.media_type, size, part.filename or "")
            case Opaque():
                return words.item.format(kind=part.kind, size=byte_size(dumps_text(part.value)))
            case _:
                # Reasoning is the model's own way there; what came of it stands beside it.
                return ""

    def _result(self, text: str, share: int | None) -> str:
        if len(text) > self.result_length:
            shown = excerpt(
                text,
                uri=blob_uri(text),
                head=self.result_length * 3 // 4,
                tail=self.result_length // 4,
                vocabulary=self.vocabulary,
            )
            if shown is not text:
                self.texts[blob_uri(text)] = text
            if share is None or self.tokenizer.count(shown) <= share:
                return shown
        return self._shown(text, share)

    def _shown(self, text: str, share: int | None) -> str:
        return text if share is None else self.whole_within(text, share)


def _flat(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Result):
            yield from part.content
        else:
            yield part


def _holds_text(part: Part) -> bool:
    return isinstance(part, Text | Call)
