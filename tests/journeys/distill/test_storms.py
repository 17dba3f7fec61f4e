"""Long bad days: replies that fail at random, workers that are killed while they pay."""

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from feedloom.app import open_container
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.containers import settings_for
from tests.counting import Counts, Progress
from tests.databases import Databases
from tests.journeys.proxies.lab import Lab
from tests.model_api import Call, ModelAPI, Reply, says
from tests.publisher import Publisher
from tests.unit.distill.doubles import VALID_ANALYSIS
from tests.unit.distill.test_model_faults import FAULTS, SILENT

ROOT = Path(__file__).parents[3]
ARTICLES = 50
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 500}
CALL_MICROS = 1_500
"""What the provider takes for one call, at a dollar per million tokens."""
ANSWER = says(VALID_ANALYSIS, usage=USAGE)
SILENCE = Reply(hangs=True)
# These take their whole deadline, and a storm is about numbers, not about waiting.
QUICK = [name for name in FAULTS if name not in SILENT]


@pytest.mark.faults
@pytest.mark.threat("L6")
@pytest.mark.asyncio(loop_scope="module")
async def test_random_faults_leave_nothing_wrong_and_nothing_stuck(
    lab: Lab, scaled, counts: Counts, progress: Progress
):
    wanted = scaled(150, 30_000)
    chance = random.Random(wanted)
    thrown: Counter[str] = Counter()

    def throw(_call: Call) -> Reply:
        name = chance.choice(QUICK)
        thrown[name] += 1
        behaviour, _ = FAULTS[name]
        reply = behaviour(VALID_ANALYSIS)
        assert isinstance(reply, Reply)
        return reply

    lab.publish(range(ARTICLES, 0, -1))
    await lab.add()
    await lab.sync()
    lab.api.script(throw)
    while (total := sum(thrown.values())) < wanted:
        lab.use_model()  # The breaker forgets: it would end the storm after five.
        await lab.execute("UPDATE analysis_attempts SET attempts = 1")
        await lab.due()
        await lab.run()
        progress("faults of a model", total, wanted)
    verdicts = await lab.analyses()
    outcomes = {r["outcome"] for r in await lab.rows("SELECT outcome FROM ai_calls")}
    served = await lab.document()

    assert verdicts == []
    assert not outcomes & {"ok", "reserved"}
    assert served.count("<deframer:status>original</deframer:status>") == ARTICLES
    lab.api.script(says(VALID_ANALYSIS))
    lab.use_model(call_s=10)
    await lab.sync()
    await lab.run()
    assert len(await lab.analyses()) == ARTICLES
    assert await lab.attempts() == [], "nothing is stuck"
    title = f"<title>{VALID_ANALYSIS['title_corrected']}</title>"
    assert (await lab.document()).count(title) == ARTICLES
    counts(
        f"faults of a model ({lab.container.work.kind})",
        replies=sum(thrown.values()),
        kinds=len(thrown),
        verdicts=len(verdicts),
        stuck=0,
    )


def due() -> Script[None]:
    """Make everything due at once: whoever had a lease is dead."""
    yield sql(
        "UPDATE feed_schedules SET attempts = 0, next_run_at = now_us(),"
        " due_at = now_us(), lease_token = NULL, locked_until = NULL"
    )


def rows(text: str) -> Script[list[Row]]:
    return list((yield sql(text)))


async def kill_again_and_again(lab: Lab, kills: int) -> None:
    """Start workers and kill each in one of its first calls to the model."""
    chance, api, killed = random.Random(kills), lab.api, set[int]()
    zygote = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.zygote",
        json.dumps(asdict(lab.container.settings)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        cwd=ROOT,
    )
    assert zygote.stdin is not None
    for number in range(kills):
        # Of some it is sure that they are killed before they hear what they paid for.
        api.script(SILENCE if number % 4 == 0 else ANSWER)
        await lab.container.work.write(WORKER, due)
        asked = len(api.calls)
        zygote.stdin.write(b"go\n")
        worker = await new_child(zygote.pid, killed)
        async with asyncio.timeout(60):
            while len(api.calls) == asked:  # noqa: ASYNC110 - another process asks
                await asyncio.sleep(0.001)
        await asyncio.sleep(chance.choice((0.0, 0.0, 0.002, 0.01)))
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    api.script(ANSWER)
    zygote.stdin.close()
    await zygote.wait()


async def new_child(pid: int, killed: set[int]) -> int:
    """Wait for a child of a process that is not one of the killed."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    async with asyncio.timeout(20):
        while True:
            for found in map(int, children.read_text().split()):  # noqa: ASYNC240 - in memory
                if found not in killed:
                    killed.add(found)
                    return found
            await asyncio.sleep(0.001)


@pytest.mark.faults
@pytest.mark.threat("L8")
async def test_killed_workers_never_spend_more_than_the_budget(
    engine_url: Databases, tmp_path: Path, scaled, counts: Counts
):
    kills = scaled(8, 1_000)
    cap_micros = kills * 4 * CALL_MICROS
    async with Publisher() as publisher, ModelAPI() as api:
        settings = settings_for(
            engine_url,
            tmp_path,
            ai_type="compatible",
            ai_base_url=api.base_url,
            ai_model="m",
            ai_price_in=1.0,
            ai_price_out=1.0,
            ai_daily_budget=cap_micros / 1_000_000,
        )
        async with open_container(settings) as container:
            lab = Lab(container, publisher, api)
            for number in range(-(-kills * 3 // ARTICLES)):
                lab.path = f"/feed-{number}.xml"
                lab.publish(range(ARTICLES, 0, -1))
                await lab.add()
                await lab.sync()
            await kill_again_and_again(lab, kills)
            under_way = await container.work.read(
                WORKER, rows, "SELECT id FROM ai_calls WHERE outcome = 'reserved'"
            )
            await container.work.write(WORKER, due)
            await container.worker().feed_loop().drain()
            verdicts = await container.work.read(WORKER, rows, "SELECT * FROM analyses")
            [booked] = await container.work.read(
                WORKER, rows, "SELECT sum(cost) AS dollars FROM ai_calls"
            )

    billed = len(api.calls) * CALL_MICROS
    assert billed <= cap_micros + CALL_MICROS
    assert booked["dollars"] * 1_000_000 <= cap_micros
    assert billed <= booked["dollars"] * 1_000_000, "the ledger is never too low"
    assert len(api.calls) - len(verdicts) <= kills, "a kill repeats one call at most"
    assert len(api.calls) >= kills
    assert len(under_way) >= kills // 4, "some were killed while they paid"
    counts(
        f"spending under kills ({container.work.kind})",
        kills=kills,
        calls=len(api.calls),
        cap=cap_micros,
        billed=billed,
        killed_while_paying=len(under_way),
        repeats=len(api.calls) - len(verdicts),
    )
