"""Workers killed, stopped and asked to end at any moment, over many jobs.

Nothing is lost, nothing settled twice or by a run that was overtaken, and what a fault
hit runs again within a lease and ten seconds. Jobs that kill their process are parked.
"""

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from feedloom.store.queues.leases import TASKS, depth
from feedloom.store.queues.task_queue import add_task
from tests.conftest import IS_LONG_RUN
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.faults.lab import ledger
from tests.faults.lab.hands import POINTS
from tests.faults.lab.ledger import Settled, Verdict
from tests.faults.lab.nemesis import Nemesis, nemesis

pytestmark = [pytest.mark.both_engines, pytest.mark.threat("Q1", "Q2", "Q4", "Q9", "Q15")]

LEASE_S = 2.0 if IS_LONG_RUN else 1.0
TERM_S = 30.0
WORKERS = 3
BACKLOG = 300
LONGEST_S = 1_100.0


def payload(number: int, chance: random.Random, kills: int, jobs: int) -> dict[str, object]:
    """Make most jobs quick, some longer than a lease, some deadly."""
    kind = chance.random()
    seconds = 1.5 * LEASE_S if kind < 0.0002 else 0.2 if kind < 0.01 else 0.002
    made: dict[str, object] = {"n": number, "s": seconds}
    # A tenth of the kills happens at named points, from within.
    if chance.random() < 0.1 * kills / jobs:
        made["die"] = POINTS[number % len(POINTS)]
    return made


def add_all(batch: list[NewTask]) -> Script[None]:
    for task in batch:
        yield from add_task(task)


async def feed(
    home: Home, jobs: int, kills: int, *, poison: int, wanted: Callable[[], int]
) -> None:
    """Queue all jobs, never far ahead of the workers or of the nemesis."""
    chance = random.Random(jobs)
    added = 0
    while added < jobs:
        tasks = await home.container.work.read(WORKER, depth, TASKS)
        batch = []
        for _ in range(min(BACKLOG - tasks.due, wanted() - added)):
            made = payload(added, chance, kills, jobs)
            if added % (jobs // poison) == jobs // (2 * poison):
                made |= {"die": "claimed", "poison": True}
            batch.append(NewTask(TaskKind.TOPIC, made))
            added += 1
        await home.container.work.write(WORKER, add_all, batch)
        await asyncio.sleep(0.05)


async def torment(it: Nemesis, kills: int, stops: int, over: asyncio.Event) -> None:
    """Kill and stop until both counts are reached."""
    stopped = 0
    pauses: set[asyncio.Task[None]] = set()
    while not over.is_set() and (it.killed < kills or stopped < stops):
        await it.fill()
        pid = it.pick()
        if pid is not None:
            if stopped * kills < it.killed * stops and not it.asleep:
                pause = it.chance.uniform(1.1, 1.5) * LEASE_S
                pauses.add(asyncio.create_task(it.pause(pid, pause)))
                stopped += 1
            elif len(it.term_s) * kills < it.killed * (stops // 2):
                await it.ask_to_end(pid, TERM_S)
            elif it.killed < kills:
                it.kill(pid)
        await asyncio.sleep(it.chance.uniform(0.03, 0.35))
    await asyncio.gather(*pauses)


def all_tasks() -> Script[list[Row]]:
    return list((yield sql("SELECT id, done_at, result, attempts FROM tasks WHERE kind = 'topic'")))


def settled(rows: list[Row]) -> dict[int, Settled]:
    def token(result: str | None) -> str | None:
        return None if result is None else result.split('"')[3]

    return {
        row["id"]: Settled(row["done_at"], token(row["result"]), row["attempts"]) for row in rows
    }


async def open_tasks(home: Home) -> int:
    def steps() -> Script[int]:
        rows = yield sql("SELECT count(*) AS n FROM tasks WHERE done_at IS NULL")
        found: int = rows[0]["n"]
        return found

    return await home.container.work.read(WORKER, steps)


@pytest.mark.faults
async def test_no_job_is_lost_doubled_or_stuck_whatever_becomes_of_workers(
    engine_url: Databases, tmp_path: Path, scaled, counts, progress
):
    jobs, kills, stops = scaled(200, 100_000), scaled(8, 2_000), scaled(2, 200)
    poison = scaled(1, 5)
    settings = settings_for(engine_url, tmp_path, lease_seconds=LEASE_S)
    book = tmp_path / "ledger"
    over = asyncio.Event()
    began = time.monotonic()
    async with open_home(settings) as home:
        async with nemesis(settings, book, workers=WORKERS, seed=jobs) as it:

            def wanted(killed: int) -> int:
                done: int = min(jobs, jobs * (killed + 1) // kills)
                progress(f"queue on {engine_url.kind}", done, jobs)
                return done

            feeding = asyncio.create_task(
                feed(home, jobs, kills, poison=poison, wanted=lambda: wanted(it.killed))
            )
            tormenting = asyncio.create_task(torment(it, kills, stops, over))
            left = jobs
            while left or not tormenting.done():
                if time.monotonic() - began > LONGEST_S:
                    break
                await asyncio.sleep(0.3)
                await it.fill()
                if feeding.done():
                    left = await open_tasks(home)
            over.set()
            await asyncio.gather(feeding, tormenting)
            terms = it.term_s
        rows = await home.container.work.read(WORKER, all_tasks)
    verdict = ledger.check(ledger.read(book), settled(rows), lease_s=LEASE_S)

    report(counts, engine_url.kind, verdict, jobs=len(rows), terms=terms)
    assert len(rows) == jobs
    assert verdict.is_clean, verdict
    assert verdict.counts["kill"] >= kills
    assert verdict.counts["stop"] >= stops
    parked = {row["id"] for row in rows if row["result"] is None}
    assert parked == set(verdict.given_up)
    assert len(parked) >= poison
    assert verdict.counts["repeats"] <= 8 * (
        verdict.counts["kill"] + verdict.counts["stop"] + len(terms)
    )
    assert max(terms, default=0.0) < TERM_S


def report(counts, kind: str, verdict: Verdict, *, jobs: int, terms: list[float]):
    said = verdict.counts
    counts(
        f"queue on {kind}",
        jobs=jobs,
        kills=said["kill"],
        stops=said["stop"],
        terms=said["term"],
        longest_term_s=max(terms, default=0.0),
        runs=said["begin"],
        repeats=said["repeats"],
        stale_refused=said["refused"],
        parked_after_five_faults=len(verdict.given_up),
        lost=len(verdict.lost),
        doubled=len(verdict.doubled),
        stale=len(verdict.stale),
        stuck=len(verdict.stuck),
        longest_back_s=verdict.longest_s,
    )
