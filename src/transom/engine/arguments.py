"""What a context refuses to be made of, and what it refuses to be handed. Says what to write instead."""

from __future__ import annotations

from ..errors import InputError
from ..store.store import Store
from ..store.uri import check_path
from ..tokens.bounds import MOST_TOKENS
from .memory.hooks import MemorySettings
from .offload.payloads import PruneSettings
from .overflow.guard import Guard
from .overflow.handoff import Handoff
from .placement.labels import Labels
from .placement.temporal import Temporal
from .retrieval.recall import Recall

__all__ = [
    "check_additions",
    "check_arguments",
    "check_notices",
    "check_text",
    "check_tokens",
    "kind",
    "label_settings",
    "recall_settings",
    "session_name",
]


def check_arguments(window: object, store: object, overflow: object, prune: object) -> None:
    """Refuse what no context can be made of.

    Raises:
        InputError: says which argument, and what to write.
    """
    if not isinstance(window, int) or window < 1:
        raise InputError(f"a window of {window!r} tokens", hint="give the model's context length, for example 32000")
    if not isinstance(store, Store | None):
        raise InputError(f"store is no Store but {kind(store)}", hint="write Store(SQLiteBackend('agent.db'))")
    if overflow is not None and not isinstance(getattr(overflow, "fingerprint", None), str):
        raise InputError(f"overflow is no strategy but {kind(overflow)}", hint="write chain(clear(), digest(), reset())")
    if not isinstance(prune, PruneSettings | bool):
        raise InputError(f"prune is no setting but {kind(prune)}", hint="write PruneSettings(threshold=8192), or False")


def session_name(name: str) -> str:
    """The name, if it is one part of a path.

    Raises:
        InputError, URIError: it is not.
    """
    if name and "/" in check_path(name):
        raise InputError(f"a session called {name!r}", hint="leave out the slash")
    return name


def check_notices(window: int, trigger: float, handoff: object, guard: object) -> None:
    """Refuse a handoff or a guard that could never speak.

    Raises:
        InputError: says what to write.
    """
    if not isinstance(handoff, Handoff | None):
        raise InputError(f"handoff is no Handoff but {kind(handoff)}", hint="write Handoff(4_000)")
    if not isinstance(guard, Guard | None):
        raise InputError(f"guard is no Guard but {kind(guard)}", hint="write guard(), or guard(warn=0.8)")
    closes_at = guard.compress if guard is not None else trigger
    if handoff is not None and handoff.budget_tokens >= window * closes_at:
        raise InputError(
            f"a handoff budget of {handoff.budget_tokens:,} tokens, where the window closes at {int(window * closes_at):,}",
            hint="give the tokens that may be left when the model is told, for example a tenth of the window",
        )


def check_additions(memory: object, temporal: object, session: object, project: object) -> None:
    """Refuse settings of what is added that are none.

    Raises:
        InputError: says which, and what to write.
    """
    if not isinstance(memory, MemorySettings | bool):
        raise InputError(f"memory is no setting but {kind(memory)}", hint="write MemorySettings(max_tokens=500), or True")
    if not isinstance(temporal, Temporal | None):
        raise InputError(f"temporal is no Temporal but {kind(temporal)}", hint="write Temporal(locale='de')")
    for name, value in (("session", session), ("project", project)):
        check_text(name, value)


def check_tokens(name: str, value: object) -> None:
    """Refuse what is no number of tokens.

    Raises:
        InputError: says what was given.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"{name} of {value!r} tokens", hint="give a whole number, 0 or more")
    if value > MOST_TOKENS:
        raise InputError(f"{name} of more than {MOST_TOKENS:,} tokens", hint="no request weighs as much: leave it out")


def check_text(name: str, value: object) -> None:
    """Refuse what is no text where text is meant.

    Raises:
        InputError: says what was given.
    """
    if not isinstance(value, str):
        raise InputError(f"{name} is text, not {kind(value)}")


def recall_settings(recall: object) -> Recall | None:
    """Settings of recall from what was handed in; ``None`` where it is off.

    Raises:
        InputError: says what to write.
    """
    found = Recall(mode=recall) if recall in ("off", "suggest", "on") else recall
    if not isinstance(found, Recall):
        raise InputError(f"recall is no setting but {recall!r}", hint="write on, suggest, off or Recall(budget=400)")
    return found if found.mode != "off" else None


def label_settings(labels: object) -> Labels:
    """Settings of labels from what was handed in.

    Raises:
        InputError: says what to write.
    """
    if isinstance(labels, bool):
        return Labels(show="all" if labels else "none")
    if not isinstance(labels, Labels):
        raise InputError(f"labels is no setting but {kind(labels)}", hint="write Labels(show='doubtful'), or False")
    return labels


def kind(value: object) -> str:
    """What a value is, in words."""
    return f"a {type(value).__name__}"
