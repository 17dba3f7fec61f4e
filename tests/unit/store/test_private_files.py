"""Database files, their logs and new folders are for their owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from feedloom.store import DatabaseURL, copy_database, open_database, upgrade


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def url(file: Path) -> DatabaseURL:
    return DatabaseURL.parse(f"sqlite:///{file}")


async def test_a_new_database_is_private(tmp_path: Path) -> None:
    file = tmp_path / "data" / "feedloom.db"
    await upgrade(url(file), url(file))
    database = await open_database(url(file), worker=True)
    try:
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert modes(file.parent) == dict.fromkeys(
            ("feedloom.db", "feedloom.db-wal", "feedloom.db-shm"), 0o600
        )
    finally:
        await database.close()


async def test_a_copy_is_private(tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    await upgrade(url(source), url(source))
    await copy_database(url(source), url(target), lambda _table, _rows: None)
    assert modes(tmp_path)["target.db"] == 0o600


async def test_an_open_file_is_made_private_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "feedloom.db"
    await upgrade(url(file), url(file))
    file.chmod(0o644)
    with capture_logs() as lines:
        await (await open_database(url(file), worker=True)).close()
        await (await open_database(url(file), worker=True)).close()
    assert modes(tmp_path)["feedloom.db"] == 0o600
    assert [line["event"] for line in lines] == ["database_made_private"]
    assert lines[0]["was"] == "644"
