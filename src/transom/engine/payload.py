"""The outcome of a compile: a request body in a provider's own bytes, and an account of it.

Knows elements and bytes. The body is kept as elements shared with the caches; ``json`` joins them and ``body`` is decoded
afresh on each access, so that a caller cannot corrupt a cache. What prefix comparison looks at goes on from the compile before:
elements that stand where they stood are not gone through again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import is_

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
        outer: how many of the pieces are tools and system.
        elements: what the other pieces are of.
        starts: for each element, and for the end, how many pieces and bytes stand before it.
        resumed: how many pieces and bytes were taken over from the sequence before.
        window: which window it belongs to.
        given: the tools and the system prompt that the caller had set.
    """

    pieces: tuple[bytes, ...] = ()
    length: int = 0
    stable: int = 0
    reach: int = 0
    volatile: int = 0
    outer: int = 0
    elements: tuple[Element, ...] = field(default=(), repr=False)
    starts: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    resumed: tuple[int, int] = (0, 0)
    window: str = ""
    given: tuple[object, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Payload:
    """A request body, ready to send.

    Attributes:
        meta: the account of the compile.
        frame: what stands around the conversation.
        elements: the conversation.
        sequence: what prefix comparison looks at.
        betas: names of the provider's betas that the body needs; the SDK's ``betas`` argument takes them.
        written: the body as a function in a slot made it; ``None`` where it follows from frame and elements.
    """

    meta: PayloadMeta
    frame: Frame = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)
    sequence: Compared = field(repr=False)
    betas: tuple[str, ...] = ()
    written: bytes | None = field(default=None, repr=False)

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
        return b"".join(payload_pieces(self.frame, self.elements)) if self.written is None else self.written


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
    frame: Frame,
    stable: Sequence[Element],
    volatile: Sequence[Element],
    kept_of_first: int,
    closing: int = 0,
    *,
    before: Compared | None = None,
    window: str = "",
    given: tuple[object, ...] = (),
) -> Compared:
    """What prefix comparison looks at.

    Args:
        frame: its tools and system bytes come first.
        stable: elements that later compiles repeat.
        volatile: elements that they may not.
        kept_of_first: how many leading bytes of the first volatile element are stable all the same (text was added at its end).
        closing: how many bytes at the end only close the last element: text that is added to it stands before them, so that
            they need not stand still.
        before: what the compile before gave: what is the same in it is taken over.
        window, given: see ``Compared``.
    """
    outer = tuple(piece for piece in (frame.tools, frame.system) if piece)
    count, elements = len(stable), (*stable, *volatile)
    if kept_of_first and stable:
        # The separator before the element stands still with it; an element that joins its neighbour has no opening of its own.
        joins = stable[-1].merge and volatile[0].merge == stable[-1].merge
        kept_of_first += 1 - (len(volatile[0].open) if joins else 0)
    if before is not None and before.starts and before.pieces[: before.outer] == outer:
        same = _same(before.elements, elements)
        resumed = before.starts[same]
        pieces, starts = [*before.pieces[: resumed[0]]], [*before.starts[:same]]
    else:
        same, resumed, pieces, starts = 0, (0, 0), [*outer], []
    length = resumed[1] or sum(map(len, outer))
    for number, piece in at_block_level(elements, same):
        while len(starts) <= number:
            starts.append((len(pieces), length))
        pieces.append(piece)
        length += len(piece)
    while len(starts) <= len(elements):
        starts.append((len(pieces), length))
    first = starts[count][1] + kept_of_first if volatile else length
    return Compared(
        tuple(pieces),
        length,
        stable=first - closing,
        reach=first - closing,
        volatile=length - first,
        outer=len(outer),
        elements=elements,
        starts=tuple(starts),
        resumed=resumed,
        window=window,
        given=given,
    )


def _same(one: Sequence[Element], two: Sequence[Element]) -> int:
    """How many leading elements are the same objects."""
    alike = [*map(is_, one, two)]
    return len(alike) if all(alike) else alike.index(False)


def at_block_level(elements: Sequence[Element], since: int = 0) -> Iterator[tuple[int, bytes]]:
    """Blocks and openings, each with the number of the element it belongs to. What stands between two belongs to the second:
    an element is only closed by one that does not join it, and the last one not at all.

    Args:
        elements: the conversation.
        since: the first element whose pieces are given.
    """
    key = elements[since - 1].merge if since else ""
    close = _open_before(elements, since)
    for number in range(since, len(elements)):
        element = elements[number]
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


def _open_before(elements: Sequence[Element], number: int) -> bytes:
    """What will close the entry that is open where an element begins: the bytes of the first element of the entry."""
    first = number - 1
    while first > 0 and elements[first].merge and elements[first - 1].merge == elements[first].merge:
        first -= 1
    return elements[first].close if first >= 0 else b""


def common_prefix(one: Sequence[bytes], two: Sequence[bytes], known: tuple[int, int] = (0, 0)) -> int:
    """How many leading bytes two sequences of pieces share.

    Args:
        one, two: the sequences.
        known: pieces at their beginning that are the same, and how many bytes these have.
    """
    begin, length = known
    for index in range(begin, min(len(one), len(two))):
        a, b = one[index], two[index]
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
