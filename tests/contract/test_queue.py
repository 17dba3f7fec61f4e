"""The queues: each job once, fenced by its token, parked when it never ends."""

import asyncio
from collections import Counter

import pytest

from feedloom.model.errors import LeaseLost, StoreError
from feedloom.model.work import MAX_ATTEMPTS, NewTask, TaskKind
from feedloom.store.engine.scripts import WORKER, Insert, Query, Script, sql
from feedloom.store.queues.leases import SCHEDULES, TASKS, due_rows
from feedloom.store.queues.task_queue import WHOSE, TaskQueue
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"
JOBS = 20_000
CLAIMERS = 64


def many_feeds(count: int) -> Script[None]:
    keys = [f"host{n}.example/feed" for n in range(count)]
    yield Insert(
        "feeds",
        ("id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [(n + 1, f"https://{key}", key, f"host{n}.example", 0, 0) for n, key in enumerate(keys)],
    )
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at"),
        [(n + 1, f"host{n}.example", n, n) for n in range(count)],
    )


@pytest.mark.threat("Q7")
async def test_64_claimers_on_20000_feeds_claim_each_once(stores: Stores):
    await stores.work.write(WORKER, many_feeds, JOBS)
    seen: Counter[int] = Counter()

    async def claimer() -> None:
        while claimed := await stores.queue.claim(64):
            seen.update(feed.feed_id for feed in claimed)

    await asyncio.gather(*(claimer() for _ in range(CLAIMERS)))

    assert len(seen) == JOBS
    assert set(seen.values()) == {1}


@pytest.mark.threat("Q7")
async def test_64_claimers_on_20000_tasks_claim_each_once(stores: Stores):
    def add() -> Script[None]:
        yield Insert(
            "tasks",
            ("kind", "payload", "run_at", "created_at"),
            [("discover", "{}", n, 0) for n in range(JOBS)],
        )

    await stores.work.write(WORKER, add)
    seen: Counter[int] = Counter()

    async def claimer() -> None:
        while claimed := await stores.tasks.claim(64):
            seen.update(task.id for task in claimed)

    await asyncio.gather(*(claimer() for _ in range(CLAIMERS)))

    assert len(seen) == JOBS
    assert set(seen.values()) == {1}


@pytest.mark.threat("Q7", "Q17")
async def test_what_is_due_longest_is_claimed_first(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 10)

    claimed = await stores.queue.claim(3)

    assert sorted(feed.feed_id for feed in claimed) == [1, 2, 3]


@pytest.mark.threat("Q17", "S25")
async def test_a_host_with_many_due_feeds_does_not_hide_the_others(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 101)
    await stores.execute("UPDATE feed_schedules SET host_key = 'big.example' WHERE feed_id <= 100")
    polite = stores.make_queue(delay_s=3, at_once=2)

    claimed = await polite.claim(8)

    assert {feed.feed_id for feed in claimed} == {1, 101}


@pytest.mark.threat("Q17", "S25")
async def test_one_free_slot_reaches_past_thousands_of_feeds_that_must_wait(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 3_001)
    await stores.execute("UPDATE feed_schedules SET host_key = 'big.example' WHERE feed_id <= 3000")
    polite = stores.make_queue(delay_s=3, at_once=2)

    first = await polite.claim(1)
    second = await polite.claim(1)

    assert [feed.feed_id for feed in (*first, *second)] == [1, 3001]


@pytest.mark.threat("D14")
async def test_a_value_no_column_takes_harms_only_its_own_feed(stores: Stores):
    ada = await stores.person()
    urls = [f"https://h{n}.example/feed.xml" for n in range(3)]
    for url in urls:
        await stores.subscriptions.subscribe(ada.id, url)
    claimed = {feed.url: feed for feed in await stores.queue.claim(10)}
    bad = article("bad")._replace(language="\ud800")
    items = [refreshed(claimed[url], (article(url),)) for url in urls[:2]]
    items.append(refreshed(claimed[urls[2]], (bad,)))

    results = await asyncio.gather(*map(stores.refreshes.store, items), return_exceptions=True)

    assert [getattr(one, "new_articles", None) for one in results] == [1, 1, None]
    assert isinstance(results[2], StoreError)


@pytest.mark.threat("Q1", "Q2")
async def test_an_expired_lease_is_claimed_again_with_a_fresh_token(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 1)
    queue = stores.make_queue(lease_s=1.0)
    [first] = await queue.claim(1)
    assert await queue.claim(1) == []

    await asyncio.sleep(1.1)
    [second] = await queue.claim(1)

    assert second.lease_token != first.lease_token
    assert second.attempts == 2


@pytest.mark.threat("Q3")
async def test_a_heartbeat_renews_what_is_held_and_tells_what_is_lost(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 2)
    one, two = await stores.queue.claim(2)
    await stores.execute(
        "UPDATE feed_schedules SET lease_token = 'x' WHERE feed_id = :id", id=two.feed_id
    )

    held = await stores.queue.heartbeat([one.lease_token, two.lease_token])

    assert held == {one.lease_token}


@pytest.mark.threat("Q15")
async def test_released_jobs_are_due_again_without_a_burned_attempt(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 1)
    claimed = await stores.queue.claim(1)

    await stores.queue.release(claimed)

    [again] = await stores.queue.claim(1)
    assert again.attempts == 1


@pytest.mark.threat("Q9")
async def test_a_job_that_never_ends_is_parked_visibly(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 1)
    for _ in range(MAX_ATTEMPTS):
        assert len(await stores.queue.claim(1)) == 1
        await stores.execute("UPDATE feed_schedules SET locked_until = 0, due_at = 0")

    assert await stores.queue.claim(1) == []

    [row] = await stores.rows("SELECT next_run_at, last_error FROM feed_schedules")
    assert row["next_run_at"] is None
    assert "Gave up" in row["last_error"]
    assert (await stores.depth(SCHEDULES)).parked == 1


async def test_settling_resets_attempts(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 1)
    [feed] = await stores.queue.claim(1)

    await stores.refreshes.store(refreshed(feed, (article("one"),)))

    [row] = await stores.rows("SELECT attempts, lease_token FROM feed_schedules")
    assert (row["attempts"], row["lease_token"]) == (0, None)


@pytest.mark.threat("S25")
async def test_a_host_gets_at_most_two_at_once_and_the_rest_waits(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 6)
    await stores.execute("UPDATE feed_schedules SET host_key = 'one.example'")
    await stores.execute("UPDATE feeds SET host_key = 'one.example'")
    queue = stores.make_queue(delay_s=0.0, at_once=2)

    claimed = await queue.claim(10)

    assert len(claimed) == 2
    assert await queue.claim(10) == []
    await queue.release(claimed)
    await asyncio.sleep(0.1)
    assert len(await queue.claim(10)) == 2


@pytest.mark.threat("W1")
async def test_a_busy_host_does_not_hold_up_others(stores: Stores):
    await stores.work.write(WORKER, many_feeds, 100)
    await stores.execute("UPDATE feed_schedules SET host_key = 'one.example' WHERE feed_id < 90")
    queue = stores.make_queue(delay_s=3.0, at_once=2)

    first = await queue.claim(32)
    second = await queue.claim(32)
    third = await queue.claim(32)
    fourth = await queue.claim(32)

    hosts = Counter(feed.feed_id < 90 for feed in first + second + third + fourth)
    assert hosts == {True: 1, False: 11}


@pytest.mark.threat("Q12")
async def test_a_unique_key_means_one_unfinished_task(stores: Stores):
    task = NewTask(TaskKind.REVIVE, {"feed_id": 1}, unique_key="revive:1")

    ids = await asyncio.gather(*(stores.tasks.add(task) for _ in range(32)))

    assert len(set(ids)) == 1
    [claimed] = await stores.tasks.claim(10)
    await stores.tasks.finish(claimed, {"found": False})
    assert await stores.tasks.add(task) != ids[0]


async def test_what_somebody_waits_for_is_claimed_apart(stores: Stores):
    ada = await stores.person()
    for number in range(3):
        await stores.tasks.add(NewTask(TaskKind.FAVICON, {"feed_id": number}))
    await stores.tasks.add(NewTask(TaskKind.SUMMARISE, {}, user_id=ada.id))
    await stores.tasks.add(NewTask(TaskKind.FAVICON, {"feed_id": 3}))

    people = await stores.tasks.claim(10, for_people=True)
    container = await stores.tasks.claim(2, for_people=False)
    rest = await stores.tasks.claim(10)

    assert [task.kind for task in people] == ["summarise"]
    assert [task.payload["feed_id"] for task in container] == [0, 1]
    assert [task.payload["feed_id"] for task in rest] == [2, 3]


@pytest.mark.threat("Q21")
@pytest.mark.parametrize("only", WHOSE.values())
async def test_tasks_are_claimed_by_the_index_of_what_is_due(stores: Stores, only: str):
    is_sqlite = stores.work.kind == "sqlite"

    def plan() -> Script[list[str]]:
        asked = next(due_rows(TASKS, "kind", 4, only=only))
        assert isinstance(asked, Query)
        if not is_sqlite:
            # There are no rows, and then reading all of them is quickest.
            yield sql("SET LOCAL enable_seqscan = off")
            yield sql("SET LOCAL enable_bitmapscan = off")
        how = "QUERY PLAN" if is_sqlite else "(COSTS OFF)"
        rows = yield sql(f"EXPLAIN {how} {asked.text}", **asked.params)
        return [str(tuple(row)[-1]) for row in rows]

    found = "\n".join(await stores.work.write(WORKER, plan))

    assert "tasks_due" in found
    assert "ORDER BY" not in found
    assert "Sort" not in found


@pytest.mark.threat("Q2")
async def test_writes_of_a_lost_task_are_refused(stores: Stores):
    await stores.tasks.add(NewTask(TaskKind.DISCOVER, {}))
    short = TaskQueue(stores.work, lease_s=0.05, worker="slow")
    [lost] = await short.claim(1)
    await asyncio.sleep(0.1)
    [held] = await stores.tasks.claim(1)

    for refused in (
        stores.tasks.progress(lost, {"done": 1}),
        stores.tasks.finish(lost, {}),
        stores.tasks.fail(lost, "no", None),
    ):
        with pytest.raises(LeaseLost):
            await refused

    await stores.tasks.finish(held, {"ok": True})
    [row] = await stores.rows("SELECT result, last_error FROM tasks")
    assert (row["result"], row["last_error"]) == ('{"ok": true}', None)


@pytest.mark.threat("Q10")
async def test_failed_tasks_come_back_when_they_should_or_are_parked(stores: Stores):
    await stores.tasks.add(NewTask(TaskKind.DISCOVER, {"url": "x"}))
    [task] = await stores.tasks.claim(1)

    await stores.tasks.fail(task, "The server could not be reached.", None)

    assert await stores.tasks.claim(1) == []
    assert (await stores.depth(TASKS)).parked == 1


async def test_a_pass_waits_for_no_host_that_asks_for_patience(stores: Stores):
    ada = await stores.person()
    for n in range(5):
        await stores.subscriptions.subscribe(ada.id, f"https://one.example/{n}")
    queue = stores.make_queue(delay_s=0.2, at_once=1)
    await queue.claim(10)
    waited_before = queue.waits().put_off_s
    await stores.execute("UPDATE hosts SET cooldown_until = now_us() + 600000000")
    await asyncio.sleep(0.6)

    claimed = await queue.claim(10)

    assert waited_before > 0.7
    assert claimed == []
    assert queue.waits().put_off_s == 0
