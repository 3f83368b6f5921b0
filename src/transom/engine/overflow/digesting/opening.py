"""What the conversation began with: the first request of the user, read from the history itself.

Knows the first messages and what words of the user are; no earlier digest. However often windows close, the task is taken from
here, so that a closing that had little room for it costs the next one nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....messages import Message
from ....vocabulary import Vocabulary
from ....vocabulary.digesting import DigestWords
from .notes import Quote, Remark, Statement
from .pairing import Said, events
from .speech import is_noise, is_rules, is_summary, own_words, statements

__all__ = ["Opening", "opening_of", "remark_of"]


@dataclass(frozen=True, slots=True)
class Opening:
    """The first request.

    Attributes:
        task: what was asked, whole.
        text: the message as it came.
        constraints: what it binds the work to.
    """

    task: Remark
    text: str
    constraints: tuple[Statement, ...]

    def at(self, place: str) -> Opening:
        """The same, found at another place."""
        constraints = tuple(replace(statement, place=place) for statement in self.constraints)
        return Opening(replace(self.task, place=place), self.text, constraints)


def opening_of(messages: Sequence[Message], window: str, vocabulary: Vocabulary) -> Opening | None:
    """The first request among these messages, or ``None`` where there is none.

    Args:
        messages: the first ones of the history, in the order and number in which they are archived.
        window: the window they were archived with.
        vocabulary: tells what stands in for messages that were missing.
    """
    for event in events(messages, missing=vocabulary.mending.missing_result):
        if not isinstance(event, Said) or event.role != "user" or event.text == vocabulary.mending.opening:
            continue
        if is_rules(event.text):
            continue
        task = remark_of(event, f"{window}:{event.number}", vocabulary.digesting)
        if task is not None:
            found = statements(task.place, task.who, own_words(event.text).shown)
            return Opening(task, event.text, tuple(statement for kind, statement in found if kind == "constraint"))
    return None


def remark_of(event: Said, place: str, words: DigestWords) -> Remark | None:
    """What the user said in a message, freed from what clients insert; ``None`` where that is nothing."""
    quote = own_words(event.text)
    shown = quote.shown
    if not shown.strip() and event.files:
        quote = Quote.whole(" ".join(words.attached.format(name=name) for name in event.files))
    elif is_noise(shown):
        return None
    return Remark(place, "summary" if is_summary(shown) else "user", quote)
