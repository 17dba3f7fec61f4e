"""Miniflux's REST API: entries and filters, feeds, categories, on both engines."""

import asyncio
import json
from typing import Any

import pytest

from feedloom.model.feed import Enclosure
from tests.journeys.sync.desk import Desk, Person, Reply
from tests.stores import article

pytestmark = [pytest.mark.both_engines, pytest.mark.asyncio(loop_scope="module")]


async def got(person: Person, path: str, **query: Any) -> Any:
    reply = await person.miniflux("GET", path, **query)
    assert reply.status == 200, reply.text
    return reply.json()


async def titles(person: Person, path: str = "/entries", **query: Any) -> list[str]:
    return [entry["title"] for entry in (await got(person, path, **query))["entries"]]


def is_empty(reply: Reply) -> bool:
    return (reply.status, reply.body) == (204, b"")


async def test_basic_and_token_sign_in(ada: Person):
    basic = await ada.ask("GET", "/v1/me", headers=ada.basic)
    token = await ada.ask("GET", "/v1/me", headers={"X-Auth-Token": ada.secret})
    none = await ada.ask("GET", "/v1/me")

    assert basic.json()["username"] == token.json()["username"] == ada.email
    assert basic.json()["id"] == ada.user.id
    assert none.status == 401
    assert list(none.json()) == ["error_message"]
    assert none.headers["www-authenticate"].startswith("Basic")


async def test_probes(ada: Person):
    assert (await ada.ask("GET", "/healthcheck")).body == b"OK"
    version = (await ada.ask("GET", "/version")).text
    about = await got(ada, "/version")
    assert about["version"] == version
    assert all(about.values())
    assert (await got(ada, "/me"))["last_login_at"].endswith("Z")
    assert (await got(ada, "/integrations/status")) == {"has_integrations": True}


async def test_an_entry_has_what_clients_read(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech")

    listed = (await got(ada, "/entries"))["entries"][0]
    single = await got(ada, "/entries/1")

    assert listed == single
    assert (single["id"], single["feed_id"], single["status"]) == (1, feed.id, "unread")
    assert (single["starred"], single["enclosures"], single["tags"]) == (False, [], [])
    assert single["published_at"] == "2026-03-01T11:59:00Z"
    assert single["content"] == "<p>one</p>"
    assert single["feed"]["category"]["title"] == "Tech"
    assert single["feed"]["feed_url"] == feed.url
    assert await got(ada, f"/feeds/{feed.id}/entries/1") == single
    assert await got(ada, f"/categories/{feed.folder_id}/entries/1") == single
    for wrong in (f"/feeds/{feed.id + 1}/entries/1", "/categories/9999/entries/1", "/entries/2"):
        assert (await ada.miniflux("GET", wrong)).status == 404


async def test_filters(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "alpha", "beta", folder="Tech")
    root = await desk.subscribe(ada, "gamma", "delta")
    await ada.miniflux("PUT", "/entries", {"entry_ids": [1, 3], "status": "read"})
    await ada.miniflux("PUT", "/entries/2/bookmark")
    root_id = (await got(ada, "/categories"))[0]["id"]
    await desk.container.indexer().catch_up()

    assert await titles(ada, order="id") == ["alpha", "beta", "gamma", "delta"]
    assert await titles(ada, order="id", direction="desc", limit=2) == ["delta", "gamma"]
    assert await titles(ada, order="id", limit=2, offset=1) == ["beta", "gamma"]
    assert await titles(ada, order="id", status="read") == ["alpha", "gamma"]
    assert await titles(ada, order="id", status="unread") == ["beta", "delta"]
    assert await titles(ada, order="id", status=["read", "unread"], limit=3) == [
        "alpha",
        "beta",
        "gamma",
    ]
    assert await titles(ada, status="removed") == []
    assert await titles(ada, starred="true") == ["beta"]
    assert await titles(ada, starred="0", order="id") == ["alpha", "gamma", "delta"]
    assert await titles(ada, before_entry_id=3, order="id") == ["alpha", "beta"]
    assert await titles(ada, after_entry_id=2, order="id") == ["gamma", "delta"]
    assert await titles(ada, search="gamma") == ["gamma"]
    assert await titles(ada, search="nothing of the kind") == []
    assert await titles(ada, search="100%_") == []
    assert await titles(ada, f"/feeds/{tech.id}/entries", order="id") == ["alpha", "beta"]
    assert await titles(ada, f"/categories/{tech.folder_id}/entries", order="id") == [
        "alpha",
        "beta",
    ]
    assert await titles(ada, category_id=root_id, order="id") == ["gamma", "delta"]
    assert await titles(ada, feed_id=root.id, order="id") == ["gamma", "delta"]
    counted = await got(ada, "/entries", limit=1, status="unread")
    assert (counted["total"], len(counted["entries"])) == (2, 1)
    assert len((await got(ada, "/entries", limit=0))["entries"]) == 4


async def test_ids_alone_are_as_the_list(desk: Desk, ada: Person):
    await desk.subscribe(ada, "b", "c", "a")
    await ada.miniflux("PUT", "/entries", {"entry_ids": [1], "status": "read"})

    assert await got(ada, "/entries/ids") == {"total": 3, "entry_ids": [1, 2, 3]}
    for query in (
        {"status": "unread"},
        {"order": "title", "direction": "desc"},
        {"limit": 1, "offset": 1},
        {"limit": 0},
        {"starred": "true"},
    ):
        listed = await got(ada, "/entries", **query)
        ids = [entry["id"] for entry in listed["entries"]]
        found = await got(ada, "/entries/ids", **query)
        assert found == {"total": listed["total"], "entry_ids": ids}, query


async def test_tags_are_the_readers_and_the_publishers(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "own", url=url)
    said = article("theirs")._replace(categories=("50%_off", "Größe"))
    await desk.publish(url, said)
    await desk.stores.reading.tag(ada.user.id, [1], "later")
    await desk.stores.reading.tag(ada.user.id, [2], "later")

    assert await titles(ada, tags="later", order="id") == ["own", "theirs"]
    assert await titles(ada, tags="50%_OFF") == ["theirs"]
    assert await titles(ada, tags=["later", "Größe"]) == ["theirs"]
    for wrong in ("50", "%", "Größ_", '"'):
        assert await titles(ada, tags=wrong) == [], wrong


async def test_operators_find_their_own_account_and_no_other(desk: Desk, ada: Person):
    operator = await desk.person()
    await desk.make_operator(operator)
    own = await got(operator, "/me")

    for name in (operator.user.id, operator.email):
        assert await got(operator, f"/users/{name}") == own
        assert (await ada.miniflux("GET", f"/users/{name}")).status == 404
    for method in ("PUT", "DELETE"):
        refused = await operator.miniflux(method, f"/users/{operator.user.id}", {})
        assert (refused.status, list(refused.json())) == (404, ["error_message"])
    for name in (ada.user.id, ada.email, 0, "nobody"):
        assert (await operator.miniflux("GET", f"/users/{name}")).status == 404


async def test_what_there_is_not_asks_for_sign_in_first(ada: Person):
    for method, path in (("GET", "/users"), ("POST", "/api-keys"), ("PATCH", "/a/b")):
        stranger = await ada.ask(method, f"/v1{path}")
        known = await ada.miniflux(method, path, {})

        assert (stranger.status, known.status) == (401, 404)
        assert list(stranger.json()) == list(known.json()) == ["error_message"]


async def test_times(desk: Desk, ada: Person):
    # Published one minute apart, the last at 2026-03-01 11:59.
    await desk.subscribe(ada, "first", "second", "third")
    second = 1772366280

    assert await titles(ada, before=second) == ["first"]
    assert await titles(ada, after=second) == ["third"]
    assert await titles(ada, published_after=second - 1) == ["second", "third"]
    assert await titles(ada, published_before=second + 1) == ["first", "second"]
    assert await titles(ada, changed_after=4_000_000_000) == []
    assert await titles(ada, changed_before=1) == []
    assert len(await titles(ada, changed_after=1)) == 3


async def test_orders(desk: Desk, ada: Person):
    await desk.subscribe(ada, "b", "c", folder="Zoo")
    await desk.subscribe(ada, "a", folder="Arts")
    await ada.miniflux("PUT", "/entries", {"entry_ids": [1], "status": "read"})

    expected = {
        "id": ["b", "c", "a"],
        "created_at": ["b", "c", "a"],
        "title": ["a", "b", "c"],
        "status": ["b", "c", "a"],
        "category_title": ["a", "b", "c"],
        "category_id": ["a", "b", "c"],
        "changed_at": ["c", "a", "b"],
        "author": ["b", "c", "a"],
    }
    for order, forward in expected.items():
        assert await titles(ada, order=order, direction="asc") == forward, order
        backward = await titles(ada, order=order, direction="desc")
        assert backward == forward[::-1], order
    assert await titles(ada, order="published_at") == ["b", "c", "a"]
    assert await titles(ada) == ["b", "c", "a"]
    assert await titles(ada, order="title", limit=1, offset=1) == ["b"]


@pytest.mark.parametrize(
    "query",
    [
        "order=colour",
        "direction=up",
        "status=eaten",
        "limit=-1",
        "offset=-1",
        "limit=x",
        "starred=maybe",
    ],
)
async def test_a_question_nobody_can_answer_is_400(ada: Person, query: str):
    reply = await ada.miniflux("GET", f"/entries?{query}")

    assert reply.status == 400
    assert list(reply.json()) == ["error_message"]


async def test_marks(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")

    done = await ada.miniflux("PUT", "/entries", {"entry_ids": [1, 77], "status": "read"})
    assert is_empty(done)
    assert await titles(ada, status="unread") == ["two"]
    assert is_empty(await ada.miniflux("PUT", "/entries/1/bookmark"))
    assert await titles(ada, starred="true") == ["one"]
    assert is_empty(await ada.miniflux("PUT", "/entries/1/bookmark"))
    assert await titles(ada, starred="true") == []
    removed = {"entry_ids": [2], "status": "removed"}
    assert is_empty(await ada.miniflux("PUT", "/entries", removed))
    assert await titles(ada) == ["one"]
    assert await titles(ada, status="removed") == ["two"]
    assert (await ada.miniflux("GET", "/entries/2")).status == 404
    starred = {"entry_ids": [1, 77], "starred": True, "status": "unread"}
    assert is_empty(await ada.miniflux("PUT", "/entries", starred))
    assert await titles(ada, starred="true", status="unread") == ["one"]
    unstarred = {"entry_ids": [1], "starred": False}
    assert is_empty(await ada.miniflux("PUT", "/entries", unstarred))
    assert await titles(ada, starred="true") == []
    for wrong in ({"entry_ids": [1]}, {"status": "read"}, {"entry_ids": [1], "status": "x"}):
        assert (await ada.miniflux("PUT", "/entries", wrong)).status == 400
    assert (await ada.miniflux("PUT", "/entries/77/bookmark")).status == 404


async def test_marking_places_read(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", folder="Tech")
    feed = await desk.subscribe(ada, "b")
    await desk.subscribe(ada, "c")

    async def left(path: str) -> list[str]:
        assert is_empty(await ada.miniflux("PUT", f"{path}/mark-all-as-read"))
        return await titles(ada, status="unread", order="id")

    assert await left(f"/feeds/{feed.id}") == ["a", "c"]
    assert await left(f"/categories/{tech.folder_id}") == ["c"]
    assert await left(f"/users/{ada.user.id}") == []
    for wrong in ("/feeds/9999", "/categories/9999", f"/users/{ada.user.id + 1}"):
        reply = await ada.miniflux("PUT", f"{wrong}/mark-all-as-read")
        assert reply.status == 404


async def test_history_is_flushed_but_for_stars(desk: Desk, ada: Person):
    await desk.subscribe(ada, "read", "starred", "unread")
    await ada.miniflux("PUT", "/entries", {"entry_ids": [1, 2], "status": "read"})
    await ada.miniflux("PUT", "/entries/2/bookmark")

    reply = await ada.miniflux("DELETE", "/flush-history")

    assert reply.status == 202
    assert await titles(ada, order="id") == ["starred", "unread"]
    assert await titles(ada, status="removed") == ["read"]
    assert await titles(ada, status="read") == ["starred"]


async def test_feed_life(desk: Desk, ada: Person):
    category = (await ada.miniflux("POST", "/categories", {"title": "Tech"})).json()
    url = await desk.published("x", "y")
    made = await ada.miniflux(
        "POST", "/feeds", {"feed_url": url, "category_id": category["id"], "crawler": True}
    )
    assert made.status == 201
    path = f"/feeds/{made.json()['feed_id']}"
    shown = await got(ada, path)
    assert (shown["feed_url"], shown["category"]["title"]) == (url, "Tech")
    assert shown["crawler"] is True
    again = await ada.miniflux("POST", "/feeds", {"feed_url": url})
    assert (again.status, list(again.json())) == (400, ["error_message"])
    assert (await ada.miniflux("POST", "/feeds", {})).status == 400

    changed = await ada.miniflux("PUT", path, {"title": "New", "user_agent": "Own/1"})
    assert (changed.status, changed.json()["title"]) == (201, "New")
    assert changed.json()["user_agent"] == "Own/1"
    other = await desk.published("z")
    moved = await ada.miniflux("PUT", path, {"feed_url": other})
    assert moved.json()["feed_url"] == other
    assert (await ada.miniflux("PUT", path, {"category_id": 99_999})).status == 404
    outside = await ada.miniflux("PUT", path, {"category_id": 0})
    assert outside.json()["category"]["title"] == "All"
    await ada.miniflux("PUT", path, {"category_id": category["id"]})
    async with desk.working():
        assert is_empty(await ada.miniflux("PUT", f"{path}/refresh"))

    assert [feed["title"] for feed in await got(ada, "/feeds")] == ["New"]
    inside = await got(ada, f"/categories/{category['id']}/feeds")
    assert [feed["title"] for feed in inside] == ["New"]
    assert is_empty(await ada.miniflux("DELETE", path))
    assert await got(ada, "/feeds") == []
    for method, end in (
        ("GET", ""),
        ("PUT", ""),
        ("DELETE", ""),
        ("PUT", "/refresh"),
        ("GET", "/icon"),
    ):
        assert (await ada.miniflux(method, path + end, {})).status == 404


async def test_refreshing_a_feed_answers_after_the_fetch(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada)
    before = await got(ada, f"/feeds/{feed.id}")

    asked = asyncio.create_task(ada.miniflux("PUT", f"/feeds/{feed.id}/refresh"))
    await asyncio.sleep(0.1)
    was_done = asked.done()
    await desk.deliver(feed.url, "one")
    fetched = await asked
    asked = asyncio.create_task(ada.miniflux("PUT", f"/feeds/{feed.id}/refresh"))
    await asyncio.sleep(0.1)
    await desk.stores.execute(
        "UPDATE feeds SET last_attempt_at = now_us(), last_fetch_error = 'No answer.'"
        " WHERE id = :id",
        id=feed.feed_id,
    )
    failed = await asked
    after = await got(ada, f"/feeds/{feed.id}")

    assert not was_done
    assert is_empty(fetched)
    assert await titles(ada) == ["one"]
    assert (failed.status, failed.json()) == (400, {"error_message": "No answer."})
    assert before["last_successful_refresh_at"] is None
    assert after["last_successful_refresh_at"] < after["checked_at"]


async def test_the_place_of_dropped_feeds_is_not_fetched(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one")
    await ada.miniflux("PUT", "/entries/1/bookmark")
    await ada.miniflux("DELETE", f"/feeds/{feed.id}")
    (left,) = await got(ada, "/feeds")

    async with asyncio.timeout(5):
        refreshed = await ada.miniflux("PUT", f"/feeds/{left['id']}/refresh")

    assert left["title"] == "Unsubscribed"
    assert is_empty(refreshed)


async def test_no_category_is_the_root_and_a_wrong_one_adds_nothing(desk: Desk, ada: Person):
    url = await desk.published("x")
    wrong = {"feed_url": url, "category_id": 99_999}
    assert (await ada.miniflux("POST", "/feeds", wrong)).status == 404
    assert await got(ada, "/feeds") == []

    made = await ada.miniflux("POST", "/feeds", {"feed_url": url, "category_id": 0})

    assert made.status == 201
    shown = await got(ada, f"/feeds/{made.json()['feed_id']}")
    assert shown["category"]["title"] == "All"


async def test_refreshing_all_says_when_it_is_too_early(desk: Desk, ada: Person):
    assert is_empty(await ada.miniflux("PUT", "/feeds/refresh"))
    await desk.subscribe(ada, "one")

    await desk.stores.execute("UPDATE feeds SET last_attempt_at = now_us() - 60000000")
    early = await ada.miniflux("PUT", "/feeds/refresh")
    await desk.stores.execute("UPDATE feeds SET last_attempt_at = 1")
    later = await ada.miniflux("PUT", "/feeds/refresh")

    assert early.status == 429
    assert 0 < int(early.headers["retry-after"]) <= 240
    assert "Try again in" in early.json()["error_message"]
    assert is_empty(later)


async def test_what_is_sent_along_with_each_fetch(desk: Desk, ada: Person):
    url = await desk.published("x")
    said = {"feed_url": url, "user_agent": "Own/1", "cookie": "key=1"}
    made = (await ada.miniflux("POST", "/feeds", said)).json()["feed_id"]

    async def kept() -> tuple[str | None, str | None]:
        feed = await desk.subscriptions.subscription(ada.user.id, made)
        return feed.user_agent, feed.cookie

    assert await kept() == ("Own/1", "key=1")
    shown = await got(ada, f"/feeds/{made}")
    assert (shown["user_agent"], shown["cookie"]) == ("Own/1", "")
    await ada.miniflux("PUT", f"/feeds/{made}", {"user_agent": "", "cookie": ""})
    assert await kept() == (None, "key=1")
    for wrong in ({"user_agent": "a\r\nb"}, {"cookie": "ü"}, {"cookie": "x" * 5000}):
        assert (await ada.miniflux("PUT", f"/feeds/{made}", wrong)).status == 400
    assert await kept() == (None, "key=1")


async def test_what_is_said_of_a_feed_is_kept(desk: Desk, ada: Person):
    url = await desk.published("x")
    said = {
        "scraper_rules": "article > .text",
        "blocklist_rules": "(?i)sponsored",
        "keeplist_rules": "News",
        "ignore_http_cache": True,
        "hide_globally": True,
        "disabled": True,
        "crawler": True,
    }
    made = await ada.miniflux("POST", "/feeds", {"feed_url": url} | said)
    path = f"/feeds/{made.json()['feed_id']}"

    shown = await got(ada, path)
    assert {name: shown[name] for name in said} == said
    off = dict.fromkeys(said, "") | {name: False for name, value in said.items() if value is True}
    changed = await ada.miniflux("PUT", path, off)
    assert {name: changed.json()[name] for name in said} == off
    rules = await desk.container.services().rules.store.rules(ada.user.id)
    assert rules == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"scraper_rules": "div["},
        {"scraper_rules": "a" * 501},
        {"blocklist_rules": "(?=x)"},
        {"keeplist_rules": "("},
        {"rewrite_rules": "add_image_title"},
        {"fetch_via_proxy": True},
        {"allow_self_signed_certificates": True},
        {"block_filter_entry_rules": "EntryTitle=x"},
        {"ignore_entry_updates": True},
        {"password": "alone"},
        {"site_url": "https://elsewhere.example/"},
    ],
)
async def test_what_cannot_be_kept_is_refused_with_a_sentence(
    desk: Desk, ada: Person, wrong: dict[str, object]
):
    feed = await desk.subscribe(ada)
    changed = await ada.miniflux("PUT", f"/feeds/{feed.id}", wrong)
    assert (changed.status, list(changed.json())) == (400, ["error_message"])

    if "site_url" not in wrong:
        new = {"feed_url": await desk.published("x")} | wrong
        assert (await ada.miniflux("POST", "/feeds", new)).status == 400
        assert len(await got(ada, "/feeds")) == 1


async def test_a_password_goes_with_the_address_and_is_not_shown(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, url="https://login.example/feed.xml")
    path = f"/feeds/{feed.id}"

    async def address() -> str:
        return (await desk.subscriptions.subscription(ada.user.id, feed.id)).url

    said = {"username": "ada@x", "password": "p:w/d"}
    shown = (await ada.miniflux("PUT", path, said)).json()
    assert await address() == "https://ada%40x:p%3Aw%2Fd@login.example/feed.xml"
    assert (shown["username"], shown["password"]) == ("ada@x", "")
    assert shown["feed_url"] == "https://login.example/feed.xml"
    await ada.miniflux("PUT", path, {"username": "bob"})
    assert await address() == "https://bob:p%3Aw%2Fd@login.example/feed.xml"
    assert (await ada.miniflux("PUT", path, {"username": ""})).status == 400


async def test_block_and_keep_lists_hide_what_arrives(desk: Desk, ada: Person):
    url = desk.new_url()
    feed = await desk.subscribe(ada, url=url)
    lists = {"blocklist_rules": "Advert", "keeplist_rules": "^(News|Adv)"}
    await ada.miniflux("PUT", f"/feeds/{feed.id}", lists)

    await desk.deliver(url, "News today", "news", "News: Advert", "Weather")
    await desk.do_tasks()

    assert await titles(ada) == ["News today"]


async def test_what_is_hidden_globally_is_still_in_its_feed(desk: Desk, ada: Person):
    one = await desk.subscribe(ada, "one")
    inside = await desk.subscribe(ada, "inside", folder="Tech")
    await desk.subscribe(ada, "shown")
    await ada.miniflux("PUT", f"/feeds/{one.id}", {"hide_globally": True})
    path = f"/categories/{inside.folder_id}"
    hidden = await ada.miniflux("PUT", path, {"hide_globally": True})

    assert (hidden.json()["title"], hidden.json()["hide_globally"]) == ("Tech", True)
    assert await titles(ada, globally_visible="true") == ["shown"]
    assert sorted(await titles(ada)) == ["inside", "one", "shown"]
    assert await titles(ada, f"/feeds/{one.id}/entries") == ["one"]
    again = await ada.miniflux("PUT", path, {"hide_globally": False})
    assert again.json()["hide_globally"] is False
    made = {"title": "Far", "hide_globally": True}
    assert (await ada.miniflux("POST", "/categories", made)).json()["hide_globally"]


async def test_an_entry_gets_a_title_and_a_text_of_ones_own(desk: Desk, ada: Person, bob: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "one", url=url)
    await desk.subscribe(bob, url=url)
    said = {"title": "Mine <b>", "content": "<p>own</p><script>x</script>"}

    changed = await ada.miniflux("PUT", "/entries/1", said)

    assert (changed.status, changed.json()["title"]) == (201, "Mine <b>")
    assert changed.json()["content"] == "<p>own</p>"
    assert await got(ada, "/entries/1") == changed.json()
    assert await titles(ada) == ["Mine <b>"]
    assert await titles(bob) == ["one"]
    await ada.miniflux("PUT", "/entries/1", {"title": "Only this"})
    assert (await got(ada, "/entries/1"))["content"] == "<p>own</p>"
    for wrong in ({}, {"title": " "}, {"content": ""}):
        assert (await ada.miniflux("PUT", "/entries/1", wrong)).status == 400
    assert (await ada.miniflux("PUT", "/entries/77", said)).status == 404


async def test_an_entry_is_imported_for_one_person_once(desk: Desk, ada: Person, bob: Person):
    url = desk.new_url()
    feed = await desk.subscribe(ada, "one", url=url)
    await desk.subscribe(bob, url=url)
    path = f"/feeds/{feed.id}/entries/import"
    said = {
        "url": "https://old.example/a",
        "title": "Old",
        "content": "<p>x</p><script>y</script>",
        "author": "Eve",
        "published_at": 1_600_000_000,
        "status": "unread",
        "starred": True,
        "tags": ["a", "b"],
        "external_id": "e1",
    }

    made = await ada.miniflux("POST", path, said)
    again = await ada.miniflux("POST", path, said | {"status": "read"})
    later = await ada.miniflux("POST", path, {"url": "https://old.example/b"})

    assert (made.status, again.status, later.status) == (201, 200, 201)
    assert made.json() == again.json()
    entry = await got(ada, f"/entries/{made.json()['id']}")
    assert (entry["feed_id"], entry["title"], entry["content"]) == (feed.id, "Old", "<p>x</p>")
    assert (entry["status"], entry["starred"], entry["author"]) == ("read", True, "Eve")
    assert (entry["tags"], entry["published_at"]) == (["a", "b"], "2020-09-13T12:26:40Z")
    bare = await got(ada, f"/entries/{later.json()['id']}")
    assert (bare["title"], bare["status"]) == ("https://old.example/b", "read")
    assert await titles(bob) == ["one"]
    eve = await desk.person()
    await desk.subscribe(eve, url=url)
    assert await titles(eve) == ["one"]
    for wrong in ({}, {"url": "nonsense"}, said | {"status": "removed"}):
        assert (await ada.miniflux("POST", path, wrong)).status == 400
    assert (await bob.miniflux("POST", path, said)).status == 404


async def test_the_place_in_a_file_is_ones_own(desk: Desk, ada: Person, bob: Person):
    url = desk.new_url()
    for person in (ada, bob):
        await desk.subscribe(person, url=url)
    file = Enclosure("https://x.example/a.mp3", "audio/mpeg", 99)
    await desk.publish(url, article("podcast")._replace(enclosures=(file,)))
    number = (await got(ada, "/entries/1"))["enclosures"][0]["id"]

    done = await ada.miniflux("PUT", f"/enclosures/{number}", {"media_progression": 20})

    assert is_empty(done)
    assert (await got(ada, f"/enclosures/{number}"))["media_progression"] == 20
    listed = (await got(ada, "/entries"))["entries"][0]["enclosures"]
    assert listed[0]["media_progression"] == 20
    assert (await got(bob, f"/enclosures/{number}"))["media_progression"] == 0
    for wrong in ({}, {"media_progression": -1}, {"media_progression": "x"}):
        reply = await ada.miniflux("PUT", f"/enclosures/{number}", wrong)
        assert reply.status == 400
    unknown = await ada.miniflux("PUT", "/enclosures/101", {"media_progression": 1})
    assert unknown.status == 404


async def test_what_is_null_is_left_alone(desk: Desk, ada: Person):
    # The published Go client names every field and means those that are not null.
    feed = await desk.subscribe(ada, "one", title="Blog", folder="Tech")
    path = f"/feeds/{feed.id}"
    await ada.miniflux("PUT", path, {"crawler": True, "user_agent": "Own/1"})
    before = await got(ada, path)
    names = ("feed_url", "title", "category_id", "crawler", "user_agent", "disabled")

    changed = await ada.miniflux("PUT", path, dict.fromkeys(names))

    assert (changed.status, changed.json()) == (201, before)
    assert (before["crawler"], before["user_agent"]) == (True, "Own/1")


async def test_counters(desk: Desk, ada: Person):
    one = await desk.subscribe(ada, "a", "b")
    await desk.subscribe(ada)
    await ada.miniflux("PUT", "/entries", {"entry_ids": [1], "status": "read"})

    counted = await got(ada, "/feeds/counters")

    assert counted == {"reads": {str(one.id): 1}, "unreads": {str(one.id): 1}}


async def test_icons(desk: Desk, ada: Person, bob: Person):
    url = desk.new_url()
    feed = await desk.subscribe(ada, "one", url=url)
    bare = await desk.subscribe(ada)
    await desk.give_icon(url, "image/png", b"\x89PNG")

    icon = await got(ada, f"/feeds/{feed.id}/icon")

    assert icon["mime_type"] == "image/png"
    assert icon["data"] == "image/png;base64,iVBORw=="
    assert await got(ada, f"/icons/{icon['id']}") == icon
    assert (await ada.miniflux("GET", f"/feeds/{bare.id}/icon")).status == 404
    assert (await bob.miniflux("GET", f"/icons/{icon['id']}")).status == 404


async def test_category_life(desk: Desk, ada: Person):
    made = await ada.miniflux("POST", "/categories", {"title": "Tech"})
    assert (made.status, made.json()["title"]) == (201, "Tech")
    assert (await ada.miniflux("POST", "/categories", {"title": "Tech"})).status == 400
    assert (await ada.miniflux("POST", "/categories", {})).status == 400
    path = f"/categories/{made.json()['id']}"
    renamed = await ada.miniflux("PUT", path, {"title": "Science"})
    assert (renamed.status, renamed.json()["title"]) == (201, "Science")
    untouched = await ada.miniflux("PUT", path, {})
    assert (untouched.status, untouched.json()) == (201, renamed.json())
    feed = await desk.subscribe(ada, "a", folder="Science")

    listed = await got(ada, "/categories")
    counted = await got(ada, "/categories", counts="true")
    root = listed[0]["id"]

    assert [c["title"] for c in listed] == ["All", "Science"]
    assert "feed_count" not in listed[0]
    assert [(c["feed_count"], c["total_unread"]) for c in counted] == [(0, 0), (1, 1)]
    assert is_empty(await ada.miniflux("PUT", f"{path}/refresh"))
    assert (await ada.miniflux("PUT", f"/categories/{root}", {"title": "x"})).status == 400
    assert (await ada.miniflux("DELETE", f"/categories/{root}")).status == 404
    assert is_empty(await ada.miniflux("DELETE", path))
    assert (await ada.miniflux("GET", f"/feeds/{feed.id}")).status == 404
    for method in ("PUT", "DELETE"):
        assert (await ada.miniflux(method, path, {"title": "x"})).status == 404


async def test_an_entry_is_saved_among_the_bookmarks(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")

    reply = await ada.miniflux("POST", "/entries/1/save")

    assert (reply.status, reply.body) == (202, b"")
    assert (await ada.miniflux("POST", "/entries/2/save")).status == 404
    rows = await desk.stores.rows("SELECT title FROM bookmarks WHERE user_id = :id", id=ada.user.id)
    assert [row["title"] for row in rows] == ["one"]


async def test_lists_of_feeds_come_in_and_go_out(desk: Desk, ada: Person, bob: Person):
    await desk.subscribe(ada, title="Inside", folder="Tech", url="https://in.example/f")
    await desk.subscribe(ada, title="Outside", url="https://out.example/f")

    out = await ada.miniflux("GET", "/export")
    async with desk.working():
        done = await bob.ask(
            "POST", "/v1/import", headers={"X-Auth-Token": bob.secret}, body=out.body
        )

    assert out.headers["content-type"].startswith("text/xml")
    assert (done.status, list(done.json())) == (201, ["message"])
    shown = {f["title"]: f["category"]["title"] for f in await got(bob, "/feeds")}
    assert shown == {"Inside": "Tech", "Outside": "All"}
    for wrong in (b"", b"<opml", b"no list at all"):
        reply = await bob.ask(
            "POST", "/v1/import", headers={"X-Auth-Token": bob.secret}, body=wrong
        )
        assert reply.status == 400


async def test_long_lists_are_sent_in_parts(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    for start in range(0, 450, 150):
        await desk.deliver(url, *(f"t{n}" for n in range(start, start + 150)))

    reply = await ada.miniflux("GET", "/entries", limit=0, order="published_at", offset=10)

    entries = reply.json()["entries"]
    assert len({entry["id"] for entry in entries}) == len(entries) == 440
    assert reply.chunks >= 3


async def test_enclosures(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "plain", url=url)
    files = (
        Enclosure("https://x.example/a.mp3", "audio/mpeg", 99),
        Enclosure("https://x.example/b"),
    )
    await desk.publish(url, article("podcast")._replace(enclosures=files))

    shown = (await got(ada, "/entries/2"))["enclosures"]

    assert [(e["url"], e["mime_type"], e["size"]) for e in shown] == [
        ("https://x.example/a.mp3", "audio/mpeg", 99),
        ("https://x.example/b", "application/octet-stream", 0),
    ]
    assert [await got(ada, f"/enclosures/{e['id']}") for e in shown] == shown
    for wrong in ("100", "202", "x", "9" * 30, "0"):
        assert (await ada.miniflux("GET", f"/enclosures/{wrong}")).status == 404


async def test_full_texts_are_fetched_for_the_client(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")
    before = (await got(ada, "/entries/1"))["changed_at"]
    await desk.stores.execute(
        "UPDATE article_states SET last_modified = 1 WHERE user_id = :id", id=ada.user.id
    )
    await desk.keep_full_text(ada, 1, "<p>All of it.</p>")

    known = await got(ada, "/entries/1/fetch-content")
    async with desk.working():
        unreadable = await got(ada, "/entries/2/fetch-content")

    assert known["content"] == "<p>All of it.</p>"
    assert unreadable["content"] == "<p>two</p>"
    assert (await got(ada, "/entries/1"))["content"] == "<p>All of it.</p>"
    assert (await got(ada, "/entries/1"))["changed_at"] >= before
    assert (await ada.miniflux("GET", "/entries/9/fetch-content")).status == 404


@pytest.mark.parametrize("order", ["title", "changed_at", "status", "author"])
async def test_long_lists_are_whole_in_any_order(
    desk: Desk, ada: Person, order: str, monkeypatch: pytest.MonkeyPatch
):
    await desk.subscribe(ada, *(f"number {n:03}" for n in range(25)))
    monkeypatch.setattr("feedloom.serve.sync.miniflux.entries._UNKEYED_BLOCK", 10)

    for limit, found in ((0, 25), (7, 7), (20, 20), (100, 25)):
        listed = await titles(ada, order=order, limit=limit)
        assert len(listed) == len(set(listed)) == found
    assert len(await titles(ada, order=order, limit=30, offset=9)) == 16


async def test_what_was_removed_comes_back_as_unread(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    for status, shown in (("removed", []), ("read", []), ("unread", ["one"])):
        await ada.miniflux("PUT", "/entries", {"entry_ids": [1], "status": status})
        assert await titles(ada) == shown
    assert (await got(ada, "/entries/1"))["status"] == "unread"


async def test_a_password_that_is_not_shown_is_not_lost(desk: Desk, ada: Person):
    secret = desk.new_url().replace("https://", "https://u:pw@")
    feed = await desk.subscribe(ada, "one", url=secret)
    shown = await got(ada, f"/feeds/{feed.id}")

    await ada.miniflux(
        "PUT",
        f"/feeds/{feed.id}",
        {"feed_url": shown["feed_url"], "title": "Renamed", "category_id": 0},
    )
    patched = await ada.ask(
        "PATCH",
        f"/feeds/{feed.id}",
        headers={
            "Authorization": f"Bearer {ada.secret}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        },
        body=json.dumps({"url": shown["feed_url"], "title": "Again"}).encode(),
    )

    assert patched.status == 200, patched.text
    kept = await desk.subscriptions.subscription(ada.user.id, feed.id)
    assert (kept.url, kept.title) == (secret, "Again")
    other = shown["feed_url"] + "?page=2"
    await ada.miniflux("PUT", f"/feeds/{feed.id}", {"feed_url": other})
    moved = await desk.subscriptions.subscription(ada.user.id, feed.id)
    assert moved.url == f"{secret}?page=2"
    await ada.miniflux("PUT", f"/feeds/{feed.id}", {"feed_url": shown["feed_url"]})
    stream = f"feed/{shown['feed_url']}"
    assert await ada.stream_ids(stream) == [1]
    reply = await ada.greader("GET", f"stream/contents/{stream}")
    assert "pw" not in reply.text
