"""Who is served first: what somebody asked for, what was never fetched, then the rest."""

import asyncio
import dataclasses
import json

import pytest
from msgspec import structs

from feedloom.model.feed import Asked
from feedloom.model.reader import User
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from feedloom.store.queues.hosts import MOST_ADDED
from feedloom.store.values import read_asked, write_asked
from tests.fakes import START
from tests.stores import Stores, article, refreshed

pytestmark = pytest.mark.threat("Q17")

BACKLOG = 10_000
WORKERS = 4
OF_EACH = 16
NEW = "https://new.example/feed"


def _backlog(count: int, host: str = "host{n}.example") -> Script[None]:
    """Make feeds that were fetched before and are long due."""
    rows = yield sql("SELECT coalesce(max(id), 0) AS last FROM feeds")
    # The database goes on to count from where it is; these are far away.
    first = rows[0]["last"] + 1_000_000
    places = [(first + n, host.format(n=n), f"/old/{n}") for n in range(count)]
    yield Insert(
        "feeds",
        (
            *("id", "url", "url_key", "host_key", "created_at", "updated_at"),
            *("last_attempt_at", "last_success_at"),
        ),
        [
            (id_, f"https://{name}{path}", f"{name}{path}", name, 0, 0, 1, 1)
            for id_, name, path in places
        ],
    )
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at", "reason"),
        [(id_, name, n, n, "{}") for n, (id_, name, _) in enumerate(places)],
    )


async def _added(stores: Stores, person: User, url: str, *, alone: bool = True) -> int:
    return (await stores.subscriptions.subscribe(person.id, url, alone=alone)).id


async def _claims(stores: Stores) -> list[list[str]]:
    """Let several workers claim at once; answer what each got, in its order."""
    queues = [stores.make_queue() for _ in range(WORKERS)]
    claimed = await asyncio.gather(*(queue.claim(OF_EACH) for queue in queues))
    return [[feed.url for feed in feeds] for feeds in claimed]


async def test_a_feed_added_by_hand_goes_before_ten_thousand_overdue_ones(stores: Stores):
    person = await stores.person()
    await stores.work.write(WORKER, _backlog, BACKLOG)
    before = await _claims(stores)
    await _added(stores, person, NEW)

    after = await _claims(stores)

    assert all(len(urls) == OF_EACH for urls in (*before, *after))
    assert [urls.index(NEW) for urls in after if NEW in urls] == [0]


async def test_who_asks_comes_first_then_the_never_fetched_then_the_rest(stores: Stores):
    person = await stores.person()
    urls = [f"https://{name}.example/feed" for name in ("retried", "refreshed")]
    ids = [await _added(stores, person, url) for url in urls]
    for feed in await stores.queue.claim(9):
        await stores.refreshes.store(refreshed(feed, (article(feed.url),)))
    await stores.work.write(WORKER, _backlog, 50)
    await _added(stores, person, "https://listed.example/feed", alone=False)
    await stores.subscriptions.refresh(person.id, ids[0], afresh=True)
    await stores.subscriptions.refresh(person.id, ids[1], afresh=False)
    await _added(stores, person, NEW)

    claimed = [feed.url for feed in await stores.queue.claim(6)]

    assert claimed[:3] == [*urls, NEW]
    assert claimed[3] == "https://listed.example/feed"
    assert all("/old/" in url for url in claimed[4:])


async def test_after_its_first_fetch_a_feed_has_no_precedence(stores: Stores):
    person = await stores.person()
    await _added(stores, person, NEW)
    [feed] = await stores.queue.claim(1)
    await stores.refreshes.store(refreshed(feed, (article("one"),)))
    await stores.work.write(WORKER, _backlog, 3)
    await stores.execute(
        "UPDATE feed_schedules SET due_at = now_us() - 1 WHERE feed_id = :id", id=feed.feed_id
    )

    claimed = [one.url for one in await stores.queue.claim(4)]

    assert claimed[-1] == NEW


async def test_feeds_added_by_hand_keep_the_spacing_beyond_a_small_burst(stores: Stores):
    person = await stores.person()
    for n in range(MOST_ADDED + 5):
        await _added(stores, person, f"https://one.example/feed{n}")
    polite = stores.make_queue(delay_s=3.0)

    claimed = await polite.claim(64)

    assert len(claimed) == MOST_ADDED + 1
    assert await polite.claim(64) == []


async def test_a_feed_added_by_hand_does_not_wait_behind_its_own_hosts_backlog(stores: Stores):
    person = await stores.person()
    await stores.work.write(WORKER, _backlog, 200, "new.example")
    polite = stores.make_queue(delay_s=3.0, at_once=2)
    await polite.claim(8)
    await _added(stores, person, NEW)

    claimed = await polite.claim(8)

    assert [feed.url for feed in claimed] == [NEW]


async def test_what_a_publisher_asks_is_kept_with_its_feed(stores: Stores):
    person = await stores.person()
    await _added(stores, person, NEW)
    [feed] = await stores.queue.claim(1)
    asked = Asked(36_000, frozenset({1, 2}), frozenset({6}))
    done = refreshed(feed, (article("one"),))
    parsed = done.parsed
    assert parsed is not None

    parsed = dataclasses.replace(parsed, asked=asked)
    await stores.refreshes.store(structs.replace(done, parsed=parsed))
    again = await stores.claim(NEW)

    assert feed.asked == Asked()
    assert again.asked == asked


async def test_a_late_worker_puts_an_hour_to_be_skipped_off(stores: Stores):
    person = await stores.person()
    await _added(stores, person, NEW)
    [feed] = await stores.queue.claim(1)
    await stores.refreshes.store(refreshed(feed, (article("one"),)))
    [row] = await stores.rows("SELECT now_us() AS now")
    hour = int(row["now"] // 3_600_000_000) % 24
    # The hour may end while this runs.
    hours = [hour, (hour + 1) % 24]
    reason = {"rule": "adaptive", "at": START.isoformat(), "skip_hours": hours}
    await stores.execute(
        "UPDATE feed_schedules SET due_at = now_us() - 1, reason = :reason",
        reason=json.dumps(reason),
    )

    claimed = await stores.queue.claim(9)
    [schedule] = await stores.rows("SELECT due_at - now_us() AS us FROM feed_schedules")
    await stores.subscriptions.refresh(person.id, 1)

    assert claimed == []
    assert 3_600 <= schedule["us"] / 1e6 <= 7_200
    assert [one.url for one in await stores.queue.claim(9)] == [NEW]


@pytest.mark.parametrize("text", [None, "", "[]", '{"ttl_s": "x"}', '{"skip_days": 7}'])
def test_wishes_that_cannot_be_read_are_none(text: str | None):
    assert read_asked(text) == Asked()


def test_no_wishes_are_not_written():
    assert write_asked(Asked()) is None
