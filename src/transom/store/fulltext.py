"""Words: how text is cut for the index, what a question asks for, and the excerpt shown of a match.

Knows text, no storage. Words are runs of letters and digits; everything else parts them, so that ``foo_bar.baz-42`` is the
phrase "foo bar baz 42". Scripts written without spaces are cut into overlapping pairs of characters beside the words: a
question of two characters finds them anywhere in a run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Query", "Term", "clean", "columns", "excerpt", "flat", "fold", "parse_query", "texts_of", "words_of"]

# Han, kana, bopomofo, Hangul, and the scripts of South-East Asia that put no space between words.
_DENSE = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff"
_DENSE += "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_DENSE_RUN = re.compile(f"[{_DENSE}]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TOKEN = re.compile(f"[{_DENSE}]+|[^\\W_]+")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|„([^“”]+)[“”]|«([^»]+)»")
_OWNERS = re.compile(r"(?<=\w)['’]s(?=\W*$)")
_EXCERPT = 240
_MOST_CHARACTERS = 20_000
_MOST_TERMS = 512
"""Each term is looked up by itself. What is longer, a pasted log for example, is asked for by its beginning and its end, where
people say what they want."""
_NEAR = 24
"""Spots that are looked at together."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a question asks for.

    Attributes:
        text: as it was written.
        tokens: the words, or for a dense script the pairs of characters, that must follow one another.
        dense: whether they are pairs of characters.
        required: written in quotes.
    """

    text: str
    tokens: tuple[str, ...]
    dense: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question taken apart.

    Attributes:
        text: as it was written.
        terms: what it asks for, each once.
        parts: single words of the identifiers and phrases in it, for when those are found nowhere.
    """

    text: str
    terms: tuple[Term, ...]
    parts: tuple[Term, ...]

    @property
    def needles(self) -> tuple[str, ...]:
        """The terms as they were written, folded, for looking them up in a text."""
        return tuple(dict.fromkeys(fold(term.text) for term in self.terms))


def clean(text: str) -> str:
    """``text`` without what no database stores as text: NUL and lone surrogates become spaces."""
    if text.isascii():
        return text.replace("\x00", " ")
    return _UNSTORABLE.sub(" ", text) if _UNSTORABLE.search(text) else text


def texts_of(text: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """One or several texts as several."""
    if text is None:
        return ()
    return (text,) if isinstance(text, str) else text


def columns(text: str) -> tuple[str, str]:
    """What is indexed of a text: its words, and the character pairs of its dense runs (empty for most)."""
    text = clean(text)
    if text.isascii() or not _DENSE_RUN.search(text):
        return text, ""
    pairs = " ".join(" ".join(_pairs(match.group())) for match in _DENSE_RUN.finditer(text))
    return _DENSE_RUN.sub(" ", text), pairs


def _pairs(run: str) -> list[str]:
    """Overlapping pairs, and the last character alone, so that one character is a prefix of some pair wherever it stands."""
    return [run[index : index + 2] for index in range(len(run))]


def fold(text: str) -> str:
    """``text`` without case and accents, as the index sees it."""
    if text.isascii():
        return text.lower()
    return "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))


def parse_query(text: str) -> Query:
    """Take a question apart. Any text is a valid question; one without a letter or digit has no terms.

    Of a very long one the middle is passed over, so that no question takes more than a bounded time.
    """
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[: _MOST_CHARACTERS // 2]} {text[-_MOST_CHARACTERS // 2 :]}"
    text = clean(text)
    terms: dict[tuple[str, ...], Term] = {}
    parts: dict[tuple[str, ...], Term] = {}

    def add(term: Term) -> None:
        terms.setdefault((*term.tokens, str(term.dense)), term)

    rest = _QUOTED.sub(" ", text)
    for match in _QUOTED.finditer(text):
        phrase = next(group for group in match.groups() if group)
        for term in _chunk_terms(phrase, required=True):
            add(term)
    for chunk in rest.split():
        found = _chunk_terms(chunk, required=False)
        for term in found:
            add(term)
    kept = _both_ends(tuple(terms.values()))
    for term in kept:
        if len(term.tokens) > 1:
            for token in term.tokens:
                parts.setdefault((token,), Term(token, (token,), term.dense))
    return Query(text, kept, _both_ends(tuple(parts.values())))


def _both_ends(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    half = _MOST_TERMS // 2
    return terms if len(terms) <= _MOST_TERMS else (*terms[:half], *terms[-half:])


def _chunk_terms(chunk: str, *, required: bool) -> list[Term]:
    """A chunk without dense characters is one phrase; a dense run is a phrase when short, else the pairs in it."""
    if not _DENSE_RUN.search(chunk):
        # The owner is asked for, not the phrase "mara s": who speaks of Mara's dog may say "my dog, said Mara".
        chunk = chunk if required else _OWNERS.sub("", chunk)
        tokens = tuple(_TOKEN.findall(chunk))
        text = chunk.strip("\"'`.,;:!?()[]{}<>*“”…") or chunk
        return [Term(text, tokens, required=required)] if tokens else []
    result: list[Term] = []
    for token in _TOKEN.findall(chunk):
        if not _DENSE_RUN.match(token):
            result.append(Term(token, (token,), required=required))
        elif len(token) <= 4 or required:
            pairs = tuple(_pairs(token)[:-1]) or (token,)
            result.append(Term(token, pairs, dense=True, required=required))
        else:
            result.extend(Term(pair, (pair,), dense=True) for pair in _pairs(token)[:-1])
    return result


def excerpt(text: str, needles: Sequence[str], width: int = _EXCERPT) -> str:
    """The stretch of ``text`` that holds most of ``needles``, verbatim, with … where it was cut."""
    if len(text) <= width:
        return text.strip()
    folded = fold(text)
    if len(folded) != len(text):
        folded = text.lower() if len(text.lower()) == len(text) else text
    spots = sorted((spot, needle) for needle in needles if needle for spot in _spots(folded, needle))
    start = first = 0
    if spots:
        best, start = 0, spots[0][0]
        for index, (spot, _) in enumerate(spots):
            # Each needle once, the longer the more: short words stand everywhere.
            inside = sum(map(len, {needle for at, needle in spots[index : index + _NEAR] if at < spot + width * 3 // 4}))
            if inside > best:
                best, start = inside, spot
        first = start
        start = max(0, min(start - width // 6, len(text) - width))
    end = min(len(text), start + width)
    while 0 < start < end and start > first - width // 3 and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
        if end - start > width + 24:
            break
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"


def _spots(folded: str, needle: str, most: int = 16) -> Iterable[int]:
    at = folded.find(needle)
    while at >= 0 and most:
        yield at
        at = folded.find(needle, at + len(needle))
        most -= 1


def flat(term: Term) -> list[str]:
    """What a term looks like among the words of a text: folded words, or the characters of a dense run."""
    if not term.dense:
        return [fold(token) for token in term.tokens]
    characters = "".join(token[0] for token in term.tokens[:-1]) + term.tokens[-1]
    return list(fold(characters))


def words_of(folded: str) -> list[str]:
    """The words of a folded text; of a dense run its characters."""
    found = _TOKEN.findall(folded)
    if folded.isascii() or not _DENSE_RUN.search(folded):
        return found
    return [word for token in found for word in (token if _DENSE_RUN.match(token) else (token,))]
