"""Mechanical clearing: what an old message looks like once its results and reasoning have left, at no model cost.

Pure; knows one message at a time. Which messages are old enough is for a strategy to say. Pinned messages are never touched,
nor is reasoning that carries a provider's signature, that only the provider can read, or that led to calls: without it
providers refuse the turn (Moonshot: "thinking is enabled but reasoning_content is missing in assistant tool call message";
DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API."). A result gives way to one line that
names the tool, the size and the address of its full text; the caller stores what ``clear`` lists before it shows the message.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from ...jsontext import dumps_text
from ...messages import Attachment, Message, Result, Text, Thinking
from ...messages.parts import Part
from ...store.blobs import blob_uri
from ...vocabulary import ENGLISH, Vocabulary
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from ..offload.excerpts import byte_size, excerpt_source
from ..offload.payloads import RETRIEVAL_TOOLS

__all__ = ["ClearSettings", "ClearedText", "Clearing", "clear_message", "clearing", "without_think_tags"]

_INDENT = 16
_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))


@dataclass(frozen=True, slots=True)
class ClearSettings:
    """What is cleared.

    Attributes:
        tools: names of the tools whose results are cleared, or a predicate on the name; ``None`` for all.
        exempt: tools whose results never are.
        min_bytes: shorter results stay: the line that replaces them would be as long.
        results, thinking, think_tags: which of the three kinds is cleared at all.
    """

    tools: frozenset[str] | Callable[[str], bool] | None = None
    exempt: frozenset[str] = RETRIEVAL_TOOLS
    min_bytes: int = 512
    results: bool = True
    thinking: bool = True
    think_tags: bool = True

    @classmethod
    def of(
        cls,
        *,
        tools: Iterable[str] | Callable[[str], bool] | None = None,
        exempt: Iterable[str] = (),
        min_bytes: int = 512,
        results: bool = True,
        thinking: bool = True,
        think_tags: bool = True,
    ) -> ClearSettings:
        """From what a caller writes. Results of our own retrieval tool are exempt in any case."""
        wanted = tools if tools is None or callable(tools) else frozenset(tools)
        return cls(wanted, RETRIEVAL_TOOLS | frozenset(exempt), min_bytes, results, thinking, think_tags)

    @property
    def fingerprint(self) -> str:
        """Tells settings apart that clear differently. A predicate goes by its qualified name."""
        if self.tools is None:
            tools = "*"
        elif callable(self.tools):
            tools = (
                f"{getattr(self.tools, '__module__', '')}.{getattr(self.tools, '__qualname__', type(self.tools).__qualname__)}"
            )
        else:
            tools = dumps_text(sorted(self.tools))
        kinds = f"{self.results:d}{self.thinking:d}{self.think_tags:d}"
        return f"{tools}-{dumps_text(sorted(self.exempt))}-{self.min_bytes}-{kinds}"

    def clears(self, tool: str) -> bool:
        """Whether results of a tool are cleared. A result whose tool is unknown is cleared unless only some tools are."""
        if tool in self.exempt:
            return False
        if self.tools is None:
            return True
        return self.tools(tool) if callable(self.tools) else tool in self.tools


@dataclass(frozen=True, slots=True)
class ClearedText:
    """A text that left the message: stored under ``uri`` before the message is shown.

    Attributes:
        text: the text of a result, or the base64 text of a file it held.
        uri: the address the message now cites.
        tool: the tool it came from; may be empty.
    """

    text: str
    uri: str
    tool: str


@dataclass(frozen=True, slots=True)
class Clearing:
    """A cleared message, and what must be stored first. Reasoning and tags are in no store: the archive has them."""

    message: Message
    texts: tuple[ClearedText, ...]


def clear_message(
    message: Message,
    *,
    tool_names: Sequence[str] = (),
    settings: ClearSettings,
    vocabulary: Vocabulary = ENGLISH,
    keep: Container[int] = (),
    uri_of: Callable[[str], str] = blob_uri,
) -> Message | None:
    """``clearing`` without the list of texts; ``None`` where nothing changed."""
    cleared = clearing(message, tool_names=tool_names, settings=settings, vocabulary=vocabulary, keep=keep, uri_of=uri_of)
    return None if cleared is None else cleared.message


def clearing(
    message: Message,
    *,
    tool_names: Sequence[str] = (),
    settings: ClearSettings,
    vocabulary: Vocabulary = ENGLISH,
    keep: Container[int] = (),
    uri_of: Callable[[str], str] = blob_uri,
) -> Clearing | None:
    """The message as it looks once cleared.

    Args:
        message: any message.
        tool_names: the tool behind each result, in order; where missing or empty, the result's own name counts.
        settings: what is cleared.
        vocabulary: the words of the lines left behind.
        keep: ordinals of results that stay whole.
        uri_of: the address of a text.

    Returns:
        The message, edited part by part, and the texts it now cites; ``None`` where nothing changed. A message is never left
        without parts.
    """
    if message.pinned:
        return None
    changes: dict[int, Part | None] = {}
    texts: list[ClearedText] = []
    ordinal, has_calls = -1, bool(message.tool_calls)
    for index, part in enumerate(message.parts):
        match part:
            case Result():
                ordinal += 1
                tool = (tool_names[ordinal] if ordinal < len(tool_names) else "") or part.name
                if settings.results and ordinal not in keep and settings.clears(tool):
                    cleared = _cleared_result(part, tool, settings, vocabulary, uri_of, texts)
                    if cleared is not None:
                        changes[index] = cleared
            case Thinking() if settings.thinking and not part.signature and not has_calls:
                changes[index] = None
            case Text() if settings.think_tags and message.role == "assistant":
                words = without_think_tags(part.text)
                if words != part.text:
                    changes[index] = replace(part, text=words) if words else None
            case _:
                pass
    if len(changes) == len(message.parts) and not any(changes.values()):
        # Nothing but reasoning: without it the message would be empty, which providers refuse.
        return None
    return Clearing(message.edit(changes), tuple(texts)) if changes else None


def without_think_tags(text: str) -> str:
    """The text without ``<think>`` passages that begin a line. One that never ends, or stands within a line, is left alone."""
    if "<think" not in text:
        return text
    for opening, closing in _TAGS:
        text = _without(text, opening, closing)
    return text


def _without(text: str, opening: str, closing: str) -> str:
    pieces: list[str] = []
    position = searched = 0
    while (begin := text.find(opening, searched)) >= 0:
        before = text[max(position, begin - _INDENT) : begin].rstrip(" \t")
        if before and not before.endswith("\n"):
            searched = begin + len(opening)
            continue
        end = text.find(closing, begin + len(opening))
        if end < 0:
            break
        pieces.append(text[position:begin])
        position = end + len(closing)
        while position < len(text) and text[position].isspace():
            position += 1
        searched = position
    if not pieces:
        return text
    return "".join((*pieces, text[position:]))


def _cleared_result(
    result: Result,
    tool: str,
    settings: ClearSettings,
    vocabulary: Vocabulary,
    uri_of: Callable[[str], str],
    texts: list[ClearedText],
) -> Result | None:
    text = result.text
    size = byte_size(text)
    files = [item for item in result.content if isinstance(item, Attachment) and item.data]
    others = any(
        not isinstance(item, Text | Attachment) or (isinstance(item, Attachment) and not item.data) for item in result.content
    )
    if others or (size < settings.min_bytes and not files) or _is_cleared(text):
        return None
    source = excerpt_source(text)
    if source is not None:
        size, uri = source.size, source.uri
    else:
        uri = uri_of(text)
        texts.append(ClearedText(text, uri, tool))
    cited: list[tuple[str, int, str]] = []
    for file in files:
        data = file.data or ""
        address = uri_of(data)
        texts.append(ClearedText(data, address, tool))
        cited.append((file.media_type, len(data), address))
    return replace(result, content=(Text(vocabulary.cleared_mark(tool, size, uri, tuple(cited))),))


def _is_cleared(text: str) -> bool:
    return text.startswith(MARK_OPEN) and text.endswith(MARK_CLOSE) and "\n" not in text and "context://" in text
