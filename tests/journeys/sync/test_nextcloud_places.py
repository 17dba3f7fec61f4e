"""Nextcloud News: folders, feeds, filters and what clients probe, on both engines."""

import hashlib

import pytest

from tests.journeys.sync.desk import Desk, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEVELS = ("v1-2", "v1-3")


# Folders and feeds.


async def test_folder_life(ada: Person):
    made = await ada.nextcloud("POST", "/folders", {"name": "  Daily   news "})
    folder = made.json()["folders"][0]
    assert (made.status, folder["name"]) == (200, "Daily news")
    assert (await ada.nextcloud("POST", "/folders", {"name": "Daily news"})).status == 409
    for empty in ({"name": ""}, {"name": "   "}, {}, {"name": "x" * 256}):
        assert (await ada.nextcloud("POST", "/folders", empty)).status == 422
    await ada.nextcloud("POST", "/folders", {"name": "Taken"})

    path = f"/folders/{folder['id']}"
    assert (await ada.nextcloud("PUT", path, {"name": "Taken"})).status == 409
    assert (await ada.nextcloud("PUT", path, {"name": ""})).status == 422
    renamed = await ada.nextcloud("PUT", path, {"name": "Weekly"})
    assert (renamed.status, renamed.json()) == (200, [])
    assert (await ada.nextcloud("POST", path, {"name": "Monthly"}, level="v1-2")).status == 200
    listed = (await ada.nextcloud("GET", "/folders")).json()["folders"]
    assert [f["name"] for f in listed] == ["Monthly", "Taken"]

    assert (await ada.nextcloud("DELETE", path)).json() == []
    assert (await ada.nextcloud("DELETE", path)).status == 404
    assert (await ada.nextcloud("PUT", path, {"name": "x"})).status == 404
    assert (await ada.nextcloud("POST", f"{path}/read", {})).status == 404


async def test_deleting_a_folder_takes_its_feeds_and_items_with_it(desk: Desk, ada: Person):
    inside = await desk.subscribe(ada, "a", "b", folder="Tech")
    await desk.subscribe(ada, "c")

    await ada.nextcloud("DELETE", f"/folders/{inside.folder_id}")

    assert [item["title"] for item in await ada.items()] == ["c"]
    feeds = (await ada.nextcloud("GET", "/feeds")).json()["feeds"]
    assert inside.id not in [feed["id"] for feed in feeds]


async def test_nested_folders_show_their_path_and_are_renamed_by_it(desk: Desk, ada: Person):
    below = await desk.stores.folders.ensure(ada.user.id, ("Tech", "Python"))

    await ada.nextcloud("PUT", f"/folders/{below}", {"name": "Tech/Rust"})

    listed = (await ada.nextcloud("GET", "/folders")).json()["folders"]
    assert [folder["name"] for folder in listed] == ["Tech", "Tech/Rust"]


async def test_feed_life(desk: Desk, ada: Person):
    folder = (await ada.nextcloud("POST", "/folders", {"name": "Tech"})).json()["folders"][0]
    url = await desk.published()
    added = await ada.nextcloud("POST", "/feeds", {"url": url, "folderId": folder["id"]})
    feed = added.json()["feeds"][0]
    assert (added.status, feed["url"], feed["folderId"]) == (200, url, folder["id"])
    assert feed["title"]
    assert (await ada.nextcloud("POST", "/feeds", {"url": url})).status == 409
    for bad in ("", "no address", "ftp://x.example/", "http://"):
        assert (await ada.nextcloud("POST", "/feeds", {"url": bad})).status == 422
    for nowhere in (2**40, 999_999):
        elsewhere = {"url": await desk.published(), "folderId": nowhere}
        assert (await ada.nextcloud("POST", "/feeds", elsewhere)).status == 404

    path = f"/feeds/{feed['id']}"
    for level, method in (("v1-2", "PUT"), ("v1-3", "POST"), ("v1-2", "POST")):
        said = {"feedTitle": f"By {method} {level}"}
        renamed = await ada.nextcloud(method, f"{path}/rename", said, level=level)
        assert (renamed.status, renamed.json()) == (200, [])
        listed = (await ada.nextcloud("GET", "/feeds")).json()["feeds"]
        assert listed[0]["title"] == f"By {method} {level}"
    assert (await ada.nextcloud("POST", f"{path}/rename", {})).status == 422
    moves: list[tuple[dict[str, object], object]] = [
        ({"folderId": 0}, None),
        ({"folderId": folder["id"]}, folder["id"]),
        ({}, None),
    ]
    for place, expected in moves:
        assert (await ada.nextcloud("POST", f"{path}/move", place)).status == 200
        listed = (await ada.nextcloud("GET", "/feeds")).json()["feeds"]
        assert listed[0]["folderId"] == expected

    assert (await ada.nextcloud("DELETE", path)).json() == []
    for method, end in (("DELETE", ""), ("POST", "/move"), ("POST", "/read")):
        assert (await ada.nextcloud(method, path + end, {})).status == 404
    assert (await ada.nextcloud("POST", f"{path}/rename", {"feedTitle": "x"})).status == 404


async def test_starred_articles_of_a_dropped_feed_stay_in_a_listed_feed(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "keep", "drop")
    await ada.nextcloud("POST", "/items/1/star", {})

    await ada.nextcloud("DELETE", f"/feeds/{feed.id}")

    kept = (await ada.items())[0]
    feeds = {f["id"]: f for f in (await ada.nextcloud("GET", "/feeds")).json()["feeds"]}
    assert (kept["title"], kept["starred"]) == ("keep", True)
    assert feeds[kept["feedId"]]["url"].startswith("http")
    assert len(feeds) == 1


# Around it.


async def test_version_and_status(ada: Person):
    for level in LEVELS:
        version = await ada.nextcloud("GET", "/version", level=level)
        status = (await ada.nextcloud("GET", "/status", level=level)).json()
        parts = tuple(map(int, version.json()["version"].split(".")))
        assert parts >= (27, 2, 0)
        assert status["version"] == version.json()["version"]
        assert status["warnings"] == {
            "improperlyConfiguredCron": False,
            "incorrectDbCharset": False,
        }


async def test_both_mount_points_and_the_open_list_of_levels(ada: Person):
    for base in ("/index.php/apps/news/api", "/apps/news/api"):
        levels = await ada.ask("GET", base)
        version = await ada.ask("GET", f"{base}/v1-2/version", headers=ada.basic)
        assert levels.json() == {"apiLevels": ["v1-2", "v1-3"]}
        assert version.status == 200


async def test_who_is_signed_in(ada: Person, bob: Person):
    assert (await ada.nextcloud("GET", "/user")).json()["userId"] == ada.email
    xml = await ada.ask("GET", f"/ocs/v1.php/cloud/users/{ada.email}", headers=ada.basic)
    assert f"<displayname>{ada.email}</displayname>" in xml.text
    assert "<statuscode>100</statuscode>" in xml.text
    shown = await ada.ask("GET", "/ocs/v2.php/cloud/user?format=json", headers=ada.basic)
    assert shown.json()["ocs"]["data"]["display-name"] == ada.email
    assert shown.json()["ocs"]["meta"]["statuscode"] == 200
    other = await ada.ask("GET", f"/ocs/v1.php/cloud/users/{bob.email}", headers=ada.basic)
    assert other.status == 404
    caps = await ada.ask("GET", "/ocs/v1.php/cloud/capabilities?format=json", headers=ada.basic)
    assert caps.json()["ocs"]["data"]["version"]["major"] == "31"
    assert (await ada.ask("GET", "/status.php")).json()["installed"] is True


async def test_favicons(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "one", url=url)
    await desk.give_icon(url, "image/webp", b"RIFFpicture")
    hashed = hashlib.md5(url.encode()).hexdigest()

    shown = await ada.nextcloud("GET", f"/favicon/{hashed}")
    unknown = await ada.nextcloud("GET", "/favicon/0123456789abcdef0123456789abcdef")
    feed = (await ada.nextcloud("GET", "/feeds")).json()["feeds"][0]
    linked = await ada.ask("GET", feed["faviconLink"].removeprefix("http://feeds.example"))

    assert (shown.headers["content-type"], shown.body) == ("image/webp", b"RIFFpicture")
    assert unknown.headers["content-type"] == "image/png"
    assert unknown.body.startswith(b"\x89PNG")
    assert linked.body == b"RIFFpicture"
    assert "sandbox" in linked.headers["content-security-policy"]
    forged = feed["faviconLink"].removeprefix("http://feeds.example")[:-1] + "x"
    assert (await ada.ask("GET", forged)).status == 404


async def test_updaters_may_refresh_their_own_feeds(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(bob, "one")
    due = "SELECT due_at FROM feed_schedules WHERE feed_id = :id"
    before = await desk.stores.rows(due, id=feed.feed_id)

    own = await bob.nextcloud("GET", "/feeds/update", userId=bob.email, feedId=feed.id)
    stolen = await ada.nextcloud("GET", "/feeds/update", userId=ada.email, feedId=feed.id)

    assert (own.status, own.json()) == (200, [])
    assert stolen.status == 404
    assert (await desk.stores.rows(due, id=feed.feed_id))[0] != before[0]


async def test_only_operators_see_everybodys_feeds(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(bob, "one")
    await desk.make_operator(ada)

    refused = await bob.nextcloud("GET", "/feeds/all")
    shown = await ada.nextcloud("GET", "/feeds/all")
    updated = await ada.nextcloud("GET", "/feeds/update", userId=bob.email, feedId=feed.id)

    assert refused.status == 403
    assert {"id": feed.id, "userId": bob.email} in shown.json()["feeds"]
    assert updated.status == 200
    for path in ("/cleanup/before-update", "/cleanup/after-update"):
        assert (await ada.nextcloud("GET", path)).json() == []
        assert (await bob.nextcloud("GET", path)).status == 403


async def test_a_feeds_filter(desk: Desk, ada: Person, bob: Person):
    url = desk.new_url()
    feed = await desk.subscribe(ada, url=url)
    path = f"/feeds/{feed.id}/filter"
    empty: dict[str, object] = {
        "feedId": feed.id,
        "titleKeywords": "",
        "bodyKeywords": "",
        "urlKeywords": "",
    }
    assert (await ada.nextcloud("GET", path)).json() == {"filter": empty}

    said = {"titleKeywords": "Sport, C++|rust ,sport, a\\b", "urlKeywords": "/ads/"}
    saved = await ada.nextcloud("POST", path, said)
    titles = ("sports", "A sport!", "C++|rust", "rust", "a\\b", "news")
    await desk.deliver(url, *titles)
    await desk.do_tasks()

    assert saved.json()["filter"] == empty | {
        "titleKeywords": "Sport, C++|rust, a\\b",
        "urlKeywords": "/ads/",
    }
    assert b'"urlKeywords":"\\/ads\\/"' in saved.body
    assert (await ada.nextcloud("GET", path)).json() == saved.json()
    assert [i["title"] for i in await ada.items()] == ["news", "rust", "sports"]
    changed = await ada.nextcloud("POST", path, {"titleKeywords": "", "urlKeywords": "x"})
    assert changed.json()["filter"] == empty | {"urlKeywords": "x"}
    assert (await ada.nextcloud("DELETE", path)).json() == []
    assert (await ada.nextcloud("GET", path)).json() == {"filter": empty}
    for method in ("GET", "POST", "DELETE"):
        assert (await bob.nextcloud(method, path, {})).status == 404


async def test_a_filter_has_the_limits_of_the_original(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada)
    path = f"/feeds/{feed.id}/filter"
    most = ", ".join(f"{number:018}" for number in range(100))

    async def save(keywords: str) -> int:
        return (await ada.nextcloud("POST", path, {"bodyKeywords": keywords})).status

    assert await save(most) == 200
    shown = (await ada.nextcloud("GET", path)).json()["filter"]
    assert shown["bodyKeywords"] == most
    for wrong in ("x" * 129, ",".join("y" * 101), f"{most}, {'z' * 60}"):
        assert await save(wrong) == 422
    assert await save("x" * 128) == 200
    shown = (await ada.nextcloud("GET", path)).json()["filter"]
    assert shown["bodyKeywords"] == "x" * 128


async def test_null_in_words_is_the_root(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, folder="Tech")

    reply = await ada.nextcloud("PUT", f"/feeds/{feed.id}/move", {"folderId": "null"}, level="v1-2")

    assert reply.json() == []
    moved = (await ada.nextcloud("GET", "/feeds")).json()["feeds"][0]
    assert moved["folderId"] is None


# Programs have flat folders, ours are a tree.


@pytest.mark.parametrize("route", ["nextcloud", "miniflux", "greader"])
async def test_deleting_a_folder_leaves_those_within_as_they_are(
    desk: Desk, ada: Person, route: str
):
    below = await desk.stores.folders.ensure(ada.user.id, ("A", "B", "C"))
    b = await desk.stores.folders.ensure(ada.user.id, ("A", "B"))
    a = await desk.stores.folders.ensure(ada.user.id, ("A",))
    own = await desk.subscribe(ada, "own")
    within = await desk.subscribe(ada, "within")
    for feed, folder in ((own, a), (within, b)):
        await ada.nextcloud("PUT", f"/feeds/{feed.id}/move", {"folderId": folder})

    if route == "nextcloud":
        await ada.nextcloud("DELETE", f"/folders/{a}")
    elif route == "miniflux":
        assert (await ada.miniflux("DELETE", f"/categories/{a}")).status == 204
    else:
        await ada.greader("POST", "disable-tag", {"s": "user/-/label/A"})

    listed = (await ada.nextcloud("GET", "/folders")).json()["folders"]
    assert [(f["id"], f["name"]) for f in listed] == [(b, "A/B"), (below, "A/B/C")]
    feeds = (await ada.nextcloud("GET", "/feeds")).json()["feeds"]
    places = {feed["id"]: feed["folderId"] for feed in feeds}
    assert places[within.id] == b
    assert places.get(own.id) is None
    assert (own.id in places) == (route == "greader")


async def test_no_second_folder_has_the_path_of_another(desk: Desk, ada: Person):
    await desk.stores.folders.ensure(ada.user.id, ("A", "B"))

    made = await ada.nextcloud("POST", "/folders", {"name": "A/B"})
    other = (await ada.nextcloud("POST", "/folders", {"name": "C"})).json()
    path = f"/folders/{other['folders'][0]['id']}"
    renamed = await ada.nextcloud("PUT", path, {"name": "A/B"})

    assert (made.status, renamed.status) == (409, 409)


async def test_stars_are_counted_as_they_are_listed(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")
    await desk.stores.reading.mark(ada.user.id, [1, 2], "starred")
    await desk.stores.reading.mark(ada.user.id, [1], "hidden")

    feeds = (await ada.nextcloud("GET", "/feeds")).json()
    listed = [item["title"] for item in await ada.items(type=2)]

    assert (feeds["starredCount"], listed) == (2, ["two", "one"])
    assert [item["title"] for item in await ada.items(type=3)] == ["two"]
    assert (await desk.stores.reading.counts(ada.user.id)).starred == 2
    assert await ada.stream_ids("user/-/state/com.google/starred") == [2, 1]


# Addresses as people type them.


@pytest.mark.parametrize(
    "target",
    [
        "//index.php/apps/news/api/v1-2/feeds",
        "/index.php/apps/news/api//v1-3/feeds",
        "/index.php/apps/news/api/v1-3/feeds/",
        "//v1/feeds",
        "/v1//feeds/",
    ],
)
async def test_a_slash_too_many_locks_nobody_out(desk: Desk, ada: Person, target: str):
    await desk.subscribe(ada, "one")
    bare = target.replace("//", "/").rstrip("/")

    given = await ada.ask("GET", target, headers=ada.basic)
    meant = await ada.ask("GET", bare, headers=ada.basic)

    assert (given.status, given.body) == (200, meant.body)
    assert (await ada.ask("GET", target)).status == 401


async def test_slashes_within_a_streams_address_stay(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one")
    await ada.sign_in()
    target = f"/api/greader.php//reader/api/0/stream/contents/feed/{feed.url}"

    reply = await ada.ask(
        "GET", target, headers={"Authorization": f"GoogleLogin auth={ada.greader_token}"}
    )

    assert [item["title"] for item in reply.json()["items"]] == ["one"]
