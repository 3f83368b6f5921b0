"""Programs that run another one: where the other's name stands among their arguments.

An option that is not in the table may or may not take the next word, so that what is run cannot be told; ``unwrap`` says so
instead of guessing. Sources: the manuals of GNU coreutils, util-linux, findutils, BSD and bash.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from .lexer import HOLE, Word
from .shell import PASSED_OVER

__all__ = ["WRAPPERS", "Unwrapped", "Wrapper", "program_name", "unwrap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """How a program that runs another one reads its arguments.

    Attributes:
        flags: letters of options without a value.
        valued: letters of options with a value, in the same word or the next.
        attached: letters of options whose value, if any, stands in the same word.
        long_flags, long_valued: the same for long options; ``--name=value`` is read for the latter.
        operands: words between the options and the program.
        numeric: an option may be a number, such as ``-5``.
    """

    flags: str = ""
    valued: str = ""
    attached: str = ""
    long_flags: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: int = 0
    numeric: bool = False


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS: Mapping[str, Wrapper] = MappingProxyType(
    {
        "env": Wrapper(flags="0v", long_flags=_names("null debug")),
        "nice": Wrapper(valued="n", long_valued=_names("adjustment"), numeric=True),
        "ionice": Wrapper(flags="t", valued="cn", long_flags=_names("ignore"), long_valued=_names("class classdata")),
        "timeout": Wrapper(
            flags="vfp", valued="ks", long_flags=_names("preserve-status foreground verbose"),
            long_valued=_names("kill-after signal"), operands=1,
        ),
        "stdbuf": Wrapper(valued="ioe", long_valued=_names("input output error")),
        "nohup": Wrapper(),
        "setsid": Wrapper(flags="cfw", long_flags=_names("ctty fork wait")),
        "time": Wrapper(
            flags="pvaqlh", valued="fo", long_flags=_names("portability verbose append quiet"),
            long_valued=_names("format output"),
        ),
        "command": Wrapper(flags="p"),
        "builtin": Wrapper(),
        "xargs": Wrapper(
            flags="0rtxpo", valued="aEdILnPsJRS", attached="eil",
            long_flags=_names("null no-run-if-empty verbose exit interactive open-tty show-limits"),
            long_valued=_names("arg-file delimiter eof replace max-lines max-args max-procs max-chars process-slot-var"),
        ),
        "busybox": Wrapper(),
        "toybox": Wrapper(),
        "chrt": Wrapper(
            flags="bfiordRa", valued="TPD", long_flags=_names("batch fifo idle other rr deadline reset-on-fork"), operands=1,
        ),
        "taskset": Wrapper(flags="ca", long_flags=_names("cpu-list all-tasks"), operands=1),
        "setarch": Wrapper(flags="vR3BFILSTXZ", operands=1),
        "linux32": Wrapper(flags="vR3BFILSTXZ"),
        "linux64": Wrapper(flags="vR3BFILSTXZ"),
        "catchsegv": Wrapper(),
        "caffeinate": Wrapper(flags="disum", valued="tw"),
        "unbuffer": Wrapper(flags="p"),
        "fakeroot": Wrapper(flags="u", valued="lsib"),
        "faketime": Wrapper(flags="mpf", operands=1),
    }
)  # fmt: skip

_DIGITS = re.compile(r"-[-+]?[0-9]+")
_ATTACHED_LONG = frozenset({"replace", "max-lines", "eof"})
"""Long options of xargs whose value only stands behind an equals sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwrapped:
    """What a wrapper runs.

    Attributes:
        words: the program and its arguments; empty when none is named.
        reason: why it cannot be told, or must not be: ``undecided`` or ``environment``; empty when it can.
        shown: the word that decided so.
        replaced: the text that ``xargs`` replaces by its input.
        harmless: it was asked where a program is and runs none.
    """

    words: Sequence[Word] = ()
    reason: str = ""
    shown: str = ""
    replaced: str = ""
    harmless: bool = False


def program_name(word: Word) -> str:
    """The name of a program without its path, in small letters, as a case-insensitive file system would find it."""
    name = word.text.rstrip("/").rpartition("/")[2].casefold()
    return name.removesuffix(".exe")


def unwrap(name: str, arguments: Sequence[Word]) -> Unwrapped:
    """Find the program that a wrapper runs.

    Args:
        name: the wrapper, a key of ``WRAPPERS``.
        arguments: the words after it.
    """
    wrapper = WRAPPERS[name]
    at, replaced = 0, ""
    while at < len(arguments):
        word = arguments[at]
        text = word.text
        if name == "env" and "=" in text:
            return Unwrapped(reason="environment", shown=text)
        if not text.startswith("-") or text == "-":
            if text.startswith(HOLE) or word.splits or text == "-":
                return Unwrapped(reason="undecided", shown=text)
            break
        at += 1
        if text == "--":
            break
        if not word.known:
            return Unwrapped(reason="undecided", shown=text)
        if name == "command" and text in {"-v", "-V"}:
            return Unwrapped(harmless=True)
        value = _value_of(wrapper, text)
        if value is None:
            return Unwrapped(reason="environment" if name == "env" else "undecided", shown=text)
        if name == "xargs" and (found := _replaced(text, arguments[at] if value and at < len(arguments) else None)):
            replaced = found
        at += value
    rest = arguments[at + wrapper.operands :]
    if any(not word.known for word in arguments[at : at + wrapper.operands]):
        return Unwrapped(reason="undecided", shown=arguments[at].text)
    if name == "env" and rest and "=" in rest[0].text:
        return Unwrapped(reason="environment", shown=rest[0].text)
    if name == "time":
        while rest and rest[0].plain and rest[0].text in PASSED_OVER:
            rest = rest[1:]
    return Unwrapped(words=rest, replaced=replaced)


def _value_of(wrapper: Wrapper, text: str) -> int | None:
    """How many further words belong to an option; None when that is not known."""
    if text.startswith("--"):
        option, equals, _ = text[2:].partition("=")
        if option in wrapper.long_valued:
            return 0 if equals or option in _ATTACHED_LONG else 1
        return 0 if option in wrapper.long_flags and not equals else None
    if wrapper.numeric and _DIGITS.fullmatch(text):
        return 0
    for place, letter in enumerate(text[1:], start=2):
        if letter in wrapper.valued:
            return 0 if place < len(text) else 1
        if letter in wrapper.attached:
            return 0
        if letter not in wrapper.flags:
            return None
    return 0


def _replaced(option: str, following: Word | None) -> str:
    """What an option of xargs says is replaced by the input: of ``-I`` its value, of ``-i`` and ``--replace`` braces."""
    if option.startswith("-I") or option == "-J":
        return option[2:] or (following.text if following else "")
    if option.startswith("--replace"):
        return option.partition("=")[2] or "{}"
    if option.startswith("-i"):
        return option[2:] or "{}"
    # Letters before -I in the same word: whatever is replaced, braces are what it mostly is.
    return (following.text if following else "{}") if "I" in option and not option.startswith("--") else ""
