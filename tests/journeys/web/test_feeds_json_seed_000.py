"""Every endpoint of seed 000's API in JSON, with its statuses and column names."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.factories_feeds import entry
from tests.serving import HTMX, Server, Visitor

FEED_COLUMNS = {"id", "url", "title", "last_fetched_at", "error_count", "created_at"}
ITEM_COLUMNS = {
    "id",
    "feed_id",
    "guid",
    "url",
    "title",
    "description",
    "published_at",
    "fetched_at",
}


async def subscribed(server: Server, url: str, email: str = "ada@example.org"):
    """Let somebody subscribe; return them and the feed with its items."""
    visitor = await server.register(email)
    reply = await visitor.post("/feeds", json={"url": url})
    assert reply.status == 201, reply.text
    await server.refresh_all()
    return visitor, await only_feed(visitor)


async def only_feed(visitor: Visitor):
    feeds = (await visitor.get("/feeds")).json()
    assert len(feeds) == 1
    return feeds[0]


async def test_post_feeds_subscribes_and_answers_201_with_the_feed(server, publisher):
    ada = await server.register("ada@example.org")
    url = publisher.feed("/blog.xml", title="The Blog")

    reply = await ada.post("/feeds", json={"url": url})

    feed = reply.json()
    assert reply.status == 201
    assert reply.headers["Location"] == f"/feeds/{feed['id']}"
    assert feed.keys() >= FEED_COLUMNS
    assert (feed["url"], feed["error_count"], feed["items"]) == (url, 0, [])


async def test_post_feeds_takes_title_folder_and_retention(server, publisher):
    ada = await server.register("ada@example.org")
    folder = (await ada.post("/api/folders", json={"name": "News"})).json()
    body = {
        "url": publisher.feed("/blog.xml"),
        "title": "Mine",
        "folder_id": folder["id"],
        "retention": "day",
    }

    feed = (await ada.post("/feeds", json=body)).json()

    told = (feed["title"], feed["folder_id"], feed["retention"])
    assert told == ("Mine", folder["id"], "day")


async def test_post_feeds_finds_the_feed_of_a_site(server, publisher):
    ada = await server.register("ada@example.org")
    publisher.feed("/posts.xml", title="The Blog")
    link = '<link rel="alternate" type="application/rss+xml" href="/posts.xml">'
    site = publisher.page("/", f"<html><head>{link}</head><body>Hi</body></html>")

    reply = await ada.post("/feeds", json={"url": site})

    assert reply.status == 201, reply.text
    assert reply.json()["url"] == publisher.url("/posts.xml")


async def test_post_feeds_twice_is_409(server, publisher):
    ada = await server.register("ada@example.org")
    url = publisher.feed("/blog.xml")
    await ada.post("/feeds", json={"url": url})

    reply = await ada.post("/feeds", json={"url": url})

    assert reply.status == 409
    assert reply.json()["type"] == "urn:feedloom:problem:conflict"
    assert reply.json()["detail"] == "You have already added this feed"


async def test_post_feeds_without_a_feed_is_422_with_a_sentence(server, publisher):
    ada = await server.register("ada@example.org")
    site = publisher.page("/", "<html><body>nothing here</body></html>")

    reply = await ada.post("/feeds", json={"url": site})

    problem = reply.json()
    assert reply.status == 422, reply.text
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert problem["type"] == "urn:feedloom:problem:no_feed"
    assert problem["detail"].endswith(".")


@pytest.mark.parametrize(
    "body", [{}, {"url": 3}, {"url": "ftp://x.example/f"}, {"url": ""}, {"url": "http://"}, []]
)
async def test_post_feeds_with_an_unusable_body_is_422(shared_server, body):
    visitor = await shared_server.register(f"body{hash(str(body))}@example.org")

    reply = await visitor.post("/feeds", json=body)

    assert reply.status == 422, reply.text
    assert reply.json()["status"] == 422


@pytest.mark.threat("A8")
async def test_post_feeds_with_a_folder_of_somebody_else_is_404(server, publisher):
    ada = await server.register("ada@example.org")
    bob = await server.register("bob@example.org")
    folder = (await ada.post("/api/folders", json={"name": "News"})).json()
    url = publisher.feed("/blog.xml")

    reply = await bob.post("/feeds", json={"url": url, "folder_id": folder["id"]})

    assert reply.status == 404
    assert (await bob.get("/feeds")).json() == []


async def test_get_feeds_lists_feeds_with_their_items(server, publisher):
    url = publisher.feed("/blog.xml", title="The Blog")

    _, feed = await subscribed(server, url)

    assert feed["title"] == "The Blog"
    assert feed["last_fetched_at"] is not None
    assert len(feed["items"]) == 3
    for item in feed["items"]:
        assert item.keys() >= ITEM_COLUMNS
        assert item["feed_id"] == feed["id"]
        assert item["guid"]
        assert datetime.fromisoformat(item["published_at"]).tzinfo is not None
        assert datetime.fromisoformat(item["fetched_at"]).tzinfo is not None


async def test_get_feeds_counts_errors_and_retry_forgives_them(server, publisher):
    url = publisher.feed("/blog.xml")
    ada, feed = await subscribed(server, url)
    publisher.page("/blog.xml", "broken", status=500)
    for _ in range(3):
        await server.refresh_all()
    failed = await only_feed(ada)
    publisher.feed("/blog.xml")

    reply = await ada.post(f"/feeds/{feed['id']}/refresh")
    await server.refresh_all(due_only=True)

    assert failed["error_count"] == 3
    assert failed["last_fetch_error"]
    assert reply.status == 202
    assert (await only_feed(ada))["error_count"] == 0


async def test_patch_feeds_renames_for_this_person_only(server, publisher):
    url = publisher.feed("/blog.xml", title="The Blog")
    ada, feed = await subscribed(server, url)
    bob, other = await subscribed(server, url, "bob@example.org")

    reply = await ada.patch(f"/feeds/{feed['id']}", json={"title": "Mine"})

    assert (reply.status, reply.json()["title"]) == (200, "Mine")
    assert (await only_feed(bob))["title"] == other["title"] == "The Blog"


async def test_patch_feeds_with_null_brings_the_publishers_title_back(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/b.xml", title="The Blog"))
    await ada.patch(f"/feeds/{feed['id']}", json={"title": "Mine"})

    reply = await ada.patch(f"/feeds/{feed['id']}", json={"title": None})

    assert reply.json()["title"] == "The Blog"


async def test_patch_feeds_takes_folder_retention_interval_and_mailing_list(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    folder = (await ada.post("/api/folders", json={"name": "News"})).json()
    changes = {
        "folder_id": folder["id"],
        "retention": "day",
        "interval": 7200,
        "is_mailing_list": True,
    }

    changed = (await ada.patch(f"/feeds/{feed['id']}", json=changes)).json()
    back = (await ada.patch(f"/feeds/{feed['id']}", json={"folder_id": None})).json()

    assert {name: changed[name] for name in changes} == changes
    assert back["folder_id"] is None
    assert back["retention"] == "day"


async def test_patch_feeds_pauses_and_resumes(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    path = f"/feeds/{feed['id']}"

    paused = (await ada.patch(path, json={"paused": True})).json()
    refused = await ada.post(f"{path}/refresh", json={})
    resumed = (await ada.patch(path, json={"paused": False})).json()

    assert [feed["paused"], paused["paused"], resumed["paused"]] == [False, True, False]
    assert (refused.status, refused.json()["detail"]) == (
        409,
        "You paused this feed. Resume it first.",
    )


async def test_patch_feeds_with_a_new_url_moves_only_this_person(server, publisher):
    old, new = publisher.feed("/old.xml"), publisher.feed("/new.xml")
    ada, feed = await subscribed(server, old)
    bob, _ = await subscribed(server, old, "bob@example.org")

    reply = await ada.patch(f"/feeds/{feed['id']}", json={"url": new})

    assert (reply.status, reply.json()["url"]) == (200, new)
    assert reply.json()["id"] == feed["id"]
    assert (await only_feed(bob))["url"] == old


async def test_patch_feeds_to_a_url_one_has_already_is_409(server, publisher):
    first, second = publisher.feed("/a.xml"), publisher.feed("/b.xml")
    ada = await server.register("ada@example.org")
    await ada.post("/feeds", json={"url": first})
    feed = (await ada.post("/feeds", json={"url": second})).json()

    reply = await ada.patch(f"/feeds/{feed['id']}", json={"url": first})

    assert reply.status == 409
    assert reply.json()["detail"] == "A feed with this URL already exists"


async def test_delete_feeds_unsubscribes_and_cascades_to_items(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))

    reply = await ada.delete(f"/feeds/{feed['id']}")

    item = feed["items"][0]["id"]
    assert (reply.status, reply.body) == (204, b"")
    assert (await ada.get("/feeds")).json() == []
    assert (await ada.get(f"/api/articles/{item}")).status == 404
    assert (await ada.delete(f"/feeds/{feed['id']}")).status == 404


async def test_saving_an_item_is_201_then_200_with_the_same_bookmark(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    item = feed["items"][0]
    path = f"/feeds/{feed['id']}/items/{item['id']}/save"

    first, second = await ada.post(path), await ada.post(path)

    assert (first.status, second.status) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert first.json()["url"] == item["url"]
    assert first.json()["title"] == item["title"]
    assert first.json()["state"] == "archive"
    kept = (await ada.get("/api/bookmarks")).json()["bookmarks"]
    assert [bookmark["id"] for bookmark in kept] == [first.json()["id"]]
    saved = (await only_feed(ada))["items"]
    assert saved[0]["saved_bookmark_id"] == first.json()["id"]


async def test_saving_queues_the_enrichment(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    path = f"/feeds/{feed['id']}/items/{feed['items'][0]['id']}/save"

    bookmark = (await ada.post(path)).json()

    me = (await ada.get("/api/me")).json()
    task = await server.call(
        lambda container: container.services().tasks.latest(me["id"], "enrich")
    )
    assert bookmark["enrich_status"] == "pending"
    assert task is not None
    assert task.payload == {"bookmark_id": bookmark["id"]}


async def test_dismissing_hides_at_once_and_survives_the_next_fetch(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    gone = feed["items"][0]
    path = f"/feeds/{feed['id']}/items/{gone['id']}"

    reply = await ada.delete(path)
    publisher.bump("/blog.xml")
    await server.refresh_all()

    after = await only_feed(ada)
    assert (reply.status, reply.body) == (204, b"")
    assert gone["guid"] not in {item["guid"] for item in after["items"]}
    assert len(after["items"]) == 3
    assert (await ada.delete(path)).status == 404


async def test_dismissing_survives_a_restart(serve, publisher):
    first = serve()
    ada, feed = await subscribed(first, publisher.feed("/blog.xml"))
    gone = feed["items"][0]["guid"]
    await ada.delete(f"/feeds/{feed['id']}/items/{feed['items'][0]['id']}")
    first.stop()

    second = serve()
    ada.url = second.url
    await second.refresh_all()

    assert gone not in {item["guid"] for item in (await only_feed(ada))["items"]}


async def test_an_item_is_found_only_under_its_own_feed(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/a.xml"))
    other = (await ada.post("/feeds", json={"url": publisher.feed("/b.xml")})).json()
    item = feed["items"][0]["id"]

    saved = await ada.post(f"/feeds/{other['id']}/items/{item}/save")
    dismissed = await ada.delete(f"/feeds/{other['id']}/items/{item}")

    assert (saved.status, dismissed.status) == (404, 404)


async def test_the_river_shows_the_last_day_only(server, publisher):
    url = publisher.feed("/blog.xml")
    ada, _ = await subscribed(server, url)
    long_ago = int((datetime.now(UTC) - timedelta(hours=25)).timestamp() * 1e6)  # noqa: TID251

    async def age(container):
        from feedloom.store.engine.scripts import WORKER, sql  # noqa: PLC0415

        def steps():
            yield sql("UPDATE article_states SET arrived_at = :at", at=long_ago)

        await container.work.write(WORKER, steps)

    await server.call(age)
    publisher.bump("/blog.xml", entry(99, title="Fresh"))
    await server.refresh_all()

    feed = await only_feed(ada)
    assert [item["title"] for item in feed["items"]] == ["Fresh"]
    assert len((await ada.get("/api/articles")).json()["articles"]) == 4


async def test_the_list_carries_an_etag_and_answers_304(server, publisher):
    ada, feed = await subscribed(server, publisher.feed("/blog.xml"))
    etag = (await ada.get("/feeds")).headers["ETag"]

    same = await ada.get("/feeds", headers={"If-None-Match": etag})
    await ada.delete(f"/feeds/{feed['id']}/items/{feed['items'][0]['id']}")
    changed = await ada.get("/feeds", headers={"If-None-Match": etag})

    assert (same.status, same.body) == (304, b"")
    assert changed.status == 200
    assert changed.headers["ETag"] != etag


@pytest.mark.threat("S15")
async def test_a_password_in_a_feeds_address_is_not_shown(server, publisher):
    url = publisher.feed("/blog.xml").replace("http://", "http://user:geheim@")
    ada = await server.register("ada@example.org")

    added = await ada.post("/feeds", json={"url": url})
    await server.refresh_all()
    listed = await ada.get("/feeds")

    assert added.status == 201, added.text
    assert "geheim" not in added.text + listed.text


async def test_one_address_answers_htmx_with_html_and_programs_with_json(server, publisher):
    ada, _ = await subscribed(server, publisher.feed("/blog.xml", title="The Blog"))

    html = await ada.get("/feeds", headers=HTMX)
    named = await ada.get("/feeds", headers={"Accept": "text/html"})
    anything = await ada.get("/feeds", headers={"Accept": "*/*"})

    assert html.headers["Content-Type"].startswith("text/html")
    assert named.headers["Content-Type"].startswith("text/html")
    assert anything.headers["Content-Type"] == "application/json"
    assert "The Blog" in html.text
    for reply in (html, named, anything):
        assert reply.headers["Vary"].startswith("Accept, HX-Request")
