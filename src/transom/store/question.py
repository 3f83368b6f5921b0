"""A question taken apart: which words, in which forms, which phrases, which times; and how often they stand in a text.

Knows words, no storage. A text that holds none of the beginnings of what is asked for is not taken apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .fulltext import Query, Term, flat, fold, words_of
from .inflection import forms
from .moments import Span, moments, says_when

__all__ = ["Question"]

_INFLECTED = 0.85
"""What another form of a word counts."""
_SHORT = 3
_LONG = 6000
"""Characters from which a text is looked through for the words as they are written only, not taken apart."""
_MOST = 9.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what of it is looked for in what way.

    Attributes:
        query: its terms; terms and parts are numbered together, terms first.
        forms: for each term the single words that stand for it, the written one first; empty for phrases.
        spans: times it names.
        timed: whether it asks for a time at all.
    """

    query: Query
    forms: tuple[tuple[str, ...], ...]
    spans: tuple[Span, ...]
    timed: bool
    _words: Mapping[str, Sequence[tuple[int, float]]]
    _phrases: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, query: Query) -> Question:
        """Take a parsed question further apart."""
        bent = tuple(forms(fold(term.text)) if _is_word(term) else () for term in query.terms)
        words: dict[str, list[tuple[int, float]]] = {}
        for index, others in enumerate(bent):
            for at, word in enumerate(others):
                words.setdefault(word, []).append((index, _INFLECTED if at else 1.0))
        phrases = [(index, f" {' '.join(flat(term))} ") for index, term in enumerate(query.terms) if not bent[index]]
        phrases += [(index, f" {' '.join(flat(part))} ") for index, part in enumerate(query.parts, len(query.terms))]
        spans = tuple(moments(query.text))
        return cls(query, bent, spans, bool(spans) or says_when(query.text), words, tuple(phrases))

    @property
    def size(self) -> int:
        """How many terms and parts there are."""
        return len(self.query.terms) + len(self.query.parts)

    @property
    def needles(self) -> tuple[str, ...]:
        """What to look for in a text that holds the answer, folded: the terms as they were written, then their other forms."""
        others = (form for term in self.forms for form in term[1:] if len(form) > _SHORT)
        return tuple(dict.fromkeys((*self.query.needles, *others)))

    @property
    def dates(self) -> tuple[tuple[str, ...], ...]:
        """The times it names whole enough to look for, as programs write them: year, month, day."""
        return tuple(
            (f"{span.year}", f"{span.month:02}", *([f"{span.day:02}"] if span.day else []))
            for span in self.spans
            if span.year and span.month
        )

    def beginnings(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """What a folded text holds at least one of if it holds one of these terms and parts in any form."""
        phrases = dict(self._phrases)
        found: dict[str, None] = {}
        for number in numbers:
            if number in phrases:
                found[phrases[number].split()[0]] = None
            else:
                for form in sorted(self.forms[number]):
                    if not any(form.startswith(known) for known in found):
                        found[form] = None
        return tuple(found)

    def counts(self, folded: str) -> tuple[list[float], int]:
        """How often each term and part stands in a folded text, and how many words the text has."""
        found, words = self.counted(folded)
        return [found.get(number, 0.0) for number in range(self.size)], words

    def counted(self, folded: str) -> tuple[dict[int, float], int]:
        """How often each term and part stands in a folded text, where it does, and how many words the text has."""
        found: dict[int, float] = {}
        if len(folded) > _LONG:
            for index, term in enumerate((*self.query.terms, *self.query.parts)):
                if count := folded.count(fold(term.text)):
                    found[index] = min(_MOST, count)
            return found, len(folded) // 6
        words = words_of(folded)
        for word in self._words.keys() & set(words):
            count = words.count(word)
            for index, factor in self._words[word]:
                found[index] = found.get(index, 0.0) + factor * count
        if self._phrases:
            joined = f" {' '.join(words)} "
            for index, phrase in self._phrases:
                if phrase in joined:
                    found[index] = float(joined.count(phrase)) if index < len(self.query.terms) else 1.0
        return found, len(words)


def _is_word(term: Term) -> bool:
    return len(term.tokens) == 1 and not term.dense and not term.required
