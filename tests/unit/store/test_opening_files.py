"""Files that are opened: new ones, old ones, somebody else's."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from feedloom.model.errors import StoreUnavailable
from feedloom.store.engine.sqlite import APPLICATION_ID, connect

OPEN = sqlite3.connect


def make(path: Path, application_id: int) -> None:
    other = OPEN(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE things (id INTEGER)")
    other.execute(f"PRAGMA application_id = {application_id}")
    other.execute("COMMIT")
    other.close()


@pytest.mark.parametrize("size", [4096, 8192])
def test_files_of_either_page_size_empty_their_log_at_one_length(tmp_path: Path, size: int):
    path = tmp_path / "x.db"
    old = OPEN(path, isolation_level=None)
    old.execute(f"PRAGMA page_size = {size}")
    old.execute("PRAGMA journal_mode = WAL")
    old.close()
    make(path, APPLICATION_ID)

    connection = connect(path)

    page, pages = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "wal_autocheckpoint")
    )
    assert page == size
    assert page * pages == pytest.approx(32_000_000, rel=0.01)
    connection.close()


def test_a_database_of_another_program_is_refused(tmp_path: Path):
    path = tmp_path / "x.db"
    make(path, 7)

    with pytest.raises(StoreUnavailable, match="another program"):
        connect(path)


@pytest.mark.threat("U2")
def test_a_file_that_somebody_makes_meanwhile_is_ours(tmp_path: Path, monkeypatch):
    path = tmp_path / "x.db"

    class Interrupted(sqlite3.Connection):
        """Somebody makes the tables between the two looks at the file."""

        def execute(self, text: str, *rest: Any) -> sqlite3.Cursor:
            found = super().execute(text, *rest)
            is_look = "sqlite_master" in text or "application_id" in text
            if is_look and not path.stat().st_size:
                [value] = found.fetchone()
                make(path, APPLICATION_ID)
                return super().execute("SELECT ?", (value,))
            return found

    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **said: OPEN(*args, **said, factory=Interrupted)
    )
    connection = connect(path)

    assert connection.execute("SELECT count(*) FROM things").fetchone()[0] == 0
    connection.close()
