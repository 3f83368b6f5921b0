"""Work that goes on between compiles: one daemon thread a job, with an event loop of its own.

Knows turns and threads, no strategy. A compile may run in a loop that ends with it (``asyncio.run`` for each call), so a job
belongs to no loop of its caller. What it gives counts only while what it was started on is still the head of the history.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from ..ledger.live import LiveTurn
from ..ledger.records import Lineage

__all__ = ["Base", "Job", "Jobs"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Base:
    """What a job was started on.

    Attributes:
        window: the window that was open.
        turns: the turns it may close over.
        archive: address of their messages, by their bytes.
    """

    window: str
    turns: Sequence[LiveTurn]
    archive: str

    def heads(self, turns: Sequence[LiveTurn], lineage: Lineage, archive_uri: Callable[[int], str]) -> bool:
        """Whether these turns are still the first ones of a history: the same messages, in the same form.

        Args:
            turns: everything in the window now.
            lineage: of the window.
            archive_uri: address of the first so many of ``turns``.
        """
        count = len(self.turns)
        if lineage.current != self.window or len(turns) <= count:
            return False
        pairs = list(zip(self.turns, turns, strict=False))
        if any(was.edits != now.edits or was.place != now.place or was.head != now.head for was, now in pairs):
            return False
        return all(was.source is now.source for was, now in pairs) or archive_uri(count) == self.archive


class Job:
    """One piece of work in a thread of its own.

    Attributes:
        owner: who started it; there is one job an owner.
        name: what reports call it.
        base: what it was started on.
        patience: seconds for which a window that has to close now waits for it.
        result, error: what came of it, once ``done``.
    """

    def __init__(
        self,
        owner: str,
        name: str,
        base: Base,
        work: Callable[[], Awaitable[object]],
        *,
        patience: float,
        timeout: float | None,
    ) -> None:
        self.owner, self.name, self.base, self.patience = owner, name, base, patience
        self.result: object = None
        self.error: Exception | None = None
        self._work, self._timeout = work, timeout
        self._lock = threading.Lock()
        self._ended = False
        self._cancelled = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[object]] | None = None
        self._told: list[Callable[[], None]] = []
        run = contextvars.copy_context().run
        threading.Thread(target=run, args=(self._run,), name="transom-background", daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether it ended, well or not."""
        return self._ended

    async def wait(self) -> bool:
        """Wait until it has ended, as long as its patience lasts; whether it has."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(woken.set)
            except RuntimeError:
                log.debug("the loop that waited for %s is closed", self.name)

        with self._lock:
            if self._ended:
                return True
            self._told.append(wake)
        try:
            async with asyncio.timeout(self.patience):
                await woken.wait()
        except TimeoutError:
            return self._ended
        finally:
            with self._lock:
                if wake in self._told:
                    self._told.remove(wake)
        return True

    def cancel(self) -> None:
        """Ask it to end; nobody waits. A function that blocks its thread goes on until it returns, and its result is lost."""
        with self._lock:
            self._cancelled = True
            running = self._running
            if running is None or self._ended:
                return
            # Under the lock, the loop is still open: the thread takes it away first.
            running[0].call_soon_threadsafe(running[1].cancel)

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        result: object = None
        error: Exception | None = None
        try:
            with self._lock:
                if self._cancelled:
                    raise asyncio.CancelledError
                self._running = asyncio.get_running_loop(), task
            async with asyncio.timeout(self._timeout):
                result = await self._work()
        except Exception as raised:  # noqa: BLE001  # it may be anybody's code: what it raises is told at the next compile
            error = raised
        except BaseException as raised:  # noqa: BLE001  # cancelled, or an exit: nobody waits for this thread to tell it to
            error = RuntimeError(f"ended by {type(raised).__name__}: {raised}")
        # Here and not when the loop has ended, which waits for every thread that the work left behind.
        self._end(result, error)

    def _end(self, result: object, error: Exception | None) -> None:
        with self._lock:
            self._running = None
            self.result, self.error, self._ended = result, error, True
            told, self._told = self._told, []
        for wake in told:
            wake()


@dataclass(slots=True)
class Jobs:
    """The jobs of one session.

    Attributes:
        dropped: (name, reason) of each job that came to nothing, until somebody asks.
    """

    dropped: list[tuple[str, str]] = field(default_factory=list)
    _jobs: dict[str, Job] = field(default_factory=dict)

    def start(
        self,
        owner: str,
        name: str,
        base: Base,
        work: Callable[[], Awaitable[object]],
        *,
        patience: float = 0.0,
        timeout: float | None = None,
    ) -> Job:
        """Begin work. One of the same owner that is under way is dropped.

        Args:
            owner, name, base, patience: see ``Job``.
            work: makes what is awaited, in the job's own loop.
            timeout: seconds it may take; ``None`` lets it take its time.
        """
        self.drop(owner, "another was started")
        job = self._jobs[owner] = Job(owner, name, base, work, patience=patience, timeout=timeout)
        return job

    def of(self, owner: str) -> Job | None:
        """The owner's job, ended or not."""
        return self._jobs.get(owner)

    def ended(self) -> list[Job]:
        """The jobs that have ended and that nobody has taken yet, oldest first."""
        return [job for job in self._jobs.values() if job.done]

    def under_way(self) -> list[Job]:
        """The jobs that have not ended."""
        return [job for job in self._jobs.values() if not job.done]

    def take(self, job: Job) -> None:
        """Its result is used: it is no longer among the jobs."""
        if self._jobs.get(job.owner) is job:
            del self._jobs[job.owner]

    def drop(self, owner: str, reason: str) -> None:
        """Cancel the owner's job, if there is one, and remember why."""
        job = self._jobs.pop(owner, None)
        if job is not None:
            job.cancel()
            self.dropped.append((job.name, reason))
            log.info("%s was dropped: %s", job.name, reason)

    def close(self) -> None:
        """Cancel all of them."""
        for owner in list(self._jobs):
            self.drop(owner, "the context was closed")
