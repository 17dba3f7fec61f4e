"""The write-ahead log: emptied beside the writer, and never for long unless it must."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from feedloom.store.engine.log_keeping import LogKeeper

SIZE = 400_000


class Writer(sqlite3.Connection):
    """Counts how often it was made to empty the log."""

    emptied = 0

    def execute(self, text: str, *rest: Any) -> sqlite3.Cursor:
        self.emptied += "wal_checkpoint" in text
        return super().execute(text, *rest)


def opened(path: Path) -> Writer:
    connection = sqlite3.connect(
        path, isolation_level=None, factory=Writer, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, b BLOB)")
    return connection


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def writer(path: Path) -> Iterator[Writer]:
    with closing(opened(path)) as connection:
        yield connection


class Overtaken(LogKeeper):
    """A keeper during whose copying somebody always writes, as a busy writer does."""

    def _copy(self) -> None:
        with (
            closing(opened(self._path)) as reader,
            closing(opened(self._path)) as other,
        ):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM t").fetchone()
            other.execute("UPDATE t SET b = randomblob(10000) WHERE id = 1")
            super()._copy()


@pytest.fixture
def keeper(path: Path, writer: Writer) -> Iterator[LogKeeper]:
    found = Overtaken(path, opened(path), size=SIZE)
    yield found
    found.close()


def write(writer: Writer, keeper: LogKeeper, *, times: int, patient: bool = False):
    """Commit that often; answer how long the log was at most."""
    longest = 0
    for _ in range(times):
        writer.execute("INSERT INTO t (b) VALUES (zeroblob(10000))")
        keeper.note_commit(writer, patient=patient)
        if keeper._copying is not None:
            keeper._copying.result()
        longest = max(longest, log_of(writer).stat().st_size)
    return longest


def log_of(writer: Writer) -> Path:
    [(_, _, file)] = writer.execute("PRAGMA database_list").fetchall()
    return Path(f"{file}-wal")


def test_a_log_that_is_copied_whole_needs_no_writer(writer, path):
    keeper = LogKeeper(path, opened(path), size=SIZE)

    longest = write(writer, keeper, times=1_000)

    keeper.close()
    assert SIZE < longest < 2 * SIZE
    assert writer.emptied == 0


def test_a_log_starts_over_while_somebody_writes_on(writer, keeper):
    longest = write(writer, keeper, times=1_000)

    assert SIZE < longest < 2 * SIZE
    assert writer.emptied > 10
    assert writer.execute("SELECT count(*) FROM t").fetchone() == (1_000,)


def test_most_of_it_is_copied_by_another(writer, keeper, path):
    while keeper._copying is None:
        write(writer, keeper, times=1)

    keeper._copying.result()
    copied = path.stat().st_size

    assert copied > SIZE // 2
    assert writer.emptied == 0


def test_people_do_not_wait_for_it(writer, keeper):
    write(writer, keeper, times=200, patient=True)
    before = writer.emptied
    write(writer, keeper, times=1)

    assert before == 0
    assert writer.emptied == 1


def test_a_person_waits_when_nobody_else_came_for_very_long(
    writer, keeper, monkeypatch
):
    monkeypatch.setattr("feedloom.store.engine.log_keeping._PATIENT_BYTES", 3 * SIZE)

    longest = write(writer, keeper, times=500, patient=True)

    assert 3 * SIZE < longest < 4 * SIZE


def test_who_reads_for_long_is_not_tried_each_time(writer, keeper, path):
    write(writer, keeper, times=1)
    with closing(opened(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM t").fetchone()
        longest = write(writer, keeper, times=1_000)
        reader.execute("ROLLBACK")
    tries = writer.emptied
    write(writer, keeper, times=100)

    assert longest > 10 * SIZE
    assert tries < 5 * longest / SIZE
    assert not keeper._is_as_long_as(longest // 2)


def test_a_failure_harms_no_commit(writer, keeper, path, monkeypatch):
    class Full(Writer):
        def execute(self, text: str, *rest: Any) -> sqlite3.Cursor:
            if "wal_checkpoint" in text:
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(text, *rest)

    full = sqlite3.connect(path, isolation_level=None, factory=Full)
    monkeypatch.setattr(keeper, "_connection", full)

    write(full, keeper, times=200)

    assert writer.execute("SELECT count(*) FROM t").fetchone() == (200,)
    full.close()


def test_a_log_that_cannot_be_seen_is_left_alone(writer, keeper, path, tmp_path):
    with closing(opened(path)) as other:
        blind = LogKeeper(tmp_path / "elsewhere.db", other, size=SIZE)
        write(writer, blind, times=100)
        blind.close()

    assert writer.emptied == 0
    assert keeper._is_as_long_as(SIZE)
