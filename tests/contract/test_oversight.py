"""What operators are told about the installation, on both engines."""

import pytest

from feedloom.model.errors import NotFound
from feedloom.model.reader import Role
from feedloom.model.work import NewTask, TaskKind
from feedloom.store import OversightStore
from feedloom.store.queues.leases import PARKED
from tests.stores import Stores

FEED = "https://site.example/feed"


@pytest.fixture
def oversight(stores: Stores) -> OversightStore:
    return OversightStore(stores.front)


async def test_an_empty_installation_is_in_order_but_for_its_worker(oversight):
    condition = await oversight.condition()

    assert condition.is_current
    assert condition.worker_seen_s is None
    assert (condition.feeds.due, condition.feeds.lag_s) == (0, 0.0)
    assert await oversight.feeds_by_state() == {}
    assert await oversight.workers() == []
    assert await oversight.people() == []
    assert await oversight.events() == []
    assert await oversight.parked_tasks() == []


async def test_queues_are_counted_whosever_jobs_they_are(stores, oversight):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, FEED)
    await stores.tasks.add(NewTask(TaskKind.ENRICH, {"bookmark_id": 1}, user_id=person.id))
    await stores.execute("UPDATE tasks SET run_at = run_at - 60000000")
    waiting = await oversight.condition()

    claimed = await stores.tasks.claim(10)
    await stores.queue.claim(10)
    running = await oversight.condition()
    await stores.tasks.fail(claimed[0], "no use", None)

    parked = await oversight.condition()
    assert (waiting.feeds.due, waiting.tasks.due) == (1, 1)
    assert waiting.tasks.lag_s >= 60
    assert (running.feeds.running, running.tasks.running) == (1, 1)
    assert (running.feeds.due, running.tasks.due) == (0, 0)
    assert parked.tasks.parked == 1
    assert [task.error for task in await oversight.parked_tasks()] == ["no use"]


async def test_only_feeds_that_were_given_up_are_parked(stores, oversight):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, FEED)
    given_up = await stores.subscriptions.subscribe(person.id, f"{FEED}/2")
    await stores.execute("UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL")
    await stores.execute(
        "UPDATE feed_schedules SET last_error = :why WHERE feed_id = :id",
        why=PARKED,
        id=given_up.feed_id,
    )

    condition = await oversight.condition()

    assert condition.feeds.parked == 1


async def test_a_job_whose_worker_is_gone_is_due_again(stores, oversight):
    await stores.tasks.add(NewTask(TaskKind.EMBED, {}))
    await stores.tasks.claim(1)
    await stores.execute("UPDATE tasks SET run_at = now_us() - 1, locked_until = now_us() - 1")

    condition = await oversight.condition()

    assert (condition.tasks.due, condition.tasks.running) == (1, 0)


async def test_workers_are_seen(stores, oversight):
    await stores.operations.beat("one", {"feeds": 2})

    condition = await oversight.condition()
    workers = await oversight.workers()

    assert condition.worker_seen_s is not None
    assert condition.worker_seen_s < 60
    assert [(line.name, line.stats) for line in workers] == [("one", {"feeds": 2})]


async def test_people_are_listed_page_by_page(stores, oversight):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(bob.id, FEED)
    await stores.accounts.set_disabled(bob.id, disabled=True)

    first = await oversight.people(limit=1)
    rest = await oversight.people(after=first[-1].id)
    found = await oversight.people(text="BOB@")

    assert [line.email for line in first] == [ada.email]
    assert first[0].role is Role.OPERATOR
    assert [line.email for line in rest] == [line.email for line in found]
    assert (found[0].subscriptions, found[0].seen_at) == (1, None)
    assert found[0].disabled_at is not None


async def test_feeds_are_listed_by_state(stores, oversight):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, FEED)
    await stores.subscriptions.subscribe(person.id, "https://other.example/feed")
    await stores.deliver(FEED, "First")

    healthy = await oversight.feeds(state="healthy")
    everything = await oversight.feeds()

    assert await oversight.feeds_by_state() == {"healthy": 1, "unchecked": 1}
    assert [(line.url, line.readers) for line in healthy] == [(FEED, 1)]
    assert len(everything) == 2
    assert await oversight.feeds(after=everything[-1].id) == []


async def test_a_feed_is_fetched_now(stores, oversight):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, FEED)
    await stores.deliver(FEED, "First")
    feed = (await oversight.feeds())[0]

    await oversight.refresh(feed.id)

    assert [claimed.url for claimed in await stores.queue.claim(10)] == [FEED]
    with pytest.raises(NotFound):
        await oversight.refresh(feed.id + 1)


async def test_events_go_backwards(stores, oversight):
    ada = await stores.person()
    await stores.accounts.record_event(ada.id, "second", {"n": 2})

    newest = await oversight.events(limit=1)
    older = await oversight.events(before=newest[0].id)

    assert (newest[0].event_type, newest[0].metadata) == ("second", {"n": 2})
    assert [line.event_type for line in older] == ["user_registered"]
    assert older[0].email == ada.email


async def test_what_operators_did_is_noted(stores, oversight):
    await oversight.note("ada@example.org", "disabled", "person:2", after="yes")

    rows = await stores.rows("SELECT actor, action, subject, after_value FROM audit_log")
    assert [tuple(row.values()) for row in map(dict, rows)] == [
        ("ada@example.org", "disabled", "person:2", "yes")
    ]


async def test_signs_tell_of_a_worker_that_lives_and_of_none(stores, oversight):
    none = await oversight.signs()
    await stores.operations.beat("one", {})
    alive = await oversight.signs()
    await stores.execute("UPDATE workers SET seen_at = seen_at - 120000000")
    gone = await oversight.signs()

    seen = [each.is_worker_seen for each in (none, alive, gone)]
    assert seen == [False, True, False]
    assert none.worker_seen_s is None


async def test_signs_tell_when_the_web_has_the_workers_role(stores, oversight):
    apart = await oversight.signs()
    together = await OversightStore(stores.work).signs()

    assert not apart.shares_role
    assert together.shares_role is (stores.front.kind == "postgresql")
