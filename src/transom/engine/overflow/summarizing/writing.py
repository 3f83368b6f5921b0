"""Writes one summary of any number of messages with a model that holds only so many tokens.

What fits into one request is one request. What does not is first shortened (long tool results go down to a few lines with their
address), then cut into parts at message boundaries; the parts are summarized each and then merged, or, where a document is kept
up, worked into it one after the other. A message larger than a part is excerpted. The model never gets more than it can hold,
by the counter of the session, and every answer passes the gate of ``answers``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from ....errors import StrategyError
from ....messages import Message
from ....tokens.counter import Tokenizer
from ....tokens.weigh import PER_MESSAGE, REPLY_PRIMING
from ....vocabulary import Vocabulary
from .answers import read_answer
from .settings import SummarySettings
from .transcript import Spoken, Transcript

__all__ = ["Writer", "Written"]

Ask = Callable[[list[Message]], Awaitable[object]]

RESULT_LENGTH, SHORT_RESULT_LENGTH = 4_000, 800
"""Characters shown of a tool result, and where that is too much for one request."""

MARGIN = 0.9
"""Share of the model's window that is used: its own counter may count more than ours does."""

THOUGHT = 1_024
"""Tokens left to the model for thinking before it writes, at most an eighth of its window."""

OVERLONG = 2
"""An answer may be that many times as long as asked: models count words badly. Beyond it, it is no summary."""

MAX_PARTS = 24
"""Parts that one closing is worth; messages are shortened further rather than asked about in more."""

MOST_MERGES = 5
"""Levels of merging: each makes at most half as many summaries of them, so that many parts need no more."""

MOST_OF_WINDOW = 1 / 8
"""Share of the model's window that a summary may have: question, thoughts and an overlong answer come on top."""

LEAST_SPACE = 200
"""Tokens that must be left for material, or the model's window holds little beyond the question."""

LEAST_SHARE = 120
"""Tokens below which an excerpt of a message is little but its marks: a digest by rule then tells more."""


@dataclass(frozen=True, slots=True)
class Written:
    """A summary.

    Attributes:
        text: what the model wrote, checked.
        shown: everything the model was shown, by which addresses it made up are known.
        texts: texts whose addresses it was shown, by address.
        requests: how many the model was sent.
    """

    text: str
    shown: str
    texts: dict[str, str]
    requests: int


@dataclass(slots=True)
class Writer:
    """One summary in the making.

    Attributes:
        ask: sends messages to the model and gives its answer, unchecked.
        settings: what the caller chose.
        vocabulary, tokenizer: words and weights.
        window: tokens the model can hold.
        limit: tokens the summary may have.
        document: the earlier summary is a document to be kept up.
    """

    ask: Ask
    settings: SummarySettings
    vocabulary: Vocabulary
    tokenizer: Tokenizer
    window: int
    limit: int
    document: bool = False
    _shown: list[str] = field(default_factory=list)
    _requests: int = 0

    async def write(self, spoken: Sequence[Spoken], earlier: str = "") -> Written:
        """The summary of messages that follow what ``earlier`` says.

        Raises:
            StrategyError: an answer was no summary, or the model cannot hold what would have to be asked.
        """
        self.limit = max(min(self.limit, int(self.window * MOST_OF_WINDOW)), 1)
        space = self._space(self.limit)
        transcript = Transcript(self.vocabulary, self.tokenizer, RESULT_LENGTH)
        earlier = transcript.whole_within(earlier, space // 3) if earlier else ""
        room = space - self.tokenizer.count(earlier)
        entries = [transcript.entry(one) for one in spoken]
        if self._weight(entries) > room:
            transcript.result_length = SHORT_RESULT_LENGTH
            entries = [transcript.entry(one) for one in spoken]
        if self._weight(entries) <= room:
            text = await self._whole(earlier, entries)
        else:
            parts = self._parts(spoken, transcript, room)
            text = await (self._updated(earlier, parts) if self.document else self._merged(earlier, parts, space))
        return Written(text, "\n".join(self._shown), transcript.texts, self._requests)

    def _space(self, limit: int) -> int:
        """Tokens of one request that are left for material."""
        words = self.vocabulary.summarizing
        longest = max(map(self.tokenizer.count, (words.write, words.continue_, words.part, words.merge, words.update)))
        headings = sum(map(self.tokenizer.count, (words.earlier, words.document, words.excerpt, words.parts)))
        fixed = self.tokenizer.count(self._contract(limit)) + longest + headings + 2 * PER_MESSAGE + REPLY_PRIMING + 60
        answer = OVERLONG * limit + min(THOUGHT, self.window // 8)
        space = int(self.window * MARGIN) - fixed - answer
        if space < LEAST_SPACE:
            raise StrategyError(
                f"the summarizing model's window of {self.window:,} tokens leaves {max(space, 0):,} for messages",
                hint="use a model with a larger window, or a smaller max_tokens",
            )
        return space

    def _contract(self, limit: int) -> str:
        return self.vocabulary.summarizing.instruct(
            tokens=limit, instructions=self.settings.instructions, guidelines=self.settings.guidelines
        )

    def _weight(self, entries: Sequence[str]) -> int:
        return sum(self.tokenizer.count_batch(entries)) + 2 * len(entries)

    def _parts(self, spoken: Sequence[Spoken], transcript: Transcript, room: int) -> list[list[str]]:
        """The messages in at most ``MAX_PARTS`` parts that fit a request each."""
        share = room
        while True:
            entries = [transcript.entry_within(one, share) for one in spoken]
            parts = self._packed(entries, room)
            if len(parts) <= MAX_PARTS:
                return parts
            if share <= LEAST_SHARE:
                raise StrategyError(
                    f"the span would take {len(parts):,} requests to the summarizing model, more than {MAX_PARTS}",
                    hint="use a model with a larger window",
                )
            # Twice the fair share: most messages are shorter, and leave their room to the longer ones.
            share = max(LEAST_SHARE, min(share // 2, 2 * room * MAX_PARTS // len(spoken)))

    def _packed(self, entries: Sequence[str], room: int) -> list[list[str]]:
        parts: list[list[str]] = []
        left = 0
        for entry, weight in zip(entries, self.tokenizer.count_batch(entries), strict=True):
            if not parts or weight + 2 > left:
                parts.append([])
                left = room
            parts[-1].append(entry)
            left -= weight + 2
        return parts

    async def _whole(self, earlier: str, entries: Sequence[str]) -> str:
        words = self.vocabulary.summarizing
        if not earlier:
            return await self._request(self.limit, self._messages(entries), words.write)
        if self.document:
            return await self._request(self.limit, self._earlier(earlier), self._messages(entries), words.update)
        return await self._request(self.limit, self._earlier(earlier), self._messages(entries), words.continue_)

    async def _updated(self, document: str, parts: Sequence[Sequence[str]]) -> str:
        for part in parts:
            document = await self._whole(document, part)
        return document

    async def _merged(self, earlier: str, parts: Sequence[Sequence[str]], space: int) -> str:
        words = self.vocabulary.summarizing
        # Four of them fit a request, however much longer than asked they are.
        limit = max(min(self.limit, space // (4 * OVERLONG)), 1)
        found = [await self._request(limit, self._messages(part), words.part) for part in parts]
        if earlier:
            found.insert(0, earlier)
        for _ in range(MOST_MERGES):
            groups = self._packed(found, space)
            if len(groups) == 1:
                return await self._merge(self.limit, found)
            found = [await self._merge(limit, group) if len(group) > 1 else group[0] for group in groups]
        raise StrategyError("the parts of the summary did not become one", hint="use a model with a larger window")

    async def _merge(self, limit: int, found: Sequence[str]) -> str:
        words = self.vocabulary.summarizing
        numbered = (words.enclosed("", f"part_{number}", text).strip() for number, text in enumerate(found, 1))
        return await self._request(limit, words.enclosed(words.parts, "parts", "\n".join(numbered)), words.merge)

    def _messages(self, entries: Sequence[str]) -> str:
        words = self.vocabulary.summarizing
        return words.enclosed(words.excerpt, "messages", "\n\n".join(entries))

    def _earlier(self, text: str) -> str:
        words = self.vocabulary.summarizing
        return words.enclosed(words.document if self.document else words.earlier, "earlier", text)

    async def _request(self, limit: int, *texts: str) -> str:
        """Send one request: material first, what is wanted last."""
        contract = self._contract(limit)
        self._requests += 1
        self._shown.extend(texts)
        answer = await self.ask([Message("system", contract), Message("user", "\n\n".join(texts))])
        text = read_answer(answer, words=self.vocabulary.summarizing, asked=texts[-1])
        weight = self.tokenizer.count(text)
        if weight > OVERLONG * limit:
            raise StrategyError(f"the model's answer is too long: {weight:,} tokens where {limit:,} were asked for")
        return text
