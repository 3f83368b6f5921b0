"""What leaves a store, and only when asked: by age, by count, by size, the least recently used first.

Knows the access index; runs never by itself. What something stored cites stays, unless forced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import CapabilityError
from .backend import AccessIndex, Stat
from .uri import backend_namespace, format_uri
from .verify import Holding, citations

__all__ = ["CleanupReport", "Policy", "clean_up"]


@dataclass(frozen=True, slots=True)
class Policy:
    """What a namespace may hold: seconds since the last use, entries, bytes. ``None`` is no bound."""

    max_age: float | None = None
    max_count: int | None = None
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CleanupReport:
    """What a clean-up did.

    Attributes:
        removed: the addresses that are gone.
        kept: the ones that were due but are cited.
        bytes: how much was freed.
    """

    removed: tuple[str, ...]
    kept: tuple[str, ...]
    bytes: int


async def clean_up(store: Holding, policies: Mapping[str, Policy], *, now: float, force: bool) -> CleanupReport:
    """Apply policies.

    Raises:
        CapabilityError: the backend keeps no access index.
    """
    removed: list[str] = []
    kept: list[str] = []
    freed = 0
    cited: frozenset[str] | None = None
    for namespace, policy in policies.items():
        backend = store.backend
        if not isinstance(backend, AccessIndex):
            raise CapabilityError(f"{type(backend).__name__} keeps no access index", hint="delete entries by name instead")
        stats = await backend.stats(backend_namespace(store.scope, namespace))
        due = _due(stats, policy, now)
        if due and cited is None and not force:
            cited = frozenset((await citations(store)).all)
        for stat in due:
            uri = format_uri(namespace, stat.path)
            if cited is not None and uri in cited:
                kept.append(uri)
            elif await store.delete(namespace, stat.path):
                removed.append(uri)
                freed += stat.size
    return CleanupReport(tuple(removed), tuple(kept), freed)


def _due(stats: Sequence[Stat], policy: Policy, now: float) -> list[Stat]:
    """The entries a policy does not allow, least recently used first."""
    order = sorted(stats, key=lambda stat: (stat.accessed, stat.path))
    count, size = len(order), sum(stat.size for stat in order)
    due = []
    for stat in order:
        old = policy.max_age is not None and now - stat.accessed > policy.max_age
        many = policy.max_count is not None and count > policy.max_count
        large = policy.max_bytes is not None and size > policy.max_bytes
        if not (old or many or large):
            break
        due.append(stat)
        count -= 1
        size -= stat.size
    return due
