"""Scripted models: real callables of the summarizer's shape that answer by rule and remember what they were asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from transom import Message
from transom.tokens.chars import Chars
from transom.tokens.weigh import weigh

CHARS = Chars()


def answered(text: str) -> str:
    """An answer in the form that is asked for."""
    return f"<analysis>\nWhat happened, in order.\n</analysis>\n<summary>\n{text}\n</summary>"


def sections(text: str) -> str:
    """A summary with all headings, saying ``text``."""
    titles = ("Goal and requests", "Decisions and facts", "Work done and state", "Problems", "Next steps")
    return "\n".join(f"## {title}\n{text if not number else '-'}" for number, title in enumerate(titles))


def numbered(messages: Sequence[Message], call: int) -> str:
    """Says which call it is and how much it was shown."""
    return answered(sections(f"Summary number {call}."))


@dataclass
class Model:
    """Answers every request by a function of (messages, number of the call)."""

    rule: Callable[[Sequence[Message], int], object] = numbered
    fingerprint: str = "a-model"
    window: int | None = None
    asked: list[list[Message]] = field(default_factory=list)

    async def __call__(self, messages: list[Message]) -> str:
        self.asked.append(messages)
        answer = self.rule(messages, len(self.asked))
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[return-value]  # a model may give anything

    @property
    def questions(self) -> list[str]:
        """The user message of every request."""
        return [messages[1].text for messages in self.asked]

    @property
    def heaviest(self) -> int:
        """Tokens of the heaviest request, by ``chars4``."""
        return max(sum(weigh(message, CHARS) for message in messages) for messages in self.asked)


def within(tag: str, question: str) -> str:
    """What stands between tags of a question; empty without them."""
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", question, re.DOTALL)
    return found.group(1) if found else ""
