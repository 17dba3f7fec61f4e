"""Importing a list of feeds (OPML): rows a second, memory, and how both grow.

The file is uploaded and read, then a worker runs the task it became: every row becomes a
feed, a schedule and a subscription in a folder, each reported on its own, resumable
after a kill. ``reader`` adds the same addresses one by one in the same run; it reads no
OPML, keeps no folders and reports nothing. Each measurement is a process of its own.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.tables import Table
from tests import postgres
from tests.databases import Databases, sqlite_databases

ROOT = Path(__file__).parents[1]
SIZES, QUICK_SIZES = (500, 1_500, 5_000), (100, 300, 1_000)
FOLDERS = 50


def run(quick: bool) -> list[Table]:
    table = Table(
        "OPML import",
        ("who", "feeds", "upload s", "seconds", "rows/s", "CPU s", "peak MB", "x reader"),
        note=(
            "x reader: rows a second against reader's. Peak memory is the whole process,"
            " about 70 MB of which is the program itself."
        ),
    )
    with postgres.private_server() as server:
        for feeds in QUICK_SIZES if quick else SIZES:
            theirs = _measured("reader", feeds, None)
            _add(table, "reader", feeds, theirs, theirs)
            with tempfile.TemporaryDirectory() as folder:
                databases = sqlite_databases(Path(folder))
                ours = _measured("ours", feeds, databases)
            _add(table, "feedloom, SQLite", feeds, ours, theirs)
            databases = server.create_database(f"import_{feeds}")
            ours = _measured("ours", feeds, databases)
            _add(table, "feedloom, PostgreSQL", feeds, ours, theirs)
    return [table]


def _add(
    table: Table, who: str, feeds: int, found: dict[str, float], reader: dict[str, float]
) -> None:
    table.add(
        who,
        feeds,
        found["upload_s"],
        found["seconds"],
        round(feeds / found["seconds"]),
        found["cpu_s"],
        int(found["peak_mb"]),
        reader["seconds"] / found["seconds"],
    )


def _measured(who: str, feeds: int, databases: Databases | None) -> dict[str, float]:
    urls = [databases.web_url, databases.worker_url] if databases else []
    done = subprocess.run(
        [sys.executable, "-m", "bench.importing", who, str(feeds), *urls],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _url(number: int) -> str:
    return f"https://site{number}.example/feeds/{number}.xml"


def document(feeds: int) -> bytes:
    """Write an OPML file with its feeds spread over folders."""
    rows = []
    for place in range(FOLDERS):
        rows.append(f'<outline text="Folder {place}">')
        rows += [
            f'<outline type="rss" text="Site number {n}" xmlUrl="{_url(n)}"/>'
            for n in range(place, feeds, FOLDERS)
        ]
        rows.append("</outline>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><head><title>All'
        f"</title></head><body>{''.join(rows)}</body></opml>"
    ).encode()


def _tell(upload_s: float, seconds: float, cpu_s: float) -> None:
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"upload_s": upload_s, "seconds": seconds, "cpu_s": cpu_s, "peak_mb": peak_mb}
    print(json.dumps(told))


def _reader(feeds: int) -> None:
    from reader import make_reader

    with tempfile.TemporaryDirectory() as folder:
        reader = make_reader(f"{folder}/reader.db")
        began, worked = time.perf_counter(), time.process_time()
        for number in range(feeds):
            reader.add_feed(_url(number))
        seconds = time.perf_counter() - began
        _tell(0.0, seconds, time.process_time() - worked)


async def _ours(feeds: int, databases: Databases, folder: Path) -> None:
    from feedloom.app import open_container
    from tests.containers import settings_for

    async with open_container(settings_for(databases, folder)) as container:
        person = await container.accounts.store.create("a@example.org", "no password")
        began, worked = time.perf_counter(), time.process_time()
        await container.importing(container.web).start(person, document(feeds))
        uploaded = time.perf_counter()
        [task] = await container.tasks(container.work).claim(1)
        report = await container.importing(container.work).run(task)
        seconds = time.perf_counter() - uploaded
        if report["added"] != feeds:
            raise RuntimeError(f"of {feeds} rows {report['added']} were added")
        _tell(uploaded - began, seconds, time.process_time() - worked)


def _main(who: str, feeds: int, urls: list[str]) -> None:
    if who == "reader":
        _reader(feeds)
        return
    kind = "sqlite" if urls[0].startswith("sqlite") else "postgresql"
    with tempfile.TemporaryDirectory() as folder:
        databases = Databases(kind=kind, web_url=urls[0], worker_url=urls[1])  # type: ignore[arg-type]  # one of the two
        asyncio.run(_ours(feeds, databases, Path(folder)))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
