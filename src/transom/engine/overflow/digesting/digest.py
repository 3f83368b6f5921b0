"""Makes a digest: extraction, merging, and the loop that fits the outcome into its budget.

Knows the siblings and the tokenizer. The fit is measured on the finished text, so it holds for any tokenizer and any input; the
siblings' estimates only decide how few attempts it takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....messages import Message
from ....tokens.counter import Tokenizer
from ....vocabulary import ENGLISH, Vocabulary
from ....vocabulary.digesting import DigestWords
from .extraction import extract
from .fitting import Layout, Rates
from .merging import merge
from .notes import Archive, Notes, Quote, Remark
from .reading import Reading
from .rendering import Rendering

__all__ = ["Digest", "digest"]

_URI = re.compile(r"context://vfs/[0-9a-f]{64}")
_PLAIN = ENGLISH.digesting.explanation
_SAMPLE = "確認してください。原因は設定にあります。请检查配置。"
_ATTEMPTS = 7
_FILLED = 0.9  # a first attempt that used less of the budget than this, though more was there, is worth a second
_TOO_SMALL = 40  # tokens beside the headline, below which a section is not worth its heading


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest.

    Attributes:
        text: what replaces the span; empty when not even the shortest form fits the budget.
        cited: every text of the span whose ``context://vfs`` address the text names, each once. They must be stored before the
            text is shown. What an earlier digest cited is stored already and not named here.
    """

    text: str
    cited: tuple[str, ...] = ()


def digest(
    messages: Sequence[Message],
    *,
    previous: str | None,
    budget: int,
    tokenizer: Tokenizer,
    archive_uri: str,
    window: str,
    previous_window: str | None = None,
    vocabulary: Vocabulary = ENGLISH,
) -> Digest:
    """Make the text that stands for a span.

    Args:
        messages: the span, in the order and number in which it is archived. One that is exactly ``previous`` is passed over.
        previous: the text that stood for the windows before; a digest is taken over entry by entry, anything else is quoted.
        budget: the most the text may weigh, in tokens. From about 120 there is always room for its first lines.
        tokenizer: weighs it.
        archive_uri: where the span is archived.
        window: the window's id, without blanks.
        previous_window: the id of the window that ``previous`` belongs to.
        vocabulary: what the digest says in its own voice; an earlier digest, and stand-ins for what was missing, are recognised
            by it.

    Returns:
        The text, never heavier than ``budget``, and what must be stored before it is shown.
    """
    window = "".join(window.split()) or "w"
    texts: dict[str, str] = {}
    words = vocabulary.digesting
    old = Reading(words).read(previous) if previous else None
    most = max(budget // 12, 24)
    earlier = old.tasks if old is not None else ()
    notes = extract(messages, window, most=most, texts=texts, skip=previous, earlier=earlier, vocabulary=vocabulary)
    notes = replace(notes, archives=(Archive(window, archive_uri),))
    if old is not None:
        notes = merge(old, notes)
    elif previous:
        notes = _after_foreign(notes, previous, f"{previous_window or window}:1")
    text = _fit(notes, window, budget, tokenizer, texts, Rendering(words))
    return Digest(text, tuple(dict.fromkeys(texts[uri] for uri in _URI.findall(text) if uri in texts)))


def _after_foreign(notes: Notes, previous: str, place: str) -> Notes:
    """A head that some other strategy made is an account to quote."""
    remark = Remark("".join(place.split()), "summary", Quote.whole(previous))
    return replace(notes, rules=(remark, *notes.rules), windows=2)


def _fit(notes: Notes, window: str, budget: int, tokenizer: Tokenizer, texts: dict[str, str], written: Rendering) -> str:
    headlines = _headlines(notes, window, budget, written.words)
    weights = tokenizer.count_batch(headlines)
    head, head_weight = next(
        ((head, weight) for head, weight in zip(headlines, weights, strict=True) if weight <= budget), ("", 0)
    )
    if (head != headlines[0] and head != headlines[1]) or budget - head_weight < _TOO_SMALL:
        return head
    layout = Layout(notes, _rates(tokenizer), texts, written)
    best, scale, slack = head, 1.0, 2.0
    for attempt in range(_ATTEMPTS):
        body = layout.fill((budget - head_weight - slack) * scale)
        if not body:
            break
        text = f"{head}\n{body}"
        weight = tokenizer.count(text)
        if weight <= budget:
            if len(text) > len(best):
                best = text
            if attempt or weight >= budget * _FILLED or "[…" not in body:
                break
        used = max(weight - head_weight, 1)
        scale *= (budget - head_weight) / used * (0.98 if weight > budget else 0.96)
    return best


def _rates(tokenizer: Tokenizer) -> Rates:
    """What this tokenizer makes of plain text, of text outside ASCII and of an address."""
    uri = "context://vfs/0f1e2d3c4b5a69788796a5b4c3d2e1f0a1b2c3d4e5f60718293a4b5c6d7e8f90"
    prose, other, address = tokenizer.count_batch([_PLAIN, _SAMPLE, uri])
    # Paths and code weigh more than prose.
    return Rates(max(prose / len(_PLAIN) * 1.15, 0.01), max(other / len(_SAMPLE), 0.01), float(max(address, 1)))


def _headlines(notes: Notes, window: str, budget: int, words: DigestWords) -> list[str]:
    """The opening lines, from the fullest to the barest."""
    title = f"{words.mark} {words.title.format(messages=notes.messages, window=window)}"
    if notes.windows > 1:
        added = words.many_before if notes.windows > 2 else words.one_before
        title += added.format(before=notes.before, windows=notes.windows - 1)
    newest, *older = [words.archive.format(window=archive.window, uri=archive.uri) for archive in notes.archives]
    few = older[: max(budget // 400, 1)]
    rest = [words.older_archives.format(window=notes.archives[len(few)].window)] if len(few) < len(older) else []
    return [
        "\n".join((title, words.explanation, newest, *few, *rest)),
        "\n".join((title, words.explanation, newest, *older[:1])),
        words.kept_under.format(title=title, uri=notes.archives[0].uri),
        f"{words.mark} {notes.archives[0].uri}",
    ]
