"""Restoring a session: reads what belongs into its dossier. Writes nothing, and counts as no use of what it reads."""

from __future__ import annotations

from collections.abc import Callable

from ...store.uri import SCHEME
from ...vocabulary import ENGLISH, Vocabulary
from .dossier import STALE_AFTER, Dossier, compose
from .entries import Entries
from .facts import Facts
from .sessions import Sessions
from .stored import NAMESPACE

__all__ = ["restore_session"]


async def restore_session(
    sessions: Sessions,
    session_id: str | None = None,
    *,
    max_tokens: int = 2_000,
    count: Callable[[str], int],
    stale_after: float = STALE_AFTER,
    labelled: bool = True,
    vocabulary: Vocabulary = ENGLISH,
) -> Dossier:
    """One read-only text of what a session left: its summary and open steps, the facts and the best entries of its project.

    Args:
        sessions: whose. Facts and entries are those that their project sees, its own before global ones.
        session_id: which session; the one saved last by default.
        max_tokens: what the text may weigh; it never weighs more.
        count: tokens of a text, for example ``Heuristic().count``.
        stale_after: seconds after which the text warns of its age; 7 days by default.
        labelled: say how sure each fact and entry is, and that a summary is somebody's account.
        vocabulary: the words.

    Returns:
        The dossier. The same content at the same time gives the same text.

    Raises:
        NotFoundError: there is no such session.
        InputError: a budget below 0.
    """
    session = await sessions.get(session_id)
    now = sessions.clock()
    # Views of their own: those of a context keep what they know, and what stands in its prompt, as it is.
    facts = await Facts(sessions.store, project=sessions.project, clock=lambda: now).list()
    entries = await Entries(sessions.store, project=sessions.project, clock=lambda: now).ranked()
    return compose(
        session,
        sorted(facts, key=lambda fact: (not fact.project, -fact.importance, fact.key)),
        sorted(entries, key=lambda entry: entry.scope != "project"),
        max_tokens=max_tokens,
        count=count,
        now=now,
        stale_after=stale_after,
        # Folders, as the context tool and `transom store ls` take them.
        places=(f"{SCHEME}{NAMESPACE}/", f"{SCHEME}{NAMESPACE}/entries/"),
        labelled=labelled,
        vocabulary=vocabulary,
    )
