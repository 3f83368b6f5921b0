"""What a wire format is: the protocol each provider module fulfils, and the request they share.

Knows messages and bytes, no provider. A conversation is rendered turn by turn into elements; an element is one entry of the
provider's conversation list, cut at block level, so that entries of neighbouring turns can be joined where the provider wants
one entry per role, and so that the bytes of a turn never depend on what comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..jsontext import EMPTY
from ..messages import Message, Tool, ToolChoice
from ..messages.construction import quick_init
from ..vocabulary import ENGLISH
from ..vocabulary.mending import MendingWords
from .report import Report, Violation

__all__ = ["Element", "Format", "Frame", "Head", "RenderOptions", "Request", "join_elements"]


@quick_init
@dataclass(frozen=True, slots=True)
class Element:
    """One entry of a provider's conversation list.

    Attributes:
        open: bytes up to the first block, for example ``{"role":"user","content":[``. Empty for an entry taken over whole.
        blocks: the blocks, comma-free. An entry taken over whole is one block.
        close: the closing bytes, for example ``]}``.
        merge: two neighbours with the same non-empty key become one entry. Empty for entries that stay alone.
        marked: index of the block that carries a cache marker, by block index, with the block's bytes including the marker.
            The plain ``blocks`` never carry markers that we added, so that prefix comparison ignores them.
    """

    open: bytes
    blocks: tuple[bytes, ...]
    close: bytes = b""
    merge: str = ""
    marked: tuple[int, bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Everything of a request that is not its conversation.

    Attributes:
        model: model name, or ``None`` where the request does not say (Gemini names it in the address).
        tools: tool definitions in the client's order.
        tool_choice: ``None`` where the request does not say.
        max_output_tokens: the answer the client asked room for, in tokens.
        params: what all providers share, by neutral name: ``temperature``, ``top_p``, ``top_k``, ``stop`` (list of text),
            ``stream``, ``seed``, ``presence_penalty``, ``frequency_penalty``, ``user``, ``json_schema``, ``reasoning_effort`` …
        fields: every top-level field of the source request except conversation, system prompt and tools, as parsed and in
            its order. Used verbatim when rendering back to the same format.
        format: the format ``fields`` belongs to.
        unshared: names of those ``fields`` that ``model``, ``tools``, ``tool_choice``, ``max_output_tokens`` and ``params`` do
            not cover; what another format reports as dropped.
    """

    format: str = ""
    model: str | None = None
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice | None = None
    max_output_tokens: int | None = None
    params: Mapping[str, object] = EMPTY
    fields: Mapping[str, object] = EMPTY
    unshared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A whole request body, parsed.

    Attributes:
        head: model, tools, sampling.
        messages: the conversation in order; the system prompt stands first as messages of role ``system``.
    """

    head: Head
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Choices of a rendering.

    Attributes:
        thinking: what becomes of reasoning that the target cannot take: ``drop`` it, or turn it into ``text``.
        cache_markers: write the provider's cache markers where a message has ``cache_breakpoint``.
        words: what stands where the target has no place for something.
    """

    thinking: Literal["drop", "text"] = "drop"
    cache_markers: bool = True
    words: MendingWords = ENGLISH.mending


@dataclass(frozen=True, slots=True)
class Frame:
    """A rendered request without its conversation.

    ``payload = before + elements + after``. The conversation list is the last field, so that everything before it is a stable
    prefix.

    Attributes:
        before: from the opening brace to just after the conversation's opening bracket.
        after: closing brackets.
        tools: the bytes of the tools array alone (empty when there is none): first part of the prefix comparison.
        system: the bytes of a system prompt that is not part of the conversation list: its second part.
    """

    before: bytes
    after: bytes
    tools: bytes = b""
    system: bytes = b""


class Format(Protocol):
    """How one provider spells a conversation. Implementations are stateless and pure."""

    @property
    def name(self) -> str:
        """``openai``, ``openai-responses``, ``anthropic``, ``gemini`` or ``ollama``."""
        ...

    @property
    def conversation(self) -> str:
        """The field of a request that holds the conversation: ``messages``, ``input``, ``contents``."""
        ...

    @property
    def ids(self) -> Literal["free", "present", "unique"]:
        """What the provider demands of call ids: nothing, that they are there, or that none is used twice in a request."""
        ...

    @property
    def takes_late_system(self) -> bool:
        """Whether every model behind this format takes a system message after the conversation has begun."""
        ...

    def detect(self, body: object) -> bool:
        """Whether parsed JSON looks like a request body (or a bare conversation list) of this format."""
        ...

    def parse(self, body: object) -> Request:
        """Read a request body, given as parsed JSON, as JSON text (``bytes``: exact bytes of every element are kept), or as
        a bare list of conversation elements. Nothing is repaired.

        Raises:
            FormatError: the body is not of this format; names the element.
        """
        ...

    def parse_items(self, items: Sequence[object]) -> tuple[Message, ...]:
        """Read elements of the conversation list: one message for each element, in order."""
        ...

    def render_turn(
        self, turn: Sequence[Message], options: RenderOptions, report: Report, where: str = ""
    ) -> tuple[Element, ...]:
        """Render one turn (see ``messages.turns``): a user message, a positional system message, or a run of assistant
        messages with all their results. Depends on the turn alone. Messages whose origin is this format go out as the bytes
        they came in, edits spliced into the blocks concerned.
        """
        ...

    def render_head(
        self, head: Head, system: Sequence[Message], options: RenderOptions, report: Report
    ) -> tuple[Frame, tuple[Element, ...]]:
        """Render everything but the conversation, and the system prompt: into the frame, or, for formats that keep it in the
        conversation list, as elements that come first.
        """
        ...

    def append_text(self, last: Element, text: str) -> tuple[Element, int] | None:
        """Add volatile text at the end of the last element, in the form it already has (a string stays a string, an array
        stays an array). Returns the element and how many of its bytes (open and blocks joined) stay as they were up to the
        first new byte; ``None`` where nothing may be added (not a user element; tool results in a format where text may not
        follow them).
        """
        ...

    def user_element(self, text: str) -> Element:
        """A new user entry that holds ``text``."""
        ...

    def prefill(self, head: Head) -> Literal["continued", "ignored", "refused"]:
        """What the provider does with a conversation that ends in the assistant's words: continue them, take them for a
        finished answer, or refuse the request.
        """
        ...

    def validate(self, body: object) -> list[Violation]:
        """Every rule of the provider that a parsed request body breaks, in document order."""
        ...


def join_elements(elements: Iterable[Element], *, markers: bool = True) -> list[tuple[bytes, list[bytes], bytes]]:
    """Join neighbours with equal merge keys. Returns (open, blocks, close) triples; markers included if wanted."""
    joined: list[tuple[bytes, list[bytes], bytes]] = []
    key = ""
    for element in elements:
        blocks: list[bytes] = list(element.blocks)
        if markers and element.marked is not None:
            blocks[element.marked[0]] = element.marked[1]
        if joined and key and element.merge == key:
            joined[-1][1].extend(blocks)
        else:
            joined.append((element.open, blocks, element.close))
        key = element.merge
    return joined
