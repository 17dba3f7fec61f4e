"""Every state of seed 004's life cycle, from the operator's word to the reader's byte."""

import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from feedloom.flow.refresh.schedule import explain
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.errors import Conflict, NotFound
from feedloom.model.reasons import scheduled_at
from feedloom.model.urls import url_hash
from feedloom.store import HubStore
from tests.journeys.proxies.desk import ACTOR, Desk
from tests.publisher import Answer

pytestmark = pytest.mark.both_engines

TITLES = re.compile(r"<item>\s*<title>([^<]*)</title>")


def titles(body: str) -> list[str]:
    return TITLES.findall(body)


async def test_a_new_feed_is_not_found_until_it_is_built(desk: Desk):
    url = desk.feed()
    proxy = await desk.add(url)
    assert (await desk.rss(url)).status == 404
    assert proxy.next_run_at is None

    await desk.sync(url)
    assert (await desk.rss(url)).status == 404
    await desk.run()

    reply = await desk.rss(url)
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("application/rss+xml")
    assert titles(reply.text) == ["Entry 3", "Entry 2", "Entry 1"]
    assert reply.text.count("<deframer:status>deframed</deframer:status>") == 3


async def test_adding_fills_the_root_domain_unless_told_not_to(desk: Desk):
    with_root = await desk.add("https://news.example.co.uk/feed")
    without = await desk.do(
        lambda proxies: proxies.add(
            NewProxy("https://blog.example.com/feed"), actor=ACTOR, with_root_domain=False
        )
    )

    assert with_root.root_domain == "example.co.uk"
    assert without.root_domain is None


async def test_a_new_proxy_is_disabled_and_not_scheduled(desk: Desk):
    url = desk.feed()

    proxy = await desk.do(lambda p: p.add(NewProxy(url), actor=ACTOR))

    assert not proxy.enabled
    assert not proxy.polling
    assert proxy.enforce_feed_domain
    assert proxy.error_policy == "one_strike"
    assert proxy.next_run_at is None
    with pytest.raises(Conflict):
        await desk.add(url)


async def test_enabling_does_not_run_a_feed(desk: Desk):
    url = desk.feed()
    await desk.do(lambda p: p.add(NewProxy(url), actor=ACTOR))

    await desk.do(lambda p: p.change(url, enabled=True, actor=ACTOR))
    await desk.run()

    assert desk.publisher.count("/news.xml") == 0
    assert (await desk.look(url)).next_run_at is None


async def test_a_disabled_feed_is_forbidden_at_once_and_back_when_enabled(desk: Desk):
    url = desk.feed()
    await desk.built(url)
    assert (await desk.rss(url)).status == 200

    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))

    assert (await desk.rss(url)).status == 403
    await desk.do(lambda p: p.change(url, enabled=True, actor=ACTOR))
    assert (await desk.rss(url)).status == 200


async def test_the_worker_ignores_a_disabled_feed_but_keeps_its_place(desk: Desk):
    url = desk.feed()
    await desk.add(url)
    await desk.sync(url)
    planned = (await desk.look(url)).next_run_at
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))

    await desk.run()

    assert desk.publisher.count("/news.xml") == 0
    assert (await desk.look(url)).next_run_at == planned
    await desk.do(lambda p: p.change(url, enabled=True, actor=ACTOR))
    await desk.run()
    assert desk.publisher.count("/news.xml") == 1


async def test_a_disabled_feed_made_due_by_others_is_not_fetched_either(desk: Desk):
    url = desk.feed()
    proxy = await desk.add(url)
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))

    await desk.server.call(lambda container: container.operations().make_due(url, everything=False))
    await desk.run()

    assert desk.publisher.count("/news.xml") == 0
    row = await desk.schedule_of(proxy.feed_id)
    assert (row["due_at"], row["lease_token"], row["attempts"]) == (None, None, 0)
    assert row["next_run_at"] is not None


async def test_a_disabled_proxy_does_not_stop_a_feed_that_is_read(desk: Desk):
    url = desk.feed()
    await desk.add(url)
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))
    await desk.subscribe(url)
    await desk.run()

    assert desk.publisher.count("/news.xml") == 1
    assert (await desk.rss(url)).status == 403
    assert (
        await desk.rows(
            "SELECT 1 AS x FROM analyses x JOIN articles a ON a.id = x.article_id"
            " JOIN feeds f ON f.id = a.feed_id WHERE f.url = :url",
            url=url,
        )
        == []
    )


async def test_a_deleted_proxy_is_not_found_and_its_feed_stays_for_readers(desk: Desk):
    url = desk.feed()
    reader = await desk.subscribe(url)
    proxy = await desk.built(url)

    await desk.do(lambda p: p.store.delete(url, actor=ACTOR))

    assert (await desk.rss(url)).status == 404
    with pytest.raises(NotFound):
        await desk.look(url)
    with pytest.raises(NotFound):
        await desk.sync(url)
    assert (await desk.schedule_of(proxy.feed_id))["due_at"] is not None
    assert len(await desk.articles(reader)) == 3


async def test_deleting_unschedules_a_feed_nobody_else_wants(desk: Desk):
    url = desk.feed()
    proxy = await desk.built(url, polling=True, interval_s=600)
    await desk.execute("UPDATE feeds SET in_directory = false WHERE id = :id", id=proxy.feed_id)

    await desk.do(lambda p: p.store.delete(url, actor=ACTOR))

    row = await desk.schedule_of(proxy.feed_id)
    assert (row["next_run_at"], row["due_at"]) == (None, None)


async def test_a_proxy_that_was_deleted_can_be_added_again_and_starts_anew(desk: Desk):
    url = desk.feed()
    await desk.built(url)
    await desk.do(lambda p: p.store.delete(url, actor=ACTOR))

    await desk.add(url)

    assert (await desk.rss(url)).status == 404
    await desk.sync(url)
    await desk.run()
    assert (await desk.rss(url)).status == 200


async def test_without_polling_a_feed_runs_once(desk: Desk):
    url = desk.feed()

    proxy = await desk.built(url)

    assert proxy.next_run_at is None
    row = await desk.schedule(url)
    assert (row["due_at"], row["lease_token"], row["locked_until"]) == (None,) * 3
    assert json.loads(row["reason"])["rule"] == "one_shot"
    assert await desk.run() == 0


async def test_a_hub_does_not_wake_a_feed_that_runs_once(desk: Desk):
    url = desk.feed()
    once = await desk.built(url)
    polled = await desk.built(desk.feed((1,), "/other.xml"), polling=True)

    # Right after a fetch an announcement waits a while, whoever is announced.
    await desk.execute("UPDATE feeds SET last_attempt_at = 1")
    for proxy in (once, polled):
        await desk.server.call(
            lambda container, proxy=proxy: HubStore(container.work).announce(proxy.feed_id)  # type: ignore[misc] # the loop's own
        )
    await desk.run()

    assert desk.publisher.count("/news.xml") == 1
    assert desk.publisher.count("/other.xml") == 2


async def test_with_polling_a_success_plans_the_next_run(desk: Desk):
    url = desk.feed()

    proxy = await desk.built(url, polling=True, interval_s=3600)

    row = await desk.schedule(url)
    reason = json.loads(row["reason"])
    assert scheduled_at(reason) == proxy.next_run_at
    assert "as set by a subscriber" in explain(reason)
    assert proxy.next_run_at is not None
    waits = proxy.next_run_at - datetime.fromisoformat(reason["at"])
    assert waits == timedelta(hours=1)
    assert row["due_at"] == row["next_run_at"]


async def test_switching_polling_on_matters_from_the_next_success(desk: Desk):
    url = desk.feed()
    await desk.built(url)

    await desk.do(lambda p: p.change(url, polling=True, actor=ACTOR))
    assert (await desk.look(url)).next_run_at is None
    await desk.sync(url)
    await desk.run()

    assert (await desk.look(url)).next_run_at is not None
    await desk.do(lambda p: p.change(url, polling=False, actor=ACTOR))
    await desk.sync(url)
    await desk.run()
    assert (await desk.look(url)).next_run_at is None


@pytest.mark.parametrize("polling", [False, True])
@pytest.mark.parametrize(
    ("status", "words"), [(500, "500"), (404, "no longer"), (429, "Rate limited")]
)
async def test_one_strike_ejects_a_feed_whatever_polling_says(desk: Desk, status, words, polling):
    url = desk.feed()
    await desk.built(url, polling=polling)
    desk.publisher.script("/news.xml", Answer(status))
    await desk.sync(url)

    await desk.run()

    proxy = await desk.look(url)
    assert words in (proxy.last_error or "")
    assert proxy.next_run_at is None
    row = await desk.schedule(url)
    assert words in row["last_error"]
    assert (row["due_at"], row["locked_until"], row["lease_token"]) == (None,) * 3
    assert await desk.run() == 0
    assert (await desk.rss(url)).status == 200, "what was built is still served"


async def test_sync_brings_a_dead_feed_back(desk: Desk):
    url = desk.feed()
    await desk.add(url)
    desk.publisher.script("/news.xml", Answer(500))
    await desk.sync(url)
    await desk.run()
    assert (await desk.look(url)).last_error

    desk.feed()
    proxy = await desk.sync(url)
    assert proxy.last_error is None
    await desk.run()

    proxy = await desk.look(url)
    assert (proxy.last_error, proxy.items) == (None, 3)
    assert (await desk.rss(url)).status == 200


async def test_sync_refuses_a_disabled_feed(desk: Desk):
    url = desk.feed()
    await desk.add(url)
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))

    with pytest.raises(Conflict, match="disabled"):
        await desk.sync(url)

    assert (await desk.look(url)).next_run_at is None


async def test_sync_takes_the_lease_from_whoever_has_it(desk: Desk):
    url = desk.feed()
    proxy = await desk.add(url)
    await desk.sync(url)
    await desk.execute(
        "UPDATE feed_schedules SET lease_token = 'sleeper', attempts = 4,"
        " locked_until = now_us() + 600000000, due_at = now_us() + 600000000,"
        " last_error = 'old' WHERE feed_id = :id",
        id=proxy.feed_id,
    )
    assert (await desk.look(url)).is_running

    await desk.sync(url)

    row = await desk.schedule(url)
    assert row["lease_token"] != "sleeper"
    assert (row["locked_until"], row["last_error"], row["attempts"]) == (None, None, 0)
    assert abs(row["next_run_at"] - row["due_at"]) < 1_000
    assert await desk.run() == 1


async def test_a_read_feed_keeps_its_own_backoff_under_one_strike(desk: Desk):
    url = desk.feed()
    await desk.subscribe(url)
    await desk.built(url)
    desk.publisher.script("/news.xml", Answer(500))
    await desk.sync(url)

    await desk.run()

    proxy = await desk.look(url)
    assert "500" in (proxy.last_error or "")
    assert proxy.next_run_at is not None
    reason = json.loads((await desk.schedule(url))["reason"])
    assert (reason["rule"], reason["interval_s"]) == ("backoff", 300)


async def test_a_read_feed_is_polled_although_its_proxy_does_not_poll(desk: Desk):
    url = desk.feed()
    await desk.subscribe(url)

    proxy = await desk.built(url)

    assert not proxy.polling
    assert proxy.next_run_at is not None
    assert (await desk.rss(url)).status == 200


async def test_who_subscribes_to_a_dead_feed_gets_it_polled(desk: Desk):
    url = desk.feed()
    await desk.add(url)
    desk.publisher.script("/news.xml", Answer(500))
    await desk.sync(url)
    await desk.run()
    desk.feed()

    await desk.subscribe(url)
    await desk.run()

    assert desk.publisher.count("/news.xml") == 2
    assert (await desk.look(url)).next_run_at is not None


async def test_items_of_other_domains_are_dropped(desk: Desk):
    own, foreign = desk.entry(1), desk.entry(2, host="127.0.9.9")
    url = desk.publisher.feed("/news.xml", entries=[foreign, own])

    await desk.built(url)

    reply = await desk.rss(url)
    assert titles(reply.text) == ["Entry 1"]
    assert desk.publisher.count("/articles/2", "127.0.9.9") == 0


async def test_items_of_other_domains_are_kept_where_that_is_allowed(desk: Desk):
    own, foreign = desk.entry(1), desk.entry(2, host="127.0.9.9")
    url = desk.publisher.feed("/news.xml", entries=[foreign, own])

    await desk.built(url, enforce_feed_domain=False)

    assert titles((await desk.rss(url)).text) == ["Entry 2", "Entry 1"]


async def test_items_of_other_domains_come_and_go_as_an_operator_decides(desk: Desk):
    own, foreign = desk.entry(1), desk.entry(2, host="127.0.9.9")
    url = desk.publisher.feed("/news.xml", entries=[foreign, own])
    await desk.built(url)

    for kept, expected in ((True, ["Entry 2", "Entry 1"]), (False, ["Entry 1"])):
        await desk.do(
            lambda p, kept=kept: p.change(url, enforce_feed_domain=not kept, actor=ACTOR)  # type: ignore[misc] # the loop's own
        )
        await desk.sync(url)
        await desk.run()

        assert titles((await desk.rss(url)).text) == expected


async def test_one_address_in_two_feeds_is_analysed_twice(desk: Desk):
    first = desk.feed((1,), "/first.xml")
    second = desk.feed((1,), "/second.xml")

    await desk.built(first)
    await desk.built(second)

    link = desk.publisher.url("/articles/1")
    found = await desk.rows(
        "SELECT a.feed_id FROM analyses x JOIN articles a ON a.id = x.article_id"
        " WHERE a.url_hash = :hash",
        hash=url_hash(link),
    )
    assert len({row["feed_id"] for row in found}) == len(found) == 2
    assert desk.publisher.count("/articles/1") == 2


async def test_an_article_is_analysed_once_and_its_page_read_once(desk: Desk):
    url = desk.feed((2, 1))
    await desk.built(url)
    first = await desk.rss(url)

    desk.publisher.bump("/news.xml", desk.entry(3))
    await desk.sync(url)
    await desk.run()

    second = await desk.rss(url)
    assert titles(second.text) == ["Entry 3", "Entry 2", "Entry 1"]
    assert [desk.publisher.count(f"/articles/{n}") for n in (1, 2, 3)] == [1, 1, 1]
    assert first.headers["ETag"] != second.headers["ETag"]


async def test_an_article_whose_title_changed_is_analysed_again(desk: Desk):
    url = desk.feed((1,))
    await desk.built(url)
    changed = desk.entry(1, title="You will not believe entry one")
    desk.publisher.feed("/news.xml", entries=[changed])

    await desk.sync(url)
    await desk.run()

    text = (await desk.rss(url)).text
    assert desk.publisher.count("/articles/1") == 2
    assert ">You will not believe entry one</deframer:title_original>" in text


async def test_the_stored_row_the_document_and_the_headers_agree(desk: Desk):
    url = desk.feed()
    proxy = await desk.built(url)
    [row] = await desk.rows("SELECT * FROM cached_feeds WHERE feed_id = :id", id=proxy.feed_id)

    reply = await desk.rss(url)

    links = [desk.publisher.url(f"/articles/{n}") for n in (3, 2, 1)]
    assert json.loads(row["item_refs"]) == [url_hash(link) for link in links]
    assert row["updated_at"] % 1_000_000 == 0
    updated_at = datetime.fromtimestamp(row["updated_at"] / 1_000_000, UTC)
    assert parsedate_to_datetime(reply.headers["Last-Modified"]) == updated_at
    stated = re.search(r"<lastBuildDate>([^<]+)</lastBuildDate>", reply.text)
    assert stated is not None
    assert parsedate_to_datetime(stated[1]) == updated_at
    assert reply.headers["ETag"] == row["etag"]
    assert reply.text == row["xml_content"]
    assert reply.text.startswith(row["xml_header"])


async def test_a_run_that_changes_no_item_moves_no_time(desk: Desk):
    url = desk.feed()
    before = await desk.built(url)
    first = await desk.rss(url)
    await desk.execute(
        "UPDATE feeds SET etag = NULL, last_modified = NULL, body_hash = NULL WHERE id = :id",
        id=before.feed_id,
    )

    await desk.sync(url)
    await desk.run()

    after = await desk.look(url)
    assert after.built_at == before.built_at
    assert (await desk.rss(url)).headers["ETag"] == first.headers["ETag"]


async def test_two_changes_within_a_second_have_two_times(desk: Desk):
    url = desk.feed((1,))
    before = await desk.built(url)
    desk.publisher.bump("/news.xml", desk.entry(2))

    await desk.sync(url)
    await desk.run()

    after = await desk.look(url)
    assert before.built_at is not None
    assert after.built_at is not None
    assert after.built_at > before.built_at


async def test_a_feed_with_another_title_keeps_its_time(desk: Desk):
    url = desk.feed((1,))
    before = await desk.built(url)
    desk.publisher.feed("/news.xml", entries=[desk.entry(1)], title="Another name")

    await desk.sync(url)
    await desk.run()

    reply = await desk.rss(url)
    assert "<title>Another name</title>" in reply.text
    assert (await desk.look(url)).built_at == before.built_at


async def test_the_newest_items_are_served_and_no_more_than_allowed(desk: Desk):
    url = desk.feed(tuple(range(9, 0, -1)))
    proxy = await desk.add(url)
    await desk.execute("UPDATE proxies SET max_items = 4 WHERE feed_id = :id", id=proxy.feed_id)

    await desk.sync(url)
    await desk.run()

    text = (await desk.rss(url)).text
    assert titles(text) == [f"Entry {n}" for n in (9, 8, 7, 6)]


async def test_a_proxy_of_more_items_keeps_more_of_each_fetch(desk: Desk):
    url = desk.feed(tuple(range(60, 0, -1)))
    await desk.add(url)
    await desk.do(lambda proxies: proxies.change(url, max_items=60, actor="test"))

    await desk.sync(url)
    await desk.run()

    assert len(titles((await desk.rss(url)).text)) == 60


async def test_items_the_publisher_dropped_stay_while_there_is_room(desk: Desk):
    url = desk.feed((2, 1))
    await desk.built(url)
    desk.feed((3,))

    await desk.sync(url)
    await desk.run()

    assert titles((await desk.rss(url)).text) == ["Entry 3", "Entry 2", "Entry 1"]


async def test_an_empty_feed_is_built_too(desk: Desk):
    url = desk.feed(())

    await desk.built(url)

    reply = await desk.rss(url)
    assert reply.status == 200
    assert titles(reply.text) == []


async def test_root_domains_are_listed_set_and_cleared(desk: Desk):
    url = desk.feed()
    await desk.add(url, root_domain="one.example")

    listed = await desk.do(lambda p: p.store.root_domains())
    assert listed["one.example"] == 1
    changed = await desk.do(lambda p: p.change(url, root_domain="Two.Example", actor=ACTOR))
    assert changed.root_domain == "two.example"
    cleared = await desk.do(lambda p: p.change(url, root_domain=None, actor=ACTOR))

    assert cleared.root_domain is None
    assert "two.example" not in await desk.do(lambda p: p.store.root_domains())


async def test_a_feed_that_moves_is_served_under_its_old_address_too(desk: Desk):
    url = desk.feed((1,), "/old.xml")
    await desk.built(url)
    new = desk.feed((2, 1), "/new.xml")
    desk.publisher.redirect("/old.xml", "/new.xml", status=301)

    await desk.sync(url)
    await desk.run()

    assert (await desk.look(url)).url == new
    for address in (url, new):
        assert titles((await desk.rss(address)).text) == ["Entry 2", "Entry 1"]


async def test_operators_acts_are_audited(desk: Desk):
    url = desk.feed()
    proxy = await desk.add(url)
    await desk.do(lambda p: p.change(url, enabled=False, actor="Ada"))
    await desk.do(lambda p: p.store.delete(url, actor="Ada"))

    found = await desk.rows(
        "SELECT actor, action, before_value, after_value FROM audit_log"
        " WHERE subject = :subject ORDER BY id",
        subject=f"feed:{proxy.feed_id}",
    )
    acts = [(r["actor"], r["action"], r["before_value"], r["after_value"]) for r in found]
    assert acts == [
        (ACTOR, "proxy_added", None, url),
        ("Ada", "proxy_enabled", "true", "false"),
        ("Ada", "proxy_deleted", url, None),
    ]
