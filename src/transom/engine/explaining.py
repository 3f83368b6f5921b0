"""Explaining a compile: what each part cost, what moved where and why, how far the prefix held and what moved it.

Knows a payload's account, no state. The account is JSON values, the same that a flight record holds, so that a compile can be
explained in another process by whoever has the store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import InputError
from ..safety.masking import each_masked
from .payload import PayloadMeta
from .retrieval.recall import Recollection

__all__ = ["MOST_REMEMBERED", "Explanation", "RecentCompiles", "account", "explain_flight"]

MOST_REMEMBERED = 512
"""Compiles that a session can explain; older ones are in their flight records."""

MOST_LISTED = 12
"""Lines of one kind in a text; the rest is counted."""


def account(meta: PayloadMeta) -> dict[str, object]:
    """What a compile did, as JSON values: a flight record. Secrets in what others wrote are masked."""
    shown = _masked(meta)
    return {
        "target": meta.target,
        "window": meta.window,
        "window_id": meta.lineage.current,
        "previous_window": meta.lineage.previous,
        "tokens": {"before": meta.tokens_before, "after": meta.tokens_after, "reserve": meta.reserve, "trigger": meta.trigger},
        "parts": dict(meta.parts),
        "moved": [
            {
                "kind": moved.kind,
                "uri": moved.uri,
                "bytes": moved.bytes,
                "messages": moved.messages,
                "label": shown[moved.label],
            }
            for moved in meta.moved
        ],
        "closed_by": meta.closed,
        "closing": None if meta.closing is None else {"before": meta.closing.before, "after": meta.closing.after},
        "waiting": meta.waiting,
        "handoff": meta.handoff,
        "memory": list(meta.memory),
        "recalled": None if meta.recalled is None else _recalled(meta.recalled, shown),
        "skill": meta.skill,
        "failure": shown[meta.failure],
        "archive": meta.archives[-1] if meta.archives else "",
        "own_archive": meta.own_archive,
        "notes": [
            {"code": note.code, "where": note.where, "detail": shown[note.detail]} for note in (*meta.repairs, *meta.notes)
        ],
        "prefix": {
            "held": meta.prefix_bytes,
            "sequence": meta.sequence_bytes,
            "tail": meta.tail_bytes,
            "due": meta.prefix.due,
            "lost_bytes": meta.prefix.lost_bytes,
            "lost_tokens": meta.prefix.lost_tokens,
            "part": meta.prefix.part,
            "where": meta.prefix.where,
            "reason": shown[meta.prefix.reason],
        },
        "audit": [{"key": item.key, "where": item.where, "detail": shown[item.detail]} for item in meta.audit],
        "milliseconds": {phase: round(spent, 3) for phase, spent in meta.timings.items()},
    }


def _masked(meta: PayloadMeta) -> dict[str, str]:
    """What others wrote, each text with itself as it is shown."""
    texts = [meta.failure, meta.prefix.reason]
    texts += [moved.label for moved in meta.moved]
    texts += [note.detail for note in (*meta.repairs, *meta.notes)]
    texts += [item.detail for item in meta.audit]
    texts += meta.recalled.terms if meta.recalled is not None else ()
    return dict(zip(texts, each_masked(texts), strict=True))


def _recalled(recalled: Recollection, shown: Mapping[str, str]) -> dict[str, object]:
    return {
        "mode": recalled.mode,
        "passages": [{"uri": passage.uri, "messages": list(passage.messages)} for passage in recalled.passages],
        "tokens": recalled.tokens,
        "score": recalled.score,
        "coverage": recalled.coverage,
        "terms": [shown[term] for term in recalled.terms],
        "silence": recalled.silence,
    }


@dataclass(frozen=True, slots=True)
class Explanation:
    """One compile, explained. ``str()`` of it is the text.

    Attributes:
        turn: its number in the session, from 1; 0 where it is not known.
        record: the account, as JSON values.
    """

    turn: int
    record: Mapping[str, object]

    def as_dict(self) -> dict[str, object]:
        """The account and the number, as JSON values."""
        return {"turn": self.turn, **self.record}

    def text(self) -> str:
        """The account for a person, over several lines."""
        return "\n".join(_lines(self.turn, self.record))

    def __str__(self) -> str:
        return self.text()


class RecentCompiles:
    """The accounts of a session's last compiles, by number.

    Args:
        limit: how many are kept; the oldest leaves first.
    """

    def __init__(self, limit: int = MOST_REMEMBERED) -> None:
        self._metas: deque[PayloadMeta] = deque(maxlen=limit)
        self._count = 0

    def __len__(self) -> int:
        return len(self._metas)

    @property
    def count(self) -> int:
        """How many compiles there were, those no longer remembered included."""
        return self._count

    def add(self, meta: PayloadMeta) -> None:
        """Take in the account of the compile that has just ended."""
        if any(moved.text for moved in meta.moved):
            # What left is in the store; it must not stay in memory for as long as its compile can be explained.
            meta = replace(meta, moved=tuple(replace(moved, text="") for moved in meta.moved))
        self._metas.append(meta)
        self._count += 1

    def explain(self, turn: int) -> Explanation:
        """A compile, explained.

        Args:
            turn: its number, from 1; or counted from the end, from -1.

        Raises:
            InputError: there is no such compile, or it is no longer remembered.
        """
        number = _number(turn, self._count)
        if not self._count:
            raise InputError(f"there is no compile {turn}: nothing was compiled yet")
        if not 1 <= number <= self._count:
            raise InputError(f"there is no compile {turn}", hint=f"1 to {self._count}, or -1 for the last")
        first = self._count - len(self._metas) + 1
        if number < first:
            raise InputError(
                f"compile {number} is no longer remembered",
                hint=f"{first} to {self._count} are; a flight recorder keeps all of them",
            )
        return Explanation(number, account(self._metas[number - first]))


def _number(turn: object, count: int) -> int:
    if not isinstance(turn, int) or isinstance(turn, bool):
        raise InputError(f"a compile is named by its number, not by {turn!r}", hint="explain(1), or explain(-1) for the last")
    return turn if turn >= 0 else count + 1 + turn


def explain_flight(record: object, turn: int = 0) -> Explanation:
    """A stored flight record, explained; what an older record does not hold is left out.

    Args:
        record: as it was read from the store, parsed.
        turn: its number; 0 where it is not known.

    Raises:
        InputError: not a flight record.
    """
    if not isinstance(record, Mapping) or not isinstance(record.get("tokens"), Mapping):
        raise InputError("not a flight record", hint="context://flights/<session>/<number> holds one")
    return Explanation(turn, record)


def _lines(turn: int, record: Mapping[str, object]) -> Iterator[str]:
    tokens, prefix = _mapping(record, "tokens"), _mapping(record, "prefix")
    name = f"Compile {turn}" if turn else "Compile"
    yield f"{name} for {record.get('target', '?')}, window {record.get('window_id', '?')}"
    yield (
        f"  {_int(tokens, 'before'):,} tokens came in, {_int(tokens, 'after'):,} went out; {_int(record, 'window'):,} fit, "
        f"{_int(tokens, 'reserve'):,} of them kept for the answer; a window closes above {_int(tokens, 'trigger'):,}"
    )
    parts = [f"{part} {_int(_mapping(record, 'parts'), part):,}" for part in _mapping(record, "parts")]
    yield f"  parts: {', '.join(part for part in parts if not part.endswith(' 0')) or 'nothing'}"
    yield from _window(record)
    memory = record.get("memory")
    if isinstance(memory, Sequence) and memory:
        yield f"  memory shown: {', '.join(map(str, memory))}"
    yield from _beside(record)
    if record.get("skill"):
        yield f"  skill: {record['skill']}"
    yield from _listed("moved", _moved(record), indent="  ")
    yield from _prefix(prefix)
    yield from _listed("notes", (_note(item) for item in _items(record, "notes")), indent="  ")
    yield from _listed("cache audit", (f"{item.get('where')}: {item.get('detail')}" for item in _items(record, "audit")), "  ")
    spent = {phase: ms for phase, ms in _mapping(record, "milliseconds").items() if isinstance(ms, int | float)}
    if spent:
        phases = ", ".join(f"{phase} {ms:.2f}" for phase, ms in spent.items() if ms >= _SHORTEST)
        yield f"  {sum(spent.values()):.2f} ms{': ' if phases else ''}{phases}"


_SHORTEST = 0.01
"""Milliseconds of a phase that is worth naming."""


def _window(record: Mapping[str, object]) -> Iterator[str]:
    if record.get("closed_by"):
        closing = _mapping(record, "closing")
        became = f": {_int(closing, 'before'):,} tokens became {_int(closing, 'after'):,}" if closing else ""
        yield f"  {record['closed_by']} closed {record.get('previous_window')} and opened {record.get('window_id')}{became}"
    if record.get("waiting"):
        yield f"  a window is to close and waits for {record['waiting']}"
    if record.get("handoff"):
        yield "  the model was told that its window will close soon"
    if record.get("archive"):
        yield f"  what left in the last closing: {record['archive']}"
    if record.get("own_archive"):
        yield f"  this history's own span: {record['own_archive']}"
    if record.get("failure"):
        yield f"  what went wrong: {record['failure']}"


def _beside(record: Mapping[str, object]) -> Iterator[str]:
    recalled = _mapping(record, "recalled")
    if not recalled:
        return
    share = recalled.get("coverage")
    alike = f"{share:.0%} of what the message names stands together" if isinstance(share, float) else ""
    if recalled.get("silence"):
        yield f"  recalled nothing: {recalled['silence']}{f', {alike}' if share else ''}"
        return
    where = ", ".join(str(passage.get("uri")) for passage in _items(recalled, "passages"))
    yield f"  recalled {_int(recalled, 'tokens'):,} tokens beside the newest message ({alike}): {where}"


def _moved(record: Mapping[str, object]) -> Iterator[str]:
    for item in _items(record, "moved"):
        what = _KINDS.get(str(item.get("kind")), item.get("kind"))
        label = f" ({item['label']})" if item.get("label") else ""
        messages = f", {_int(item, 'messages')} messages" if _int(item, "messages") > 1 else ""
        yield f"{what}{label}: {_int(item, 'bytes'):,} bytes{messages}, {item.get('uri')}"


_KINDS: Mapping[str, str] = {
    "prune": "an oversized result when it was first seen",
    "offload": "an oversized text, so that the rest fits",
    "clear": "an old result, when the window closed",
    "evict": "whole turns, when the window closed",
}


def _prefix(prefix: Mapping[str, object]) -> Iterator[str]:
    if not prefix:
        return
    held, sequence = _int(prefix, "held"), _int(prefix, "sequence")
    ending = f", of which {_int(prefix, 'tail'):,} at the volatile end" if _int(prefix, "tail") else ""
    yield f"  prefix: {held:,} of {sequence:,} bytes as in the compile before{ending}"
    if _int(prefix, "lost_bytes"):
        part, where = str(prefix.get("part")), str(prefix.get("where"))
        yield (
            f"    moved at {where}{'' if part in where else f' ({part})'}: {prefix.get('reason')}; "
            f"{_int(prefix, 'lost_bytes'):,} bytes, about {_int(prefix, 'lost_tokens'):,} tokens, have to be read again"
        )


def _note(item: Mapping[str, object]) -> str:
    return f"{item.get('code')} {item.get('where')}: {item.get('detail')}"


def _listed(title: str, lines: Iterable[str], indent: str) -> Iterator[str]:
    found = list(lines)
    if not found:
        return
    yield f"{indent}{title}:"
    yield from (f"{indent}  {line}" for line in found[:MOST_LISTED])
    if len(found) > MOST_LISTED:
        yield f"{indent}  and {len(found) - MOST_LISTED} more"


def _mapping(record: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = record.get(key)
    return value if isinstance(value, Mapping) else {}


def _items(record: Mapping[str, object], key: str) -> Sequence[Mapping[str, object]]:
    value = record.get(key)
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, Sequence) else []


def _int(record: Mapping[str, object], key: str) -> int:
    value = record.get(key)
    return value if isinstance(value, int) else 0
