"""Whether a regular expression may be handed to an engine that backtracks.

Knows the pattern and not the text. An engine that does not backtrack needs none of this; who searches with one still gets the
same answer, so that a search does not depend on which is installed. A refusal is advice: the caller searches for the pattern as
literal text instead and says so.
"""

from __future__ import annotations

import re

from .ambiguity import is_ambiguous
from .pattern_tree import PatternTooDeep, trees
from .verdict import ALLOWED, Verdict, refuse

__all__ = ["PATTERN_LENGTH", "judge"]

PATTERN_LENGTH = 1000
"""Characters of the longest pattern."""


def judge(pattern: str, flags: int = 0) -> Verdict:
    """Whether a pattern is valid, not too long, and reads no text in far too many ways. At most some 200 ms.

    Args:
        pattern: a regular expression of Python.
        flags: flags of ``re`` that it will be compiled with.

    Returns:
        ``invalid_input`` when refused: the rule ``regex_long``, ``regex_invalid`` or ``regex_unsafe``.
    """
    if len(pattern) > PATTERN_LENGTH:
        return refuse("invalid_input", "regex_long", limit=f"{PATTERN_LENGTH:,}")
    try:
        compiled = re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        return refuse("invalid_input", "regex_invalid", pattern=pattern, what=str(error))
    try:
        ambiguous = any(is_ambiguous(tree) for tree in trees(pattern, compiled.flags))
    except PatternTooDeep:
        ambiguous = True
    return refuse("invalid_input", "regex_unsafe", pattern=pattern) if ambiguous else ALLOWED
