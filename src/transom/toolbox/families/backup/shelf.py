"""Where backups lie: one folder in the root of the working directory, and names in it that are names and no paths."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from ...access.place import Place
from ...access.workspace import Workspace
from ...tool import Refused, ToolContext

__all__ = ["FOLDER", "Backup", "Shelf"]

FOLDER = ".ai_toolbox_backups"

_NAME = re.compile(r"[^\W_][\w .+-]{0,199}\.zip", re.IGNORECASE)
_UNFIT = re.compile(r"[^\w.+-]+")
_LABEL = 60


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup of the list.

    Attributes:
        name: what it is named by.
        size: bytes of the archive.
        made: unix time in seconds.
        files, unpacked: how many files it holds, and their bytes; ``None`` where it cannot be read.
    """

    name: str
    size: int
    made: float
    files: int | None
    unpacked: int | None


class Shelf:
    """The backups of one root.

    Args:
        context: of the call.
    """

    def __init__(self, context: ToolContext) -> None:
        self._words = context.words.backing_up
        self.workspace = context.use(Workspace)
        self.root = self.workspace.place(".").root
        self.folder = self.inside(FOLDER)

    def inside(self, *segments: str) -> Place:
        """A place below the root."""
        return self.workspace.place(str(PurePath(self.root.given, *segments)))

    def place(self, name: str) -> Place:
        """A backup that is there.

        Raises:
            Refused: ``invalid_path``, ``not_found``.
        """
        if not _NAME.fullmatch(name):
            raise Refused("invalid_path", self._words.bad_name.format(name=name))
        place = self.folder.child(name)
        status = place.status(follow=False) if self.folder.is_dir() else None
        if status is None:
            known = self.names()
            if not known:
                raise Refused("not_found", self._words.none.format(folder=self.folder.shown))
            raise Refused("not_found", self._words.unknown.format(name=name, known=", ".join(known[:10])))
        return place

    def free(self, label: str, now: float) -> Callable[[int], str]:
        """Names for a new backup, by how many of them were taken before."""
        stem = datetime.fromtimestamp(now, UTC).strftime("backup-%Y%m%d-%H%M%S")
        fit = _UNFIT.sub("-", label).strip("-._ ")[:_LABEL]
        stem = f"{stem}-{fit}" if fit else stem
        return lambda taken: f"{stem}-{taken + 1}.zip" if taken else f"{stem}.zip"

    def names(self) -> list[str]:
        """The names of all backups, the newest first."""
        if not self.folder.exists():
            return []
        found = [
            (entry.status.st_mtime, entry.name)
            for entry in self.folder.children()
            if entry.is_file and entry.status is not None and _NAME.fullmatch(entry.name)
        ]
        return [name for _, name in sorted(found, reverse=True)]

    def backups(self, go_on: Callable[[], None]) -> list[Backup]:
        """All backups, the newest first."""
        found = []
        for name in self.names():
            go_on()
            try:
                with self.folder.child(name).open() as file:
                    status = self.folder.child(name).stat()
                    files, unpacked = _contents(file)
            except Refused:
                continue
            found.append(Backup(name, status.st_size, status.st_mtime, files, unpacked))
        return found


def _contents(file: object) -> tuple[int | None, int | None]:
    try:
        with zipfile.ZipFile(file) as archive:  # type: ignore[call-overload]
            infos = [info for info in archive.infolist() if not info.is_dir()]
            return len(infos), sum(info.file_size for info in infos)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError):
        return None, None
