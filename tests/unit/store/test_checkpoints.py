"""Checkpoints: the log is copied beside the writer, and failures harm nobody."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from feedloom.store.engine.sqlite import Checkpoints

ROWS = 50
NEVER = 3_600.0


def opened(path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection) -> Any:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, factory=factory
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE IF NOT EXISTS t (b BLOB)")
    return connection


def write(writer: sqlite3.Connection) -> None:
    for _ in range(ROWS):
        writer.execute("INSERT INTO t (b) VALUES (zeroblob(10000))")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(opened(path)) as connection:
        yield connection


class Telling(sqlite3.Connection):
    """Tells when a checkpoint was made, and fails at the first."""

    tries = 0

    def execute(self, text: str, *rest: Any) -> sqlite3.Cursor:
        if "wal_checkpoint" in text:
            self.tries += 1
            if self.tries == 1:
                raise sqlite3.OperationalError("database or disk is full")
        return super().execute(text, *rest)


def test_a_log_is_copied_by_itself_also_after_a_failure(writer, path):
    write(writer)
    before = path.stat().st_size
    connection = opened(path, Telling)

    checkpoints = Checkpoints(path, connection, every_s=0.001)
    deadline = time.monotonic() + 60
    while connection.tries < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert connection.tries >= 3
    checkpoints.close()

    assert path.stat().st_size > before + ROWS * 10_000
    assert writer.execute("SELECT count(*) FROM t").fetchone() == (ROWS,)


def test_a_log_that_was_copied_starts_over(writer, path):
    checkpoints = Checkpoints(path, opened(path), every_s=NEVER)
    log = Path(f"{path}-wal")
    write(writer)
    checkpoints.make()
    longest = log.stat().st_size

    for _ in range(5):
        write(writer)
        checkpoints.make()

    checkpoints.close()
    assert log.stat().st_size < 2 * longest


@pytest.mark.threat("D11")
def test_a_log_that_a_reader_keeps_from_starting_over_is_told_once(writer, path):
    checkpoints = Checkpoints(path, opened(path), every_s=NEVER, large=1_000_000)
    write(writer)

    with capture_logs() as logs, closing(opened(path)) as reader:
        checkpoints.make()
        assert logs == []
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM t").fetchone()
        for _ in range(6):
            write(writer)
            checkpoints.make()

    checkpoints.close()
    assert [(line["event"], line["log_level"]) for line in logs] == [
        ("write_ahead_log_large", "critical")
    ]
