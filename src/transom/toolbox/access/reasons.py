"""Why a path cannot be used, as a refusal that says the next step; and the conditions that tools put on paths.

Knows the words and what a walk found; changes nothing.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import itertools
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...safety.paths import protected
from ...safety.verdict import refuse
from ...vocabulary import Vocabulary
from ..sandbox.leading import led_to
from ..tool import Refused
from .owned import comparable, is_own
from .trees import below
from .walk import Astray, Spot

__all__ = ["Reasons", "cause"]

NAMES = 5_000
"""Names of a folder that are looked at for the nearest one."""

OTHERS = 6
"""Names that are told where none is near."""

_TOO_LONG = frozenset({errno.ENAMETOOLONG})
_CAUSES = {
    **dict.fromkeys((errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)), "no_space"),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "no_permission"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "too_many_open"),
    errno.EROFS: "read_only_disk",
}


def cause(error: OSError) -> str:
    """What stands behind a refusal of the system that the model can do something about, as ``vocabulary.filing`` and
    ``vocabulary.tooling`` name it; empty for others.
    """
    return _CAUSES.get(error.errno or 0, "")


class Reasons:
    """What to say about one path.

    Args:
        words: in which words.
        shown: the path, as the model sees it.
        roots: the allowed folders.
        own: files and folders of this program.
    """

    def __init__(self, words: Vocabulary, shown: str, roots: Sequence[str], own: Sequence[str] = ()) -> None:
        self._words = words
        self._filing = words.filing
        self._shown = shown
        self._roots = roots
        self._own = own

    # ── refusals ────────────────────────────────────────────────────────────────────────────────────────────────────

    def outside(self) -> Refused:
        """The path leaves the allowed folders."""
        return Refused("outside_root", self._filing.outside(self._shown, self._roots))

    def astray(self, astray: Astray) -> Refused:
        """The walk could not go on."""
        match astray.reason:
            case "outside":
                return self.outside()
            case "loop":
                return Refused("io_error", self._filing.link_loop.format(path=self._shown))
            case "unstable":
                return Refused("io_error", self._filing.unstable.format(path=self._shown))
            case "not_a_folder":
                return Refused("not_found", self._filing.not_a_folder.format(path=self._shown, segment=astray.segment))

    def missing(self, spot: Spot | None = None) -> Refused:
        """Nothing is there; the nearest name that there is."""
        near = _nearest(spot) if spot is not None else ""
        if spot is None or not near:
            return Refused("not_found", self._filing.missing(self._shown, others=_others(spot) if spot is not None else ()))
        parent = self._shown.rstrip("/").removesuffix("/".join((spot.name, *spot.beyond))) if spot.name else ""
        found, sent = _hidden_difference(near, spot.name)
        text = self._filing.missing(self._shown, parent + near, found, sent)
        return Refused("not_found", text, data={"nearest": parent + near})

    def of_kind(self, status: os.stat_result | None) -> Refused:
        """It is a folder, or something that file tools do not open."""
        kind = 0 if status is None else stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFDIR:
            return Refused("not_a_file", self._filing.folder_not_file.format(path=self._shown))
        called = {
            stat.S_IFIFO: self._filing.fifo,
            stat.S_IFBLK: self._filing.device,
            stat.S_IFCHR: self._filing.device,
            stat.S_IFSOCK: self._filing.socket,
        }.get(kind, self._filing.special_kind)
        return Refused("not_a_file", self._filing.special.format(path=self._shown, kind=called))

    def stale(self) -> Refused:
        """The file is not what it was."""
        return Refused("drift", self._filing.stale.format(path=self._shown))

    def taken(self) -> Refused:
        """The destination is not free."""
        return Refused("invalid_input", self._filing.exists.format(path=self._shown))

    def system(self, error: OSError) -> Refused:
        """What the system says."""
        path, code = self._shown, error.errno
        if isinstance(error, FileNotFoundError):
            return self.missing()
        if isinstance(error, NotADirectoryError):
            return Refused("not_a_file", self._filing.file_not_folder.format(path=path))
        if code in {errno.EISDIR, errno.ENXIO}:
            return Refused("not_a_file", self._filing.folder_not_file.format(path=path))
        if code in _TOO_LONG:
            return Refused("invalid_path", self._filing.too_long.format(path=path))
        if code == errno.ELOOP:
            return Refused("io_error", self._filing.unstable.format(path=path))
        if known := cause(error):
            return Refused("io_error", str(getattr(self._filing, known)).format(path=path))
        return Refused("io_error", self._filing.refused.format(path=path, reason=error.strerror or type(error).__name__))

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Whatever the system refuses inside becomes a refusal of ours."""
        try:
            yield
        except OSError as error:
            raise self.system(error) from error

    # ── conditions ──────────────────────────────────────────────────────────────────────────────────────────────────

    def must_be_there(self, spot: Spot) -> None:
        """Something is there."""
        if spot.status is None or spot.beyond:
            raise self.missing(spot)

    def must_be_file(self, spot: Spot) -> None:
        """It is a regular file."""
        if not spot.is_kind(stat.S_IFREG):
            raise self.of_kind(spot.status)

    def must_be_folder(self, spot: Spot) -> None:
        """It is a folder."""
        if spot.is_kind(stat.S_IFDIR):
            return
        if spot.is_kind(stat.S_IFREG):
            raise Refused("not_a_file", self._filing.file_not_folder.format(path=self._shown))
        raise self.of_kind(spot.status)

    def must_be_no_root(self, spot: Spot) -> None:
        """It lies inside an allowed folder and is none itself."""
        if not spot.name:
            raise Refused("protected_path", self._filing.root_itself.format(path=self._shown))

    def must_have_folder(self, spot: Spot) -> None:
        """The folder it is to be in exists."""
        if spot.beyond:
            raise self.missing(spot)

    def must_be_writable(self, spot: Spot) -> None:
        """A file can be put there: the folder exists, and what is there is a file that may be written."""
        self.must_have_folder(spot)
        if spot.status is None:
            return
        self.must_be_file(spot)
        if not spot.status.st_mode & 0o222:
            raise Refused("io_error", self._filing.read_only.format(path=self._shown))

    def must_not_be_protected(self, spot: Spot) -> None:
        """File tools may write there."""
        verdict = protected(spot.segments)
        if not verdict:
            raise Refused.by(verdict, self._words)
        if self._is_own(spot.path):
            raise Refused("protected_path", self._filing.own.format(path=self._shown))
        if (led := self._led(spot.path)) is not None:
            raise Refused.by(refuse("protected_path", "path_protected", segment=led), self._words)

    def must_not_hold_own(self, spot: Spot) -> None:
        """No file of this program would go along."""
        inside = comparable(spot.path) + os.sep
        if any(comparable(own).startswith(inside) for own in self._own):
            raise Refused("protected_path", self._filing.own.format(path=self._shown))
        for led in led_to(map(Path, map(os.path.realpath, self._roots))):
            if comparable(str(led)).startswith(inside):
                raise Refused.by(refuse("protected_path", "path_protected", segment=led.name), self._words)

    def _is_own(self, path: str) -> bool:
        return is_own(path, self._own)

    def _led(self, path: str) -> str | None:
        """The name of the place that holds a path and that a protected name leads to, if there is one."""
        here = comparable(path)
        for led in led_to(map(Path, map(os.path.realpath, self._roots))):
            if (here + os.sep).startswith(comparable(str(led)) + os.sep):
                return led.name
        return None

    def must_hold_nothing_protected(self, spot: Spot, go_on: Callable[[], None]) -> None:
        """Nothing in a folder is what file tools do not write."""
        folder = spot.folder.enter(spot.name)
        led = {comparable(str(path)) for path in led_to(map(Path, map(os.path.realpath, self._roots)))}
        try:
            for found in below(folder, go_on):
                path = os.path.join(spot.path, *found.segments)  # noqa: PTH118 - names as the system has them
                if not protected((*spot.segments, *found.segments)[-2:]) or self._is_own(path) or comparable(path) in led:
                    segment = "/".join(found.segments)
                    raise Refused("protected_path", self._filing.protected_inside.format(path=self._shown, segment=segment))
        finally:
            folder.close()


def _folded(name: str) -> str:
    """A name without what cannot be seen: forms of letters, kinds of blanks, of quotes and of dashes, case."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    kept = (letter for letter in plain if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf")
    return "".join(
        {"Z": " ", "P": "-"}.get(unicodedata.category(letter)[0], letter) if ord(letter) > 127 else letter for letter in kept
    )


def _nearest(spot: Spot) -> str:
    """The name in the same folder that comes nearest to one that is missing; empty when none is near."""
    try:
        names = [entry.name for entry in itertools.islice(spot.folder.entries(), NAMES)]
    except OSError:
        return ""
    wanted = _folded(spot.name)
    by_form = {_folded(name): name for name in sorted(names, reverse=True)}
    if wanted in by_form:
        return by_form[wanted]
    close = difflib.get_close_matches(wanted, by_form, n=1, cutoff=0.7)
    return by_form[close[0]] if close else ""


def _others(spot: Spot) -> list[str]:
    """Some names of the folder in which one is missing, those most like it first; folders end in a slash."""
    try:
        entries = list(itertools.islice(spot.folder.entries(), NAMES))
    except OSError:
        return []
    wanted = _folded(spot.name)
    likest = sorted(
        (entry for entry in entries if not entry.name.startswith(".") and (entry.kind == stat.S_IFDIR or not spot.beyond)),
        key=lambda entry: (-difflib.SequenceMatcher(None, wanted, _folded(entry.name)[:200]).quick_ratio(), entry.name),
    )
    return [entry.name + ("/" if entry.kind == stat.S_IFDIR else "") for entry in likest[:OTHERS]]


def _hidden_difference(found: str, sent: str) -> tuple[str, str]:
    """The code points in which two names that look alike differ first; empty where a reader sees the difference."""
    if _folded(found) != _folded(sent) or found.casefold() == sent.casefold():
        return "", ""
    for one, other in itertools.zip_longest(found, sent, fillvalue=""):
        if one != other:
            return tuple(f"U+{ord(letter):04X}" if letter else "-" for letter in (one, other))[:2]  # type: ignore[return-value]
    return "", ""
