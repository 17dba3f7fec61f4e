"""Nextcloud News: every operation in every form clients use, on both engines."""

import hashlib
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from feedloom.model.feed import CleanHTML, Enclosure
from tests.journeys.sync.desk import NEXTCLOUD, URLENCODED, Desk, Person, Reply, form, multipart
from tests.stores import article

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEVELS = ("v1-2", "v1-3")
METHODS = ("PUT", "POST")
ITEM_TYPES: dict[str, type | tuple[type, ...]] = {
    "id": int,
    "guid": str,
    "guidHash": str,
    "url": str,
    "title": str,
    "author": str,
    "pubDate": int,
    "updatedDate": type(None),
    "body": str,
    "enclosureMime": (str, type(None)),
    "enclosureLink": (str, type(None)),
    "mediaThumbnail": (str, type(None)),
    "mediaDescription": (str, type(None)),
    "feedId": int,
    "unread": bool,
    "starred": bool,
    "filtered": bool,
    "rtl": bool,
    "lastModified": int,
    "fingerprint": str,
    "contentHash": str,
}
FEED_TYPES: dict[str, type | tuple[type, ...]] = {
    "id": int,
    "url": str,
    "title": str,
    "faviconLink": (str, type(None)),
    "added": int,
    "folderId": (int, type(None)),
    "unreadCount": int,
    "ordering": int,
    "link": (str, type(None)),
    "pinned": bool,
    "updateErrorCount": int,
    "lastUpdateError": (str, type(None)),
    "nextUpdateTime": (int, type(None)),
    "items": list,
}


async def unread(person: Person) -> list[str]:
    return [i["title"] for i in await person.items(getRead=False, oldestFirst=True)]


async def starred(person: Person) -> list[str]:
    return [i["title"] for i in await person.items(type=2, oldestFirst=True)]


async def numbers(person: Person) -> dict[str, int]:
    """Map titles to item ids."""
    return {item["title"]: item["id"] for item in await person.items()}


# Bodies: the same parameters, said in each way a client may say them.


async def say(person: Person, method: str, path: str, how: str, **said: Any) -> Reply:
    """Call with parameters in a JSON body, a form, a multipart form or the query."""
    target = f"{NEXTCLOUD}/v1-2{path}"
    headers, body = dict(person.basic), b""
    match how:
        case "json":
            headers |= {"Content-Type": "application/json; charset=utf-8"}
            body = json.dumps(said).encode()
        case "json as form":
            headers |= URLENCODED
            body = json.dumps(said).encode()
        case "form":
            headers |= URLENCODED
            body = form({k: "" if v is None else v for k, v in said.items()})
        case "multipart":
            more, body = multipart({k: "" if v is None else v for k, v in said.items()})
            headers |= more
        case "query":
            headers |= {"Content-Type": "application/json"}
            target += "?" + urlencode({k: "" if v is None else v for k, v in said.items()})
        case "query and {}":
            target += "?" + urlencode({k: "" if v is None else v for k, v in said.items()})
            body = b"{}"
        case _:
            raise AssertionError(how)
    return await person.ask(method, target, headers=headers, body=body)


FORMS = ("json", "json as form", "form", "multipart", "query", "query and {}")


@pytest.mark.parametrize("how", FORMS)
async def test_every_form_of_a_body_is_understood(desk: Desk, ada: Person, how: str):
    made = await say(ada, "POST", "/folders", how, name="Päper & Ink")
    assert (made.status, made.json()["folders"][0]["name"]) == (200, "Päper & Ink")
    folder = made.json()["folders"][0]["id"]
    url = await desk.published()

    added = await say(ada, "POST", "/feeds", how, url=url, folderId=folder)
    moved = await say(
        ada, "PUT", f"/feeds/{added.json()['feeds'][0]['id']}/move", how, folderId=None
    )

    assert added.json()["feeds"][0]["folderId"] == folder
    assert (moved.status, moved.json()) == (200, [])
    feed = (await ada.nextcloud("GET", "/feeds")).json()["feeds"][0]
    assert (feed["url"], feed["folderId"]) == (url, None)


async def test_an_empty_body_is_no_error_whatever_its_type(ada: Person):
    headers = ada.basic | {"Content-Type": "application/json"}

    reply = await ada.ask("PUT", f"{NEXTCLOUD}/v1-2/items/read", headers=headers)

    assert (reply.status, reply.json()) == (200, [])


@pytest.mark.parametrize("body", [b"{", b'{"name":', b"{" * 50_000, b'{"a": \xff}'])
async def test_broken_json_is_told_as_such(ada: Person, body: bytes):
    headers = ada.basic | {"Content-Type": "application/json"}

    reply = await ada.ask("POST", f"{NEXTCLOUD}/v1-3/folders", headers=headers, body=body)

    assert reply.status == 422
    assert list(reply.json()) == ["message"]


# Marks.


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS)
async def test_single_marks(desk: Desk, ada: Person, level: str, method: str):
    await desk.subscribe(ada, "one", "two")
    ids = await numbers(ada)

    async def call(path: str) -> None:
        reply = await ada.nextcloud(method, path, {}, level=level)
        assert (reply.status, reply.json()) == (200, [])

    await call(f"/items/{ids['one']}/read")
    assert await unread(ada) == ["two"]
    await call(f"/items/{ids['one']}/unread")
    assert await unread(ada) == ["one", "two"]
    await call(f"/items/{ids['two']}/star")
    assert await starred(ada) == ["two"]
    await call(f"/items/{ids['two']}/unstar")
    assert await starred(ada) == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("key", ["items", "itemIds"])
async def test_bulk_marks(desk: Desk, ada: Person, level: str, method: str, key: str):
    await desk.subscribe(ada, "one", "two", "three")
    ids = await numbers(ada)
    both = {key: [ids["one"], ids["three"], 999_999, 2**40, "x"]}

    async def call(path: str) -> None:
        reply = await ada.nextcloud(method, path, both, level=level)
        assert (reply.status, reply.json()) == (200, [])

    await call("/items/read/multiple")
    assert await unread(ada) == ["two"]
    await call("/items/unread/multiple")
    assert await unread(ada) == ["one", "two", "three"]
    for star, unstar in (("star", "unstar"), ("starred", "unstarred")):
        await call(f"/items/{star}/multiple")
        assert await starred(ada) == ["one", "three"]
        await call(f"/items/{unstar}/multiple")
        assert await starred(ada) == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS)
async def test_stars_by_guid_hash(desk: Desk, ada: Person, level: str, method: str):
    feed = await desk.subscribe(ada, "Zürich, 東京", "two")
    items = {item["title"]: item for item in await ada.items()}
    odd = items["Zürich, 東京"]

    hashed = hashlib.md5(odd["guid"].encode()).hexdigest()
    one = await ada.nextcloud(method, f"/items/{feed.id}/{hashed}/star", {}, level=level)
    assert (one.status, await starred(ada)) == (200, ["Zürich, 東京"])
    await ada.nextcloud(method, f"/items/{feed.id}/{hashed}/unstar", {}, level=level)
    assert await starred(ada) == []

    assert odd["guidHash"] == hashed
    pairs = [
        {"feedId": feed.id, "guidHash": hashed},
        {"feedId": feed.id + 1, "guidHash": items["two"]["guidHash"]},
        {"feedId": None, "guidHash": 3},
        {},
    ]
    many = await ada.nextcloud(method, "/items/star/multiple", {"items": pairs}, level=level)
    assert (many.status, await starred(ada)) == (200, ["Zürich, 東京"])
    await ada.nextcloud(method, "/items/unstar/multiple", {"items": pairs}, level=level)
    assert await starred(ada) == []


@pytest.mark.parametrize(
    "guid", ["urn:x:1", "https://blog.example/?p=12&x=1", "https://b.example/a//b/", "é"]
)
async def test_stars_by_the_guid_itself(desk: Desk, ada: Person, guid: str):
    url = desk.new_url()
    feed = await desk.subscribe(ada, "other", url=url)
    await desk.publish(url, article("odd", guid=guid))
    target = f"{NEXTCLOUD}/v1-2/items/{feed.id}/{guid}"

    starring = await ada.ask("PUT", f"{target}/star", headers=ada.basic, body=b"{}")
    assert (starring.status, await starred(ada)) == (200, ["odd"])
    await ada.ask("PUT", f"{target}/unstar", headers=ada.basic, body=b"{}")

    assert await starred(ada) == []
    for wrong in (f"{target}x/star", f"{target}/paint", f"{NEXTCLOUD}/v1-2/items/x/y/star"):
        reply = await ada.ask("PUT", wrong, headers=ada.basic)
        assert reply.status == 404


@pytest.mark.threat("C10")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("place", ["/feeds/{feed}/read", "/folders/{folder}/read", "/items/read"])
async def test_reading_a_place_spares_what_the_client_has_not_seen(
    desk: Desk, ada: Person, level: str, method: str, place: str
):
    feed = await desk.subscribe(ada, "one", "two", "three", folder="Tech")
    other = await desk.subscribe(ada, "elsewhere")
    path = place.format(feed=feed.id, folder=feed.folder_id)
    seen = (await numbers(ada))["two"]

    reply = await ada.nextcloud(method, path, {"newestItemId": seen}, level=level)

    assert (reply.status, reply.json()) == (200, [])
    assert await unread(ada) == ["three", "elsewhere"]
    everything = await ada.nextcloud(
        method, f"{path}?newestItemId=9223372036854775807", {}, level=level
    )
    assert everything.status == 200
    assert await unread(ada) == ([] if place == "/items/read" else ["elsewhere"])
    assert other.in_root


async def test_reading_the_root_spares_folders(desk: Desk, ada: Person):
    await desk.subscribe(ada, "inside", folder="Tech")
    await desk.subscribe(ada, "in the root")

    reply = await ada.nextcloud("POST", "/folders/0/read", {"newestItemId": 99})

    assert (reply.status, await unread(ada)) == (200, ["inside"])


async def test_reading_a_folder_spares_the_folders_below_it(desk: Desk, ada: Person):
    upper = await desk.subscribe(ada, "above", folder="Tech")
    below = await desk.stores.folders.ensure(ada.user.id, ("Tech", "Python"))
    lower = await desk.subscribe(ada, "below")
    await ada.nextcloud("POST", f"/feeds/{lower.id}/move", {"folderId": below})

    await ada.nextcloud("POST", f"/folders/{upper.folder_id}/read", {"newestItemId": 99})

    assert await unread(ada) == ["below"]
    assert [i["title"] for i in await ada.items(type=1, id=upper.folder_id)] == ["above"]


# Lists.


@pytest.mark.threat("C8")
@pytest.mark.parametrize("level", LEVELS)
async def test_pages_visit_each_item_once_in_both_directions(desk: Desk, ada: Person, level: str):
    await desk.subscribe(ada, *(f"t{n}" for n in range(23)))
    await desk.subscribe(ada, "u1", "u2")

    async def walk(first: int, *, oldest_first: bool) -> list[int]:
        seen: list[int] = []
        offset = first
        while True:
            reply = await ada.nextcloud(
                "GET",
                "/items",
                level=level,
                batchSize=5,
                offset=offset,
                type=3,
                getRead=True,
                oldestFirst=oldest_first,
            )
            ids = [item["id"] for item in reply.json()["items"]]
            seen += ids
            if len(ids) < 5:
                return seen
            offset = ids[-1]

    assert await walk(0, oldest_first=True) == list(range(1, 26))
    assert await walk(0, oldest_first=False) == list(range(25, 0, -1))
    assert await walk(2**53 - 1, oldest_first=False) == list(range(25, 0, -1))
    assert await walk(2**63 - 1, oldest_first=False) == list(range(25, 0, -1))
    assert await walk(2**63 - 1, oldest_first=True) == []


async def test_offset_is_exclusive(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two", "three")

    assert [i["id"] for i in await ada.items(offset=2)] == [1]
    assert [i["id"] for i in await ada.items(offset=2, oldestFirst=1)] == [3]


async def test_scopes(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", "b", folder="Tech")
    root = await desk.subscribe(ada, "c")
    ids = await numbers(ada)
    await ada.nextcloud("POST", "/items/star/multiple", {"itemIds": [ids["a"], ids["c"]]})
    await ada.nextcloud("POST", "/items/read/multiple", {"itemIds": [ids["a"]]})

    async def titles(**query: object) -> list[str]:
        return [item["title"] for item in await ada.items(oldestFirst="true", **query)]

    assert await titles(type=0, id=tech.id) == ["a", "b"]
    assert await titles(type=0, id=tech.id, getRead="0") == ["b"]
    assert await titles(type=1, id=tech.folder_id) == ["a", "b"]
    assert await titles(type=1, id=0) == ["c"]
    assert await titles(type=2) == ["a", "c"]
    assert await titles(type=2, getRead="false") == ["c"]
    assert await titles(type=3) == ["a", "b", "c"]
    assert await titles(type=6) == ["b", "c"]
    assert await titles(type=0, id=root.id + 1000) == []
    assert await titles(type=0, id=2**62) == []
    assert await titles(type=1, id=-5) == []


@pytest.mark.threat("A22")
@pytest.mark.parametrize(
    "query", ["type=9", "type=x", "type=-1", "getRead=maybe", "batchSize=1e3", "offset=abc"]
)
async def test_a_question_nobody_can_answer_is_422(ada: Person, query: str):
    reply = await ada.nextcloud("GET", f"/items?{query}")

    assert reply.status == 422
    assert list(reply.json()) == ["message"]


async def test_items_have_every_field_with_its_type(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")

    reply = await ada.nextcloud("GET", "/items")

    assert reply.body.startswith(b'{"items":[')
    item = reply.json()["items"][0]
    assert list(item) == list(ITEM_TYPES)
    wrong = {n: item[n] for n, kind in ITEM_TYPES.items() if not isinstance(item[n], kind)}
    assert wrong == {}
    assert isinstance(item["unread"], bool)
    assert reply.headers["content-type"].startswith("application/json")


async def test_the_one_enclosure_is_something_to_hear_or_see(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "plain", url=url)
    text, sound = (
        Enclosure("https://x.example/a.txt", "text/plain"),
        Enclosure("https://x.example/a.mp3", "audio/mpeg"),
    )
    await desk.publish(
        url,
        article("both")._replace(enclosures=(text, sound)),
        article("text")._replace(enclosures=(text,)),
    )

    shown = {i["title"]: (i["enclosureLink"], i["enclosureMime"]) for i in await ada.items()}

    assert shown == {
        "plain": (None, None),
        "both": ("https://x.example/a.mp3", "audio/mpeg"),
        "text": ("https://x.example/a.txt", "text/plain"),
    }


async def test_a_very_long_article_is_cut_where_markup_allows(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "plain", url=url)
    long = CleanHTML("<p>" + "<b>word</b> " * 60_000 + "</p>")
    await desk.publish(url, article("long")._replace(content=long))

    body = (await ada.items(batchSize=1))[0]["body"]

    assert 400_000 < len(body) < 500_100
    assert body.count("<b>") == body.count("</b>")
    assert body.endswith("</p>")


async def test_feeds_have_every_field_with_its_type(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", folder="Tech")
    await desk.subscribe(ada, title="Own title")

    reply = (await ada.nextcloud("GET", "/feeds")).json()

    assert (reply["starredCount"], reply["newestItemId"]) == (0, 1)
    assert sorted(feed["title"] for feed in reply["feeds"]) == ["A feed", "Own title"]
    for feed in reply["feeds"]:
        assert list(feed) == list(FEED_TYPES)
        assert {n for n, kind in FEED_TYPES.items() if not isinstance(feed[n], kind)} == set()


async def test_newest_item_id_is_left_out_without_items(desk: Desk, ada: Person):
    await desk.subscribe(ada)

    assert "newestItemId" not in (await ada.nextcloud("GET", "/feeds")).json()
    added = await ada.nextcloud("POST", "/feeds", {"url": await desk.published("x")})
    assert added.json()["newestItemId"] == 1


# What changed.


async def changed(person: Person, since: int, **query: Any) -> dict[str, bool]:
    reply = await person.nextcloud("GET", "/items/updated", lastModified=since, **query)
    assert reply.status == 200
    assert reply.body.startswith(b'{"items":[')
    return {item["title"]: item["unread"] for item in reply.json()["items"]}


async def age(desk: Desk, person: Person, seconds: int = 100) -> int:
    """Let everything a person has have happened a while ago; return a time since."""
    await desk.stores.execute(
        "UPDATE article_states SET last_modified = last_modified - :by,"
        " arrived_at = arrived_at - :by WHERE user_id = :user",
        by=seconds * 1_000_000,
        user=person.user.id,
    )
    rows = await desk.stores.rows("SELECT now_us() AS now")
    return int(rows[0]["now"]) // 1_000_000 - seconds // 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/items/{one}/read", {}),
        ("/items/{one}/star", {}),
        ("/items/read/multiple", {"itemIds": ["{one}"]}),
        ("/items/star/multiple", {"itemIds": ["{one}"]}),
        ("/feeds/{feed}/read", {"newestItemId": "{one}"}),
        ("/folders/{folder}/read", {"newestItemId": "{one}"}),
        ("/items/read", {"newestItemId": "{one}"}),
    ],
)
async def test_every_mark_shows_among_what_changed(
    desk: Desk, ada: Person, path: str, body: dict[str, Any]
):
    feed = await desk.subscribe(ada, "one", "two", folder="Tech")
    ids = await numbers(ada)
    since = await age(desk, ada)
    assert await changed(ada, since) == {}
    names = {"one": ids["one"], "feed": feed.id, "folder": feed.folder_id}
    said = json.loads(json.dumps(body).replace('"{one}"', str(ids["one"])))

    reply = await ada.nextcloud("POST", path.format(**names), said)

    assert reply.status == 200
    assert await changed(ada, since) == {"one": "star" in path}
    assert await changed(ada, since * 1_000_000) == {"one": "star" in path}


async def test_new_and_changed_articles_show_among_what_changed(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "one", "two", url=url)
    await ada.nextcloud("POST", "/items/1/read", {})
    since = await age(desk, ada)

    await desk.change(url, "one", "one, corrected")
    await desk.deliver(url, "three")

    assert await changed(ada, since) == {"three": True, "one, corrected": False}
    ids = await numbers(ada)
    assert ids["one, corrected"] == 1


async def test_what_was_dismissed_elsewhere_shows_as_filtered(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")
    since = await age(desk, ada)
    await desk.stores.reading.mark(ada.user.id, [1], "hidden")

    reply = await ada.nextcloud("GET", "/items/updated", lastModified=since)

    found = [(i["title"], i["unread"], i["filtered"]) for i in reply.json()["items"]]
    assert found == [("one", False, True)]
    assert [item["title"] for item in await ada.items()] == ["two"]


async def test_changes_can_be_asked_for_by_place(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", folder="Tech")
    await desk.subscribe(ada, "b")
    await ada.nextcloud("POST", "/items/2/star", {})

    assert set(await changed(ada, 0, type=0, id=tech.id)) == {"a"}
    assert set(await changed(ada, 0, type=1, id=tech.folder_id)) == {"a"}
    assert set(await changed(ada, 0, type=2)) == {"b"}
    assert set(await changed(ada, 0)) == {"a", "b"}


async def test_long_lists_are_sent_in_parts(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    for start in range(0, 450, 150):
        await desk.deliver(url, *(f"t{n}" for n in range(start, start + 150)))

    reply = await ada.nextcloud("GET", "/items", batchSize=-1)
    bounded = await ada.nextcloud("GET", "/items", batchSize=320)

    assert [item["id"] for item in reply.json()["items"]] == list(range(450, 0, -1))
    assert reply.chunks >= 3
    assert [item["id"] for item in bounded.json()["items"]] == list(range(450, 130, -1))
