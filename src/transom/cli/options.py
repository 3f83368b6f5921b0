"""Options that more than one command has, spelled once.

An option that overrides a setting has ``None`` as its default, which leaves the setting to its other sources.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from cyclopts import Parameter

from ..errors import UsageError
from ..settings import Resolved, load

__all__ = ["JSON", "Fitting", "Scope", "StorePath", "Upstreams", "Window", "check_token"]

JSON = Annotated[bool, Parameter(name="--json", negative="", show_default=False, help="Print exact JSON instead of text.")]
StorePath = Annotated[str | None, Parameter(name="--store", help="What keeps what leaves the window: a file, or a folder.")]
Upstreams = Annotated[
    tuple[str, ...],
    Parameter(
        name="--upstream",
        negative="",
        show_default=False,
        help="Who answers: URL or NAME=URL, as often as there are servers; the first by default.",
    ),
]
Window = Annotated[
    int | None, Parameter(name="--window", help="The models' window in tokens, in place of what the upstream says.")
]
Scope = Annotated[str | None, Parameter(name="--scope", help="Whose part of the store (transom store scopes lists them).")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """What commands that fit a conversation into a window have in common. Each field is a setting of the same name."""

    target: Annotated[str | None, Parameter(name="--target", help="The wire format to write.")] = None
    window: Annotated[int | None, Parameter(name="--window", help="The window that payloads must fit, in tokens.")] = None
    strategy: Annotated[str | None, Parameter(name="--strategy", help="Overflow strategies in order, separated by commas.")] = (
        None
    )
    summarizer_url: Annotated[
        str | None, Parameter(name="--summarizer-url", help="Where the model that writes summaries is served.")
    ] = None
    summarizer_model: Annotated[str | None, Parameter(name="--summarizer-model", help="The name of that model.")] = None
    summarizer_key: Annotated[
        str | None, Parameter(name="--summarizer-key", help="The environment variable that holds the key for that server.")
    ] = None
    store: StorePath = None
    tokenizer: Annotated[str | None, Parameter(name="--tokenizer", help="heuristic, o200k, cl100k or chars4.")] = None
    prune: Annotated[bool | None, Parameter(name="--prune", negative="--no-prune", help="Shorten large tool results.")] = None
    scope: Scope = None

    def resolved(self) -> tuple[Resolved, int]:
        """The settings in force with their sources, and the window, which they must name.

        Raises:
            SettingError: an option that does not fit its setting.
            UsageError: no source names a window.
        """
        resolved = load(asdict(self))
        if resolved.settings.window is None:
            raise UsageError("no window is set", hint="give the model's context length, for example --window 32000")
        return resolved, resolved.settings.window


def check_token(token: str | None, option: str) -> None:
    """Refuse a token that everybody has.

    Raises:
        UsageError: it is empty.
    """
    if token is not None and not token.strip():
        raise UsageError(f"{option} is empty", hint="give a secret that is hard to guess")
