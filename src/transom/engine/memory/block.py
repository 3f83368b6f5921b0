"""Facts as they stand in a prompt: one block, and what changed since it was written.

Pure: facts and words in, text out; no clock, so that the same facts give the same bytes. What a fact says can neither close the
frame nor pass for another fact: every further line of a value is indented, and what looks like the frame's own tags is escaped.
Beyond the room there is, a long value is cut behind its beginning with its address, and what is left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...vocabulary.remembering import MemoryWords
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from .fact import Fact

__all__ = ["NO_BLOCK", "Block", "decode_block", "encode_block", "is_block", "render_block", "render_changes"]

_SHARE = 4
"""One value takes a quarter of the room at most."""
_CHARACTERS_PER_TOKEN = 4
_LEAST = 80
_PASSED = 32
"""Where so many facts in a row do not fit the block is full: to count a thousand more would cost more than it could find."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Block:
    """The facts as text.

    Attributes:
        text: the block; empty where there is nothing to say.
        keys: the facts that stand in it, in order.
        lines: every fact as it would stand there, left-out ones included, the most important first.
        left_out: how many there was no room for.
    """

    text: str = ""
    keys: tuple[str, ...] = ()
    lines: Mapping[str, str] = field(default_factory=dict)
    left_out: int = 0


NO_BLOCK = Block()
"""No facts."""


def is_block(text: str, words: MemoryWords) -> bool:
    """Whether a text is a block of facts in these words, whatever facts."""
    return text.startswith(f"<{words.block_name}>\n{words.block_opening}") and text.endswith(f"</{words.block_name}>")


def encode_block(block: Block | None) -> dict[str, object] | None:
    """A block as JSON values."""
    if block is None:
        return None
    return {"text": block.text, "keys": list(block.keys), "lines": dict(block.lines), "left_out": block.left_out}


def decode_block(value: object) -> Block | None:
    """A block read back; ``None`` for what is none."""
    if not isinstance(value, Mapping):
        return None
    lines = {str(key): str(line) for key, line in value["lines"].items()}
    return Block(text=str(value["text"]), keys=tuple(value["keys"]), lines=lines, left_out=int(value["left_out"]))


def render_block(
    facts: Iterable[Fact],
    words: MemoryWords,
    *,
    max_tokens: int,
    count: Count,
    max_facts: int | None = None,
    tool: bool = True,
    label: Callable[[Fact], str] | None = None,
    written: dict[str, tuple[Fact, str]] | None = None,
) -> Block:
    """The block of facts: the most important first, and by key among equals, whatever order they come in.

    Args:
        facts: what is to stand in it, one a key.
        words: what frames them.
        max_tokens: the text never has more.
        count: tokens of a text.
        max_facts: how many stand in it at most.
        tool: whether the model has the ``context`` tool, which the text then names.
        label: what is said of how sure a fact is, behind its value; may be empty.
        written: lines of earlier blocks with the same words and bounds, by key; those of facts that are still the same objects
            are taken from there, and it is brought up to date.
    """
    order = sorted(facts, key=lambda fact: (-fact.importance, fact.key))
    if not order:
        return NO_BLOCK
    lines: dict[str, str] = {}
    kept = written if written is not None else {}
    for fact in order:
        known = kept.get(fact.key)
        if known is None or known[0] is not fact:
            known = kept[fact.key] = fact, _labelled(_line(fact, words, max_tokens), fact, label)
        lines[fact.key] = known[1]
    for key in [key for key in kept if key not in lines] if len(kept) > len(lines) else ():
        del kept[key]
    frame = _Frame(words.block_name, words.opening(tool=tool))

    def left_out(number: int) -> str:
        return _mark(words.left_out_note(number, tool=tool))

    shown = _fitting(list(lines.items()), frame, left_out, max_tokens, count, max_facts)
    hidden = len(lines) - len(shown)
    text = frame.around([*shown.values(), *([left_out(hidden)] if hidden else [])])
    return Block(text if count(text) <= max_tokens else "", tuple(shown), lines, hidden)


def render_changes(frozen: Block, now: Block, words: MemoryWords, *, max_tokens: int, count: Count) -> str:
    """What changed since a block was written: facts that are new or say something else, and facts that are gone.

    Args:
        frozen: the block as it stands in the prompt.
        now: the facts as they are, rendered with the same words and bounds.
        words: what frames the changes.
        max_tokens: the text never has more.
        count: tokens of a text.

    Returns:
        The text for the tail; empty where nothing changed.
    """
    if frozen is now or frozen.lines == now.lines:
        return ""
    # First what is gone: to go on believing what is no longer so is worse than not to know something new.
    changed = [(key, _escape(words.removed_line(key), words)) for key in frozen.lines if key not in now.lines]
    changed += [(key, line) for key, line in now.lines.items() if frozen.lines.get(key) != line]
    frame = _Frame(words.changes_name, words.changes_opening)

    def left_out(number: int) -> str:
        return _mark(words.changes_left_out_note(number))

    shown = _fitting(changed, frame, left_out, max_tokens, count, None)
    hidden = len(changed) - len(shown)
    text = frame.around([*shown.values(), *([left_out(hidden)] if hidden else [])])
    return text if count(text) <= max_tokens else ""


@dataclass(frozen=True, slots=True)
class _Frame:
    name: str
    opening: str

    def around(self, lines: Sequence[str]) -> str:
        return "\n".join([f"<{self.name}>", self.opening, *lines, f"</{self.name}>"])


def _fitting(
    lines: Sequence[tuple[str, str]],
    frame: _Frame,
    left_out: Callable[[int], str],
    max_tokens: int,
    count: Count,
    most: int | None,
) -> dict[str, str]:
    """The lines there is room for, in order; one that is too long is passed over, until many in a row are."""
    shown: dict[str, str] = {}
    passed = 0
    room = max_tokens - count(frame.around([left_out(len(lines))]))
    for key, line in lines:
        if most is not None and len(shown) >= most:
            break
        cost = count(f"{line}\n") if len(line) <= max_tokens * _CHARACTERS_PER_TOKEN * 8 else max_tokens + 1
        if cost <= room:
            shown[key] = line
            room -= cost
            passed = 0
        elif (passed := passed + 1) == _PASSED:
            break
    # Pieces counted one by one are an estimate of their sum with some tokenizers.
    while shown and count(frame.around([*shown.values(), left_out(len(lines))])) > max_tokens:
        shown.popitem()
    return shown


def _labelled(line: str, fact: Fact, label: Callable[[Fact], str] | None) -> str:
    said = label(fact) if label is not None else ""
    return f"{line} {said}" if said else line


def _line(fact: Fact, words: MemoryWords, max_tokens: int) -> str:
    """One fact: its first line begins with the key, every further one is indented."""
    value, note = fact.value, ""
    if len(value) <= _LEAST and "<" not in value and "<" not in fact.key and not fact.description and value.isprintable():
        return words.fact_line(fact.key, value, "")
    most = max(_LEAST, max_tokens * _CHARACTERS_PER_TOKEN // _SHARE)
    if len(value) > most + _LEAST:
        shown = _beginning(value, most)
        note = " " + _mark(words.cut_note(len(value) - len(shown), len(value), fact.uri))
        value = shown
    text = words.fact_line(fact.key, "\n  ".join(value.splitlines()), " ".join(fact.description.split()))
    return _escape(text, words) + note


def _beginning(value: str, most: int) -> str:
    """At most that many characters, cut at the end of a line or word where one is near."""
    shown = value[:most]
    for end in (shown.rfind("\n"), shown.rfind(" ")):
        if end > most * 3 // 4:
            return shown[:end]
    return shown


def _escape(text: str, words: MemoryWords) -> str:
    """Without anything that could be read as a tag of our frames."""
    if "<" not in text:
        return text
    names = "|".join(sorted((re.escape(words.block_name), re.escape(words.changes_name)), reverse=True))
    return re.sub(rf"<(?=\s*+/?\s*+(?:{names})\b)", "&lt;", text, flags=re.IGNORECASE)


def _mark(note: str) -> str:
    return MARK_OPEN + note + MARK_CLOSE
