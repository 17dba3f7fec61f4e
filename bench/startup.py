"""From starting ``feedloom serve`` to its first answer, and what it costs while idle.

The database exists and is up to date; no feed is due for a day. The process is a real
one with its worker, as at home. The least there can be is measured beside it: a Python
that answers one line through the same HTTP server.
"""

import asyncio
import http.client
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.filling import Population, fill
from bench.tables import Table
from feedloom.store import DatabaseURL, open_database, upgrade
from tests import postgres
from tests.databases import Databases, sqlite_databases

SIZES, QUICK_SIZES = (100, 1_000, 10_000), (1_000,)
PATIENCE_S = 30.0
SETTLE_S = 3.0
_BARE = """
import sys, uvicorn
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", lifespan="off")
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process needs."""

    start_s: float
    start_cpu_s: float
    memory_mb: float
    idle_cpu: float
    """Share of one processor."""
    waked: float
    """Times a second it was put on a processor."""


def run(quick: bool) -> list[Table]:
    starts, idle_s = (2, 5.0) if quick else (4, 15.0)
    table = Table(
        "feedloom serve on an existing database, idle",
        (
            "what",
            "feeds",
            "first answer s",
            "x bare",
            "CPU s",
            "memory MB",
            "idle CPU",
            "wake-ups/s",
        ),
        note=(
            f"Median of {starts} starts, {idle_s:.0f} s of idling, child processes"
            " counted. Goals with 1,000 feeds: under 1.5 s, 100 MB and 1 %."
        ),
    )
    bare = _bare(starts, idle_s)
    _add(table, "bare uvicorn", 0, bare, bare)
    for feeds in QUICK_SIZES if quick else SIZES:
        with tempfile.TemporaryDirectory() as name:
            databases = sqlite_databases(Path(name))
            _add(
                table,
                "SQLite",
                feeds,
                _feedloom(databases, Path(name), feeds, starts, idle_s),
                bare,
            )
    with postgres.private_server() as server, tempfile.TemporaryDirectory() as name:
        databases = server.create_database("startup")
        _add(
            table,
            "PostgreSQL",
            1_000,
            _feedloom(databases, Path(name), 1_000, starts, idle_s),
            bare,
        )
    return [table]


def _add(table: Table, what: str, feeds: int, cost: Cost, bare: Cost) -> None:
    table.add(
        what,
        feeds,
        cost.start_s,
        cost.start_s / bare.start_s,
        cost.start_cpu_s,
        round(cost.memory_mb),
        f"{cost.idle_cpu:.2%}",
        cost.waked,
    )


def _bare(starts: int, idle_s: float) -> Cost:
    port = _free_port()
    command = [sys.executable, "-c", _BARE, str(port)]
    return _measured(command, dict(os.environ), port, starts, idle_s)


def _feedloom(databases: Databases, folder: Path, feeds: int, starts: int, idle_s: float) -> Cost:
    asyncio.run(_prepare(databases, feeds))
    port = _free_port()
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(folder),
        "FEEDLOOM_DATABASE_URL": databases.web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": databases.worker_url,
        "FEEDLOOM_PORT": str(port),
        "FEEDLOOM_DIRECTORY_CHECK": "false",
    }
    command = [str(Path(sys.executable).with_name("feedloom")), "serve"]
    with _running(command, environment) as process:
        # The first start makes keys and lists the directory; it does not count.
        _first_answer(process, port)
        time.sleep(SETTLE_S)
    return _measured(command, environment, port, starts, idle_s)


async def _prepare(databases: Databases, feeds: int) -> None:
    worker = DatabaseURL.parse(databases.worker_url)
    await upgrade(DatabaseURL.parse(databases.web_url), worker)
    database = await open_database(worker, worker=True)
    await fill(database, Population(feeds, due=False, people=3))
    await database.close()


def _measured(
    command: list[str], environment: Mapping[str, str], port: int, starts: int, idle_s: float
) -> Cost:
    waits, worked = [], []
    for _ in range(starts - 1):
        with _running(command, environment) as process:
            waits.append(_first_answer(process, port))
            worked.append(_cpu_s(process.pid))
    with _running(command, environment) as process:
        waits.append(_first_answer(process, port))
        worked.append(_cpu_s(process.pid))
        time.sleep(SETTLE_S)
        before, waked = _cpu_s(process.pid), _switches(process.pid)
        began = time.perf_counter()
        time.sleep(idle_s)
        passed = time.perf_counter() - began
        return Cost(
            statistics.median(waits),
            statistics.median(worked),
            sum(_memory_mb(pid) for pid in _family(process.pid)),
            (_cpu_s(process.pid) - before) / passed,
            (_switches(process.pid) - waked) / passed,
        )


@contextmanager
def _running(
    command: list[str], environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=15)


def _first_answer(process: "subprocess.Popen[bytes]", port: int) -> float:
    """Ask until somebody answers; return how long that took."""
    began = time.perf_counter()
    while time.perf_counter() - began < PATIENCE_S:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            line.request("GET", "/healthz")
            status = line.getresponse().status
        except OSError:
            time.sleep(0.01)
            continue
        finally:
            line.close()
        if status != 200:
            raise RuntimeError(f"/healthz answered {status}")
        return time.perf_counter() - began
    raise RuntimeError("there was no answer")


def _family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += _family(int(child))
    return found


def _memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _cpu_s(pid: int) -> float:
    ticks = 0
    for each in _family(pid):
        stat = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(stat[11]) + int(stat[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _switches(pid: int) -> int:
    total = 0
    for each in _family(pid):
        for task in Path(f"/proc/{each}/task").iterdir():
            for line in (task / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
    return total


def _free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
