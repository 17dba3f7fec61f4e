"""Feedbin's API, as its published documents say, on both engines."""

import re
from typing import Any

import pytest

from feedloom.model.feed import CleanHTML, Enclosure
from tests.factories_feeds import entry
from tests.journeys.sync.desk import Desk, Person, Reply
from tests.publisher import Publisher, PublisherThread
from tests.stores import article

pytestmark = [pytest.mark.both_engines, pytest.mark.asyncio(loop_scope="module")]

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
NOBODYS = 2**31 - 1


async def got(person: Person, path: str, **query: Any) -> Any:
    reply = await person.feedbin("GET", path, **query)
    assert reply.status == 200, reply.text
    return reply.json()


async def ids(person: Person, path: str = "/entries", **query: Any) -> list[int]:
    return [entry["id"] for entry in await got(person, path, **query)]


def links(reply: Reply) -> dict[str, str]:
    found = re.findall(r'<([^>]+)>; rel="(\w+)"', reply.headers["link"])
    return {rel: address for address, rel in found}


async def test_feedbin_signs_in_with_basic(ada: Person):
    right = await ada.feedbin("GET", "/authentication")
    token = {"Authorization": f"Bearer {ada.secret}"}
    others = [
        await ada.ask("GET", "/v2/authentication.json", headers=headers) for headers in ({}, token)
    ]

    assert right.status == 200
    for refused in others:
        assert refused.status == 401
        assert refused.headers["www-authenticate"].startswith("Basic")
        assert list(refused.json()) == ["status", "message"]


async def test_feedbin_subscription_life(desk: Desk, ada: Person):
    url = await desk.published("x")

    made = await ada.feedbin("POST", "/subscriptions", {"feed_url": url})
    again = await ada.feedbin("POST", "/subscriptions", {"feed_url": f"{url}#top"})

    shown = made.json()
    path = f"/subscriptions/{shown['id']}"
    assert (made.status, again.status) == (201, 302)
    assert made.headers["location"].endswith(f"/v2{path}.json")
    assert again.headers["location"] == made.headers["location"]
    assert again.json() == shown == await got(ada, path)
    assert list(shown) == [*("id", "created_at", "feed_id", "title", "feed_url", "site_url")]
    assert MOMENT.fullmatch(shown["created_at"])
    feed = await got(ada, f"/feeds/{shown['feed_id']}")
    assert list(feed) == ["id", "title", "feed_url", "site_url"]

    changed = await ada.feedbin("PATCH", path, {"title": " My  own "})
    assert (changed.status, changed.json()["title"]) == (200, "My own")
    other = await ada.feedbin("POST", f"{path}/update", {"title": "Other"})
    assert other.json()["title"] == "Other"
    assert (await ada.feedbin("PATCH", path, {})).status == 400
    left = await ada.feedbin("DELETE", path)
    assert (left.status, left.body) == (204, b"")
    for method in ("GET", "PATCH", "DELETE"):
        assert (await ada.feedbin(method, path, {"title": "x"})).status == 404


async def test_feedbin_lists_what_was_added_since(desk: Desk, ada: Person):
    await desk.subscribe(ada, title="First")
    second = await desk.subscribe(ada, title="Second")

    listed = await got(ada, "/subscriptions")
    assert {feed["title"] for feed in listed} == {"First", "Second"}
    times = {feed["title"]: feed["created_at"] for feed in listed}
    later = await got(ada, "/subscriptions", since=times["First"])
    assert [feed["id"] for feed in later] == [second.id]
    assert await got(ada, "/subscriptions", since=times["Second"]) == []
    east = times["First"].replace("Z", "+00:00")
    assert await got(ada, "/subscriptions", since=east) == later
    wrong = await ada.feedbin("GET", "/subscriptions", since="yesterday")
    assert wrong.status == 400


def home_of(site: Publisher, path: str, **feeds: str) -> str:
    """Place a page that links to these feeds."""
    head = "".join(
        f'<link rel="alternate" type="application/rss+xml" title="{n}" href="{u}">'
        for n, u in feeds.items()
    )
    return site.page(path, f"<html><head>{head}</head><body>Hello</body></html>")


async def test_feedbin_asks_which_of_several_feeds_is_meant(ada: Person):
    with PublisherThread() as site:
        feeds = {
            name: site.feed(f"/{name}.xml", title=name, entries=[entry(number)])
            for number, name in ((10, "News"), (20, "Sport"))
        }
        home = home_of(site, "/", **feeds)
        several = await ada.feedbin("POST", "/subscriptions", {"feed_url": home})

    assert several.status == 300
    assert {one["title"]: one["feed_url"] for one in several.json()} == feeds
    assert await got(ada, "/subscriptions") == []


async def test_feedbin_finds_the_subscription_that_a_site_leads_to(desk: Desk, ada: Person):
    with PublisherThread() as site:
        feed = await desk.subscribe(ada, url=site.feed("/only.xml"))
        home = home_of(site, "/", Only=feed.url)
        found = await ada.feedbin("POST", "/subscriptions", {"feed_url": home})

    assert (found.status, found.json()["id"]) == (302, feed.id)


async def test_feedbin_says_that_there_is_no_feed(ada: Person):
    for nothing in ("https://nowhere.invalid/", "no address at all"):
        reply = await ada.feedbin("POST", "/subscriptions", {"feed_url": nothing})
        assert (reply.status, list(reply.json())) == (404, ["status", "message"])
    assert (await ada.feedbin("POST", "/subscriptions", {})).status == 400


async def test_feedbin_entries_have_every_documented_field(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada)
    sound = Enclosure("https://media.example/a.mp3", "audio/mpeg", 12345)
    bare = article("bare")._replace(title="", author=None, content=CleanHTML(""), summary="")
    await desk.publish(feed.url, article("one")._replace(enclosures=(sound,)), bare)

    first, last = sorted(await got(ada, "/entries"), key=lambda e: bool(e["content"]))

    assert list(last) == [
        *("id", "feed_id", "title", "author", "summary", "content", "url"),
        *("extracted_content_url", "published", "created_at"),
    ]
    assert (last["feed_id"], last["title"]) == (feed.id, "one")
    assert MOMENT.fullmatch(last["published"])
    assert MOMENT.fullmatch(last["created_at"])
    assert (first["title"], first["author"], first["content"]) == (None, None, None)
    more = await got(ada, f"/entries/{last['id']}", mode="extended")
    assert more == last | {
        "original": None,
        "images": None,
        "enclosure": {
            "enclosure_url": "https://media.example/a.mp3",
            "enclosure_type": "audio/mpeg",
            "enclosure_length": "12345",
        },
    }
    heard = await got(ada, "/entries", include_enclosure="true")
    assert {entry["id"]: entry["enclosure"] for entry in heard} == {
        last["id"]: more["enclosure"],
        first["id"]: None,
    }


async def test_feedbin_filters_entries(desk: Desk, ada: Person):
    one = await desk.subscribe(ada, "a", "b", "c")
    await desk.subscribe(ada, "d")
    await ada.feedbin("DELETE", "/unread_entries", {"unread_entries": [2]})
    await ada.feedbin("POST", "/starred_entries", {"starred_entries": [3]})
    times = {e["id"]: e["created_at"] for e in await got(ada, "/entries")}

    assert await ids(ada) == [4, 3, 2, 1]
    assert await ids(ada, read="false") == [4, 3, 1]
    assert await ids(ada, read="true") == [2]
    assert await ids(ada, starred="true") == [3]
    assert await ids(ada, ids="4,1,77,x") == [4, 1]
    assert await ids(ada, since=times[3]) == [4]
    assert await ids(ada, f"/feeds/{one.id}/entries", read="false") == [3, 1]
    assert await ids(ada, mode="extended") == [4, 3, 2, 1]
    many = ",".join(map(str, range(1, 102)))
    for wrong in ({"ids": many}, {"page": 0}, {"per_page": -1}, {"read": "maybe"}):
        assert (await ada.feedbin("GET", "/entries", **wrong)).status == 400
    for missing in ("/entries/77", "/feeds/77/entries"):
        assert (await ada.feedbin("GET", missing)).status == 404


async def test_feedbin_pages_name_one_another(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, *"abcde")
    path = f"/feeds/{feed.id}/entries"
    address = f"/v2{path}.json?per_page=2"
    found: list[int] = []
    named: dict[str, str] = {}
    for _ in range(3):
        reply = await ada.ask("GET", address, headers=ada.basic)
        assert reply.headers["x-feedbin-record-count"] == "5"
        found += [entry["id"] for entry in reply.json()]
        named = links(reply)
        address = named.get("next", address).removeprefix("http://feeds.example")

    assert found == [5, 4, 3, 2, 1]
    assert sorted(named) == ["first", "last", "prev"]
    assert named["prev"].endswith(f"{path}.json?per_page=2&page=2")
    assert (await ada.feedbin("GET", path, page=4, per_page=2)).status == 404
    alone = await ada.feedbin("GET", path, per_page=500)
    assert "link" not in alone.headers
    nobody = await desk.person()
    assert await got(nobody, "/entries", page=1) == []


async def test_feedbin_marks_answer_with_what_they_marked(desk: Desk, ada: Person):
    await desk.subscribe(ada, "a", "b", "c")

    for kind, first, undo in (("unread", "DELETE", "POST"), ("starred", "POST", "DELETE")):
        path, name = f"/{kind}_entries", f"{kind}_entries"
        before = await got(ada, path)
        done = await ada.feedbin(first, path, {name: [1, 3, 99, "x"]})
        assert (done.status, done.json()) == (200, [1, 3])
        assert await got(ada, path) != before
        undone = await ada.feedbin(undo, path, {name: [1, 3]})
        assert undone.json() == [1, 3]
        assert await got(ada, path) == before
        deleted = await ada.feedbin("POST", f"{path}/delete", {name: [3]})
        assert deleted.json() == [3]
        assert 3 not in await got(ada, path)
        many = await ada.feedbin(first, path, {name: list(range(1001))})
        assert many.status == 400


async def test_feedbin_shows_again_what_is_unread_again(desk: Desk, ada: Person):
    await desk.subscribe(ada, "a", "b")
    await desk.stores.reading.mark(ada.user.id, [1], "hidden")

    assert await ids(ada) == [2]
    assert (await ada.feedbin("GET", "/entries/1")).status == 404
    await ada.feedbin("POST", "/unread_entries", {"unread_entries": [1]})
    assert await got(ada, "/unread_entries") == [2, 1]


async def test_feedbin_taggings_are_folders(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada)
    other = await desk.subscribe(ada, folder="News")
    said = {"feed_id": feed.id, "name": "Tech"}

    made = await ada.feedbin("POST", "/taggings", said)
    again = await ada.feedbin("POST", "/taggings", said)

    path = f"/taggings/{made.json()['id']}"
    assert (made.status, again.status) == (201, 302)
    assert made.headers["location"].endswith(f"/v2{path}.json")
    assert made.json() == again.json() == await got(ada, path)
    assert (made.json()["feed_id"], made.json()["name"]) == (feed.id, "Tech")
    names = {t["feed_id"]: t["name"] for t in await got(ada, "/taggings")}
    assert names == {feed.id: "Tech", other.id: "News"}
    # A feed is in one folder: the next tag takes the place of the one before.
    await ada.feedbin("POST", "/taggings", said | {"name": "News"})
    assert (await got(ada, path))["name"] == "News"
    assert (await ada.feedbin("DELETE", path)).status == 204
    assert (await ada.feedbin("GET", path)).status == 404
    for wrong, status in (({"feed_id": feed.id}, 400), ({"feed_id": NOBODYS, "name": "x"}, 404)):
        assert (await ada.feedbin("POST", "/taggings", wrong)).status == status


async def test_feedbin_tags_are_renamed_merged_and_deleted(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, folder="Tech")
    news = await desk.subscribe(ada, folder="News")

    def rename(old: str, new: str) -> Any:
        return ada.feedbin("POST", "/tags", {"old_name": old, "new_name": new})

    async def names() -> dict[int, str]:
        return {t["feed_id"]: t["name"] for t in await got(ada, "/taggings")}

    renamed = await rename("Tech", "Science")
    assert renamed.json() == await got(ada, "/taggings")
    assert await names() == {tech.id: "Science", news.id: "News"}
    assert (await rename("Science", "News")).status == 200
    assert await names() == {tech.id: "News", news.id: "News"}
    assert (await rename("News", "News")).status == 200
    deleted = await ada.feedbin("DELETE", "/tags", {"name": "News"})
    assert (deleted.status, deleted.json()) == (200, [])
    assert len(await got(ada, "/subscriptions")) == 2
    assert (await rename("News", "x")).status == 404
    assert (await ada.feedbin("DELETE", "/tags", {"name": "News"})).status == 404


async def test_feedbin_icons_are_named_by_host(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada)
    await desk.subscribe(ada)
    await desk.give_icon(feed.url, "image/png", b"\x89PNG")

    [icon] = await got(ada, "/icons")

    assert icon["host"] in feed.url
    address = icon["url"].removeprefix("http://feeds.example")
    assert (await ada.ask("GET", address)).body == b"\x89PNG"


async def test_feedbin_imports_a_list_of_feeds(desk: Desk, ada: Person, bob: Person):
    url = await desk.published("x")
    document = (
        '<opml version="2.0"><body><outline text="Tech"><outline type="rss"'
        f' text="A" xmlUrl="{url}"/></outline></body></opml>'
    ).encode()
    path = "/v2/imports.json"

    made = await ada.ask("POST", path, headers=ada.basic, body=document)
    shown = made.json()
    assert (made.status, shown["complete"]) == (200, False)
    item = {"title": "A", "feed_url": url}
    assert shown["import_items"] == [item | {"status": "pending"}]
    await desk.do_tasks()

    done = await got(ada, f"/imports/{shown['id']}")
    assert done["complete"]
    assert done["import_items"] == [item | {"status": "complete"}]
    del done["import_items"]
    assert await got(ada, "/imports") == [done]
    assert [t["name"] for t in await got(ada, "/taggings")] == ["Tech"]
    assert await got(bob, "/imports") == []
    assert (await bob.feedbin("GET", f"/imports/{shown['id']}")).status == 404
    for wrong in (b"", b"<opml", b"no list at all"):
        refused = await ada.ask("POST", path, headers=ada.basic, body=wrong)
        assert refused.status == 400


async def test_feedbin_lists_of_what_is_not_kept_are_empty(desk: Desk, ada: Person):
    await desk.subscribe(ada, "a")
    for name in ("updated_entries", "recently_read_entries"):
        method = "DELETE" if name == "updated_entries" else "POST"
        reply = await ada.feedbin(method, f"/{name}", {name: [1]})
        assert (reply.status, reply.json()) == (200, [])
        assert await got(ada, f"/{name}") == []
    assert await got(ada, "/unread_entries") == [1]


@pytest.mark.threat("C5")
async def test_feedbin_finds_nothing_of_another_person(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(ada, "a", "b", folder="Tech")
    calls = (
        ("GET", f"/subscriptions/{feed.id}", None),
        ("PATCH", f"/subscriptions/{feed.id}", {"title": "theirs"}),
        ("POST", f"/subscriptions/{feed.id}/update", {"title": "theirs"}),
        ("DELETE", f"/subscriptions/{feed.id}", None),
        ("GET", f"/feeds/{feed.id}", None),
        ("GET", f"/feeds/{feed.id}/entries", None),
        ("GET", "/entries/1", None),
        ("GET", f"/taggings/{feed.id}", None),
        ("DELETE", f"/taggings/{feed.id}", None),
        ("POST", "/taggings", {"feed_id": feed.id, "name": "x"}),
        ("POST", "/tags", {"old_name": "Tech", "new_name": "x"}),
        ("DELETE", "/tags", {"name": "Tech"}),
    )

    statuses = {call[:2]: (await bob.feedbin(call[0], call[1], call[2])).status for call in calls}

    assert {call: s for call, s in statuses.items() if s != 404} == {}
    marked = await bob.feedbin("DELETE", "/unread_entries", {"unread_entries": [1, 2]})
    assert marked.json() == []
    assert await ids(bob, ids="1,2") == []
    assert await got(ada, "/unread_entries") == [2, 1]
    assert [t["name"] for t in await got(ada, "/taggings")] == ["Tech"]


async def test_feedbin_saved_searches_have_entries(desk: Desk, ada: Person, bob: Person):
    await desk.subscribe(ada, "a pelican", "a gull", "pelicans at night")
    await desk.container.indexer().catch_up()
    made = await ada.feedbin("POST", "/saved_searches", {"name": "Bills", "query": "pelican*"})
    path = f"/saved_searches/{made.json()['id']}"

    shown = await ada.feedbin("GET", path, include_entries="true")

    assert made.status == 201
    assert made.headers["location"].endswith(f"/v2{path}.json")
    assert await got(ada, path) == [3, 1]
    assert (await ada.feedbin("GET", path, page=2)).status == 404
    assert [entry["title"] for entry in shown.json()] == ["pelicans at night", "a pelican"]
    assert (await bob.feedbin("GET", path)).status == 404
    assert (await ada.feedbin("POST", "/saved_searches", {"name": "", "query": "x"})).status == 400

    renamed = await ada.feedbin("PATCH", path, {"name": "Birds"})
    changed = await ada.feedbin("POST", f"{path}/update", {"query": "gull"})
    empty = await ada.feedbin("PATCH", path, {"query": " "})

    assert (renamed.status, renamed.json()["name"]) == (200, "Birds")
    assert (changed.json()["name"], changed.json()["query"]) == ("Birds", "gull")
    assert empty.status == 400
    assert await got(ada, path) == [2]


async def test_feedbin_lists_are_sent_again_only_if_they_changed(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech")
    paths = ("subscriptions", f"subscriptions/{feed.id}", f"feeds/{feed.id}", "taggings", "icons")

    for path in (*paths, "unread_entries", "starred_entries", "saved_searches"):
        first = await ada.ask("GET", f"/v2/{path}.json", headers=ada.basic)
        known = {"If-None-Match": first.headers["etag"]}
        again = await ada.ask("GET", f"/v2/{path}.json", headers=ada.basic | known)
        assert (first.status, again.status, again.body) == (200, 304, b""), path
    old = (await ada.ask("GET", "/v2/subscriptions.json", headers=ada.basic)).headers["etag"]
    renamed = await ada.feedbin("PATCH", f"/subscriptions/{feed.id}", {"title": "New"})
    known = {"If-None-Match": old}
    after = await ada.ask("GET", "/v2/subscriptions.json", headers=ada.basic | known)

    assert (renamed.status, renamed.json()["title"]) == (200, "New")
    assert (after.status, after.json()[0]["title"]) == (200, "New")
