"""Text on its way to where others read it: logs, reports, flight records, what a command shows of the settings.

Knows ``secrets`` and log records. How much of a text is looked at is bounded: a line of a log costs no more than a line.
Payloads and the store are not masked: what a model gets and what is kept stay as they are.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from .secrets import masked

__all__ = ["Masking", "beginning", "each_masked", "log_fault", "masked_address", "traced"]

MOST = 65_536
"""Characters of a message or a traceback that a log shows."""
_BEHIND = 512
"""Characters looked at behind the end of what is shown: a secret that is cut in two is not known by its form any more."""
_LAST = re.compile(r"(?<!\S)(?=\S*[^A-Za-z\s])(\S{4})\S{4,}\Z")
"""A last word that may be the beginning of a secret; a word of letters alone is none."""
_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{1,20}:/{1,2})([^\s/?#]*)@")
"""An address's user; one that was taken for a path has lost a slash."""
_FIELD = re.compile(
    r"(?i)([?&;][^\s=&;#]{0,40}(?:key|token|secret|sig|signature|pass|pwd|password|auth|credential)s?=)[^\s&;#]+"
)


def beginning(text: str, most: int = MOST, *, was_cut: bool = False) -> str:
    """How a text begins, every secret masked.

    Args:
        text: the whole of it where it is at hand, so that no secret is cut in two.
        most: characters to show at most, an ellipsis included.
        was_cut: the text was cut off already, so its last word may be a part of a secret.
    """
    shown = masked(text[: most + _BEHIND])
    if was_cut or len(text) > most + _BEHIND:
        shown = _LAST.sub(r"\1…", shown)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def each_masked(texts: Sequence[str]) -> list[str]:
    """Texts, each masked by itself. Where none holds a secret it costs one look at all of them together."""
    together = "\n\n".join(texts)
    return list(texts) if masked(together) == together else [masked(text) for text in texts]


def masked_address(text: str) -> str:
    """A text that may be an address: a user's password and keys in its query are masked, whatever they look like."""
    if ":/" in text:
        text = _FIELD.sub(r"\1***", _USER.sub(_without_password, text))
    return masked(text)


def _without_password(match: re.Match[str]) -> str:
    scheme, user = match.groups()
    name, colon, _ = user.partition(":")
    # A name alone is a token more often than not, save for the one that everybody has.
    return f"{scheme}{name}:***@" if colon else match[0] if name in {"", "git"} else f"{scheme}***@"


def traced(error: BaseException) -> str:
    """The traceback of an error, every secret masked."""
    return beginning("".join(traceback.format_exception(error)).rstrip())


def log_fault(logger: logging.Logger, error: BaseException, message: str, *arguments: object) -> None:
    """Log an error with its traceback, every secret in that masked: for what may be logged where no filter masks it.

    Args:
        logger: says it.
        error: what was raised.
        message, arguments: as ``logger.error`` takes them.
    """
    if logger.isEnabledFor(logging.ERROR):
        file, line, function, _ = logger.findCaller(stacklevel=2)
        record = logger.makeRecord(logger.name, logging.ERROR, file, line, message, arguments, None, function)
        record.exc_text = traced(error)
        logger.handle(record)


@dataclass(frozen=True, slots=True)
class Masking:
    """A filter for log handlers: it keeps every record and masks its message, its traceback and its stack.

    On a handler, since the filters of a logger do not see what the loggers below it say.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask a record in place, its arguments merged into its message."""
        try:
            message = record.getMessage()
        except Exception as error:  # noqa: BLE001
            # Anybody's arguments. Left as it is, the handler would print all of them in its complaint.
            message = f"{record.msg} (its arguments cannot be shown: {type(error).__name__})"
        record.msg, record.args = beginning(message), ()
        if record.exc_info and record.exc_info[1] is not None and not record.exc_text:
            record.exc_text = traced(record.exc_info[1])
        elif record.exc_text:
            record.exc_text = beginning(record.exc_text)
        # A formatter of its own would write the traceback again.
        record.exc_info = None
        if record.stack_info:
            record.stack_info = beginning(record.stack_info)
        return True
