"""Checkpoints of a SQLite file: its write-ahead log is copied back now and then.

A copy waits for the disk. A thread of its own makes it every few seconds, so that writers
are left with what came since the last one.
"""

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import structlog

log = structlog.get_logger()

LOG_BYTES = 32_000_000
"""A commit that finds a longer log copies the rest of it; then the log starts over."""
_EVERY_S = 2.0
_LARGE_BYTES = 512 * 1024 * 1024


class Checkpoints:
    """Makes a checkpoint of one file every few seconds until it is closed."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        every_s: float = _EVERY_S,
        large: int = _LARGE_BYTES,
    ) -> None:
        self._path = path.resolve()
        self._connection = connection
        self._page = connection.execute("PRAGMA page_size").fetchone()[0]
        self._every_s = every_s
        self._large = large
        self._is_alarmed = False
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name="feedloom-checkpoint", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while not self._closing.wait(self._every_s):
            # A full disk, or a file that is locked: what is committed is in the log, and
            # the next checkpoint tries again.
            with suppress(sqlite3.DatabaseError):
                self.make()

    def make(self) -> None:
        """Copy what may be copied without making anybody wait."""
        found = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        size = found[1] * self._page
        if size > self._large and not self._is_alarmed:
            log.critical(
                "write_ahead_log_large",
                megabytes=size // 1_048_576,
                why=f"{self._path}-wal grows because another program has been reading"
                " the file for a long time. Stop that program and the log shrinks again.",
            )
        self._is_alarmed = size > self._large
