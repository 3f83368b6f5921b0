"""Temporal awareness: the date and the time of day, said to a model that has no clock.

Knows moments and words. The only clock is the one a caller hands in; it is asked once a compile. A stamp stands at the
effective tail, where it may change with every compile and costs no cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ...errors import InputError
from ...vocabulary.dates import DateWords
from ...vocabulary.locales.de.dates import DATES as GERMAN
from ...vocabulary.locales.en.dates import DATES as ENGLISH
from ...vocabulary.locales.es.dates import DATES as SPANISH
from ...vocabulary.locales.zh_CN.dates import DATES as SIMPLIFIED_CHINESE
from ...vocabulary.locales.zh_TW.dates import DATES as TRADITIONAL_CHINESE

__all__ = ["LOCALES", "Form", "Resolution", "Temporal", "stamp"]

Form = Literal["standard", "prominent"]
"""A bracketed stamp, or a sentence that cannot be overlooked."""

Resolution = Literal["minute", "day"]
"""With the time of day, or the date alone, which changes once a day."""

_WORDS = {words.locale: words for words in (ENGLISH, GERMAN, SPANISH, SIMPLIFIED_CHINESE, TRADITIONAL_CHINESE)}

LOCALES = tuple(_WORDS)
"""The locales a stamp is known in."""


def local_now() -> datetime:
    """The machine's time, in its own zone."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Temporal:
    """A date stamp on every compile.

    Args:
        form: ``standard`` or ``prominent``.
        locale: ``en``, ``de``, ``es``, ``zh_CN`` or ``zh_TW``; other spellings (``de-DE``, ``zh-Hant``) are understood.
            Empty for the words of the session's vocabulary.
        clock: asked once a compile; its zone is the one that is shown. The machine's by default.
        resolution: ``minute`` or ``day``.

    Raises:
        InputError: an unknown form, locale or resolution.
    """

    form: Form = "standard"
    locale: str = ""
    clock: Callable[[], datetime] = local_now
    resolution: Resolution = "minute"

    def __post_init__(self) -> None:
        if self.form not in ("standard", "prominent"):
            raise InputError(f"no form of a date stamp is called {self.form!r}", hint="standard or prominent")
        if self.resolution not in ("minute", "day"):
            raise InputError(f"no resolution {self.resolution!r}", hint="minute or day")
        if not callable(self.clock):
            raise InputError(f"a clock is called for a datetime, this is {type(self.clock).__name__}", hint="clock=lambda: …")
        object.__setattr__(self, "locale", _known(self.locale) if self.locale else "")

    def text(self, words: DateWords = ENGLISH) -> str:
        """The stamp for this moment; in ``words`` where no locale was chosen.

        Raises:
            InputError: the clock gave something other than a ``datetime``.
        """
        moment: object = self.clock()
        if not isinstance(moment, datetime):
            raise InputError(f"the clock gave a {type(moment).__name__}", hint="clock=lambda: datetime.now(zone)")
        return _stamped(moment, self.form, self.resolution, _WORDS[self.locale] if self.locale else words)


def stamp(moment: datetime, form: Form = "standard", locale: str = "en", resolution: Resolution = "minute") -> str:
    """A moment as a date stamp, in the zone it has.

    Raises:
        InputError: an unknown locale.
    """
    return _stamped(moment, form, resolution, _WORDS[_known(locale)])


def _stamped(moment: datetime, form: Form, resolution: Resolution, words: DateWords) -> str:
    clock = moment.time() if resolution == "minute" else None
    return words.stamp(moment.date(), clock, prominent=form == "prominent")


def _known(locale: str) -> str:
    """The locale as we name it."""
    language, *rest = locale.replace("-", "_").split(".")[0].split("_")
    if language.lower() == "zh":
        return "zh_TW" if {part.lower() for part in rest} & {"tw", "hk", "mo", "hant"} else "zh_CN"
    if language.lower() in _WORDS:
        return language.lower()
    raise InputError(f"no date stamp in locale {locale!r}", hint=", ".join(LOCALES))
