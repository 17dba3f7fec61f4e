"""The key that feed passwords are encrypted with: kept, replaced, lost."""

import asyncio
from pathlib import Path

import pytest

from tests.containers import open_home, settings_for
from tests.databases import sqlite_databases
from tests.journeys.cli.commands import Command, commands

URL = "http://ada:hunter2@127.0.0.1:9/feed"
pytestmark = pytest.mark.threat("U12")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (made := tmp_path / "data").mkdir()
    return made


@pytest.fixture
def feedloom(folder: Path, monkeypatch, capsys) -> Command:
    return commands(sqlite_databases(folder), str(folder), monkeypatch, capsys)


@pytest.fixture
def key(folder: Path) -> Path:
    """A person reads a feed with a password; the key that encrypts it."""
    databases = sqlite_databases(folder)

    async def subscribe() -> None:
        async with open_home(settings_for(databases, folder)) as home:
            await home.subscribe(URL)

    asyncio.run(subscribe())
    return folder / "secret-key"


def feeds(folder: Path) -> set[str]:
    """The addresses as the program reads them."""

    async def read() -> set[str]:
        settings = settings_for(sqlite_databases(folder), folder)
        async with open_home(settings) as home:
            found = await home.subscriptions.subscriptions(home.person.id)
            return {one.url for one in found}

    return asyncio.run(read())


def test_a_new_key_takes_the_place_of_the_old_one(feedloom: Command, key: Path):
    old = key.read_text()

    rotated = feedloom("db", "rotate-key")

    assert rotated.code == 0, rotated.err
    assert key.read_text() != old
    assert len(key.read_text()) == 64
    assert key.stat().st_mode & 0o777 == 0o600
    assert feedloom("db", "check").code == 0
    assert feeds(key.parent) == {URL}


def test_a_rotation_that_was_killed_is_ended_by_the_next_start(feedloom: Command, key: Path):
    key.write_text("n" * 64 + "\n" + key.read_text())

    assert feedloom("db", "upgrade").code == 0
    key.write_text("n" * 64)

    assert feedloom("db", "check").code == 0
    assert feeds(key.parent) == {URL}


def test_a_key_from_the_environment_is_changed_there(feedloom: Command, key: Path):
    before, after = key.read_text(), "a" * 32
    key.unlink()
    environment = {"FEEDLOOM_SECRET_KEY": after, "FEEDLOOM_PREVIOUS_SECRET_KEYS": before}

    refused = feedloom("db", "rotate-key", **environment)
    assert feedloom("db", "upgrade", **environment).code == 0
    del environment["FEEDLOOM_PREVIOUS_SECRET_KEYS"]

    assert refused.code == 1
    assert "FEEDLOOM_PREVIOUS_SECRET_KEYS" in refused.err
    assert feedloom("db", "check", **environment).code == 0


def test_a_lost_key_is_told_with_what_to_do(feedloom: Command, key: Path):
    key.unlink()

    started = feedloom("update")
    checked = feedloom("db", "check")
    given_up = feedloom("db", "forget-passwords")

    assert started.code == checked.code == 1
    assert "`feedloom db forget-passwords`" in " ".join(started.err.split())
    assert "cannot be decrypted" in " ".join(checked.err.split())
    assert given_up.out == "Removed from 1 rows.\n"
    assert feedloom("db", "check").code == 0
    assert feeds(key.parent) == {URL.replace("ada:hunter2@", "")}


def test_a_backup_and_its_key_are_enough(feedloom: Command, key: Path, tmp_path: Path):
    backup = tmp_path / "backup.db"
    said = feedloom("db", "backup", str(backup))
    (elsewhere := tmp_path / "elsewhere").mkdir()
    there = {
        "FEEDLOOM_DATA_DIR": str(elsewhere),
        "FEEDLOOM_DATABASE_URL": "",
        "FEEDLOOM_WORKER_DATABASE_URL": "",
    }

    restored = feedloom("db", "restore", str(backup), **there)
    without = feedloom("db", "check", **there)
    (elsewhere / "secret-key").write_bytes(key.read_bytes())

    assert said.code == restored.code == 0
    assert "secret-key" in said.err
    assert b"hunter2" not in backup.read_bytes()
    assert without.code == 1
    assert feedloom("db", "check", **there).code == 0
