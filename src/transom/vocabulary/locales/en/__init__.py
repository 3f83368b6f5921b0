"""English, the language every other locale is measured against."""

from __future__ import annotations

from ...words import Vocabulary
from .backing_up import BACKING_UP
from .converting import CONVERTING
from .dates import DATES
from .digesting import DIGESTING
from .editing import EDITING
from .executing import EXECUTING
from .filing import FILING
from .loading import LOADING
from .memorizing import MEMORIZING
from .mending import MENDING
from .placing import PLACING
from .planning import PLANNING
from .refusing import REFUSING
from .remembering import REMEMBERING
from .retrieving import RETRIEVING
from .schemas import SCHEMAS
from .seeking import SEEKING
from .selecting import SELECTING
from .serving import SERVING
from .shaping import SHAPING
from .skills import SKILLS
from .summarizing import SUMMARIZING
from .tooling import TOOLING
from .windows import WINDOWS

__all__ = ["ENGLISH"]

ENGLISH = Vocabulary(
    locale="en",
    mending=MENDING,
    digesting=DIGESTING,
    summarizing=SUMMARIZING,
    windows=WINDOWS,
    retrieving=RETRIEVING,
    remembering=REMEMBERING,
    placing=PLACING,
    schemas=SCHEMAS,
    selecting=SELECTING,
    skills=SKILLS,
    refusing=REFUSING,
    tooling=TOOLING,
    serving=SERVING,
    planning=PLANNING,
    filing=FILING,
    editing=EDITING,
    executing=EXECUTING,
    memorizing=MEMORIZING,
    converting=CONVERTING,
    backing_up=BACKING_UP,
    shaping=SHAPING,
    seeking=SEEKING,
    loading=LOADING,
    dates=DATES,
    lines="lines {first}-{last}",
    line="line {line}",
    characters="characters {first}-{last} of line {line}",
    stretch="from line {first}, character {first_character}, to line {last}, character {last_character},",
    gap="{what} not shown: {hidden} of {whole} bytes. Whole text: {uri}",
    gap_again="{what} not shown: {hidden} bytes",
    cleared_result="result of {tool} cleared: {size} bytes. Whole text: {uri}",
    cleared_nameless_result="tool result cleared: {size} bytes. Whole text: {uri}",
    cleared_file="; {media_type}, {size} characters of base64: {uri}",
    reset=(
        "The {messages} messages before this point ({window}) no longer fit into the window and were set aside without a "
        "summary. They are kept in full at {archive}"
    ),
)
