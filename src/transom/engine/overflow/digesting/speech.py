"""What people and models said: the user's own words freed from what clients insert, and the sentences that bind or settle.

Knows text. Clients wrap reminders, environment dumps and command output into user messages; those blocks are gaps here, never
words of the user. Project rules that travel the same way are standing instructions and are kept as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....messages.inserted import inserted_blocks
from ....store.blobs import blob_uri
from ...offload.excerpts import byte_size
from .cues import CONSTRAINT, DECISION, OPEN, STRONG, Cue, sentences
from .excerpts import OWN_BYTES
from .form import BREAKS
from .notes import Line, Quote, Statement

__all__ = ["acknowledges", "closing_line", "is_noise", "is_rules", "is_summary", "own_words", "statements", "weight"]

_NOISE = re.compile(
    r"\s*\[Request interrupted by user[^\]]*\]\s*$|\s*<command-name>/(?:exit|clear|quit|compact|ide"
    r"|model|status|cost)\b"
)
_RULES = re.compile(
    r"\s*(?:# AGENTS\.md instructions|Base directory for this skill:|<user_instructions>|<INSTRUCTIONS>|<project_instructions>"
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
    r"^\s*(?:[>$#|]\s|//|/\*|\*\s@|at \S+\(|import |from \S+ import|\S+\s*[=({]\s*$|[+-]{3} |\+|@@ |</?\w|\d+[:|→]\s"
    r"|(?:const|let|var|return|def|class|func|fn|export|public|private) \w+.*[;:({=])"
    r"|(?:[;{}]|/>|=>|\w[=(]\{)\s*$|\w\s?[!=]==?\s"
)
_BULLET = re.compile(r"^\s*(?:[-*•・]|\d+[.)、]|#{1,6})\s+(?:\[[ xX~]\]\s*)?")
_BUSY = re.compile(r"(?:let me|now|i['’]ll|first|next,) ", re.IGNORECASE)
_CLOSING = 1_500  # characters at the end of an answer in which it is seen how it closed
_LONGEST = 420
_READ = 24_000  # characters of one message, at both ends, in which statements are looked for


def own_words(text: str) -> Quote:
    """The user's words; blocks that a client inserted, and the blank around them, count as gaps."""
    pieces: list[str | int] = []
    at = 0
    for start, end in inserted_blocks(text):
        words = text[at:start].strip()
        if words:
            left = text.index(words, at)
            if left > at:
                pieces.append(left - at)
            pieces.append(words)
            at = left + len(words)
        if pieces and isinstance(pieces[-1], int):
            pieces[-1] += end - at
        else:
            pieces.append(end - at)
        at = end
    if not pieces:
        return Quote.whole(text)
    rest = text[at:]
    if rest.strip():
        pieces.append(rest)
    elif rest and isinstance(pieces[-1], int):
        pieces[-1] += len(rest)
    uri = blob_uri(text) if byte_size(text) >= OWN_BYTES else ""
    return Quote(tuple(pieces), len(text), uri, intact=True)


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
    """The line that best tells how an answer ended: its last question, else its last line of prose."""
    lines: list[str] = []
    fenced = text.count("```", 0, max(len(text) - _CLOSING, 0)) % 2 == 1
    for raw in BREAKS.split(text[-_CLOSING:])[len(text) > _CLOSING :]:
        if _FENCE.match(raw):
            fenced = not fenced
        elif not fenced and raw.strip():
            lines.append(raw.strip())
    if not lines:
        return None
    asked = next((line for line in reversed(lines[-4:]) if line.endswith(("?", "？"))), "")
    told = next((line for line in reversed(lines) if len(line) > 15 and line[0] not in "|#-*`•<" and line[-1] not in ":："), "")
    return Line((asked or told or lines[-1])[:_LONGEST], len(text))


def weight(statement: Statement) -> int:
    """How much a statement matters; more is more."""
    lowered = statement.line.text.lower()
    spoken = {"user": 4, "system": 4, "summary": 1}.get(statement.who, 0)
    return spoken + 3 * STRONG.found(lowered) + (len(lowered) < 200) - 3 * lowered.endswith(("?", "？"))


def statements(place: str, who: str, text: str) -> Iterator[tuple[str, Statement]]:
    """Sentences of a message that bind, settle or stay open, as (``constraint`` | ``decision`` | ``open``, statement)."""
    if len(text) > _READ:
        text = f"{text[: _READ * 2 // 3]}\n{text[-_READ // 3 :]}"
    cues: tuple[tuple[str, Cue], ...] = _MODEL_CUES if who == "assistant" else _USER_CUES
    lowered = text.lower()
    cues = tuple((kind, near) for kind, cue in cues if (near := cue.within(lowered)).words)
    if not cues:
        return
    fenced = False
    for raw in BREAKS.split(text):
        if _FENCE.match(raw):
            fenced = not fenced
            continue
        line = raw.strip()
        low = line.lower()
        if fenced or len(line) < 4 or not any(cue.found(low) for _, cue in cues) or _CODE.match(line):
            continue
        for sentence in sentences(line):
            bare = _BULLET.sub("", sentence)
            lowered = bare.lower()
            kind = next((kind for kind, cue in cues if cue.found(lowered)), "")
            if not bare or bare[-1] in ":：" or (who != "user" and (len(bare) < 12 or _BUSY.match(bare))):
                continue  # a heading, or what is about to be done anyway
            if kind and len(bare) > 3:
                yield kind, Statement(place, who, Line(bare[:_LONGEST], len(bare)))


_USER_CUES = (("constraint", STRONG), ("open", OPEN), ("decision", DECISION), ("constraint", CONSTRAINT))
_MODEL_CUES = (("decision", DECISION), ("open", OPEN))
