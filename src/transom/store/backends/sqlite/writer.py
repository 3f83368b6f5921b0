"""The connection that writes, and the thread that waits for the disk.

Knows transactions, no tables. Work is handed in as functions of a connection. What must be on disk is queued for one thread, so
that no event loop waits for a sync; what is waiting is written in one transaction (a group commit), and when one of a group
fails, the group is undone and each is tried by itself, so that one caller's fault is no other's. Another process that keeps the
file locked is waited for once: all who wait then fail together, and whoever comes while it is still locked waits only a moment.
What need only survive the process may run at once in the caller's thread when nothing else is under way: measured, that takes
100 µs, and the way to the thread and back another 200. Copying the log into the file costs syncs, so only the thread does it.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from ....errors import StoreError
from .connection import CHECKPOINT_PAGES, connect_writer, is_busy, translate

__all__ = ["Writer"]

T = TypeVar("T")
_GROUP = 64
_IDLE = 0.2
_STILL = 0.1
"""Seconds to wait for a lock that has been waited for in vain. Others who write hold it for milliseconds."""
_UNCOPIED = 2000
"""Commits in callers' threads after which the thread is asked to copy the log into the file."""


class _Job:
    """One function to run in a transaction, whether the disk must have it before anybody hears, and whether it writes a lot."""

    __slots__ = ("future", "large", "run", "sync")

    def __init__(self, run: Callable[[sqlite3.Connection], object], *, sync: bool, large: bool) -> None:
        self.run = run
        self.sync = sync
        self.large = large
        self.future: Future[object] = Future()


class Writer:
    """Runs functions in transactions, one at a time.

    Args:
        path: the file.
        busy_timeout: seconds to wait for another process.
        create: make the file when it is not there.
        idle: called with the connection, outside a transaction, after a pause in the work; returns whether to call it again.
    """

    def __init__(
        self, path: Path, *, busy_timeout: float, create: bool, idle: Callable[[sqlite3.Connection], bool] | None = None
    ) -> None:
        self._path = path
        self._busy_timeout = busy_timeout
        self._create = create
        self._idle = idle
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._waiting = 0
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._settings: dict[str, int] = {}
        self._uncopied = 0
        self._asleep = False
        self._is_locked = False
        self._last = 0.0

    def submit(self, run: Callable[[sqlite3.Connection], T], *, sync: bool = False, large: bool = False) -> Future[T]:
        """Run a function inside a transaction, in the thread.

        Args:
            run: may run twice, when another function of its group failed.
            sync: the future is resolved after the disk confirmed; else after the operating system has it (which survives the
                end of the process, not of the machine).
            large: it writes so much that the connection's page cache fills; the cache is freed afterwards.
        """
        job = _Job(run, sync=sync, large=large)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"store {self._path.name}", daemon=True)
                self._thread.start()
            self._waiting += 1
            self._jobs.put(job)
        return job.future  # type: ignore[return-value]

    def attempt(self, run: Callable[[sqlite3.Connection], T]) -> tuple[T] | None:
        """Run a function inside a transaction, at once and without a sync; ``None`` when something else is under way."""
        if self._waiting or not self._turn.acquire(blocking=False):
            return None
        try:
            connection = self._connection
            if connection is None:
                return None
            self._set(connection, "synchronous", 1)
            self._set(connection, "wal_autocheckpoint", 0)
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if is_busy(error):
                    return None
                raise
            self._is_locked = False
            result = self._commit(connection, [run])[0]
        except sqlite3.Error as error:
            raise translate(error, self._path) from error
        finally:
            self._turn.release()
        self._last = time.monotonic()
        self._uncopied += 1
        if self._asleep or self._uncopied == _UNCOPIED:
            self._asleep = False
            self.submit(lambda _: None)
        return (result,)

    def close(self) -> None:
        """Finish what is waiting and end the thread. It starts again with the next job."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        restless = True
        try:
            while True:
                try:
                    self._asleep = not restless
                    job = self._jobs.get(timeout=_IDLE if restless else None)
                except queue.Empty:
                    restless = time.monotonic() - self._last < _IDLE or self._rest()
                    continue
                group = self._gather(job)
                ending = not group or group[-1] is None
                jobs = [job for job in group if job is not None]
                with self._turn:
                    self._run([job for job in jobs if job.future.set_running_or_notify_cancel()])
                with self._lock:
                    self._waiting -= len(jobs)
                # A waiting thread would keep what it wrote last, an archive of many megabytes maybe, for as long as it waits.
                del job, group, jobs
                if ending:
                    return
                restless = True
        finally:
            with self._turn:
                connection, self._connection = self._connection, None
                if connection is not None:
                    with contextlib.suppress(sqlite3.Error):
                        connection.close()

    def _gather(self, job: _Job | None) -> list[_Job | None]:
        """A job and those behind it; the last is ``None`` when the thread is to end."""
        group = [job]
        while group[-1] is not None and len(group) < _GROUP:
            try:
                group.append(self._jobs.get_nowait())
            except queue.Empty:
                break
        return group

    def _rest(self) -> bool:
        if self._idle is None or not self._turn.acquire(blocking=False):
            return True
        connection = self._connection
        try:
            if connection is None:
                return False
            self._set(connection, "synchronous", 1)
            self._set(connection, "wal_autocheckpoint", CHECKPOINT_PAGES)
            return self._idle(connection)
        except sqlite3.Error:
            # Nobody waits for this work; whoever needs it (a search) does it again and hears of the failure.
            if connection is not None and connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            return False
        finally:
            self._turn.release()

    def _run(self, group: list[_Job]) -> None:
        if not group:
            return
        try:
            connection = self._begun(group)
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it
            # None of them was at fault, and the next to try would wait as long.
            self._is_locked = is_busy(error)
            for job in group:
                job.future.set_exception(self._explained(error))
            return
        self._is_locked = False
        try:
            results = self._transact(connection, group)
        except Exception as error:  # noqa: BLE001 - whatever a job raises belongs to its caller
            if len(group) > 1:
                for job in group:
                    self._run([job])
            else:
                group[0].future.set_exception(self._explained(error))
            return
        for job, result in zip(group, results, strict=True):
            job.future.set_result(result)

    def _begun(self, group: list[_Job]) -> sqlite3.Connection:
        """The connection, in a transaction for these jobs."""
        patience = min(_STILL, self._busy_timeout) if self._is_locked else self._busy_timeout
        if self._connection is None:
            self._settings = {}
            self._connection = connect_writer(self._path, busy_timeout=patience, create=self._create)
        connection = self._connection
        self._set(connection, "synchronous", 2 if any(job.sync for job in group) else 1)
        self._set(connection, "wal_autocheckpoint", CHECKPOINT_PAGES)
        self._begin(connection, patience)
        return connection

    def _transact(self, connection: sqlite3.Connection, group: list[_Job]) -> list[object]:
        results = self._commit(connection, [job.run for job in group])
        if self._uncopied >= _UNCOPIED:
            self._uncopied = 0
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if any(job.large for job in group):
            connection.execute("PRAGMA shrink_memory")
        return results

    def _begin(self, connection: sqlite3.Connection, patience: float) -> None:
        """Wait for other processes here: SQLite's own waiting would block callers' threads as well, and sleeps longer."""
        deadline = time.monotonic() + patience
        pause = 0.0005
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() >= deadline:
                    raise
            time.sleep(pause)
            pause = min(0.02, pause * 1.5)

    def _commit(self, connection: sqlite3.Connection, runs: list[Callable[[sqlite3.Connection], T]]) -> list[T]:
        try:
            results = [run(connection) for run in runs]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise
        return results

    def _set(self, connection: sqlite3.Connection, name: str, value: int) -> None:
        if self._settings.get(name) != value:
            connection.execute(f"PRAGMA {name} = {value}")
            self._settings[name] = value

    def _explained(self, error: Exception) -> Exception:
        if not isinstance(error, sqlite3.Error):
            return error
        explained: StoreError = translate(error, self._path)
        explained.__cause__ = error
        return explained
