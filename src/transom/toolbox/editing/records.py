"""What an edit left when it made a backup: the digests of both, so that restoring can tell whether the file changed since.

One small file a backup, beside the journals, where no tool writes. A record that is missing or cannot be written says nothing:
a backup works without it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from ..access.intents import digest_of
from ..access.place import Place
from ..access.workspace import Workspace

__all__ = ["changed_since", "forget", "kept_by", "record"]

_FOLDER = "backups"


def record(workspace: Workspace, place: Place, kept: bytes, left: bytes | None) -> None:
    """Write down what a backup goes with.

    Args:
        workspace: where.
        place: the file.
        kept: what its backup holds.
        left: what the file holds now; ``None``: whatever it holds is worth keeping.
    """
    path = _path(workspace, place)
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # In place, in one piece: a kill leaves all of it or an empty one, which says nothing, and never a file beside it.
        path.write_text(f"{digest_of(kept)} {digest_of(left) or '-'}", encoding="ascii")


def changed_since(workspace: Workspace, place: Place, kept: bytes, now: bytes) -> bool:
    """Whether a file holds something else than the edit left that made its backup; ``False`` where that is not known.

    Args:
        workspace: where.
        place: the file.
        kept: what its backup holds.
        now: what the file holds.
    """
    path = _path(workspace, place)
    try:
        before, left = path.read_text(encoding="ascii").split() if path is not None else ("", "")
    except (OSError, ValueError):
        return False
    return before == digest_of(kept) and left != digest_of(now)


def kept_by(workspace: Workspace, place: Place) -> str | None:
    """The digest of what the last backup of a file holds; ``None`` where it is not known."""
    path = _path(workspace, place)
    try:
        return path.read_text(encoding="ascii").split()[0] if path is not None else None
    except (OSError, ValueError, IndexError):
        return None


def forget(workspace: Workspace, place: Place) -> None:
    """The backup is gone."""
    path = _path(workspace, place)
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _path(workspace: Workspace, place: Place) -> Path | None:
    if workspace.intents is None:
        return None
    name = digest_of(str(place.real()).encode(errors="surrogateescape"))
    return workspace.intents.folder / _FOLDER / name
