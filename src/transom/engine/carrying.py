"""The verbs by which a session is taken out of a context, put into one, and branched.

Knows what a context holds of its session; how that is written and read back is said in ``restoring``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from ..errors import FormatError, InputError
from ..messages import Message
from ..store.store import Store
from ..tokens import Calibration, Tokenizer, Weights
from ..vocabulary import Vocabulary
from .additions import Additions
from .arguments import kind
from .choosing import Choosing
from .forming import Forming
from .ledger.window import LiveWindow
from .loading import Loader
from .memory.fact import Fact
from .memory.memory import Memory
from .overflow.runner import Runner
from .restoring import Held, give, put_back, replenish, take
from .selection.selection import Selection
from .snapshot import Snapshot
from .state import CompileSettings, Session

__all__ = ["Carrying"]


class Carrying(Choosing):
    """A session that can be carried from one context to another."""

    store: Store
    _made: Mapping[str, object]
    _settings: CompileSettings
    _vocabulary: Vocabulary
    _tokenizer: Tokenizer
    _weights: Weights
    _runner: Runner
    _memory: Memory
    _session: Session
    _additions: Additions
    _loader: Loader
    _own_system: tuple[Message, ...]
    _loaded_system: tuple[Message, ...]
    _leading: int
    _calibration: Calibration
    _estimated: int
    _target: str | None
    _owed: tuple[Fact, ...] | None

    def snapshot(self) -> Snapshot:
        """The session as a value: conversation, windows, what is added, memory as far as it was read, what reports taught.

        ``to_json`` writes it, ``Snapshot.from_json`` reads it back in any process. Handlers, slots and settings are not in it.
        """
        known = self._memory.facts.known if self._additions.memory is not None else ()
        if self._owed is not None:
            # Restored and not compiled since: what memory lacks is not put back yet.
            known = tuple({fact.path: fact for fact in (*self._owed, *known)}.values())
        held = Held(self._own_system, self._leading, self._calibration, self._estimated, self._target, known)
        return take(self._session, self._loader, held, window=self._settings.window, fingerprint=self._runner.fingerprint)

    def restore(self, snapshot: Snapshot) -> None:
        """Become the session of a snapshot, in place of the one before.

        The next compile gives what the next compile there would have given, over this context's store: what the window rests on
        and the store lacks is put there first. Facts that memory lacks come back; others stay as they are by now. A context of
        another window or strategy takes the conversation over and closes its windows by itself.

        Raises:
            FormatError: the snapshot is damaged, or no snapshot.
        """
        if not isinstance(snapshot, Snapshot):
            raise FormatError(f"restore takes a Snapshot, not {kind(snapshot)}", hint="Snapshot.from_json reads one back")
        before = self._additions
        additions = Additions(
            self._vocabulary,
            self._tokenizer.count,
            memory=before.memory,
            tool=before.tool,
            temporal=before.temporal,
            labels=before.labels,
        )
        session, loader = Session(additions, self._session.name, LiveWindow(self._vocabulary.mending)), Loader()
        session.selection = Selection(words=self._vocabulary.selecting)
        forming = Forming(self._settings.prune, self._tokenizer, session.failed, self._weights.weigh)
        size, fingerprint = self._settings.window, self._runner.fingerprint
        held = give(snapshot, session, loader, forming, window=size, fingerprint=fingerprint)
        loaded = tuple(message for message in loader.messages[: held.leading] if not additions.wrote(message))
        try:
            session.head = self._compose(session.head, session.selection)
        except InputError as error:
            raise FormatError(f"the snapshot's tools do not go with this context: {error.message}", hint=error.hint) from None
        # Nothing from here on can fail: what is refused leaves the context as it was.
        self._additions, self._session, self._loader = additions, session, loader
        self._own_system, self._leading, self._loaded_system = held.own_system, held.leading, loaded
        self._calibration, self._estimated, self._target = held.calibration, held.estimated, held.target
        self._owed = held.facts

    def branch(self, *, session: str = "") -> Self:
        """Another context of the same settings that goes on from here; neither sees what the other appends.

        Args:
            session: a name for the branch, as for a context.
        """
        other = type(self)(**{**self._made, "session": session})
        other.restore(self.snapshot())
        return other

    async def _settle_up(self) -> None:
        """Put into the store what a restored session rests on."""
        if self._owed is None:
            return
        await replenish(self.store, self._session, window=self._settings.window, fingerprint=self._runner.fingerprint)
        if self._additions.memory is not None:
            await put_back(self._memory.facts, self._owed)
        self._owed = None
