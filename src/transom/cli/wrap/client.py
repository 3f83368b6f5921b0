"""What is known of a client that can be run through the gateway, and what a launch of it consists of.

Knows no client by name. A launch is environment and arguments; nothing that outlives it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Client", "Launch", "Surroundings", "Through"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a client would find.

    Attributes:
        environment: its variables.
        home: the user's home.
        directory: where it is started.
        arguments: what the user gave for it.
    """

    environment: Mapping[str, str]
    home: Path
    directory: Path
    arguments: Sequence[str] = ()

    def variable(self, name: str) -> str:
        """A variable's value; empty where it is not set."""
        return self.environment.get(name, "").strip()

    def option(self, *names: str) -> str:
        """The value of an option among the arguments, given in either way; empty where it is not there. The last one counts."""
        found = ""
        for index, argument in enumerate(self.arguments):
            if argument == "--":
                break
            name, equals, value = argument.partition("=")
            if name in names:
                found = value if equals else next(iter(self.arguments[index + 1 : index + 2]), "")
        return found

    def folder(self, variable: str, name: str) -> Path:
        """A client's own folder: where a variable says, else below the home."""
        named = self.variable(variable)
        return Path(named) if named else self.home / name


@dataclass(frozen=True, slots=True, kw_only=True)
class Through:
    """The gateway, as a client is to see it.

    Attributes:
        at: the address to use for an upstream, by its name; without a slash at its end.
        upstreams: what stands behind it: addresses by name.
        window: tokens that may be used, where the user says so.
        models: what the first upstream serves, where it was asked.
        is_chosen: the user named the upstream; it is not the client's own.
    """

    at: Callable[[str], str]
    upstreams: Mapping[str, str]
    window: int | None = None
    models: Sequence[str] = ()
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is set for one run of a client.

    Attributes:
        environment: variables that are added or replaced.
        before, after: arguments around the user's own.
        notes: what the user should know; one line each.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One line of the table.

    Attributes:
        name: what the user types.
        program: what is run.
        get: how to install it.
        upstreams: where its requests would go without us, by name. An address without a name replaces the first.
        launch: what is set.
        wants_models: it must be told which models there are, where the user names the upstream.
    """

    name: str
    program: str
    get: str
    upstreams: Callable[[Surroundings], Mapping[str, str]]
    launch: Callable[[Surroundings, Through], Launch]
    wants_models: bool = False
