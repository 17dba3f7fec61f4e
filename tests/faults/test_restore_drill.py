"""The drill: backups under load, some of them killed, and whether one restores."""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

import pytest

from feedloom.store import DatabaseURL, find_faults, open_database, upgrade
from tests.databases import Databases
from tests.stores import Stores

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).parents[2]
URL = "https://site.example/feed.xml"
AT_ONCE = 10


async def command(databases: Databases, folder: Path, *words: str):
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(folder),
        "FEEDLOOM_DATABASE_URL": databases.web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": databases.worker_url,
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "feedloom",
        "db",
        *words,
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


async def finish(process) -> str:
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    return str(said.decode())


async def rows(stores: Stores, table: str) -> int:
    found: int = (await stores.rows(f"SELECT count(*) AS n FROM {table}"))[0]["n"]
    return found


async def opened(databases: Databases) -> Stores:
    work = await open_database(DatabaseURL.parse(databases.worker_url), worker=True)
    return Stores(work, work)


def leftovers(folder: Path) -> list[Path]:
    return list(folder.glob("*.unfinished*"))


async def write(stores: Stores, stop: asyncio.Event) -> None:
    number = 0
    while not stop.is_set():
        number += 1
        await stores.deliver(URL, *(f"{number}-{n}" for n in range(AT_ONCE)))


@pytest.mark.faults
@pytest.mark.threat("U7", "U8")
async def test_a_backup_made_under_load_and_kills_restores(
    empty_engine_url: Databases, other: Databases, tmp_path: Path, scaled, counts
):
    await upgrade(
        DatabaseURL.parse(empty_engine_url.web_url), DatabaseURL.parse(empty_engine_url.worker_url)
    )
    stores = await opened(empty_engine_url)
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    stop = asyncio.Event()
    writing = asyncio.create_task(write(stores, stop))
    file = tmp_path / "backup.db"
    chance = random.Random(7)
    killed = 0

    for _ in range(scaled(1, 25)):
        process = await command(empty_engine_url, tmp_path, "backup", str(file))
        await asyncio.sleep(chance.uniform(0.3, 1.0))
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        await process.communicate()
        if file.exists():
            file.unlink()
    promised = await rows(stores, "articles")
    await finish(await command(empty_engine_url, tmp_path, "backup", str(file)))
    stop.set()
    await writing
    await stores.work.close()
    await finish(await command(other, tmp_path / "new", "restore", str(file)))
    twice = await command(other, tmp_path / "new", "restore", str(file))
    _, said = await twice.communicate()

    restored = await opened(other)
    articles = await rows(restored, "articles")
    counts(
        f"restore drill on {empty_engine_url.kind}",
        backups_killed=killed,
        articles_before=promised,
        articles_restored=articles,
    )
    assert articles >= promised
    assert articles % AT_ONCE == 0
    assert await rows(restored, "article_states") == articles
    assert await find_faults(DatabaseURL.parse(other.worker_url)) == []
    assert [feed.url for feed in await restored.queue.claim(10)] in ([], [URL])
    assert b"already contains data" in said
    assert leftovers(tmp_path) == []
    await restored.work.close()
