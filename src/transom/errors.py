"""Every exception the library raises, in one tree.

Knows nothing else of the project. Each error carries a stable ``code`` to branch on and a ``hint`` that says the mend.

TransomError
├── InputError            what was handed in cannot be used
│   ├── JSONError         text that is not JSON, or a value JSON cannot hold
│   ├── FormatError       a conversation format that is unknown or does not match the data
│   ├── URIError          a malformed ``context://`` address, namespace or path
│   ├── SettingError      a setting with a wrong name, type or value
│   ├── MemoryRefusedError  a change of memory that a rule or a veto of the application forbids
│   └── UsageError        a command that asks for what cannot be
├── WindowError           system, tools, pinned turns and reserve alone exceed the window
├── StoreError            storage failed; the step it guarded was aborted
│   ├── NotFoundError     nothing is stored under that address
│   ├── IntegrityError    stored bytes do not match their digest
│   └── CapabilityError   the backend lacks an optional capability
├── StrategyError         an overflow strategy broke its contract
├── UpstreamError         a model's server could not be reached, refused, or gave no usable answer
├── SandboxError          a program could not be confined, so it was not run
├── CompileCancelled      the caller's cancellation was honoured between two phases
└── MissingExtraError     an optional dependency is not installed
"""

from __future__ import annotations

__all__ = [
    "CapabilityError",
    "CompileCancelled",
    "FormatError",
    "InputError",
    "IntegrityError",
    "JSONError",
    "MemoryRefusedError",
    "MissingExtraError",
    "NotFoundError",
    "SandboxError",
    "SettingError",
    "StoreError",
    "StrategyError",
    "TransomError",
    "URIError",
    "UpstreamError",
    "UsageError",
    "WindowError",
]


class TransomError(Exception):
    """Base of every error raised on purpose.

    Args:
        message: what is wrong, in one line.
        hint: what the reader can do about it; empty when the message says it all.
    """

    code: str = "transom"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(TransomError):
    """What was handed in cannot be used."""

    code = "input"


class JSONError(InputError):
    """Text that is not JSON, or a value that JSON cannot hold."""

    code = "json"


class FormatError(InputError):
    """A conversation format that is unknown, or data that does not match the format it claims."""

    code = "format"


class URIError(InputError):
    """A malformed ``context://`` address, namespace or path."""

    code = "uri"


class SettingError(InputError):
    """A setting with a wrong name, type or value."""

    code = "setting"


class MemoryRefusedError(InputError):
    """A change of memory that is not allowed: the key is none that may be changed, or the application's veto said no."""

    code = "memory"


class UsageError(InputError):
    """A command that asks for what cannot be: options that exclude each other, or one that is missing."""

    code = "usage"


class WindowError(TransomError):
    """System prompt, tools, pinned turns and reserve alone exceed the window: nothing that may leave would help."""

    code = "window"


class StoreError(TransomError):
    """Storage failed. The step it guarded was aborted and what it would have moved stays where it was."""

    code = "store"


class NotFoundError(StoreError):
    """Nothing is stored under that address."""

    code = "not_found"


class IntegrityError(StoreError):
    """Stored bytes do not match the digest they are filed under."""

    code = "integrity"


class CapabilityError(StoreError):
    """The backend lacks an optional capability that the call needs."""

    code = "capability"


class StrategyError(TransomError):
    """An overflow strategy broke its contract."""

    code = "strategy"


class UpstreamError(TransomError):
    """A model's server could not be reached, refused, or gave no answer that can be used.

    Args:
        message: what is wrong, with the server's own words where it gave some; never a key.
        hint: what the reader can do about it.
        status: the HTTP status, where there was an answer.
        kind: the server's own symbol for what is wrong, such as ``context_length_exceeded``; empty where it named none.
    """

    code = "upstream"

    def __init__(self, message: str, *, hint: str = "", status: int | None = None, kind: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.kind = kind


class SandboxError(TransomError):
    """A program could not be confined, so it was not run."""

    code = "sandbox"


class CompileCancelled(TransomError):
    """The caller's cancellation was honoured between two phases of a compile; the context is as it was."""

    code = "cancelled"


class MissingExtraError(TransomError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    code = "missing_extra"
