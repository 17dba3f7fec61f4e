"""Processes killed in the middle of writing to SQLite, again and again.

Whatever was acknowledged is there, whatever is there is whole, the file passes its
checks after every kill, and others that use it go on without a restart.
"""

import asyncio
import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest

from feedloom.store import DatabaseURL, upgrade
from tests.databases import sqlite_databases
from tests.faults.lab.writers import AT_ONCE

pytestmark = pytest.mark.threat("D8", "R6")

ROOT = Path(__file__).parents[2]
RECOVERY_S = 10.0
LONGEST_S = 1_050.0
"""Then it ends with what was counted, and fails if that is too little."""
LOOKED_AT = {
    "folder": "SELECT name FROM folders",
    "bookmark": "SELECT title FROM bookmarks",
    "feed": "SELECT url FROM feeds",
}


def acked(folder: Path) -> dict[str, set[str]]:
    """Read what was acknowledged to anybody."""
    found: dict[str, set[str]] = {"folder": set(), "bookmark": set(), "feed": set()}
    found["delivery"] = set()
    for path in folder.iterdir():
        for line in path.read_text().splitlines():
            kind, name = line.split(" ")
            found[kind].add(name)
    return found


def look(path: Path, promised: dict[str, set[str]]) -> dict[str, int]:
    """Compare the file with what was promised; count what is wrong."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        checks = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        rows = {
            kind: {row[0] for row in connection.execute(text)} for kind, text in LOOKED_AT.items()
        }
        titles = [row[0] for row in connection.execute("SELECT title FROM articles")]
        states = connection.execute("SELECT count(*) FROM article_states").fetchone()[0]
    deliveries = Counter(title.rpartition("-")[0] for title in titles)
    lost = sum(len(promised[kind] - rows[kind]) for kind in rows)
    return {
        "damage": len([c for c in checks if c != "ok"]) + len(orphans),
        "lost": lost + len(promised["delivery"] - set(deliveries)),
        "halves": sum(1 for n in deliveries.values() if n != AT_ONCE) + abs(len(titles) - states),
        "acked": sum(map(len, promised.values())),
    }


async def ready(path: Path) -> str:
    """Make an empty database."""
    databases = sqlite_databases(path)
    url = DatabaseURL.parse(databases.worker_url)
    await upgrade(url, url)
    return databases.worker_url


@pytest.mark.faults
async def test_what_was_acknowledged_outlives_every_kill(tmp_path: Path, scaled, counts, progress):
    """Every round has a file of its own, so that looking at it stays quick."""
    rounds, kills = scaled(1, 20), scaled(20, 50)
    chance = random.Random(kills)
    wrong: Counter[str] = Counter()
    slowest_s = 0.0
    began = time.monotonic()
    for number in range(rounds):
        if time.monotonic() - began > LONGEST_S:
            break
        folder = tmp_path / str(number)
        folder.mkdir()
        found, took_s = await one_round(folder, kills, chance)
        wrong.update(found)
        slowest_s = max(slowest_s, took_s)
        progress("SQLite kills", wrong["kills"], rounds * kills)

    counts(
        "SQLite kills under load",
        kills=wrong["kills"],
        acknowledged=wrong["acked"],
        lost=wrong["lost"],
        halves=wrong["halves"],
        damage=wrong["damage"],
        slowest_recovery_s=slowest_s,
    )
    assert (wrong["lost"], wrong["halves"], wrong["damage"]) == (0, 0, 0)
    assert wrong["kills"] == rounds * kills
    assert wrong["acked"] > wrong["kills"]
    assert slowest_s < RECOVERY_S


async def one_round(folder: Path, kills: int, chance: random.Random) -> tuple[Counter[str], float]:
    """Kill one of two writers again and again; count what is wrong, and the kills."""
    url = await ready(folder)
    booked = folder / "acked"
    booked.mkdir()
    zygote = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.lab.writers",
        url,
        str(booked),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    wrong: Counter[str] = Counter()
    slowest_s = 0.0
    assert zygote.stdin is not None

    async def start() -> int:
        assert zygote.stdin is not None
        assert zygote.stdout is not None
        zygote.stdin.write(b"go\n")
        return int(await zygote.stdout.readline())

    writers = [await start(), await start()]
    await asyncio.sleep(0.5)
    for kill in range(kills):
        await asyncio.sleep(chance.uniform(0.02, 0.25))
        with suppress(ProcessLookupError):
            os.kill(writers.pop(0), signal.SIGKILL)
            wrong["kills"] += 1
        slowest_s = max(slowest_s, await goes_on(booked / str(writers[0])))
        writers.append(await start())
        if kill % 10 == 0:
            found = look(folder / "feedloom.db", acked(booked))
            wrong.update({kind: found[kind] for kind in ("lost", "halves", "damage")})
    for pid in writers:
        os.kill(pid, signal.SIGKILL)
    zygote.stdin.close()
    await zygote.wait()
    wrong.update(look(folder / "feedloom.db", acked(booked)))
    return wrong, slowest_s


async def goes_on(path: Path) -> float:
    """Wait until the writer that was left alone gets the next thing done."""
    began = time.monotonic()

    def size() -> int:
        return path.stat().st_size if path.exists() else 0

    before = size()
    for _ in range(int(RECOVERY_S * 200)):
        if size() > before:
            break
        await asyncio.sleep(0.005)
    return time.monotonic() - began
