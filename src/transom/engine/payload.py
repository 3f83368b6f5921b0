"""The outcome of a compile: a request body in a provider's own bytes, and an account of it.

Knows elements and bytes. The body is kept as pieces shared with the caches; ``json`` joins them and ``body`` is decoded
afresh on each access, so that a caller cannot corrupt a cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..jsontext import loads
from ..wire.format import Element, Frame, join_elements
from ..wire.report import Note
from .ledger.live import Moved
from .ledger.records import Lineage
from .overflow.guard import ClosingFigures
from .placement.cache_audit import Finding
from .placement.prefix import PrefixReport
from .retrieval.recall import Recollection

__all__ = ["Compared", "Payload", "PayloadMeta", "at_block_level", "common_prefix", "compared_sequence", "payload_pieces"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadMeta:
    """What happened in a compile.

    Attributes:
        target: the wire format.
        window: tokens the payload had to fit into.
        lineage: first, previous and current window.
        tokens_before: what the whole history weighs, system prompt and tools included.
        tokens_after: what the payload weighs.
        reserve: tokens kept free for the answer.
        trigger: tokens at which the window would close: everything fixed plus the trigger of the movable history.
        parts: tokens by what they are: ``system``, ``tools``, ``head``, ``user``, ``assistant``, ``results``, ``tail``.
        moved: what left the window in this compile, for the first time.
        archives: addresses of the spans closed last, oldest first, at most 16; each begins with a head that names those before.
        own_archive: this history's own span, where its bytes differ from those of the one that closed the window first.
        closed: name of the step that closed a window in this compile, empty otherwise.
        closing: tokens before and after that, and what was saved.
        waiting: name of the strategy that has not decided yet, where a window is to close and waits for it.
        handoff: the model was told that its window will close soon.
        memory: keys of the facts that the payload shows.
        skill: name of the skill that the payload tells the model to follow; empty for none.
        recalled: what was put beside the newest message of the user in this compile and why, or why nothing was; ``None`` where
            that was not tried: nothing has left the window, or it was decided before.
        notes: what the target could not carry.
        repairs: what had to be changed to make the history valid, in this compile.
        prefix_bytes: leading bytes equal to the previous compile for the same target.
        sequence_bytes: length of the compared sequence.
        tail_bytes: length from its first volatile byte on.
        prefix: what moved the prefix, and what it costs; says nothing where it held.
        audit: what keeps a cache breakpoint from hitting. Anthropic, where breakpoints are used.
        failure: why a closing did not land, why ``reset`` took the place of its strategy, or why a new window that was asked
            for was not opened; empty if none of these.
        timings: milliseconds by phase.
    """

    target: str
    window: int
    lineage: Lineage
    tokens_before: int
    tokens_after: int
    reserve: int
    trigger: int
    parts: dict[str, int]
    moved: tuple[Moved, ...] = ()
    archives: tuple[str, ...] = ()
    own_archive: str = ""
    closed: str = ""
    closing: ClosingFigures | None = None
    waiting: str = ""
    handoff: bool = False
    memory: tuple[str, ...] = ()
    recalled: Recollection | None = None
    skill: str = ""
    notes: tuple[Note, ...] = ()
    repairs: tuple[Note, ...] = ()
    prefix_bytes: int = 0
    sequence_bytes: int = 0
    tail_bytes: int = 0
    prefix: PrefixReport = field(default_factory=PrefixReport)
    audit: tuple[Finding, ...] = ()
    failure: str = ""
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def window_id(self) -> str:
        """The window open now."""
        return self.lineage.current


@dataclass(frozen=True, slots=True)
class Compared:
    """What prefix comparison looks at: tools, system, conversation at block level, the last element not closed.

    Attributes:
        pieces: in order.
        length: bytes in all.
        stable: bytes before the first volatile one; 0 once nothing of it has to stand still any more.
        reach: bytes that had to stand still when it was sent, whatever happened since.
        volatile: bytes from the first volatile one on.
        window: which window it belongs to.
        given: the tools and the system prompt that the caller had set.
    """

    pieces: tuple[bytes, ...] = ()
    length: int = 0
    stable: int = 0
    reach: int = 0
    volatile: int = 0
    window: str = ""
    given: tuple[object, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Payload:
    """A request body, ready to send.

    Attributes:
        meta: the account of the compile.
        sequence: what prefix comparison looks at.
        betas: names of the provider's betas that the body needs; the SDK's ``betas`` argument takes them.
    """

    meta: PayloadMeta
    pieces: tuple[bytes, ...] = field(repr=False)
    sequence: Compared = field(repr=False)
    betas: tuple[str, ...] = ()

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers that the body needs; empty for most."""
        return {"anthropic-beta": ",".join(self.betas)} if self.betas else {}

    @property
    def body(self) -> dict[str, object]:
        """The body as Python values, built afresh on each access."""
        value = loads(self.json())
        assert isinstance(value, dict)
        return value

    def json(self) -> bytes:
        """The body as JSON text; the same for the same content, in every process."""
        return b"".join(self.pieces)


def payload_pieces(frame: Frame, elements: Sequence[Element]) -> list[bytes]:
    """The body: frame and conversation, markers included."""
    pieces = [frame.before]
    for number, (opening, blocks, closing) in enumerate(join_elements(elements)):
        if number:
            pieces.append(b",")
        pieces.append(opening)
        for index, block in enumerate(blocks):
            if index:
                pieces.append(b",")
            pieces.append(block)
        pieces.append(closing)
    pieces.append(frame.after)
    return pieces


def compared_sequence(
    frame: Frame, stable: Sequence[Element], volatile: Iterable[Element], kept_of_first: int, closing: int = 0
) -> Compared:
    """What prefix comparison looks at.

    Args:
        frame: its tools and system bytes come first.
        stable: elements that later compiles repeat.
        volatile: elements that they may not.
        kept_of_first: how many leading bytes of the first volatile element are stable all the same (text was added at its end).
        closing: how many bytes at the end only close the last element: text that is added to it stands before them, so that
            they need not stand still.
    """
    pieces = [piece for piece in (frame.tools, frame.system) if piece]
    count = len(stable)
    lengths = sum(map(len, pieces))
    boundary = -1
    moving = list(volatile)
    if kept_of_first and stable:
        # The separator before the element stands still with it; an element that joins its neighbour has no opening of its own.
        joins = stable[-1].merge and moving[0].merge == stable[-1].merge
        kept_of_first += 1 - (len(moving[0].open) if joins else 0)
    for number, piece in at_block_level([*stable, *moving]):
        if boundary < 0 and number >= count:
            boundary = lengths + kept_of_first
        pieces.append(piece)
        lengths += len(piece)
    first = boundary if boundary >= 0 else lengths
    return Compared(tuple(pieces), lengths, stable=first - closing, reach=first - closing, volatile=lengths - first)


def at_block_level(elements: Sequence[Element]) -> Iterable[tuple[int, bytes]]:
    """Blocks and openings, each with the number of the element it belongs to. What stands between two belongs to the second:
    an element is only closed by one that does not join it, and the last one not at all.
    """
    key, close = "", b""
    for number, element in enumerate(elements):
        fresh = not (number and key and element.merge == key)
        if fresh and close:
            yield number, close
        if fresh:
            close = element.close
        if number:
            yield number, b","
        if fresh and element.open:
            yield number, element.open
        for index, block in enumerate(element.blocks):
            if index:
                yield number, b","
            yield number, block
        key = element.merge


def common_prefix(one: Sequence[bytes], two: Sequence[bytes]) -> int:
    """How many leading bytes two sequences of pieces share."""
    length = 0
    for index, (a, b) in enumerate(zip(one, two, strict=False)):
        if a is b or a == b:
            length += len(a)
        else:
            return length + _common(b"".join(one[index:]), b"".join(two[index:]))
    return length


def _common(a: bytes, b: bytes) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
