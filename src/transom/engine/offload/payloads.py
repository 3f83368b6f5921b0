"""Payload pruning: a tool result that is too long to carry along is shortened to an excerpt when it is first seen.

Pure: it says what must be stored and stores nothing. The caller stores every original first and takes the pruned message only
when all of them are safe. Nothing but the text of tool results is ever touched; images and whatever else a result holds stay,
and so does what a retrieval tool gave back: a model that asked for a text is not answered with the excerpt it already had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...messages import Content, Message, Result, Text
from ...messages.parts import Part
from ...store.blobs import blob_uri
from ...vocabulary import ENGLISH, Vocabulary
from .excerpts import byte_size, excerpt, is_excerpt

__all__ = ["RETRIEVAL_TOOLS", "PruneReport", "PruneSettings", "PrunedText", "SkipReason", "SkippedText", "prune"]

RETRIEVAL_TOOLS = frozenset({"context", "transom_context", "memory", "new_context"})
"""Names of tools that give back what is kept: our own and Anthropic's memory tool. Their results are never shortened again."""

SkipReason = Literal["exempt tool", "excerpt already", "nothing saved"]


@dataclass(frozen=True, slots=True)
class PruneSettings:
    """When a tool result is pruned, and to what.

    Attributes:
        threshold: bytes of UTF-8 that the text of a result may have; only longer ones are pruned.
        head, tail: characters kept.
        exempt: tools whose results are never pruned; those of our own retrieval tool never are, whatever stands here.
        keep_errors: keep lines that tell of failures from what is left out.
        vocabulary: the words of the marks.
    """

    threshold: int = 16_384
    head: int = 2_048
    tail: int = 512
    exempt: frozenset[str] = RETRIEVAL_TOOLS
    keep_errors: bool = True
    vocabulary: Vocabulary = ENGLISH


@dataclass(frozen=True, slots=True)
class PrunedText:
    """One text that was shortened.

    Attributes:
        part: index of the result among the parts of the message.
        tool: the tool that gave it; may be empty.
        text: the whole text, to be stored before the excerpt is shown.
        uri: the address of the whole text, cited by the excerpt.
        shown: the excerpt.
        size: bytes of the whole text.
        saved: bytes that left.
    """

    part: int
    tool: str
    text: str
    uri: str
    shown: str
    size: int
    saved: int


@dataclass(frozen=True, slots=True)
class SkippedText:
    """One oversized text that was left as it is, and why."""

    part: int
    tool: str
    size: int
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What pruning did to a message. Iterates over what was pruned."""

    pruned: tuple[PrunedText, ...] = ()
    skipped: tuple[SkippedText, ...] = ()

    def __iter__(self) -> Iterator[PrunedText]:
        return iter(self.pruned)

    def __len__(self) -> int:
        return len(self.pruned)

    @property
    def bytes_saved(self) -> int:
        """Bytes that left, over all texts."""
        return sum(text.saved for text in self.pruned)

    @property
    def locators(self) -> tuple[str, ...]:
        """The addresses of the whole texts, in order."""
        return tuple(text.uri for text in self.pruned)


_NOTHING = PruneReport()


def prune(message: Message, *, tool_names: Sequence[str] = (), settings: PruneSettings) -> tuple[Message, PruneReport]:
    """The message with its oversized tool results shortened.

    Args:
        message: any message; one without results is given back as it is.
        tool_names: the tool behind each result, in order; where it is missing or empty, the result's own name counts.
        settings: when and how.

    Returns:
        The same message, edited part by part, and what was done. The very same object when nothing was.
    """
    changes: dict[int, Part | None] = {}
    pruned: list[PrunedText] = []
    skipped: list[SkippedText] = []
    ordinal = -1
    for index, part in enumerate(message.parts):
        if not isinstance(part, Result):
            continue
        ordinal += 1
        if _surely_small(part, settings.threshold):
            continue
        tool = (tool_names[ordinal] if ordinal < len(tool_names) else "") or part.name
        content = _prune_result(part, index, tool, settings, pruned, skipped)
        if content is not None:
            changes[index] = replace(part, content=content)
    if not changes and not skipped:
        return message, _NOTHING
    return message.edit(changes) if changes else message, PruneReport(tuple(pruned), tuple(skipped))


def _surely_small(result: Result, threshold: int) -> bool:
    """Four bytes a character is the most UTF-8 takes."""
    return sum(len(item.text) for item in result.content if isinstance(item, Text)) * 4 <= threshold


def _prune_result(
    result: Result,
    part: int,
    tool: str,
    settings: PruneSettings,
    pruned: list[PrunedText],
    skipped: list[SkippedText],
) -> tuple[Content, ...] | None:
    sizes = {place: byte_size(item.text) for place, item in enumerate(result.content) if isinstance(item, Text)}
    total = sum(sizes.values())
    if total <= settings.threshold:
        return None
    if tool in settings.exempt or tool in RETRIEVAL_TOOLS:
        skipped.append(SkippedText(part, tool, total, "exempt tool"))
        return None
    content: list[Content] = list(result.content)
    # The largest first, until what is left of the result is small enough.
    for place in sorted(sizes, key=lambda place: (-sizes[place], place)):
        item = content[place]
        if total <= settings.threshold or not isinstance(item, Text):
            break
        text, size = item.text, sizes[place]
        if is_excerpt(text):
            skipped.append(SkippedText(part, tool, size, "excerpt already"))
            continue
        uri = blob_uri(text)
        shown = excerpt(
            text,
            uri=uri,
            head=settings.head,
            tail=settings.tail,
            vocabulary=settings.vocabulary,
            keep_errors=settings.keep_errors,
        )
        if shown is text:
            skipped.append(SkippedText(part, tool, size, "nothing saved"))
            continue
        saved = size - byte_size(shown)
        total -= saved
        pruned.append(PrunedText(part, tool, text, uri, shown, size, saved))
        content[place] = replace(item, text=shown)
    return tuple(content) if any(text.part == part for text in pruned) else None
