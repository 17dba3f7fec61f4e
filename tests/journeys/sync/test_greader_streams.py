"""Google Reader: signing in, ids, streams and lists, on both engines."""

from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.journeys.sync.desk import (
    GREADER,
    URLENCODED,
    Desk,
    Person,
    Reply,
    escaped,
    form,
    multipart,
)
from tests.journeys.sync.google import (
    ALL,
    FIRST,
    LABEL,
    LONG,
    READ,
    STARRED,
    STATE,
    age,
    contents,
    ok,
    titles,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.asyncio(loop_scope="module")]

ITEM_TYPES: dict[str, type] = {
    "id": str,
    "crawlTimeMsec": str,
    "timestampUsec": str,
    "published": int,
    "title": str,
    "canonical": list,
    "alternate": list,
    "summary": dict,
    "categories": list,
    "origin": dict,
}


# Signing in.


async def test_sign_in_by_form_multipart_and_query(ada: Person):
    said = {"Email": ada.email, "Passwd": ada.secret, "service": "reader", "source": "x"}
    headers, body = multipart(said)
    replies = [
        await ada.ask(
            "POST", f"{GREADER}/accounts/ClientLogin", headers=URLENCODED, body=form(said)
        ),
        await ada.ask("POST", f"{GREADER}/accounts/ClientLogin", headers=headers, body=body),
        await ada.ask("GET", f"/accounts/ClientLogin?{form(said).decode()}"),
        await ada.ask("POST", "/reader/api/0/accounts/ClientLogin", body=form(said)),
        await ada.ask("POST", f"{GREADER}{GREADER}/accounts/ClientLogin", body=form(said)),
    ]

    for reply in replies:
        assert reply.status == 200
        lines = [line.split("=") for line in reply.text.splitlines()]
        assert [name for name, _ in lines] == ["SID", "LSID", "Auth"]
        assert reply.text == replies[0].text
    asked = form(said | {"output": "json"})
    shown = await ada.ask("POST", f"{GREADER}/accounts/ClientLogin", body=asked)
    assert set(shown.json()) == {"SID", "LSID", "Auth"}


async def test_the_token_can_be_sent_back_as_it_is(ada: Person):
    token = await ada.sign_in()

    given = (await ada.greader("GET", "token")).text

    assert given == token
    assert not set(given) & set("= \n\r\t")
    assert given.lower() not in {"na", "unused", "none", "null"}


async def test_signing_in_again_and_again_leaves_one_token(desk: Desk, ada: Person):
    for _ in range(3):
        await ada.sign_in()

    rows = await desk.stores.rows(
        "SELECT count(*) AS n FROM client_tokens WHERE user_id = :id", id=ada.user.id
    )
    assert rows[0]["n"] == 1


@pytest.mark.parametrize("action_token", [None, "", "x", "wrong", "right\n", " right "])
async def test_a_valid_header_suffices_whatever_the_action_token(
    desk: Desk, ada: Person, action_token: str | None
):
    await desk.subscribe(ada, "one")
    token = await ada.sign_in()
    said = [("i", str(FIRST + 1)), ("a", READ)]
    if action_token is not None:
        said.append(("T", action_token.replace("right", token)))

    await ok(ada, "edit-tag", *said)

    assert await ada.stream_ids(READ) == [1]


async def test_without_a_header_a_valid_action_token_is_as_good(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    token = await ada.sign_in()
    path = f"{GREADER}/reader/api/0/stream/items/contents"

    good = await ada.ask(
        "POST", path, headers=URLENCODED, body=form({"i": FIRST + 1, "T": f"{token}\n"})
    )
    bad = await ada.ask("POST", path, headers=URLENCODED, body=form({"i": FIRST + 1, "T": "x"}))
    none = await ada.ask("POST", path, headers=URLENCODED, body=form({"i": FIRST + 1}))
    query = await ada.ask("GET", f"{GREADER}/reader/api/0/user-info?T={token}")

    assert good.json()["items"][0]["title"] == "one"
    assert [r.status for r in (bad, none, query)] == [401, 401, 401]
    assert bad.headers["x-reader-google-bad-token"] == "true"
    assert bad.headers["google-bad-token"] == "true"


async def test_the_bare_address_answers(ada: Person):
    for path in (GREADER, f"{GREADER}/", f"{GREADER}{GREADER}"):
        assert (await ada.ask("GET", path)).body == b"OK"
    path = f"{GREADER}/check/compatibility"
    assert (await ada.ask("GET", path, headers={"Authorization": "x"})).body == b"PASS"
    assert (await ada.ask("GET", path)).text.startswith("FAIL")


@pytest.mark.parametrize("base", ["", GREADER, GREADER + GREADER])
async def test_every_mount_point_serves_the_same(desk: Desk, ada: Person, base: str):
    await desk.subscribe(ada, "one")
    await ada.sign_in()
    headers = {"Authorization": f"GoogleLogin auth={ada.greader_token}"}

    reply = await ada.ask("GET", f"{base}/reader/api/0/stream/contents", headers=headers)

    assert [item["title"] for item in reply.json()["items"]] == ["one"]


async def test_what_old_clients_ask_is_there_and_empty(ada: Person):
    assert (await ada.greader("GET", "preference/list")).json() == {"prefs": []}
    assert (await ada.greader("GET", "preference/stream/list")).json() == {"streamprefs": {}}
    assert (await ada.greader("GET", "friend/list")).json() == {"friends": []}


async def test_user_info(ada: Person):
    info = (await ada.greader("GET", "user-info", output="json")).json()

    assert (info["userName"], info["userEmail"]) == (ada.email, ada.email)
    assert info["userId"] == info["userProfileId"] == str(ada.user.id)


# Ids.


def spellings(item: int) -> list[str]:
    number = FIRST + item
    return [
        f"{LONG}{number:016x}",
        f"{LONG}{number:x}",
        f"{number:016x}",
        f"{number:016X}",
        f"{number:x}",
        str(number),
        f" {number} ",
    ]


@pytest.mark.parametrize("place", range(7))
async def test_every_spelling_of_an_id_is_read(desk: Desk, ada: Person, place: int):
    await desk.subscribe(ada, *(f"t{n}" for n in range(1, 12)))
    spelled = spellings(11)[place]

    found = await contents(ada, spelled)
    await ok(ada, "edit-tag", ("i", spelled), ("a", STARRED))

    assert [item["id"] for item in found] == [f"{LONG}{FIRST + 11:016x}"]
    assert await ada.stream_ids(STARRED) == [11]


async def test_ids_of_nothing_are_passed_over(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    odd = ["", "x", "-1", "0", "9" * 40, f"{LONG}", f"{LONG}zz", str(FIRST), str(2**63)]

    assert await contents(ada, *odd, str(FIRST + 7)) == []
    await ok(ada, "edit-tag", *[("i", text) for text in odd], ("a", READ))
    assert await ada.stream_ids(READ) == []


async def test_refs_have_one_key_with_plain_decimals(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")

    page = (await ada.greader("GET", "stream/items/ids", s=ALL, n=10)).json()

    assert page == {"itemRefs": [{"id": str(FIRST + 2)}, {"id": str(FIRST + 1)}]}
    assert all(len(ref["id"]) == 16 for ref in page["itemRefs"])


async def test_one_client_gets_an_id_of_0_for_nothing(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    none: dict[str, Any] = {"itemRefs": []}
    zero = {"itemRefs": [{"id": "0"}]}

    for stream in (STARRED, STATE + "like"):
        reply = await ada.greader("GET", "stream/items/ids", s=stream)
        other = await ada.greader("GET", "stream/items/ids", s=stream, client="newsplus")
        assert (reply.json(), other.json()) == (none, zero)


async def test_a_thousand_ids_in_one_form(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    await desk.deliver(url, *(f"t{n}" for n in range(300)))
    ids = [f"{LONG}{FIRST + n:016x}" for n in range(1, 1001)]

    await ok(ada, "edit-tag", *[("i", i) for i in ids], ("a", READ), ("ac", "edit"))

    assert await ada.stream_ids(STATE + "unread") == []
    assert len(await contents(ada, *ids)) == 300


async def test_forms_without_any_escaping_are_read(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    await ada.sign_in()
    raw = f"i={LONG}{FIRST + 1:016x}&a={READ}&ac=edit&T={ada.greader_token}"
    headers = URLENCODED | {"Authorization": f"GoogleLogin auth={ada.greader_token}"}

    reply = await ada.ask("POST", "/reader/api/0/edit-tag", headers=headers, body=raw.encode())

    assert reply.body == b"OK"
    assert await ada.stream_ids(READ) == [1]


# Streams.


async def test_items_have_every_field_with_its_type(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", folder="Tech")

    reply = await ada.greader("GET", "stream/contents/" + ALL)

    body = reply.json()
    assert (body["id"], type(body["updated"])) == (ALL, int)
    assert "continuation" not in body
    item = body["items"][0]
    assert {n for n, kind in ITEM_TYPES.items() if not isinstance(item[n], kind)} == set()
    assert item["id"] == f"{LONG}{FIRST + 1:016x}"
    assert "content" not in item
    assert "self" not in body
    assert item["summary"]["content"] == "<p>one</p>"
    assert item["canonical"] == [{"href": "https://site.example/one"}]
    assert item["alternate"] == [{"href": "https://site.example/one", "type": "text/html"}]
    assert item["categories"] == [ALL, LABEL + "Tech"]
    assert item["origin"]["streamId"] == f"feed/{feed.id}"
    assert item["origin"]["title"] == "A feed"
    assert item["origin"]["htmlUrl"].startswith("https://")
    assert int(item["timestampUsec"]) // 1000 == int(item["crawlTimeMsec"])
    assert 0 < item["published"] < 2**31


async def test_states_and_labels_show_as_categories(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", folder="Tech")
    one = ("i", str(FIRST + 1))
    await ok(ada, "edit-tag", one, ("a", READ), ("a", STARRED), ("a", LABEL + "to read"))

    item = (await contents(ada, str(FIRST + 1)))[0]

    expected = [ALL, READ, STARRED, LABEL + "Tech", LABEL + "to read"]
    assert item["categories"] == expected


@pytest.fixture
def paths() -> list[str]:
    return ["", "reading-list", ALL, escaped(ALL)]


async def test_every_way_to_name_everything(desk: Desk, ada: Person, paths: list[str]):
    await desk.subscribe(ada, "one", "two")
    own = [f"user/{ada.user.id}/state/com.google/reading-list"]
    own += [f"user/{ada.email}/state/com.google/reading-list"]

    for path in [*paths, *own]:
        end = f"/{path}" if path else ""
        reply = await ada.greader("GET", f"stream/contents{end}", r="o", output="json")
        assert [i["title"] for i in reply.json()["items"]] == ["one", "two"], path
        assert reply.json()["id"] == ALL
        assert await ada.stream_ids(unquote(path)) == [2, 1]


async def test_every_way_to_name_a_feed(desk: Desk, ada: Person):
    url = "https://names.example/a feed?x=1&y=ü"
    await desk.subscribe(ada, "one", url="https://names.example/a%20feed?x=1&y=%C3%BC")
    feed = (await ada.greader("GET", "subscription/list")).json()["subscriptions"][0]
    await desk.subscribe(ada, "other")
    number = feed["id"].removeprefix("feed/")

    for name in (f"feed/{number}", f"feed/feed/{number}", f"feed/{url}", f"feed/{feed['url']}"):
        assert await titles(ada, escaped(name)) == ["one"], name
        assert await ada.stream_ids(name) == [1], name
    assert await titles(ada, f"feed/{number}") == ["one"]
    assert await titles(ada, f"feed%2F{number}") == ["one"]


async def test_what_nobody_has_is_an_empty_stream(desk: Desk, ada: Person, bob: Person):
    theirs = await desk.subscribe(bob, "secret")
    streams = [
        *(STATE + name for name in ("broadcast", "like", "created", "tracking-kept-unread")),
        f"feed/{theirs.id}",
        f"feed/{theirs.url}",
        "feed/999999999999999999999",
        "feed/not an address",
        LABEL + "nowhere",
        LABEL,
        "user/12345/state/com.google/reading-list",
        "nonsense",
    ]

    for stream in streams:
        reply = await ada.greader("GET", f"stream/contents/{quote(stream)}")
        assert (reply.status, reply.json()["items"]) == (200, []), stream
        assert await ada.stream_ids(stream) == [], stream


async def test_streams_of_states_folders_and_labels(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", "b", folder="Täch & co")
    await desk.subscribe(ada, "c", "d")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("i", FIRST + 3), ("a", READ))
    await ok(ada, "edit-tag", ("i", FIRST + 2), ("i", FIRST + 3), ("a", STARRED))
    await ok(ada, "edit-tag", ("i", FIRST + 4), ("a", LABEL + "später"))

    assert await titles(ada, READ) == ["a", "c"]
    assert await titles(ada, STATE + "unread") == ["b", "d"]
    assert await titles(ada, STATE + "kept-unread") == ["b", "d"]
    assert await titles(ada, STARRED) == ["b", "c"]
    assert await titles(ada, quote(LABEL + "Täch & co")) == ["a", "b"]
    assert await titles(ada, escaped(LABEL + "später")) == ["d"]
    assert await titles(ada, xt=READ) == ["b", "d"]
    assert await titles(ada, xt=[READ, STARRED]) == ["d"]
    assert await titles(ada, xt=STATE + "unread") == ["a", "c"]
    assert await titles(ada, xt=f"feed/{tech.id}") == ["c", "d"]
    assert await titles(ada, xt=LABEL + "Täch & co") == ["c", "d"]
    assert await titles(ada, xt=LABEL + "später") == ["a", "b", "c"]
    assert await titles(ada, xt=[LABEL + "später", f"feed/{tech.id}"]) == ["c"]
    assert await titles(ada, xt=STATE + "like") == ["a", "b", "c", "d"]
    assert await titles(ada, xt=ALL) == []
    assert await titles(ada, it=READ) == ["a", "c"]
    assert await titles(ada, it=[READ, STARRED]) == ["c"]
    assert await titles(ada, STARRED, it=f"feed/{tech.id}") == ["b"]
    assert await titles(ada, STARRED, xt=STARRED) == []
    assert await titles(ada, f"feed/{tech.id}", it=LABEL + "später") == []
    assert sorted(await ada.stream_ids(ALL, it=READ)) == [1, 3]


async def test_times_are_times_of_arrival(desk: Desk, ada: Person):
    # Published in March 2026, whenever they arrive.
    await desk.subscribe(ada, "early", "late")
    early = await age(desk, ada, 1, 1000)

    assert await titles(ada, ot=early) == ["early", "late"]
    assert await titles(ada, ot=early + 1) == ["late"]
    assert await titles(ada, ot=0) == ["early", "late"]
    assert await titles(ada, ot=early + 100_000) == []
    assert await titles(ada, nt=early + 1) == ["early"]
    assert await titles(ada, nt=early - 1) == []
    assert await ada.stream_ids(ALL, ot=early + 1) == [2]
    assert await titles(ada, ot=9**30) == []


@pytest.mark.threat("C8")
async def test_pages_follow_one_another_whatever_happens_between(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, *(f"t{n}" for n in range(10)), url=url)

    first = (await ada.greader("GET", "stream/contents", n=4, xt=READ)).json()
    await ok(ada, "edit-tag", *[("i", FIRST + n) for n in (7, 6, 2)], ("a", READ))
    await desk.deliver(url, "new")
    more: dict[str, Any] = {"n": 3, "xt": READ, "c": first["continuation"]}
    second = (await ada.greader("GET", "stream/contents", **more)).json()
    more["c"] = second["continuation"]
    third = (await ada.greader("GET", "stream/contents", **more)).json()

    assert isinstance(first["continuation"], str)
    assert [i["title"] for i in first["items"]] == ["t9", "t8", "t7", "t6"]
    assert [i["title"] for i in second["items"]] == ["t4", "t3", "t2"]
    assert [i["title"] for i in third["items"]] == ["t0"]
    assert "continuation" not in third


async def test_the_last_page_has_no_continuation(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")

    full = (await ada.greader("GET", "stream/items/ids", s=ALL, n=2)).json()
    part = (await ada.greader("GET", "stream/items/ids", s=ALL, n=1)).json()
    whole = (await ada.greader("GET", "stream/contents", n=2)).json()

    assert "continuation" not in full
    assert isinstance(part["continuation"], str)
    assert "continuation" not in whole
    assert await ada.stream_ids(ALL, n=1, r="o") == [1, 2]


@pytest.mark.threat("C8")
@pytest.mark.parametrize("path", ["stream/contents", "stream/items/ids"])
@pytest.mark.parametrize("wrong", ["x", "-1", "1.5", "٣", "9" * 30])
async def test_a_continuation_nobody_gave_is_refused(ada: Person, path: str, wrong: str):
    reply = await ada.greader("GET", path, c=wrong)

    assert reply.status == 400
    assert reply.headers["content-type"].startswith("text/plain")


@pytest.mark.threat("A22")
async def test_sizes_are_bounded(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    for start in range(0, 1050, 150):
        await desk.deliver(url, *(f"t{n}" for n in range(start, start + 150)))

    default = (await ada.greader("GET", "stream/contents")).json()
    most = await ada.greader("GET", "stream/contents", n=200_000)
    none = (await ada.greader("GET", "stream/contents", n=0)).json()
    ids = (await ada.greader("GET", "stream/items/ids", s=ALL, n=200_000)).json()

    assert (len(default["items"]), len(none["items"])) == (20, 20)
    assert len(most.json()["items"]) == 1000
    assert most.json()["continuation"]
    assert most.chunks > 3
    assert len(ids["itemRefs"]) == 1050
    assert (await ada.greader("GET", "stream/contents", n="many")).status == 400


async def test_contents_of_ids_follow_the_order_asked_for(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two", "three")
    ids = [("i", FIRST + n) for n in (2, 3, 1, 2)]

    newest = await ada.greader("POST", "stream/items/contents", ids)
    oldest = await ada.greader("POST", "stream/items/contents", [*ids, ("r", "o")])
    asked = await ada.greader("GET", "stream/items/contents", i=[FIRST + 1, FIRST + 2])

    def shown(reply: Reply) -> list[str]:
        return [item["title"] for item in reply.json()["items"]]

    assert shown(newest) == ["three", "two", "one"]
    assert shown(oldest) == ["one", "two", "three"]
    assert shown(asked) == ["two", "one"]
    assert "continuation" not in newest.json()


# Lists.


async def test_tag_list_tells_folders_from_labels(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", folder="Tech")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("a", LABEL + "later"))

    tags = (await ada.greader("GET", "tag/list", output="json")).json()["tags"]

    assert tags == [
        {"id": STARRED},
        {"id": LABEL + "Tech", "type": "folder"},
        {"id": LABEL + "later", "type": "tag", "unread_count": 1},
    ]


async def test_subscription_list(desk: Desk, ada: Person):
    inside = await desk.subscribe(ada, "one", folder="Tech", title="Inside")
    root = await desk.subscribe(ada, "two", title="Outside")

    listed = (await ada.greader("GET", "subscription/list")).json()["subscriptions"]

    assert listed == [
        {
            "id": f"feed/{inside.id}",
            "title": "Inside",
            "categories": [{"id": LABEL + "Tech", "label": "Tech"}],
            "url": inside.url,
            "htmlUrl": "",
            "iconUrl": "",
        },
        {
            "id": f"feed/{root.id}",
            "title": "Outside",
            "categories": [],
            "url": root.url,
            "htmlUrl": "",
            "iconUrl": "",
        },
    ]


@pytest.mark.parametrize("path", ["tag/list", "subscription/list"])
async def test_lists_answer_304_until_something_changes(desk: Desk, ada: Person, path: str):
    await desk.subscribe(ada, "one", folder="Tech")
    await ada.sign_in()
    target = f"{GREADER}/reader/api/0/{path}?output=json"
    headers = {"Authorization": f"GoogleLogin auth={ada.greader_token}"}
    first = await ada.ask("GET", target, headers=headers)
    tagged = headers | {"If-None-Match": f'"other", W/{first.headers["etag"]}'}

    same = await ada.ask("GET", target, headers=tagged)
    await desk.subscribe(ada, folder="More", title="New")
    changed = await ada.ask("GET", target, headers=tagged)

    assert (same.status, same.body) == (304, b"")
    assert same.headers["etag"] == first.headers["etag"]
    assert changed.status == 200


async def test_unread_counts(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "a", "b", folder="Tech")
    root = await desk.subscribe(ada, "c")
    await ok(ada, "edit-tag", ("i", FIRST + 1), ("a", READ))
    await ok(ada, "edit-tag", ("i", FIRST + 2), ("a", LABEL + "later"))

    reply = (await ada.greader("GET", "unread-count", output="json")).json()

    counts = {entry["id"]: entry["count"] for entry in reply["unreadcounts"]}
    assert reply["max"] == 2
    assert counts == {
        f"feed/{tech.id}": 1,
        f"feed/{root.id}": 1,
        LABEL + "Tech": 1,
        LABEL + "later": 1,
        ALL: 2,
    }
    for entry in reply["unreadcounts"]:
        assert entry["newestItemTimestampUsec"].isdigit()
        assert len(entry["newestItemTimestampUsec"]) == 16


async def test_streams_are_counted(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", "two")

    plain = await ada.greader("GET", "stream/items/count", s=f"feed/{feed.id}")
    dated = await ada.greader("GET", "stream/items/count", s=ALL, a="true")
    none = await ada.greader("GET", "stream/items/count", s=STARRED, a="true")

    assert (plain.text, none.text) == ("2", "0")
    assert dated.text.startswith("2#")


async def test_a_stream_comes_as_atom_where_it_is_asked_for(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one", "two", folder="Tech")
    await ada.sign_in()
    headers = {"Authorization": f"GoogleLogin auth={ada.greader_token}"}

    paths = (
        f"{GREADER}/reader/atom/feed/{feed.id}",
        f"/reader/atom/{escaped(LABEL + 'Tech')}",
        f"/reader/api/0/stream/contents/feed/{feed.id}?output=atom",
    )
    for path in paths:
        reply = await ada.ask("GET", path, headers=headers)
        assert reply.headers["content-type"].startswith("application/atom+xml"), path
        assert reply.body.count(b"<entry>") == 2, path
    assert (await ada.ask("GET", paths[0])).status == 401


async def test_addresses_with_one_slash_are_understood(desk: Desk, ada: Person):
    feed = await desk.subscribe(ada, "one")
    one = feed.url.replace("//", "/")

    assert (await ada.greader("GET", "subscribed", s=f"feed/{one}")).text == "true"
    assert (await ada.greader("GET", "subscribed", s="feed/https://no/")).text == "false"
    assert await ada.stream_ids(f"feed/{one}") == [1]


async def test_what_there_is_not_is_a_bad_request_as_in_freshrss(ada: Person):
    unknown = await ada.greader("GET", "no/such/thing")
    stranger = await ada.ask("GET", "/reader/api/0/no/such/thing")

    assert (unknown.status, unknown.text) == (400, "Bad Request!")
    assert (stranger.status, stranger.text) == (401, "Unauthorized!")
    assert stranger.headers["google-bad-token"] == "true"


async def test_folders_and_labels_are_renamed_by_bare_name(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", folder="Tech")

    done = await ada.greader("POST", "rename-tag", {"t": "Tech", "dest": "Science"})
    again = await ada.greader("POST", "rename-tag", {"s": "Science", "dest": "Arts"})

    assert (done.text, again.text) == ("OK", "OK")
    assert [f.path for f in await desk.stores.folders.folders(ada.user.id)] == ["Arts"]


async def test_saved_searches_are_labels(desk: Desk, ada: Person):
    await desk.subscribe(ada, "a pelican", "a gull", "pelicans at night")
    await desk.container.indexer().catch_up()
    searches = desk.container.services().saved_searches
    await searches.save(ada.user.id, "Big bills", "pelican*")
    await desk.stores.reading.mark(ada.user.id, [3], "read")
    label = "user/-/label/Big bills"

    tags = (await ada.greader("GET", "tag/list")).json()["tags"]
    counts = (await ada.greader("GET", "unread-count")).json()["unreadcounts"]

    assert await ada.stream_ids(label) == [3, 1]
    assert [tag["unread_count"] for tag in tags if tag["id"] == label] == [1]
    assert [count["count"] for count in counts if count["id"] == label] == [1]


async def test_a_tag_goes_before_a_saved_search_of_its_name(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two")
    await desk.container.indexer().catch_up()
    await desk.stores.reading.tag(ada.user.id, [1], "Both")
    await desk.container.services().saved_searches.save(ada.user.id, "Both", "two")

    tags = (await ada.greader("GET", "tag/list")).json()["tags"]

    assert [tag["id"] for tag in tags].count("user/-/label/Both") == 1
    assert await ada.stream_ids("user/-/label/Both") == [1]
