"""The one thread that writes.

Knows transactions, no tables. Callers hand in functions of a connection and get futures, so that no event loop waits for a
disk, and several loops and threads may share a store. What is waiting is written in one transaction (a group commit); when
one of a group fails, the group is undone and each is tried by itself, so that one caller's fault is no other's.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from ....errors import StoreError, TransomError
from .connection import connect_writer, translate

__all__ = ["Writer"]

T = TypeVar("T")
_GROUP = 64
_IDLE = 0.2


class _Job:
    """One function to run in a transaction, and whether the disk must have it before anybody is told."""

    __slots__ = ("future", "run", "sync")

    def __init__(self, run: Callable[[sqlite3.Connection], object], *, sync: bool) -> None:
        self.run = run
        self.sync = sync
        self.future: Future[object] = Future()


class Writer:
    """Runs functions in transactions, one thread, in the order they came.

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
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._synchronous = -1

    def submit(self, run: Callable[[sqlite3.Connection], T], *, sync: bool = False) -> Future[T]:
        """Run a function inside a transaction.

        Args:
            run: may run twice, when another function of its group failed.
            sync: the future is resolved after the disk confirmed; else after the operating system has it (which survives the
                end of the process, not of the machine).
        """
        job = _Job(run, sync=sync)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"store {self._path.name}", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job.future  # type: ignore[return-value]

    def close(self) -> None:
        """Finish what is waiting and end the thread. It starts again with the next job."""
        with self._lock:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        connection: sqlite3.Connection | None = None
        self._synchronous = -1
        restless = True
        try:
            while True:
                try:
                    job = self._jobs.get(timeout=_IDLE) if restless and connection is not None else self._jobs.get()
                except queue.Empty:
                    restless = self._rest(connection)
                    continue
                if job is None:
                    return
                group = [job]
                ending = False
                while len(group) < _GROUP:
                    try:
                        other = self._jobs.get_nowait()
                    except queue.Empty:
                        break
                    if other is None:
                        ending = True
                        break
                    group.append(other)
                group = [job for job in group if job.future.set_running_or_notify_cancel()]
                if connection is None:
                    connection = self._open(group)
                if connection is not None and group:
                    self._run(connection, group)
                    restless = True
                if ending:
                    return
        finally:
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()

    def _open(self, group: list[_Job]) -> sqlite3.Connection | None:
        try:
            return connect_writer(self._path, busy_timeout=self._busy_timeout, create=self._create)
        except StoreError as error:
            for job in group:
                job.future.set_exception(error)
            return None

    def _rest(self, connection: sqlite3.Connection | None) -> bool:
        if connection is None or self._idle is None:
            return False
        try:
            return self._idle(connection)
        except sqlite3.Error:
            # Nobody waits for this work; whoever needs it (a search) does it again and hears of the failure.
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            return False

    def _run(self, connection: sqlite3.Connection, group: list[_Job]) -> None:
        try:
            results = self._transact(connection, group)
        except Exception as error:  # noqa: BLE001 - whatever a job raises belongs to its caller
            if len(group) > 1:
                for job in group:
                    self._run(connection, [job])
            else:
                group[0].future.set_exception(self._explained(error))
            return
        for job, result in zip(group, results, strict=True):
            job.future.set_result(result)

    def _transact(self, connection: sqlite3.Connection, group: list[_Job]) -> list[object]:
        # Measured: without a sync a commit costs about 60 µs, with one 200 µs and up, by the disk.
        level = 2 if any(job.sync for job in group) else 1
        if level != self._synchronous:
            connection.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level
        connection.execute("BEGIN IMMEDIATE")
        try:
            results = [job.run(connection) for job in group]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise
        return results

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error):
            explained: TransomError = translate(error, self._path)
            explained.__cause__ = error
            return explained
        return error
