"""The write-ahead log of a SQLite file: emptied beside the writer, not by it.

To empty a log is to copy it into the file and to wait for the disk, 60 ms perhaps. When a
writer does that after its commit, as SQLite is made to, all who write next wait for it.
Here another thread does it while the writer goes on. A log starts over only when nothing
in it is left to copy, so what came meanwhile is copied by a writer in the end: a little.
"""

import os
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import structlog

log = structlog.get_logger()

LOG_BYTES = 32_000_000
"""What changed often meanwhile is copied once; more would take long to read through."""
_PATIENT_BYTES = 80_000_000
"""From here on even a person waits for the end of it. Workers, who do not mind, write
four times a minute at least."""
_LARGE_BYTES = 512 * 1024 * 1024
_LOOK_EVERY = 200
"""Commits between two looks at the size of the file."""
_EMPTY = "PRAGMA wal_checkpoint(PASSIVE)"
_HEAD, _HEAD_MARK = 32, 16
_FRAME_HEAD, _FRAME_MARK = 24, 8
_MARK = 8
"""How a log is written (sqlite.org/walformat): a head, then pages, each with a head of its
own. Each time a log starts over it has another mark, which its pages bear."""


class LogKeeper:
    """Looks after the log of one file; told of each commit by the thread that writes."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        size: int = LOG_BYTES,
        large: int = _LARGE_BYTES,
    ) -> None:
        """Use a connection that nobody else uses."""
        self._path = path.resolve()
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, "feedloom-log")
        self._copying: Future[None] | None = None
        self._frame = _FRAME_HEAD + connection.execute("PRAGMA page_size").fetchone()[0]
        self._size = size
        self._large = large
        self._next_at = size
        self._file: int | None = None
        self._commits = 0
        self._is_alarmed = False

    def note_commit(self, writer: sqlite3.Connection, *, patient: bool) -> None:
        """Empty the log if it is time; ``patient`` when a person waits for this commit."""
        self._look_at_file()
        if not self._is_as_long_as(self._size):
            self._next_at = self._size
            if self._copying is not None and self._copying.done():
                self._copying = None
        elif self._copying is None:
            if self._is_as_long_as(self._next_at):
                self._copying = self._thread.submit(self._copy)
        elif self._copying.done() and (
            not patient or self._is_as_long_as(_PATIENT_BYTES)
        ):
            self._copying = None
            # Who reads for long keeps it from starting over: not to be tried each time.
            self._next_at += self._size // 4
            with suppress(sqlite3.DatabaseError):
                writer.execute(_EMPTY)

    def close(self) -> None:
        """Wait for what is being copied."""
        self._thread.shutdown()
        self._connection.close()
        if self._file is not None:
            os.close(self._file)

    def _copy(self) -> None:
        # A full disk or another process that is copying: the next one tries again, and
        # what is committed is in the log.
        with suppress(sqlite3.DatabaseError):
            self._connection.execute(_EMPTY)

    def _is_as_long_as(self, size: int) -> bool:
        """Tell whether so much of the file is in use; False when that cannot be seen.

        The file itself stays long. No locks are on it, so closing it harms nobody.
        """
        place = _HEAD + size // self._frame * self._frame + _FRAME_MARK
        try:
            if self._file is None:
                self._file = os.open(f"{self._path}-wal", os.O_RDONLY | os.O_CLOEXEC)
            there = os.pread(self._file, _MARK, place)
            return bool(there) and there == os.pread(self._file, _MARK, _HEAD_MARK)
        except OSError:
            return False

    def _look_at_file(self) -> None:
        """Tell once when somebody reads for so long that the log cannot be emptied."""
        self._commits += 1
        if self._commits % _LOOK_EVERY:
            return
        try:
            size = Path(f"{self._path}-wal").stat().st_size
        except OSError:
            return
        if size > self._large and not self._is_alarmed:
            log.critical(
                "write_ahead_log_large",
                megabytes=size // 1_048_576,
                why=f"{self._path}-wal grows: another program reads the file for long."
                " End it, and the log is emptied by itself.",
            )
        self._is_alarmed = size > self._large
