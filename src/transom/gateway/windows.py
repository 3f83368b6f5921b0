"""The window of each model at each upstream: what the user set, what the server tells, what an error taught, what a table says.

Knows how servers are asked (``transom.upstream.windows``) and the store, where what was found outlives a restart. A question
delays no request for long, and is one question for all requests that wait for it. Nobody knows: then the guard only observes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping

from ..errors import JSONError, TransomError
from ..jsontext import dumps, loads
from ..store.store import Store
from ..tokens.bounds import is_window
from ..upstream.windows import Told, ask_window
from .exchange import Headers, header
from .known_window import ERROR, READ, SERVER, Known, believed
from .upstream_client import upstream_client
from .upstreams import Upstream
from .window_table import CLAUDE, CLAUDE_LONG, is_claude, table_window

__all__ = ["Windows", "asked_window"]

_log = logging.getLogger(__name__)

_PATIENCE = 2.0
"""Seconds that the first requests wait for a window; after that they are only observed, until an answer comes."""
_SOON = 0.5
"""Seconds that a request waits for news of a window that is known already, or that the server did not tell in time before."""
_AGAIN = 15.0
"""Seconds until a server that could not tell is asked again."""
_FRESH_LOCAL, _FRESH = 60.0, 86_400.0
"""Seconds that an answer holds: a model of one's own may be loaded anew, with another window, at any time."""
_MOST = 1_000
"""Models that are held in memory."""
_LEAST_DROPPED = 2_048
"""Tokens below which a silent drop names no window."""


def asked_window(protocol: str, fields: object, headers: Headers = ()) -> int | None:
    """The window that a request itself asks for; ``None`` where it does not.

    Args:
        protocol: as an ``Endpoint`` names it.
        fields: what stands in the body beside the conversation.
        headers: the request's.
    """
    if protocol == "ollama":
        options = fields.get("options") if isinstance(fields, Mapping) else None
        return believed(options.get("num_ctx")) if isinstance(options, Mapping) else None
    return CLAUDE_LONG if "context-1m" in header(headers, "anthropic-beta") else None


class Windows:
    """Tells windows; fulfils the guard's ``WindowSource``.

    Args:
        store: keeps what was found, in its namespace ``models``.
        window: tokens for every model, where the user says so; an upstream's own setting goes before.
        patience: seconds that a request waits for a server's answer, the first time. The answer is used whenever it comes.
        clock: seconds, for how old an answer is.
    """

    def __init__(
        self,
        store: Store,
        *,
        window: int | None = None,
        patience: float = _PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kept = store.namespace("models")
        self._window = window
        self._patience = patience
        self._clock = clock
        self._all: dict[tuple[str, str], Known] = {}
        self._last: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def of(self, upstream: Upstream, model: str, asked: int | None = None) -> tuple[int | None, str]:
        """The window, and where it is known from.

        Args:
            upstream: who answers.
            model: as the request names it.
            asked: what ``asked_window`` gave.

        Returns:
            Tokens and the source in a few words; ``None`` and an empty text where nobody knows.
        """
        known = self._of(upstream, model)
        if not known.is_read:
            await self._recall(known)
        if self._asks(known):
            if upstream.local and self._last.get(upstream.url, model) != model:
                # The server may have unloaded it for the other, and load it anew with what its settings say by now.
                known.due = float("-inf")
            self._last[upstream.url] = model
            is_known = self._in_force(known, asked)[0] is not None
            if known.due <= self._clock() or (not is_known and known.is_asking):
                asking = self._ask(known)
                await self._wait(asking, _SOON if is_known or known.is_late else self._patience)
                known.is_late = not asking.done()
        return self._in_force(known, asked)

    def learn(self, upstream: Upstream, model: str, tokens: int) -> None:
        """Take what an error named. It holds until the server tells something new.

        What the user has set holds where it is less; where it is more, the error does, until the setting is another.
        """
        known = self._of(upstream, model)
        setting = self._setting(upstream)
        if is_window(tokens) and (setting is None or tokens < setting):
            self._learn(known, tokens)
            self._doubt(known)

    def counts_answer(self, upstream: Upstream, model: str) -> bool:
        """Whether what a request asks for its answer has to fit into the window beside it, as far as is known."""
        return self._of(upstream, model).counts_answer

    def learn_counting(self, upstream: Upstream, model: str) -> None:
        """Take it that it does: the server refused a request that fit by itself."""
        known = self._of(upstream, model)
        if not known.counts_answer:
            known.counts_answer = True
            self._keep(known)

    def doubt(self, upstream: Upstream, model: str) -> None:
        """Ask the server again before the next request: it refused one as too long, and named no window."""
        self._doubt(self._of(upstream, model))

    def answered(self, upstream: Upstream, model: str, counted: int = 0) -> None:
        """The model has answered.

        Args:
            upstream, model: who.
            counted: tokens of input and output that the server counted.
        """
        known = self._of(upstream, model)
        known.most = max(known.most, counted)
        if counted > known.dropped:
            known.dropped = 0
        if not known.is_settled and upstream.local and self._setting(upstream) is None:
            # It is loaded now, if it was not before.
            self._ask(known)

    async def dropped(self, upstream: Upstream, model: str, counted: int) -> None:
        """The server left out what was too long and said nothing: ask it. If it does not tell, and does so again, what it read
        is taken for the window.

        Args:
            upstream, model: who.
            counted: tokens that it says it read; 0 where it says nothing.
        """
        known = self._of(upstream, model)
        known.is_doubted = True
        await self._wait(self._ask(known), self._patience)
        if self._setting(upstream) is not None:
            # It yields to what is told, not to a count that may be small for other reasons.
            return
        # Where it tells, it is right: a count may be small for other reasons (an older Ollama leaves out what it had cached). A
        # single one may be a slip.
        first, known.dropped = not known.dropped, max(known.dropped, counted, 1)
        if known.told is None and first:
            return
        shown = known.told if known.told is not None else max(counted, known.most)
        base = self._base(known, None)[0]
        if shown >= _LEAST_DROPPED and (base is None or shown < base):
            known.base = base
            self._learn(known, shown, SERVER if known.told is not None else READ)
            self._doubt(known)

    async def aclose(self) -> None:
        """Stop asking, and finish what is being kept."""
        for known in self._all.values():
            if known.asking is not None:
                known.asking.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _of(self, upstream: Upstream, model: str) -> Known:
        key = (upstream.url, model)
        known = self._all.pop(key, None) or Known(upstream, model)
        self._all[key] = known
        if len(self._all) > _MOST:
            # Clients name models as they like; what was found of those asked for long ago is in the store.
            oldest = self._all.pop(next(iter(self._all)))
            if oldest.asking is not None:
                oldest.asking.cancel()
        return known

    def _setting(self, upstream: Upstream) -> int | None:
        # One that can be none is refused where settings are read.
        return believed(upstream.window if upstream.window is not None else self._window)

    def _asks(self, known: Known) -> bool:
        """Whether what the server tells may matter: not for a setting that nothing speaks against."""
        setting = self._setting(known.upstream)
        return setting is None or known.is_doubted or self._in_force(known, None)[0] != setting

    def _doubt(self, known: Known) -> None:
        known.is_doubted, known.due = True, float("-inf")

    def _learn(self, known: Known, tokens: int, source: str = ERROR) -> None:
        setting = self._setting(known.upstream)
        against = setting if setting is not None else known.base
        if setting is not None and tokens < setting and (known.learnt, known.against) != (tokens, against):
            _log.warning(
                "the window set for %s at %s, %s tokens, is larger than what the server takes: %s tokens (%s)",
                known.model,
                known.upstream.name,
                setting,
                tokens,
                source,
            )
        known.against, known.learnt, known.source = against, tokens, source
        self._keep(known)

    def _base(self, known: Known, asked: int | None) -> tuple[int | None, str]:
        """What holds if no error said otherwise."""
        setting = self._setting(known.upstream)
        if setting is not None:
            return setting, "a setting"
        if is_claude(known.model):
            most = CLAUDE_LONG if known.model.endswith("[1m]") else asked or CLAUDE
            return (min(known.told, most), SERVER) if known.told is not None else (most, "a table")
        if asked is not None:
            return asked, "the request"
        if known.told is not None:
            return known.told, SERVER
        found = table_window(known.model)
        return (found, "a table") if found is not None else (None, "")

    def _in_force(self, known: Known, asked: int | None) -> tuple[int | None, str]:
        tokens, source = self._base(known, asked)
        known.base = tokens
        if known.learnt is not None and (tokens is None or (known.learnt < tokens and tokens == known.against)):
            return known.learnt, known.source
        return tokens, source

    def _ask(self, known: Known) -> asyncio.Task[None]:
        if known.asking is None or known.asking.done():
            known.asking = self._task(self._asked(known))
        return known.asking

    async def _asked(self, known: Known) -> None:
        upstream = known.upstream
        told = await _tell(upstream, known.model)
        known.is_settled = told.settled
        if told.tokens is not None or told.settled:
            before, known.told = known.told, told.tokens
            if told.tokens is not None and told.settled:
                self._bound(known, told.tokens, is_new=before is not None and before != told.tokens)
            if before != known.told:
                await self._write(known)
        known.is_doubted = False
        fresh = _FRESH_LOCAL if upstream.local else _FRESH
        known.due = self._clock() + (fresh if told.tokens is not None and told.settled else _AGAIN)

    def _bound(self, known: Known, told: int, *, is_new: bool) -> None:
        """Hold a setting to what the server tells.

        An error that names less than that is right, until the server tells something else than it did.
        """
        setting = self._setting(known.upstream)
        if setting is not None and (is_new or told < (self._in_force(known, None)[0] or setting)):
            self._learn(known, told, SERVER)

    async def _wait(self, task: asyncio.Task[None], seconds: float) -> None:
        await asyncio.wait({task}, timeout=seconds)

    def _keep(self, known: Known) -> None:
        self._task(self._write(known))

    def _task(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _write(self, known: Known) -> None:
        try:
            await self._kept.put(dumps(known.kept()), path=known.path)
        except TransomError as error:
            _log.warning("the window of %s is not kept: %s", known.model, error.message)

    async def _recall(self, known: Known) -> None:
        known.is_read = True
        try:
            entry = await self._kept.read(known.path)
            value = loads(entry.data) if entry is not None else None
        except (TransomError, JSONError) as error:
            _log.warning("what was kept of the window of %s cannot be read: %s", known.model, error.message)
            return
        known.take(value)


async def _tell(upstream: Upstream, model: str) -> Told:
    try:
        return await ask_window(upstream_client(upstream), model)
    except TransomError as error:
        _log.debug("%s was not asked for the window of %s: %s", upstream.name, model, error.message)
        return Told(None)
