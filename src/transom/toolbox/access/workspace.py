"""Where a session works: the allowed folders, the working directory, and every path made into a ``Place``.

Knows no tool. Roots come from whoever starts the program or from the client; no tool widens them. One workspace a session:
``for_session`` makes another over the same journal.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from ...safety.paths import judge_form
from ...vocabulary import ENGLISH, Vocabulary
from ..saying import unsaid
from ..tool import Refused
from .folder import DESCRIPTORS
from .intents import Intents
from .place import Place, Reach
from .reasons import Reasons
from .roots import Root, Roots, segments_of
from .together import Change, Together
from .turns import Turns

__all__ = ["Change", "Workspace"]


class Workspace:
    """The folders a session may reach.

    Args:
        roots: the allowed folders. One that does not exist is kept in ``missing`` and is no error.
        cwd: the working directory, inside a root; the first root by default.
        intents: where work on files is written down before it is done; without it a kill may leave temporary files.
        words: in which words refusals are made.
        own: files and folders of this program, above all its store: no tool writes them, wherever they are. The folder of
            ``intents`` is always one.

    Raises:
        Refused: ``cwd`` is not inside a root, or not there.
    """

    def __init__(
        self,
        roots: Iterable[str | PurePath],
        *,
        cwd: str | None = None,
        intents: Intents | None = None,
        words: Vocabulary = ENGLISH,
        own: Iterable[str | PurePath] = (),
    ) -> None:
        self.roots = Roots(roots)
        folders = (intents.folder,) if intents is not None else ()
        self._own = tuple(os.path.realpath(path) for path in (*own, *folders))
        self.intents = intents
        self.words = words
        self.turns = Turns()
        self._at: tuple[Root, tuple[str, ...]] | None = None
        if cwd is not None:
            self.change_directory(cwd)

    def for_session(self, *, words: Vocabulary | None = None) -> Workspace:
        """Another workspace with the same roots and a working directory of its own."""
        made = Workspace((), intents=self.intents, words=words or self.words)
        made.roots = self.roots
        made._own = self._own
        made.turns = self.turns
        return made

    @property
    def missing(self) -> Sequence[str]:
        """Roots that were named and do not exist."""
        return self.roots.missing

    @property
    def cwd(self) -> str:
        """The working directory, as an absolute path.

        Raises:
            Refused: ``unavailable``: there is no root.
        """
        root, segments = self._here()
        return os.path.join(root.real, *segments)  # noqa: PTH118

    def replace_roots(self, roots: Iterable[str | PurePath]) -> Sequence[str]:
        """Work in other folders from now on, as a client asks for; none given keeps those there are.

        The working directory becomes the first root, unless it lies inside one of the new ones.

        Returns:
            those that do not exist.
        """
        given = list(roots)
        if not given:
            return ()
        before = self.cwd if self._at is not None else None
        self.roots = Roots(given)
        self._at = None
        if before is not None:
            with contextlib.suppress(Refused):
                self.change_directory(before)
        return self.roots.missing

    def change_directory(self, text: str) -> Place:
        """Resolve relative paths against another folder from now on. The roots stay what they are.

        Raises:
            Refused: as ``place``; ``not_found``; ``not_a_file`` (it is no folder).
        """
        place = self.place(text)
        with place.there() as spot:
            if not spot.is_kind(stat.S_IFDIR):
                raise Refused("not_a_file", self.words.filing.file_not_folder.format(path=place.shown))
            self._at = (spot.root, spot.segments)
        return place

    def place(self, text: str) -> Place:
        """What a path means. Nothing of the file system is looked at yet, but for a path with a byte written as ``\\xff``.

        Args:
            text: relative to the working directory, or absolute inside a root. A name that is no UTF-8 is taken as it is
                shown, unless there is one that is spelled so.

        Raises:
            Refused: ``invalid_path`` (its form), ``outside_root``, ``unavailable`` (no root exists).
        """
        verdict = judge_form(text)
        if not verdict:
            raise Refused.by(verdict, self.words)
        place = self._placed(text)
        if os.sep == "/" and "\\x" in text and (meant := unsaid(text)) != text:
            bytewise = self._placed(meant)
            if place.status(follow=False) is None and bytewise.status(follow=False) is not None:
                return bytewise
        return place

    def _placed(self, text: str) -> Place:
        here, working = self._here()
        if not os.path.isabs(text):  # noqa: PTH117
            given = segments_of(text)
            return Place(self._reach, here, (*working, *given), "/".join(given) or ".")
        found = self.roots.find(text)
        if found is None:
            raise Reasons(self.words, text, [root.given for root in self.roots.all]).outside()
        root, segments = found
        return Place(self._reach, root, tuple(segments), self._shown(root, segments))

    def _shown(self, root: Root, segments: Sequence[str]) -> str:
        here, working = self._here()
        if root == here and tuple(segments[: len(working)]) == working and ".." not in segments:
            return "/".join(segments[len(working) :]) or "."
        return PurePath(root.given, *segments).as_posix()

    @property
    def _reach(self) -> Reach:
        return Reach(self.roots, self.intents, self.words, self._own)

    def _here(self) -> tuple[Root, tuple[str, ...]]:
        if self._at is not None:
            return self._at
        if not self.roots.all:
            missing = f" ({', '.join(self.missing)})" if self.missing else ""
            raise Refused("unavailable", self.words.filing.no_roots.format(missing=missing))
        return self.roots.all[0], ()

    def apply(self, changes: Sequence[Change]) -> None:
        """Change many files as one: all of them, or none, also when the process is killed in between.

        Args:
            changes: one a file.

        Raises:
            Refused: ``drift`` (a file is not what was expected), or as ``Place.replace``; nothing has changed then.
        """
        Together(changes, self.intents).apply()

    def tidy(self) -> list[str]:
        """Put in order what processes that were killed have left in these roots; to be called once at the start.

        Returns:
            files of a change of many that could not be finished, because somebody changed them meanwhile.
        """
        return self.intents.recover(self.roots, self._own) if self.intents is not None else []

    def describe(self) -> dict[str, object]:
        """What a person wants to know of it.

        Returns:
            ``roots``, ``missing``, ``cwd``, and ``descriptors``: whether paths are resolved by descriptor here, so that nobody
            can change one between check and use.
        """
        return {
            "roots": [root.given for root in self.roots.all],
            "missing": list(self.missing),
            "cwd": self.cwd if self.roots.all else None,
            "descriptors": DESCRIPTORS,
        }
