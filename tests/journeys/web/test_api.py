"""The JSON API beside /feeds: articles, folders, tags, bookmarks, rules, OPML, tasks."""

import io

import pytest

from tests.serving import Server, Visitor

pytestmark = pytest.mark.both_engines

PROBLEM = "application/problem+json"


@pytest.fixture
async def ada(shared_server, town_publisher):
    """Somebody new at the module's server, with a feed of three articles."""
    number = getattr(shared_server, "visitors", 0)
    shared_server.visitors = number + 1
    email = f"api{number}@example.org"
    visitor = await shared_server.register(email)
    url = town_publisher.feed("/blog.xml", title="The Blog")
    await visitor.post("/feeds", json={"url": url})
    await shared_server.refresh_all()
    return visitor


async def articles(visitor: Visitor, query: str = ""):
    return (await visitor.get(f"/api/articles{query}")).json()["articles"]


@pytest.mark.threat("C8")
async def test_articles_are_paged_by_cursor_without_gaps_or_repeats(ada):
    seen, cursor = [], ""
    for _ in range(3):
        reply = (await ada.get(f"/api/articles?limit=1{cursor}")).json()
        seen += [article["id"] for article in reply["articles"]]
        cursor = f"&cursor={reply['next_cursor']}"

    assert len(seen) == len(set(seen)) == 3
    assert cursor == "&cursor=None"
    assert seen == [article["id"] for article in await articles(ada)]
    assert seen[::-1] == [a["id"] for a in await articles(ada, "?order=oldest")]


async def test_content_comes_when_it_is_asked_for(ada):
    without, with_it = await articles(ada), await articles(ada, "?content=true")

    assert {article["content"] for article in without} == {None}
    assert all(article["content"] for article in with_it)


async def test_one_article_is_marked_starred_and_tagged(ada):
    first = (await articles(ada))[0]["id"]
    changes = {"unread": False, "starred": True, "tags": ["later", "maths"]}

    changed = await ada.patch(f"/api/articles/{first}", json=changes)
    untagged = await ada.patch(f"/api/articles/{first}", json={"tags": ["maths"]})

    assert changed.status == 200
    assert {name: changed.json()[name] for name in changes} == changes
    assert untagged.json()["tags"] == ["maths"]
    assert [a["id"] for a in await articles(ada, "?starred=true")] == [first]
    assert [a["id"] for a in await articles(ada, "?tag=maths")] == [first]
    assert first not in [a["id"] for a in await articles(ada, "?unread=true")]


async def test_some_and_all_articles_are_marked(ada):
    ids = [article["id"] for article in await articles(ada)]

    some = await ada.post("/api/articles/mark", json={"ids": [*ids[:2], 2_000_000], "mark": "read"})
    everything = await ada.post("/api/articles/mark-all", json={})

    assert sorted(some.json()["ids"]) == sorted(ids[:2])
    assert everything.json()["count"] == 1
    assert await articles(ada, "?unread=true") == []


@pytest.mark.threat("C10")
async def test_marking_all_leaves_what_came_after_alone(ada):
    ids = sorted(article["id"] for article in await articles(ada))

    await ada.post("/api/articles/mark-all", json={"up_to": ids[1]})

    assert [a["id"] for a in await articles(ada, "?unread=true")] == [ids[2]]


async def test_a_hidden_article_is_gone_until_it_is_shown_again(ada):
    first = (await articles(ada))[0]["id"]
    await ada.patch(f"/api/articles/{first}", json={"hidden": True})
    gone = await ada.get(f"/api/articles/{first}")

    await ada.patch(f"/api/articles/{first}", json={"hidden": False})

    assert gone.status == 404
    assert (await ada.get(f"/api/articles/{first}")).status == 200


@pytest.mark.threat("A22")
@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=1000000000",
        "limit=x",
        "cursor=garbage",
        "cursor=1-2-3",
        "cursor=5",
        "feed_id=99999999999",
        "feed_id=x",
        "unread=perhaps",
        "unread=null",
        "unread=",
        "order=upside-down",
        "modified_since=yesterday",
        "modified_since=2026-01-01T00:00:00",
        "tag=%00",
    ],
)
async def test_an_unusable_query_is_400_and_names_its_field(ada, query):
    reply = await ada.get(f"/api/articles?{query}")

    assert reply.status == 400, reply.text
    assert reply.headers["Content-Type"] == PROBLEM
    assert reply.json()["field"] == query.partition("=")[0]


@pytest.mark.threat("A22")
@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 422),
        (b'{"name":' * 100_000, "application/json", 422),
        (b"null", "application/json", 422),
        (b'{"name": 1}', "application/json", 422),
        (b'{"name": "a\\u0000b"}', "application/json", 422),
        (b'{"name": "\\ud800"}', "application/json", 400),
        (b'{"name": "x"}', "text/plain", 415),
        (b'{"name": "x"}', "application/x-www-form-urlencoded", 415),
        (b'{"name": "x"}', "", 415),
        (b"x" * 1_100_000, "application/json", 413),
    ],
)
async def test_an_unusable_body_is_refused_with_the_right_status(ada, body, kind, status):
    reply = await ada.post("/api/folders", data=io.BytesIO(body), headers={"Content-Type": kind})

    assert reply.status == status, reply.text
    assert reply.json()["status"] == status
    assert (await ada.get("/api/folders")).json() == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/feeds"),
        ("PATCH", "/feeds/{feed}"),
        ("POST", "/api/discover"),
        ("PATCH", "/api/articles/{article}"),
        ("POST", "/api/articles/mark"),
        ("POST", "/api/articles/mark-all"),
        ("POST", "/api/folders"),
        ("POST", "/api/tags"),
        ("PATCH", "/api/tags/a"),
        ("POST", "/api/bookmarks"),
        ("POST", "/api/rules"),
        ("POST", "/api/rules/preview"),
    ],
)
async def test_an_unknown_field_is_named(ada, method, path):
    [feed] = (await ada.get("/feeds")).json()
    [article, *_] = await articles(ada)
    path = path.format(feed=feed["id"], article=article["id"])

    reply = await ada.ask(method, path, json={"alias": "x"})

    assert reply.status == 422, reply.text
    assert reply.json()["field"] == "alias"
    assert reply.json()["type"].endswith(":invalid_input")


async def test_what_an_answer_shows_may_be_sent_back(ada):
    [feed] = (await ada.get("/feeds")).json()
    path = f"/feeds/{feed['id']}"

    kept = await ada.patch(path, json={"id": 1, "unread_count": 9, "title": "Mine"})
    misspelt = await ada.patch(path, json={"id": 1, "label": "Yours"})

    assert kept.status == 200
    assert kept.json()["title"] == "Mine"
    assert kept.json()["id"] == feed["id"]
    assert (misspelt.status, misspelt.json()["field"]) == (422, "label")


async def test_folders_nest_move_and_leave_their_feeds_at_the_top(ada):
    news = (await ada.post("/api/folders", json={"name": "News"})).json()
    body = {"name": "World", "parent_id": news["id"]}
    world = (await ada.post("/api/folders", json=body)).json()
    feed = (await ada.get("/feeds")).json()[0]["id"]
    await ada.patch(f"/feeds/{feed}", json={"folder_id": world["id"]})

    moved = await ada.patch(f"/api/folders/{world['id']}", json={"parent_id": None})
    loop = await ada.patch(f"/api/folders/{news['id']}", json={"parent_id": news["id"]})
    taken = await ada.post("/api/folders", json={"name": "News"})
    gone = await ada.delete(f"/api/folders/{world['id']}")

    assert (news["parent_id"], world["path"]) == (None, "News/World")
    assert moved.json()["path"] == "World"
    assert (loop.status, taken.status, gone.status) == (422, 409, 204)
    assert (await ada.get("/feeds")).json()[0]["folder_id"] is None


async def test_tags_are_made_renamed_joined_and_deleted(ada):
    first = (await articles(ada))[0]["id"]
    await ada.patch(f"/api/articles/{first}", json={"tags": ["a/b"]})
    await ada.post("/api/tags", json={"name": "kept"})

    joined = await ada.patch("/api/tags/a/b", json={"name": "kept"})
    listed = (await ada.get("/api/tags")).json()
    gone = await ada.delete("/api/tags/kept")
    missing = await ada.delete("/api/tags/kept")

    assert joined.json() == {"name": "kept", "unread_count": 1}
    assert listed == [{"name": "kept", "unread_count": 1}]
    assert (gone.status, missing.status) == (204, 404)


async def test_bookmarks_are_kept_once_changed_filtered_and_deleted(ada):
    page = {"url": "https://site.example/a?utm_source=x", "tags": ["tech", "tech"]}
    first = await ada.post("/api/bookmarks", json=page)
    again = await ada.post("/api/bookmarks", json={"url": "http://site.example/a/"})
    path = f"/api/bookmarks/{first.json()['id']}"

    changed = await ada.patch(path, json={"title": "A page", "state": "archive", "pinned": True})
    listed = (await ada.get("/api/bookmarks?state=archive&tag=tech&q=PAGE")).json()
    nothing = (await ada.get("/api/bookmarks?state=inbox")).json()
    gone = await ada.delete(path)

    assert (first.status, again.status) == (201, 200)
    assert again.json()["id"] == first.json()["id"]
    assert (first.json()["state"], first.json()["tags"]) == ("inbox", ["tech"])
    assert changed.json()["archived_at"] is not None
    assert [b["title"] for b in listed["bookmarks"]] == ["A page"]
    assert nothing["bookmarks"] == []
    assert gone.status == 204
    assert (await ada.get(path)).status == 404


async def test_bookmarks_are_paged(ada):
    for number in range(5):
        await ada.post("/api/bookmarks", json={"url": f"https://site.example/{number}"})

    seen: list[str] = []
    cursor = ""
    while True:
        reply = (await ada.get(f"/api/bookmarks?limit=2{cursor}")).json()
        seen += [bookmark["url"] for bookmark in reply["bookmarks"]]
        if reply["next_cursor"] is None:
            break
        cursor = f"&cursor={reply['next_cursor']}"

    assert seen == [f"https://site.example/{number}" for number in (4, 3, 2, 1, 0)]


async def test_rules_are_tried_kept_changed_and_applied(ada, shared_server):
    title = (await articles(ada))[0]["title"]
    rule = {"field": "title", "pattern": f"^{title}$", "action": "star"}

    tried = await ada.post("/api/rules/preview", json=rule)
    kept = await ada.post("/api/rules", json=rule)
    path = f"/api/rules/{kept.json()['id']}"
    queued = await ada.post(f"{path}/apply")
    await shared_server.refresh_all()
    task = await ada.get(queued.headers["Location"])
    off = await ada.patch(path, json={"enabled": False})

    assert (tried.json()["matched"], tried.json()["looked_at"]) == (1, 3)
    assert kept.status == 201
    assert queued.status == 202
    assert task.json()["status"] == "done"
    assert [a["title"] for a in await articles(ada, "?starred=true")] == [title]
    assert (off.json()["enabled"], off.json()["pattern"]) == (False, rule["pattern"])
    assert (await ada.delete(path)).status == 204


@pytest.mark.threat("P9")
async def test_a_pattern_that_cannot_be_used_is_422(ada):
    rule = {"field": "title", "pattern": "(a+", "action": "star"}

    reply = await ada.post("/api/rules", json=rule)

    assert reply.status == 422
    assert reply.json()["field"] == "pattern"


async def test_opml_goes_out_and_comes_back_in(ada, shared_server):
    out = await ada.get("/api/opml")
    other = await shared_server.register(f"opml-{id(ada)}@example.org")

    queued = await other.post("/api/opml", data=out.body)
    await shared_server.refresh_all()
    task = (await other.get(queued.headers["Location"])).json()

    assert out.headers["Content-Type"].startswith("text/x-opml")
    assert queued.status == 202
    assert (task["status"], task["result"]["added"]) == ("done", 1)
    assert [f["url"] for f in (await other.get("/feeds")).json()] == [
        f["url"] for f in (await ada.get("/feeds")).json()
    ]


@pytest.mark.parametrize("document", [b"", b"no xml", b"<html></html>"])
async def test_what_is_no_opml_is_422(ada, document):
    reply = await ada.post("/api/opml", data=document)

    assert reply.status == 422, reply.text


async def test_a_form_is_no_opml(ada):
    reply = await ada.post("/api/opml", data={"file": "x"})

    assert reply.status == 415


@pytest.mark.parametrize(
    "path",
    [
        "/feeds/0",
        "/feeds/x",
        "/feeds/99999999999999999999",
        "/feeds/-1",
        "/feeds/%00",
        "/api/articles/1e3",
        "/api/tasks/2147483648",
        "/api/bookmarks/٣",
    ],
)
async def test_what_is_no_id_is_simply_not_found(ada, path):
    reply = await ada.get(path)

    assert reply.status == 404
    assert reply.json()["type"].startswith("urn:feedloom:problem:")


async def test_a_wrong_method_is_405_with_what_is_allowed(ada):
    reply = await ada.put("/api/folders", json={})

    assert reply.status == 405
    assert reply.headers["Allow"] == "GET, HEAD, POST"
    assert reply.headers["Content-Type"] == PROBLEM


async def test_programs_need_no_token_and_no_cookie(shared_server: Server):
    await shared_server.register("prog@example.org")
    program = await shared_server.program("prog@example.org")

    made = await program.post("/api/folders", json={"name": "News"})

    assert made.status == 201
    assert made.cookies == {}
    assert (await program.get("/api/me")).json()["csrf_token"] == ""
