"""Which wire formats there are: a value that callers build, fill and pass on.

Knows the protocol and, in ``builtin_registry`` alone, the formats that ship. Nothing is registered by an import; installed
packages offer further formats under the entry-point group ``transom.formats`` and are asked only by ``load_plugins``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ..errors import FormatError
from .format import Format

__all__ = ["ALIASES", "BUILTIN", "GROUP", "FormatRegistry", "builtin_registry", "load_plugins"]

GROUP = "transom.formats"
"""Entry-point group: each entry is a format, or a class or function that gives one when called."""

BUILTIN = "transom"
"""The source of the formats that ship."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "openai-chat": "openai",
        "chat": "openai",
        "responses": "openai-responses",
        "anthropic-messages": "anthropic",
        "gemini-contents": "gemini",
        "ollama-chat": "ollama",
    }
)
"""Other names of the formats that ship, as the transcripts' manifest and users call them."""


class FormatRegistry:
    """Formats by name. A name registered twice means the newer one until its source is unloaded.

    Args:
        default_target: the format to render to where a caller names none.
    """

    def __init__(self, default_target: str = "openai") -> None:
        self._entries: dict[str, list[tuple[str, Format]]] = {}
        self._aliases: dict[str, str] = dict(ALIASES)
        self._default = default_target

    def register(self, format: Format, *, name: str | None = None, source: str = "user") -> None:  # noqa: A002
        """Add a format.

        Args:
            format: an instance.
            name: what it is called here; its own name by default.
            source: who registered it, for ``unload``.
        """
        self._entries.setdefault(name or format.name, []).append((source, format))

    def unload(self, source: str) -> tuple[str, ...]:
        """Take out everything that a source registered; names it had taken over mean again what they meant before.

        Returns:
            The names concerned, sorted; empty where the source is unknown.
        """
        touched: list[str] = []
        for name, entries in list(self._entries.items()):
            kept = [entry for entry in entries if entry[0] != source]
            if len(kept) < len(entries):
                touched.append(name)
                if kept:
                    self._entries[name] = kept
                else:
                    del self._entries[name]
        return tuple(sorted(touched))

    def get(self, wanted: str | Format | None = None) -> Format:
        """A format by name, alias or instance; the default target for ``None``.

        Raises:
            FormatError: no format of that name.
        """
        if wanted is None:
            wanted = self._default
        if not isinstance(wanted, str):
            return wanted
        entries = self._entries.get(wanted) or self._entries.get(self._aliases.get(wanted, ""))
        if entries:
            return entries[-1][1]
        known = sorted(self._entries)
        close = difflib.get_close_matches(wanted, [*known, *self._aliases], 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known) or 'none'}"
        raise FormatError(f"unknown wire format {wanted!r}", hint=hint)

    @property
    def default_target(self) -> str:
        """The name of the format that payloads are rendered to where a caller names none."""
        return self._default

    @default_target.setter
    def default_target(self, name: str) -> None:
        self.get(name)
        self._default = name

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the order they were first registered."""
        return tuple(self._entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._entries or self._aliases.get(name) in self._entries)

    def __iter__(self) -> Iterator[Format]:
        return iter([entries[-1][1] for entries in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)


def builtin_registry(*, plugins: bool = False) -> FormatRegistry:
    """A fresh registry of the five formats that ship.

    Args:
        plugins: also ask installed packages (``load_plugins``).
    """
    from .anthropic import Anthropic
    from .gemini import Gemini
    from .ollama import Ollama
    from .openai_chat import OpenAIChat
    from .openai_responses import OpenAIResponses

    registry = FormatRegistry()
    for shipped in (OpenAIChat(), OpenAIResponses(), Anthropic(), Gemini(), Ollama()):
        registry.register(shipped, source=BUILTIN)
    if plugins:
        load_plugins(registry)
    return registry


def load_plugins(registry: FormatRegistry) -> tuple[str, ...]:
    """Register the formats that installed packages offer, each under its entry point's name, with the package as source.

    Returns:
        Their names.

    Raises:
        FormatError: an entry that cannot be loaded; names the package.
    """
    from importlib.metadata import entry_points

    names: list[str] = []
    for entry in entry_points(group=GROUP):
        source = entry.dist.name if entry.dist is not None else entry.value
        try:
            offered = entry.load()
            found: Format = offered if hasattr(offered, "render_turn") and not isinstance(offered, type) else offered()
        except Exception as error:
            raise FormatError(f"the format {entry.name!r} of {source} cannot be loaded: {error}") from error
        registry.register(found, name=entry.name, source=source)
        names.append(entry.name)
    return tuple(names)
