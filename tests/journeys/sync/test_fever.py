"""Fever: selectors, pages, marks and keys in every form, on both engines."""

import base64
from typing import Any

import pytest

from tests.journeys.sync.desk import URLENCODED, Desk, Person, form, multipart

pytestmark = pytest.mark.asyncio(loop_scope="module")

ITEM_TYPES: dict[str, type] = {
    "id": int,
    "feed_id": int,
    "title": str,
    "author": str,
    "html": str,
    "url": str,
    "is_saved": int,
    "is_read": int,
    "created_on_time": int,
}


async def called(person: Person, query: str, **body: object) -> dict[str, Any]:
    reply = await person.fever(query, body)
    assert reply.status == 200, reply.text
    answer: dict[str, Any] = reply.json()
    assert (answer["api_version"], answer["auth"]) == (3, 1)
    assert isinstance(answer["last_refreshed_on_time"], int)
    return answer


async def ids(person: Person, query: str) -> list[int]:
    return [item["id"] for item in (await called(person, query))["items"]]


@pytest.mark.parametrize("path", ["/fever", "/fever/", "/api/fever.php", "/api/fever.php/"])
async def test_keys_come_in_forms_multipart_and_queries(ada: Person, path: str):
    key = {"api_key": ada.fever_key.upper()}
    headers, body = multipart(key)
    replies = [
        await ada.ask("POST", f"{path}?api", headers=URLENCODED, body=form(key)),
        await ada.ask("POST", f"{path}?api", headers=headers, body=body),
        await ada.ask("POST", f"{path}?api&{form(key).decode()}"),
        await ada.ask("GET", f"{path}?api&{form(key).decode()}"),
        await ada.ask("POST", path, body=form(key)),
    ]

    for reply in replies:
        assert (reply.status, reply.json()["auth"]) == (200, 1)
        assert set(reply.json()) == {"api_version", "auth", "last_refreshed_on_time"}


async def test_a_wrong_key_is_told_with_200(ada: Person):
    replies = [
        await ada.ask("POST", "/fever/?api&items"),
        await ada.fever("items", key="0" * 32),
        await ada.fever("items", key=ada.secret + "x"),
    ]

    for reply in replies:
        assert (reply.status, reply.json()) == (200, {"api_version": 3, "auth": 0})


async def test_items_have_every_field_with_its_type(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one")

    answer = await called(ada, "items")

    item = answer["items"][0]
    assert list(item) == list(ITEM_TYPES)
    assert {n for n, kind in ITEM_TYPES.items() if type(item[n]) is not kind} == set()
    assert (item["feed_id"], item["html"]) == (feed.id, "<p>one</p>")
    assert (item["is_read"], item["is_saved"], answer["total_items"]) == (0, 0, 1)


async def test_all_selectors_of_one_call_are_answered(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "one", folder="Tech", title="T")
    root = await desk.subscribe(ada, "two", title="R")
    empty = await desk.stores.folders.ensure(ada.user.id, ("Empty",))

    answer = await called(ada, "groups&feeds&favicons&items&links&unread_item_ids&saved_item_ids")

    assert answer["groups"] == [
        {"id": empty, "title": "Empty"},
        {"id": tech.folder_id, "title": "Tech"},
    ]
    assert answer["feeds_groups"] == [{"group_id": tech.folder_id, "feed_ids": str(tech.id)}]
    shown = {feed["id"]: feed for feed in answer["feeds"]}
    assert set(shown) == {tech.id, root.id}
    assert list(shown[tech.id]) == [
        "id",
        "favicon_id",
        "title",
        "url",
        "site_url",
        "is_spark",
        "last_updated_on_time",
    ]
    assert shown[tech.id]["is_spark"] == 0
    assert [item["id"] for item in answer["items"]] == [2, 1]
    assert answer["links"] == []
    assert (answer["unread_item_ids"], answer["saved_item_ids"]) == ("1,2", "")


async def test_favicons_are_sent_whole(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "one", url=url)
    await desk.give_icon(url, "image/webp", b"RIFFpicture")

    answer = await called(ada, "feeds&favicons")

    icons = {icon["id"]: icon["data"] for icon in answer["favicons"]}
    shown = icons[answer["feeds"][0]["favicon_id"]]
    assert shown == "image/webp;base64," + base64.b64encode(b"RIFFpicture").decode()
    assert icons[0].startswith("image/png;base64,")


async def test_pages_are_of_fifty_both_ways(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    await desk.deliver(url, *(f"t{n}" for n in range(120)))

    assert await ids(ada, "items") == list(range(120, 70, -1))
    assert await ids(ada, "items&since_id=0") == list(range(1, 51))
    assert await ids(ada, "items&since_id=50") == list(range(51, 101))
    assert await ids(ada, "items&since_id=100") == list(range(101, 121))
    assert await ids(ada, "items&since_id=120") == []
    assert await ids(ada, "items&max_id=0") == list(range(120, 70, -1))
    assert await ids(ada, "items&max_id=9007199254740991") == list(range(120, 70, -1))
    assert await ids(ada, "items&max_id=71") == list(range(70, 20, -1))
    assert await ids(ada, "items&max_id=21") == list(range(20, 0, -1))
    assert await ids(ada, "items&max_id=1") == []
    wanted = "7,3,999,x,,-1," + ",".join(map(str, range(50, 120)))
    assert await ids(ada, f"items&with_ids={wanted}") == [3, 7, *range(50, 97)]
    assert (await called(ada, "items&since_id=110"))["total_items"] == 120
    assert (await ada.fever("items&since_id=soon")).status == 400


async def test_items_of_feeds_and_groups(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", folder="Tech")
    root = await desk.subscribe(ada, "b")
    await desk.subscribe(ada, "c")

    assert await ids(ada, f"items&feed_ids={root.id}") == [2]
    assert await ids(ada, f"items&group_ids={tech.folder_id}") == [1]
    assert await ids(ada, f"items&feed_ids={root.id}&group_ids={tech.folder_id}") == [2, 1]
    assert await ids(ada, "items&feed_ids=99999") == []


@pytest.mark.parametrize("where", ["body", "query"])
async def test_marks_on_an_item_are_set_not_toggled(desk: Desk, ada: Person, where: str):
    await desk.subscribe(ada, "one", "two")

    async def mark(how: str, item: object) -> dict[str, Any]:
        said: dict[str, object] = {"mark": "item", "as": how, "id": item}
        if where == "query":
            return await called(ada, form(said).decode())
        return await called(ada, "", **said)

    for _ in range(2):
        assert (await mark("saved", 1))["saved_item_ids"] == "1"
        assert (await mark("read", 2))["unread_item_ids"] == "1"
    for _ in range(2):
        assert (await mark("unsaved", 1))["saved_item_ids"] == ""
        assert (await mark("unread", 2))["unread_item_ids"] == "1,2"
    for odd in (999, 2**40, -1, "x", ""):
        assert (await mark("read", odd))["unread_item_ids"] == "1,2"
    plain = await mark("painted", 1)
    assert set(plain) == {"api_version", "auth", "last_refreshed_on_time"}


async def age(desk: Desk, person: Person, item: int, seconds: int) -> int:
    """Let an item have arrived earlier; return when, in seconds."""
    await desk.stores.execute(
        "UPDATE article_states SET arrived_at = arrived_at - :by"
        " WHERE user_id = :user AND item_no = :item",
        by=seconds * 1_000_000,
        user=person.user.id,
        item=item,
    )
    rows = await desk.stores.rows(
        "SELECT arrived_at FROM article_states WHERE user_id = :user AND item_no = :item",
        user=person.user.id,
        item=item,
    )
    return int(rows[0]["arrived_at"]) // 1_000_000


@pytest.mark.threat("C10")
@pytest.mark.parametrize("kind", ["feed", "group", "all", "sparks"])
async def test_marks_on_places_spare_what_came_later(desk: Desk, ada: Person, kind: str):
    feed = await desk.subscribe(ada, "old", "new", folder="Tech")
    await desk.subscribe(ada, "elsewhere")
    old = await age(desk, ada, 1, 500)
    mark = "feed" if kind == "feed" else "group"
    number = {"feed": feed.id, "group": feed.folder_id, "all": 0, "sparks": -1}[kind]

    async def read(**more: object) -> str:
        said = {"mark": mark, "as": "read", "id": number} | more
        unread: str = (await called(ada, "", **said))["unread_item_ids"]
        return unread

    assert await read(before=old - 10) == "1,2,3"
    assert await read(before=old + 1) == ("1,2,3" if kind == "sparks" else "2,3")
    left = {"all": "", "sparks": "1,2,3"}.get(kind, "3")
    assert await read(before=0) == left
    assert await read() == left


async def test_a_place_can_only_be_marked_read(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one")

    for how in ("unread", "saved"):
        said = {"mark": "feed", "as": how, "id": feed.id}
        plain = await called(ada, "unread_item_ids", **said)
        assert plain["unread_item_ids"] == "1"
    assert (await called(ada, "saved_item_ids"))["saved_item_ids"] == ""


async def test_a_broken_form_is_told_as_such(ada: Person):
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}

    reply = await ada.ask("POST", "/fever/?api", headers=headers, body=b"--edg\r\nbroken")

    assert reply.status == 400
    assert reply.json()["auth"] == 0


async def test_a_stray_refresh_is_a_plain_answer(ada: Person):
    plain = {"api_version", "auth", "last_refreshed_on_time"}

    assert set(await called(ada, "refresh")) == plain
    recent = await called(ada, "", unread_recently_read=1)
    assert set(recent) == plain | {"unread_item_ids"}


@pytest.mark.threat("C5")
async def test_nobody_marks_anothers_items(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(bob, "secret", folder="Own")

    for said in (
        {"mark": "item", "as": "read", "id": 1},
        {"mark": "feed", "as": "read", "id": feed.id},
        {"mark": "group", "as": "read", "id": feed.folder_id},
        {"mark": "group", "as": "read", "id": 0},
    ):
        await called(ada, "", **said)

    assert (await called(bob, "unread_item_ids"))["unread_item_ids"] == "1"
    assert await ids(ada, "items&with_ids=1") == []
