"""The counter that needs no vocabulary: a script-aware estimate that leans upwards.

Knows bytes and classes of characters, no tokenizer. A byte-pair vocabulary cuts where the class of characters changes, so the
estimate is a weighted sum of how often that happens: words and numbers begun, ``aB`` and ``a1`` inside words, punctuation, long
unbroken runs; plus a price per character for each script beyond ASCII, told apart by the first byte of its UTF-8 form.

No Python loop touches a character: a text becomes one byte of flags per byte, and these one big integer, so that shifts, masks
and population counts look at a whole piece at once (three times as fast as ``bytes.count`` of each pair of classes).

Every weight is positive: a longer text never counts less, and a text cut in two counts a few tokens more at most. The weights
were fitted (asymmetric least squares: an undercount weighs more than twice an overcount) to the larger of o200k and cl100k for
ASCII, and to the geometric mean of the two for other scripts, over code, logs, listings, JSON, markup, agent transcripts and
programs' messages in 50 languages. ``benchmarks/tokens.py`` publishes the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits

__all__ = ["IMAGE_TOKENS", "Heuristic"]

IMAGE_TOKENS = 1600
"""Tokens of one image: what Anthropic's vision guide gives for the largest image it takes unscaled (width x height / 750 at
1.15 megapixels). OpenAI's tiles (85 + 170 per tile) and Gemini's (258 per tile) stay below for a screenshot."""

# Flags of a byte. What is not ASCII has none: the prices below are for whole characters.
_LETTER, _CAPITAL, _DIGIT, _MARK, _GAP = 1, 2, 4, 8, 16


def _flags(code: int) -> int:
    character = chr(code)
    if code >= 0x80:
        return 0
    if character in ascii_lowercase:
        return _LETTER
    if character in ascii_uppercase:
        return _LETTER | _CAPITAL
    if character in digits:
        return _DIGIT
    return _GAP if character == " " else _GAP | _MARK


_FLAGS = bytes(map(_flags, range(256)))
_PIECE = 16_384
"""Bytes looked at in one go: small enough for the processor's cache."""
_LANES = int.from_bytes(b"\1" * _PIECE, "little")

# Hundredths of a token.
_EACH_BYTE = 7
_EACH_CAPITAL = 6
_EACH_DIGIT_OR_MARK = 39
_WORD = 82
_NUMBER = 137
_LONG_WORD, _EACH_LONG_WORD = bytes([_LETTER]) * 16, 722
_LONG_CAPITALS, _EACH_LONG_CAPITALS = bytes([_LETTER | _CAPITAL]) * 12, 499

# (last first byte of the group, hundredths of a token per character, what is written with it)
_SCRIPTS = (
    (0xC2, 80, "Latin-1 signs"),
    (0xC3, 130, "Western European letters"),
    (0xC5, 200, "Central European and Turkish letters"),
    (0xCB, 100, "further Latin, phonetic"),
    (0xCD, 100, "combining marks"),
    (0xCF, 55, "Greek"),
    (0xD3, 40, "Cyrillic"),
    (0xD7, 75, "Armenian, Hebrew"),
    (0xDB, 52, "Arabic"),
    (0xDF, 150, "Syriac, Thaana, N'Ko"),
    (0xE0, 62, "Indic scripts, Thai, Lao, Tibetan"),
    (0xE1, 85, "Georgian, Ethiopic, Khmer, Burmese, Vietnamese"),
    (0xE2, 140, "typographic marks, arrows, boxes, signs"),
    (0xE3, 75, "kana, CJK punctuation"),
    (0xE9, 85, "Han"),
    (0xED, 80, "Hangul"),
    (0xEE, 250, "private use"),
    (0xEF, 90, "full-width forms, private use"),
    (0xFF, 230, "emoji, rare Han"),
)
_RARE = tuple(
    bytes(pair)
    for pair in (
        *((0xE0, second) for second in (0xAC, 0xAD, 0xBA, 0xBB, 0xBC, 0xBD)),  # Odia, Lao, Tibetan
        *((0xE1, second) for second in range(0x88, 0x9B)),  # Ethiopic, Cherokee, Canadian syllabics
    )
)
_EACH_RARE = 110
_NOT_LEADING = bytes(range(0xC0))


def _group(code: int) -> int:
    return next(index for index, (last, _, _) in enumerate(_SCRIPTS) if code <= last)


_GROUPS = bytes(_group(code) for code in range(256))
_PRICES = tuple((bytes([index]), price) for index, (_, price, _) in enumerate(_SCRIPTS))


def _changes(data: bytes) -> int:
    """What the changes between classes of characters cost, in hundredths of a token."""
    flags = data.translate(_FLAGS)
    here = int.from_bytes(flags, "little")
    before = here << 8 | _GAP
    letters_before = before & _LANES
    capitals = here >> 1 & _LANES
    numerals = here >> 2 & _LANES
    after_gap = before >> 4 & _LANES
    digits_in_words = numerals & letters_before
    words = here & after_gap & _LANES | digits_in_words
    # Capitals after small letters. The three sets are disjoint, so one population count does for all.
    numbers = numerals & after_gap | digits_in_words | capitals & (letters_before & ~(before >> 1))
    capital_count = capitals.bit_count()
    return (
        _WORD * words.bit_count()
        + _NUMBER * numbers.bit_count()
        + _EACH_DIGIT_OR_MARK * (numerals | here >> 3 & _LANES).bit_count()
        + _EACH_CAPITAL * capital_count
        + _EACH_LONG_WORD * flags.count(_LONG_WORD)
        + (_EACH_LONG_CAPITALS * flags.count(_LONG_CAPITALS) if capital_count >= len(_LONG_CAPITALS) else 0)
    )


class Heuristic:
    """Estimates tokens from the classes of characters, plus 10 %.

    Args:
        image_tokens: what one image costs.
    """

    __slots__ = ("_image_tokens",)

    def __init__(self, *, image_tokens: int = IMAGE_TOKENS) -> None:
        self._image_tokens = image_tokens

    @property
    def name(self) -> str:
        """``heuristic``."""
        return "heuristic"

    @property
    def image_tokens(self) -> int:
        """What one image costs, in tokens."""
        return self._image_tokens

    def count(self, text: str) -> int:
        """Estimated tokens of ``text``, at least 1 unless it is empty. About 10 ns per byte."""
        if not text:
            return 0
        data = text.encode("utf-8", "surrogatepass")
        hundredths = _EACH_BYTE * len(data)
        if len(data) <= _PIECE:
            hundredths += _changes(data)
        else:
            hundredths += sum(_changes(data[start : start + _PIECE]) for start in range(0, len(data), _PIECE))
        if len(data) != len(text):
            leading = data.translate(_GROUPS, _NOT_LEADING)
            hundredths += sum(price * leading.count(group) for group, price in _PRICES)
            if b"\xe0" in data or b"\xe1" in data:
                hundredths += _EACH_RARE * sum(map(data.count, _RARE))
        # The margin of 10 %, rounded up.
        return (hundredths * 11 + 999) // 1000

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """``count`` for many texts."""
        return list(map(self.count, texts))
