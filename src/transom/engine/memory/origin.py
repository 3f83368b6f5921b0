"""Where something that is remembered came from, when it came from another system.

Pure. It is kept beside the text, under one name in every family, and goes with it through every change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

__all__ = ["Origin", "origin_meta", "origin_of"]

_KEY = "origin"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was before it was brought here.

    Attributes:
        importer: the system that kept it.
        file: the file that it was in, as that system placed it.
        id: what it was called there; empty where it had no name.
    """

    importer: str
    file: str
    id: str = ""


def origin_meta(origin: Origin | None) -> dict[str, object]:
    """What is kept beside a text; nothing where it was written here."""
    return {} if origin is None else {_KEY: asdict(origin)}


def origin_of(meta: Mapping[str, object]) -> Origin | None:
    """The origin that stands in what is kept beside a text; ``None`` where there is none, or none that can be read."""
    kept = meta.get(_KEY)
    if not isinstance(kept, Mapping):
        return None
    importer, file, name = (kept.get(key, "") for key in ("importer", "file", "id"))
    if not (isinstance(importer, str) and isinstance(file, str) and isinstance(name, str)):
        return None
    return Origin(importer, file, name)
