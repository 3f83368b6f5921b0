"""Where the value of a setting comes from, and what happens when it does not fit.

In rising precedence: the defaults, ``transom.toml`` in the user's configuration directory, the nearest ``transom.toml`` from
the working directory upward (no further than the repository it lies in), ``TRANSOM_*`` variables, the command line.

A key that is no setting, or a value of the wrong type, is refused with its place and what would be valid. Only a ``TRANSOM_*``
variable that is no setting is left alone and listed in ``Resolved.ignored``: it may be another program's (a container platform
sets ``TRANSOM_PORT`` beside a service of that name). A variable that is set to nothing counts as not set.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from ..errors import SettingError
from ..jsontext import EMPTY
from .schema import PREFIX, Setting, Settings, catalogue

__all__ = ["FILE_NAME", "Entry", "Resolved", "find", "load", "parse_text", "project_file", "read_file", "user_file"]

FILE_NAME = "transom.toml"

Source = Literal["default", "user", "project", "environment", "command line"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting as it stands.

    Attributes:
        key, value: the setting; ``None`` is unset.
        source: which of the five sources gave it.
        where: the file, variable or option; empty for a default.
    """

    key: str
    value: object
    source: Source = "default"
    where: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force, the source of each by key, and the ``TRANSOM_*`` variables that are no settings."""

    settings: Settings
    entries: Mapping[str, Entry]
    ignored: tuple[str, ...] = ()


def load(
    overrides: Mapping[str, object] = EMPTY,
    *,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: Path | None = None,
) -> Resolved:
    """Read all sources.

    Args:
        overrides: what the command line says, by key; ``None`` stands for an option that was not given.
        directory: where the search for the project's file begins; the working directory.
        environment: the variables to read; those of the process.
        user: the user's settings file; ``user_file()``.

    Raises:
        SettingError: an unknown key, a value that does not fit, a file that is not TOML. Says where and what is valid.
        OSError: a settings file is there and cannot be read.
    """
    environment = os.environ if environment is None else environment
    user = user_file() if user is None else user
    project = project_file(directory)
    known = catalogue()
    entries = {key: Entry(key, setting.default) for key, setting in known.items()}

    if user.is_file():
        entries |= _from_file(known, user, "user")
    if project is not None and project != user:
        entries |= _from_file(known, project, "project")
    variables = {setting.variable: setting for setting in known.values()}
    for name, setting in variables.items():
        if text := environment.get(name, "").strip():
            entries[setting.key] = Entry(setting.key, parse_text(setting, text, name), "environment", name)
    for key, value in overrides.items():
        if value is not None:
            setting = find(known, key, "the command line")
            entries[key] = Entry(key, _fit(setting, value, setting.flag), "command line", setting.flag)

    settings = Settings(**{key: entry.value for key, entry in entries.items()})  # type: ignore[arg-type]  # each was fitted above
    return Resolved(
        settings, entries, tuple(sorted(name for name in environment if name.startswith(PREFIX) and name not in variables))
    )


def user_file() -> Path:
    """Where the user's own settings are kept, whether or not the file is there."""
    # Imported here because it takes 10 ms and a library caller who builds its settings by hand needs none of it.
    from platformdirs import user_config_path

    return user_config_path("transom", appauthor=False) / FILE_NAME


def project_file(directory: Path | None = None) -> Path | None:
    """The nearest ``transom.toml`` from ``directory`` (the working directory) upward, as far as the root of its repository."""
    start = Path.cwd() if directory is None else directory.absolute()
    for folder in (start, *start.parents):
        if (path := folder / FILE_NAME).is_file():
            return path
        if (folder / ".git").exists():
            break
    return None


def find(known: Mapping[str, Setting], key: str, where: str) -> Setting:
    """The setting of that key.

    Raises:
        SettingError: there is none; the message names the nearest.
    """
    if (setting := known.get(key)) is not None:
        return setting
    near = difflib.get_close_matches(key.lower().replace("-", "_"), known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"settings are {', '.join(known)}"
    raise SettingError(f"{where}: {key!r} is no setting", hint=hint)


def parse_text(setting: Setting, text: str, where: str) -> object:
    """The value that a text stands for, as a variable or an argument spells it: ``32_000``, ``0.7``, ``yes``, a name.

    Raises:
        SettingError: it is no value of this setting; ``where`` is the place that the message names.
    """
    spellings = [text, text.replace("_", "")]
    match text.strip().lower():
        case "yes" | "on":
            spellings.append("true")
        case "no" | "off":
            spellings.append("false")
        case _:
            pass
    for spelling in spellings:
        try:
            return _convert(setting, spelling, strict=False)
        except msgspec.ValidationError:
            continue
    raise _misfit(setting, text, where)


def read_file(path: Path) -> dict[str, object]:
    """The top level of a settings file.

    Raises:
        SettingError: it is not TOML.
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"{path} is not TOML: {error}") from None


def _from_file(known: Mapping[str, Setting], path: Path, source: Source) -> dict[str, Entry]:
    entries = {}
    for key, value in read_file(path).items():
        setting = find(known, key, str(path))
        fitted = _fit(setting, value, str(path))
        if setting.is_path:
            # As text: a separator at the end of a path is part of what it says.
            fitted = os.path.join(path.parent, os.path.expanduser(str(fitted)))  # noqa: PTH111, PTH118
        entries[key] = Entry(key, fitted, source, str(path))
    return entries


def _fit(setting: Setting, value: object, where: str) -> object:
    try:
        return _convert(setting, os.fspath(value) if isinstance(value, os.PathLike) else value, strict=True)
    except msgspec.ValidationError:
        raise _misfit(setting, value, where) from None


def _convert(setting: Setting, value: object, *, strict: bool) -> object:
    converted: object = msgspec.convert(value, setting.type, strict=strict)
    if converted is None:
        raise msgspec.ValidationError("a setting is unset by taking it out, not by a value")
    return converted


def _misfit(setting: Setting, value: object, where: str) -> SettingError:
    said = repr(value) if setting.is_quoted else "what it is set to"
    return SettingError(f"{where}: {setting.key} cannot be {said}", hint=f"it is {setting.valid}")
