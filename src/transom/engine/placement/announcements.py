"""Announcements: notices that stand until they are taken back, each under an id of its own.

Pure. They stand at the volatile end of a payload, so that adding, changing or retracting one costs no cache: as system messages
where the target takes them in mid-conversation, otherwise in the user's tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ...errors import InputError

__all__ = ["Announcement", "Announcements", "Channel", "split"]

Channel = Literal["auto", "system", "tail"]
"""``auto`` and ``system``: a system message where the target takes one there; ``tail``: always the user's tail."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One notice.

    Attributes:
        id: replaces or retracts it.
        text: what the model reads, verbatim.
        channel: where it goes.

    Raises:
        InputError: an empty id or text, or an unknown channel.
    """

    id: str
    text: str
    channel: Channel = "auto"

    def __post_init__(self) -> None:
        if not self.id:
            raise InputError("an announcement needs an id", hint="announce('deploy', 'A deployment is running.')")
        if not self.text.strip():
            raise InputError(f"announcement {self.id!r} is empty", hint="retract it instead")
        if self.channel not in ("auto", "system", "tail"):
            raise InputError(f"no channel {self.channel!r}", hint="auto, system or tail")


class Announcements:
    """What is announced now, in the order of first announcement.

    Args:
        items: what was announced before, for example from a snapshot.
    """

    def __init__(self, items: Iterable[Announcement] = ()) -> None:
        self._items = {item.id: item for item in items}
        self._listed: tuple[Announcement, ...] | None = None

    def announce(self, id: str, text: str, channel: Channel = "auto") -> Announcement:  # noqa: A002  # the contract's name
        """Add one; one of the same id is replaced and keeps its place.

        Raises:
            InputError: an empty id or text, or an unknown channel.
        """
        item = Announcement(id, text, channel)
        self._items[id] = item
        self._listed = None
        return item

    def retract(self, id: str) -> bool:  # noqa: A002  # as above
        """Take one back; whether there was one."""
        self._listed = None
        return self._items.pop(id, None) is not None

    def list(self) -> tuple[Announcement, ...]:
        """All of them, in order; one object until something changes."""
        if self._listed is None:
            self._listed = tuple(self._items.values())
        return self._listed

    def __iter__(self) -> Iterator[Announcement]:
        return iter(self.list())

    def __len__(self) -> int:
        return len(self._items)


def split(announcements: Iterable[Announcement], takes_system: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which texts become system messages at the end, and which stand in the user's tail.

    Args:
        announcements: in order.
        takes_system: whether the target takes a system message there (``Format.takes_late_system``).
    """
    system: list[str] = []
    tail: list[str] = []
    for item in announcements:
        (system if takes_system and item.channel != "tail" else tail).append(item.text)
    return tuple(system), tuple(tail)
