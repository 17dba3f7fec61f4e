"""A job that was claimed twice and never finished may be what ends its processes."""

import pytest

from feedloom.model.work import MAX_ATTEMPTS, NewTask, TaskKind
from feedloom.store import TaskQueue
from feedloom.store.queues.leases import SCHEDULES, TASKS
from tests.stores import Stores

pytestmark = pytest.mark.threat("Q9")

URLS = [f"https://site{n}.example/feed.xml" for n in range(4)]


async def crash(stores: Stores, table: str, due: str) -> None:
    """Let all leases run out, as after the end of their process."""
    await stores.execute(
        f"UPDATE {table} SET locked_until = now_us() - 1, {due} = now_us() - 1"
        " WHERE lease_token IS NOT NULL"
    )


async def test_tasks_claimed_beside_a_deadly_one_are_not_parked_for_it(stores: Stores):
    queue = TaskQueue(stores.work, lease_s=60, worker="test")
    deadly = await queue.add(NewTask(TaskKind.TOPIC, {"n": 0}))
    others = {await queue.add(NewTask(TaskKind.TOPIC, {"n": n})) for n in range(1, 4)}
    finished: set[int] = set()

    for _ in range(4 * MAX_ATTEMPTS):
        claimed = await queue.claim(8)
        if deadly in {task.id for task in claimed}:
            await crash(stores, "tasks", "run_at")
            continue
        for task in claimed:
            await queue.finish(task, {})
            finished.add(task.id)

    depth = await stores.depth(TASKS)
    assert finished == others
    assert (depth.due, depth.running, depth.parked) == (0, 0, 1)


async def test_feeds_claimed_beside_a_deadly_one_are_not_parked_for_it(stores: Stores):
    ada = await stores.person()
    for url in URLS:
        await stores.subscriptions.subscribe(ada.id, url)
    refreshed: set[str] = set()

    for _ in range(4 * MAX_ATTEMPTS):
        claimed = await stores.queue.claim(8)
        if URLS[0] in {feed.url for feed in claimed}:
            await crash(stores, "feed_schedules", "due_at")
            continue
        refreshed |= {feed.url for feed in claimed}
        await stores.execute(
            "UPDATE feed_schedules SET due_at = NULL, lease_token = NULL"
            " WHERE lease_token = ANY(:tokens)",
            tokens=[feed.lease_token for feed in claimed],
        )

    assert refreshed == set(URLS[1:])
    assert (await stores.depth(SCHEDULES)).parked == 1


@pytest.mark.parametrize("limit", [1, 8])
async def test_a_suspect_is_claimed_alone(stores: Stores, limit):
    queue = TaskQueue(stores.work, lease_s=60, worker="test")
    for n in range(3):
        await queue.add(NewTask(TaskKind.TOPIC, {"n": n}))
    for _ in range(2):
        while await queue.claim(8):
            pass
        await crash(stores, "tasks", "run_at")

    [alone] = await queue.claim(limit)

    assert alone.attempts == 3
