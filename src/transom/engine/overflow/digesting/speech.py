"""What people and models said: the user's own words freed from what clients insert, and the sentences that bind or settle.

Knows text. Clients wrap reminders, environment dumps and command output into user messages; those blocks are gaps here, never
words of the user. Project rules that travel the same way are standing instructions and are kept as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cues import CONSTRAINT, DECISION, OPEN, STRONG, sentences
from .excerpts import OWN_BYTES, line_of, size_in_bytes, text_uri
from .form import BREAKS
from .notes import Line, Quote, Statement

__all__ = ["acknowledges", "closing_line", "is_noise", "is_rules", "is_summary", "own_words", "statements", "weight"]

_INSERTED = re.compile(
    r"\s*<(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr"
    r"|environment_context|environment_details"
    r"|command-message|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook"
    r"|system_warning|context_window)\b[^>]*>.*?</\1>\s*",
    re.DOTALL,
)
_NOISE = re.compile(
    r"\s*\[Request interrupted by user[^\]]*\]\s*$|\s*<command-name>/(?:exit|clear|quit|compact|ide"
    r"|model|status|cost)\b"
)
_RULES = re.compile(
    r"\s*(?:# AGENTS\.md instructions|<user_instructions>|<INSTRUCTIONS>|<project_instructions>"
    r"|# (?:CLAUDE|GEMINI)\.md)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\s*(?:This session is being continued from a previous conversation"
    r"|Another language model started to solve this problem"
    r"|The conversation history before this point was compacted|<summary>|Here is a summary of the conversation)"
)
_ACKNOWLEDGED = re.compile(
    r"\s*(?:y(?:es|ep|eah|o)?|no(?:pe)?|ok(?:ay)?|sure|thanks?(?: you)?|great|nice|wow|cool|perfect"
    r"|continue|go(?: on| ahead)?|proceed|done|hi|hello"
    r"|ja|nein|danke|weiter|gut|oui|non|merci|sí|si|gracias|vale|好的?|是的?|继续|谢谢|はい|いいえ|続けて|ありがとう|了解|네|아니요)"
    r"(?:[\s,.!。！]+(?:yes|ok|please|continue|danke|thanks|continue it|mach weiter))*[\s.!。！]*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CODE = re.compile(
    r"^\s*(?:[>$#|]\s|//|/\*|\*\s@|at \S+\(|import |from \S+ import|\S+\s*[=({]\s*$|[+-]{3} |@@ |<\/?\w+>|\d+[:|→]\s)"
)
_BULLET = re.compile(r"^\s*(?:[-*•・]|\d+[.)、]|#{1,6})\s+(?:\[[ xX~]\]\s*)?")
_LONGEST = 420
_READ = 60_000  # characters of one message in which statements are looked for


def own_words(text: str) -> Quote:
    """The user's words; blocks that a client inserted count as gaps."""
    if "<" not in text:
        return Quote.whole(text)
    pieces: list[str | int] = []
    at = 0
    for match in _INSERTED.finditer(text):
        if match.start() > at:
            pieces.append(text[at : match.start()])
        if pieces and isinstance(pieces[-1], int):
            pieces[-1] += match.end() - match.start()
        else:
            pieces.append(match.end() - match.start())
        at = match.end()
    if not at:
        return Quote.whole(text)
    if text[at:].strip():
        pieces.append(text[at:])
    uri = text_uri(text) if size_in_bytes(text) >= OWN_BYTES else ""
    return Quote(tuple(pieces), len(text), uri)


def is_noise(text: str) -> bool:
    """Words that a client wrote in the user's name and that ask for nothing."""
    return not text.strip() or _NOISE.match(text) is not None


def is_rules(text: str) -> bool:
    """Project rules that a client put into the conversation."""
    return _RULES.match(text) is not None


def is_summary(text: str) -> bool:
    """An account of an earlier conversation that a client put in its place."""
    return _SUMMARY.match(text) is not None


def acknowledges(text: str) -> bool:
    """A mere yes, no, thanks or go on."""
    return len(text) < 60 and _ACKNOWLEDGED.match(text) is not None


def closing_line(text: str) -> Line | None:
    """The line that best tells how an answer ended: its last question, else the first line of its last paragraph."""
    tail = text[-1_500:].rstrip()
    lines = [line.strip() for line in BREAKS.split(tail)]
    if len(text) > 1_500:
        lines = lines[1:] or lines
    lines = [line for line in lines if line and not _FENCE.match(line)]
    if not lines:
        return None
    for line in reversed(lines[-4:]):
        if line.endswith(("?", "？")):
            return Line(line, max(len(text), len(line)))
    paragraph = tail.rsplit("\n\n", 1)[-1]
    return line_of(text, _LONGEST) if len(lines) == 1 else Line(_first(paragraph) or lines[-1], len(text))


def _first(paragraph: str) -> str:
    return next((line.strip() for line in BREAKS.split(paragraph) if line.strip() and not _FENCE.match(line)), "")


def weight(statement: Statement) -> int:
    """How much a statement matters; more is more."""
    lowered = statement.line.text.lower()
    return (
        4 * (statement.who in ("user", "system")) + 3 * STRONG.found(lowered) + (len(lowered) < 200) - (lowered.endswith("?"))
    )


def statements(place: str, who: str, text: str) -> Iterator[tuple[str, Statement]]:
    """Sentences of a message that bind, settle or stay open, as (``constraint`` | ``decision`` | ``open``, statement)."""
    text = text[:_READ]
    cues = _USER_CUES if who in ("user", "system") else _MODEL_CUES
    lowered = text.lower()
    stems = [stem for _, cue in cues for stem in cue.stems if stem in lowered]
    if not stems:
        return
    fenced = False
    for raw in BREAKS.split(text):
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        line = raw.strip()
        low = line.lower()
        if fenced or len(line) < 4 or not any(stem in low for stem in stems) or _CODE.match(line):
            continue
        for sentence in sentences(line):
            bare = _BULLET.sub("", sentence)
            kind = next((kind for kind, cue in cues if cue.pattern.search(bare.lower())), "")
            if kind and len(bare) > 3:
                yield kind, Statement(place, who, Line(bare[:_LONGEST], len(bare)))


_USER_CUES = (("constraint", STRONG), ("open", OPEN), ("decision", DECISION), ("constraint", CONSTRAINT))
_MODEL_CUES = (("decision", DECISION), ("open", OPEN))
