"""Words in which models and their providers fail, at the beginning of an answer.

Pure patterns. They were collected from what chat APIs, proxies and local servers send with status 200 or as the text of an
exception, and from what models say that were given nothing, or refuse.
"""

from __future__ import annotations

import re

__all__ = ["ERROR", "REFUSAL"]


def _beginning(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"\W{0,4}(?:" + "|".join(patterns) + ")", re.IGNORECASE)


ERROR = _beginning(
    r"(?:fatal |internal |api |https? |server |request |runtime |openai |anthropic )?error\b(?: code)?\s*[:\-(#\d]",
    r"[\w.]{0,80}(?:error|exception)\s*[:(]",
    r"traceback \(most recent call last\)",
    r"http(?:/[\d.]+)?\s+[45]\d\d\b",
    r"[45]\d\d\s+(?:bad|unauthorized|payment|forbidden|not found|not implemented|method|request|conflict|gone|too many)",
    r"[45]\d\d\s+(?:internal|service|gateway|server|client)",
    r"status(?: code)?\s*[:=]?\s*[45]\d\d\b",
    r"(?:internal server error|bad gateway|gateway time-?out|service unavailable|too many requests|unauthorized|forbidden)\b",
    r"(?:rate limit|quota|context length|context window|token limit|maximum context)\b.{0,60}(?:exceed|reach|hit|limit)",
    r"(?:upstream|connection|request|read|connect)\b.{0,30}(?:timed? ?out|refused|reset|aborted|failed|error)",
    r"(?:the )?(?:model|server|engine|service)\b.{0,40}(?:overloaded|unavailable|not available|at capacity)",
    r"(?:the )?model\b.{0,40}(?:not found|does not exist)",
    r"(?:invalid|incorrect|missing) (?:api[ _]?key|credentials|token|request|model)",
    r"<!doctype html|<html\b",
    r"fehler\s*[:\d]|错误[:：]|錯誤[:：]",
)

REFUSAL = _beginning(
    r"(?:i'?m|i am|we'?re|we are) (?:very |so |really )?(?:sorry|unable|not able|afraid)",
    r"sorry\b|(?:i|we) (?:can'?t|cannot|can not|won'?t|will not|do not|don'?t|am unable)\b",
    r"as an? (?:ai|language|large)|unfortunately,? (?:i|we)\b",
    r"(?:please|could you|can you) (?:provide|share|paste|give|send)",
    r"(?:sure|of course|certainly)[!,.]? (?:please )?(?:provide|share|how can)|how can i (?:help|assist)",
    r"(?:there (?:is|are|was|were) )?no(?:thing| conversation| messages?| content| text| transcript)\b"
    r".{0,60}(?:summari[sz]e|provided|given|found)",
    r"es tut mir leid|entschuldigung|ich kann (?:das|diese|leider|nicht)",
    r"抱歉|对不起|對不起|很遗憾|我无法|我無法",
)
