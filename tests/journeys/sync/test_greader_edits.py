"""Google Reader: marks, labels, subscriptions and lists of feeds, on both engines."""

import pytest

from tests.journeys.sync.desk import GREADER, Desk, Person
from tests.journeys.sync.google import ALL, FIRST, LABEL, READ, STARRED, STATE, age, ok, titles

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_read_and_unread_in_the_words_clients_use(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    one = ("i", FIRST + 1)
    kept, tracking = STATE + "kept-unread", STATE + "tracking-kept-unread"

    async def is_read() -> bool:
        return await ada.stream_ids(READ) == [1]

    await ok(ada, "edit-tag", one, ("a", READ), ("ac", "edit"))
    assert await is_read()
    await ok(ada, "edit-tag", one, ("r", READ), ("a", kept), ("a", tracking), ("ac", "edit"))
    assert not await is_read()
    await ok(ada, "edit-tag", one, ("r", kept))
    assert await is_read()
    await ok(ada, "edit-tag", one, ("a", kept))
    assert not await is_read()
    for ignored in ("broadcast", "like", "created", "nonsense"):
        await ok(ada, "edit-tag", one, ("a", STATE + ignored), ("r", STATE + ignored))
    await ok(ada, "edit-tag", one, ("a", "user/1234/state/com.google/read"))
    assert not await is_read()


async def test_stars_and_labels_come_and_go(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")
    both = (("i", FIRST + 1), ("i", FIRST + 2))

    await ok(ada, "edit-tag", *both, ("a", STARRED), ("a", LABEL + "x"), ("a", LABEL + "y"))
    await ok(ada, "edit-tag", both[0], ("r", STARRED), ("r", LABEL + "x"))

    assert await ada.stream_ids(STARRED) == [2]
    assert await ada.stream_ids(LABEL + "x") == [2]
    assert await ada.stream_ids(LABEL + "y") == [2, 1]


async def test_a_label_without_items_makes_a_folder(ada: Person):
    await ok(ada, "edit-tag", ("a", LABEL + "New folder"))
    await ok(ada, "edit-tag", ("a", LABEL + "New folder"))

    tags = (await ada.greader("GET", "tag/list")).json()["tags"]
    assert {"id": LABEL + "New folder", "type": "folder"} in tags


async def test_a_label_cannot_have_a_folders_name_nor_a_folder_a_labels(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech")
    one = ("i", FIRST + 1)
    await ok(ada, "edit-tag", one, ("a", LABEL + "later"))

    tagged = await ada.greader("POST", "edit-tag", [one, ("a", LABEL + "Tech")])
    moved = await ada.greader(
        "POST",
        "subscription/edit",
        [("ac", "edit"), ("s", f"feed/{feed.id}"), ("a", LABEL + "later")],
    )

    assert (tagged.status, moved.status) == (400, 400)


@pytest.mark.parametrize("unit", ["seconds", "microseconds"])
@pytest.mark.parametrize("which", ["all", "feed", "folder", "label", "none"])
async def test_marking_a_stream_read_up_to_a_time(desk: Desk, ada: Person, unit: str, which: str):
    feed = await desk.subscribe(ada, "old", "new", folder="Tech")
    await desk.subscribe(ada, "elsewhere")
    await ok(ada, "edit-tag", *[("i", FIRST + n) for n in (1, 2)], ("a", LABEL + "x"))
    old = await age(desk, ada, 1, 500)
    until = old + 1 if unit == "seconds" else (old + 1) * 1_000_000
    streams = {
        "all": ALL,
        "feed": f"feed/{feed.id}",
        "folder": LABEL + "Tech",
        "label": LABEL + "x",
        "none": STATE + "starred",
    }
    stream = streams[which]

    await ok(ada, "mark-all-as-read", ("s", stream), ("ts", until))
    assert await titles(ada, xt=READ) == (
        ["old", "new", "elsewhere"] if which == "none" else ["new", "elsewhere"]
    )

    await ok(ada, "mark-all-as-read", ("s", stream))
    left = {"all": [], "none": ["old", "new", "elsewhere"]}.get(which, ["elsewhere"])
    assert await titles(ada, xt=READ) == left


async def test_marking_nonsense_read_is_refused(desk: Desk, ada: Person, bob: Person):
    theirs = await desk.subscribe(bob, "one")
    wrong = [
        [("s", ALL), ("ts", "soon")],
        [("s", f"feed/{theirs.id}")],
        [("s", LABEL + "nowhere")],
        [("s", "nonsense")],
        [("ts", "1")],
    ]

    for pairs in wrong:
        assert (await ada.greader("POST", "mark-all-as-read", pairs)).status == 400
    assert await titles(bob, xt=READ) == ["one"]


async def test_an_empty_folder_can_be_marked_read(ada: Person):
    await ok(ada, "edit-tag", ("a", LABEL + "Empty"))

    await ok(ada, "mark-all-as-read", ("s", LABEL + "Empty"))


async def subscriptions(person: Person) -> dict[str, tuple[str, list[str]]]:
    listed = (await person.greader("GET", "subscription/list")).json()["subscriptions"]
    return {sub["id"]: (sub["title"], [c["label"] for c in sub["categories"]]) for sub in listed}


async def test_subscription_life(desk: Desk, ada: Person):
    url = await desk.published()
    add = [("ac", "subscribe"), ("s", f"feed/{url}"), ("t", "My title"), ("a", LABEL + "Täch")]
    await ok(ada, "subscription/edit", *add)
    ((feed, shown),) = (await subscriptions(ada)).items()
    assert shown == ("My title", ["Täch"])
    assert (await ada.greader("POST", "subscription/edit", add)).status == 400

    async def edit(*pairs: tuple[str, str]) -> tuple[str, list[str]]:
        await ok(ada, "subscription/edit", ("ac", "edit"), ("s", feed), *pairs)
        return (await subscriptions(ada))[feed]

    assert await edit(("t", "Other  title")) == ("Other title", ["Täch"])
    assert await edit(("r", LABEL + "Täch"), ("a", LABEL + "New")) == ("Other title", ["New"])
    assert await edit(("r", LABEL + "Täch")) == ("Other title", ["New"])
    assert await edit(("r", LABEL + "New")) == ("Other title", [])
    by_address = [("ac", "edit"), ("s", f"feed/{url}"), ("t", "By address")]
    await ok(ada, "subscription/edit", *by_address)
    assert (await subscriptions(ada))[feed] == ("By address", [])

    await ok(ada, "subscription/edit", ("ac", "unsubscribe"), ("s", feed))
    assert await subscriptions(ada) == {}
    gone = [("ac", "unsubscribe"), ("s", feed)]
    assert (await ada.greader("POST", "subscription/edit", gone)).status == 400


async def test_parameters_may_stand_in_the_query_beside_a_body(desk: Desk, ada: Person):
    url = await desk.published()

    reply = await ada.greader(
        "POST", "subscription/edit", {"T": ""}, ac="subscribe", s=f"feed/{url}", t="Q"
    )

    assert reply.body == b"OK"
    assert [title for title, _ in (await subscriptions(ada)).values()] == ["Q"]


async def test_several_feeds_are_edited_at_once(desk: Desk, ada: Person):
    one, two = (await desk.subscribe(ada, title="1"), await desk.subscribe(ada, title="2"))

    await ok(
        ada,
        "subscription/edit",
        ("ac", "edit"),
        *(("s", f"feed/{feed.id}") for feed in (one, two)),
        *(("t", title) for title in ("first", "second")),
        ("a", LABEL + "Both"),
    )

    assert sorted((await subscriptions(ada)).values()) == [
        ("first", ["Both"]),
        ("second", ["Both"]),
    ]


async def test_edits_of_nonsense_are_refused(desk: Desk, ada: Person, bob: Person):
    theirs = await desk.subscribe(bob, title="theirs")
    wrong: list[list[tuple[str, str]]] = [
        [],
        [("ac", "edit")],
        [("ac", "explode"), ("s", "feed/1")],
        [("ac", "subscribe"), ("s", "feed/12")],
        [("ac", "subscribe"), ("s", "feed/ftp://x.example/")],
        [("ac", "edit"), ("s", f"feed/{theirs.id}"), ("t", "mine")],
        [("ac", "unsubscribe"), ("s", f"feed/{theirs.id}")],
        [("ac", "unsubscribe"), ("s", f"feed/{theirs.url}")],
    ]

    for pairs in wrong:
        assert (await ada.greader("POST", "subscription/edit", pairs)).status == 400
    assert [title for title, _ in (await subscriptions(bob)).values()] == ["theirs"]


async def test_quickadd(desk: Desk, ada: Person):
    url = await desk.published("x")
    added = (
        await ada.greader(
            "POST", "subscription/quickadd", {"quickadd": f"feed/{url}"}, quickadd=url
        )
    ).json()
    again = await ada.greader("POST", "subscription/quickadd", quickadd=url)
    bad = await ada.greader("POST", "subscription/quickadd", quickadd="no address at all")
    empty = await ada.greader("POST", "subscription/quickadd")

    assert added["numResults"] == 1
    assert added["streamName"]
    assert list(await subscriptions(ada)) == [added["streamId"]]
    for reply in (again, bad, empty):
        assert (reply.status, reply.json()["numResults"]) == (200, 0)
        assert reply.json()["error"]


async def test_folders_and_labels_are_renamed(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech", title="F")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("a", LABEL + "x"))

    await ok(ada, "rename-tag", ("s", LABEL + "Tech"), ("dest", LABEL + "Téch"))
    await ok(ada, "rename-tag", ("s", LABEL + "x"), ("dest", LABEL + "y"))

    assert (await subscriptions(ada))[f"feed/{feed.id}"] == ("F", ["Téch"])
    assert await ada.stream_ids(LABEL + "y") == [1]
    for wrong in (
        [("s", LABEL + "x"), ("dest", LABEL + "z")],
        [("s", LABEL + "y")],
        [("s", STARRED), ("dest", LABEL + "z")],
        [("s", LABEL + "y"), ("dest", READ)],
    ):
        assert (await ada.greader("POST", "rename-tag", wrong)).status == 400


async def test_disabled_folders_leave_their_feeds_and_labels_their_items(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech", title="F")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("a", LABEL + "x"))

    await ok(ada, "disable-tag", ("s", LABEL + "Tech"), ("s", LABEL + "x"))

    assert (await subscriptions(ada))[f"feed/{feed.id}"] == ("F", [])
    assert await titles(ada) == ["one"]
    assert (await ada.greader("GET", "tag/list")).json()["tags"] == [{"id": STARRED}]
    gone = [("s", LABEL + "Tech")]
    assert (await ada.greader("POST", "disable-tag", gone)).status == 400
    await ok(ada, "edit-tag", ("a", LABEL + "By name"))
    await ok(ada, "disable-tag", ("t", "By name"))


async def test_lists_of_feeds_come_in_and_go_out(desk: Desk, ada: Person, bob: Person):
    await desk.subscribe(ada, title="Inside", folder="Tech", url="https://in2.example/f")
    await desk.subscribe(ada, title="Outside", url="https://out2.example/f")
    await bob.sign_in()
    target = f"{GREADER}/reader/api/0/subscription/import"
    headers = {"Authorization": f"GoogleLogin auth={bob.greader_token}"}

    out = await ada.greader("GET", "subscription/export")
    async with desk.working():
        done = await bob.ask(
            "POST", target, headers=headers | {"Content-Type": "text/xml"}, body=out.body
        )

    assert out.headers["content-type"].startswith("text/xml")
    assert done.body == b"OK"
    assert sorted((await subscriptions(bob)).values()) == [("Inside", ["Tech"]), ("Outside", [])]
    for wrong in (b"", b"<opml", b"<html></html>", b"\x00\xff"):
        assert (await bob.ask("POST", target, headers=headers, body=wrong)).status == 400


async def test_renaming_joins_no_label_with_a_folder(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", folder="News")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("a", LABEL + "later"))
    before = (await ada.greader("GET", "tag/list")).json()

    for old, new in (("later", "News"), ("News", "later")):
        reply = await ada.greader("POST", "rename-tag", [("s", LABEL + old), ("dest", LABEL + new)])
        assert reply.status == 400

    assert (await ada.greader("GET", "tag/list")).json() == before


async def test_a_parameter_without_a_stream_leaves_nothing_out(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")

    assert await titles(ada, xt="", it="", ot="", nt="", c="") == ["one", "two"]
    assert await ada.stream_ids(ALL, xt=" ") == [2, 1]
