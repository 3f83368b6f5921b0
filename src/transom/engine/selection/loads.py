"""Loads: which toolkits a conversation says were loaded.

What stands in the list of tools follows from the conversation, so that a session that goes on in another process, over nothing
but its messages, offers the same tools. Each message is looked at once, when it comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...messages import Call, Message, Result
from ...vocabulary.selecting import SelectingWords
from .blocking import read_object
from .registry import LOAD_TOOLKIT
from .toolkits import ARGUMENT

__all__ = ["Loads"]


@dataclass(slots=True)
class Loads:
    """Calls of ``load_toolkit`` that wait for their answers.

    Attributes:
        pending: the id of each call, and the toolkit.
    """

    pending: list[tuple[str, str]] = field(default_factory=list)

    def note(self, messages: Iterable[Message], words: SelectingWords) -> tuple[str, ...]:
        """Look at what is new in a conversation.

        Returns:
            Toolkits whose load was answered, and not by a refusal.
        """
        return tuple(self._answered(messages, words))

    def _answered(self, messages: Iterable[Message], words: SelectingWords) -> Iterator[str]:
        for message in messages:
            for part in message.parts:
                if isinstance(part, Call) and part.name == LOAD_TOOLKIT:
                    given = read_object(part.arguments)
                    asked = given.get(ARGUMENT) if not isinstance(given, str) else None
                    self.pending.append((part.id, asked if isinstance(asked, str) else ""))
                elif isinstance(part, Result) and self.pending:
                    toolkit = self._take(part)
                    if toolkit and not part.is_error and not words.is_refusal(part.text):
                        yield toolkit

    def _take(self, result: Result) -> str:
        """The toolkit of the call that a result answers."""
        for index, (call, toolkit) in enumerate(self.pending):
            if call == result.call_id if result.call_id else result.name == LOAD_TOOLKIT:
                del self.pending[index]
                return toolkit
        return ""
