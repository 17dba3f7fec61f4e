"""Credentials at every sync route: wrong, revoked, foreign, read-only, too many attempts."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from feedloom.serve.sync import ROUTES
from tests.journeys.sync.desk import GREADER, NEXTCLOUD, URLENCODED, Desk, Person, Reply, form

pytestmark = pytest.mark.asyncio(loop_scope="module")

FetchRequest = Callable[[Person], Awaitable[Reply]]
READS: dict[str, FetchRequest] = {
    "nextcloud version": lambda p: p.nextcloud("GET", "/version"),
    "nextcloud status": lambda p: p.nextcloud("GET", "/status", level="v1-2"),
    "nextcloud items": lambda p: p.nextcloud("GET", "/items"),
    "ocs": lambda p: p.ask("GET", "/ocs/v1.php/cloud/user", headers=p.basic),
    "greader": lambda p: p.greader("GET", "subscription/list"),
    "fever": lambda p: p.fever("items"),
    "miniflux": lambda p: p.miniflux("GET", "/feeds"),
    "feedbin": lambda p: p.feedbin("GET", "/entries"),
}
WRITES: dict[str, FetchRequest] = {
    "nextcloud": lambda p: p.nextcloud("POST", "/items/read", {"newestItemId": 99}),
    "nextcloud refresh": lambda p: p.nextcloud("GET", "/feeds/update", feedId=1),
    "greader": lambda p: p.greader("POST", "mark-all-as-read", {"s": "reading-list"}),
    "fever": lambda p: p.fever("", {"mark": "group", "as": "read", "id": 0}),
    "miniflux": lambda p: p.miniflux("PUT", f"/users/{p.user.id}/mark-all-as-read"),
    "feedbin": lambda p: p.feedbin("DELETE", "/unread_entries", {"unread_entries": [1, 2]}),
}


def is_refused(name: str, reply: Reply) -> bool:
    if name == "fever":
        return reply.status == 200 and reply.json() == {"api_version": 3, "auth": 0}
    return reply.status == 401


@pytest.mark.threat("C1")
@pytest.mark.parametrize("name", READS)
async def test_a_wrong_password_opens_no_route(desk: Desk, name: str):
    ada = await desk.person()
    await desk.subscribe(ada, "secret words")
    ada.secret, ada.greader_token = "wrong", "wrong"

    reply = await READS[name](ada)

    assert is_refused(name, reply)
    assert b"secret" not in reply.body


@pytest.mark.threat("C1")
@pytest.mark.parametrize("name", READS)
async def test_a_revoked_password_opens_no_route(desk: Desk, name: str):
    ada = await desk.person()
    await ada.sign_in()
    assert (await READS[name](ada)).status == 200

    await desk.revoke(ada)

    assert is_refused(name, await READS[name](ada))


@pytest.mark.parametrize("name", READS)
async def test_another_password_lives_on_when_one_is_revoked(desk: Desk, name: str):
    ada = await desk.person()
    other = await desk.another_password(ada)
    await desk.revoke(ada)

    reply = await READS[name](other)

    assert (reply.status, is_refused(name, reply)) == (200, False)


@pytest.mark.threat("C1", "A3")
@pytest.mark.parametrize("name", READS)
async def test_a_locked_out_person_opens_no_route(desk: Desk, name: str):
    ada = await desk.person()
    await ada.sign_in()

    await desk.container.accounts.store.set_disabled(ada.user.id, disabled=True)

    assert is_refused(name, await READS[name](ada))


@pytest.mark.threat("C3")
@pytest.mark.parametrize("name", READS)
async def test_a_use_is_noted(desk: Desk, name: str):
    ada = await desk.person()
    before = await desk.container.accounts.store.app_passwords(ada.user.id)

    await READS[name](ada)

    after = await desk.container.accounts.store.app_passwords(ada.user.id)
    assert before[0].last_used_at is None
    assert after[0].last_used_at is not None


@pytest.mark.parametrize("name", READS)
async def test_a_password_that_reads_may_read(desk: Desk, name: str):
    ada = await desk.person(scope="read")

    assert not is_refused(name, await READS[name](ada))


@pytest.mark.threat("C2")
@pytest.mark.parametrize("name", WRITES)
async def test_a_password_that_only_reads_changes_nothing(desk: Desk, name: str):
    ada = await desk.person(scope="read")
    await desk.subscribe(ada, "one", "two")

    reply = await WRITES[name](ada)

    assert reply.status == 403
    assert (await desk.stores.reading.counts(ada.user.id)).unread == 2


@pytest.mark.threat("C2")
async def test_a_password_that_only_reads_stores_no_full_text(desk: Desk):
    ada = await desk.person(scope="read")
    await desk.subscribe(ada, "one")

    reply = await ada.miniflux("GET", "/entries/1/fetch-content")

    assert reply.status == 403


async def test_a_persons_own_password_opens_no_sync_route(desk: Desk):
    ada = await desk.person()
    await desk.container.accounts.store.set_password(
        ada.user.id, await desk.container.accounts._hash("correct horse")
    )
    ada.secret = "correct horse"

    replies = {name: await ask(ada) for name, ask in READS.items() if name != "greader"}

    assert [name for name, reply in replies.items() if not is_refused(name, reply)] == []


HEADERS = {
    "nothing": "",
    "no base64": "Basic !!!",
    "no colon": "Basic " + base64.b64encode(b"ada").decode(),
    "empty parts": "Basic " + base64.b64encode(b":").decode(),
    "not utf-8": "Basic " + base64.b64encode(b"\xff\xfe:x").decode(),
    "a null": "Basic " + base64.b64encode(b"a\x00b:c").decode(),
    "a megabyte": "Basic " + base64.b64encode(b"a:" + b"b" * 1_000_000).decode(),
    "another scheme": "Digest username=ada",
    "only the scheme": "GoogleLogin auth=",
    "an odd token": "GoogleLogin auth=\xff\xfe",
}


@pytest.mark.threat("C7")
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize(
    "path",
    [
        f"{NEXTCLOUD}/v1-3/version",
        f"{GREADER}/reader/api/0/user-info",
        "/v1/me",
        "/v2/authentication.json",
    ],
)
async def test_odd_headers_are_401(ada: Person, path: str, header: str):
    reply = await ada.ask("GET", path, headers={"Authorization": HEADERS[header]})

    assert reply.status == 401


@pytest.mark.threat("A11")
@pytest.mark.parametrize(
    "name", ["nextcloud version", "greader", "fever", "miniflux", "feedbin", "login"]
)
async def test_guessing_is_slowed_down_at_every_route(desk: Desk, name: str):
    ada = await desk.person()
    guesser = await desk.person()
    guesser.user, guesser.secret, guesser.greader_token = ada.user, "guess", "guess"

    async def guess() -> Reply:
        if name == "login":
            said = form({"Email": ada.email, "Passwd": "guess"})
            path = f"{GREADER}/accounts/ClientLogin"
            return await guesser.ask("POST", path, headers=URLENCODED, body=said)
        return await READS[name](guesser)

    statuses = [(await guess()).status for _ in range(25)]

    assert statuses[0] == (200 if name == "fever" else 401)
    assert statuses[-1] == 429
    last = await guess()
    assert int(last.headers["retry-after"]) > 0
    # A right password of the same household still works everywhere.
    ada.address = guesser.address
    assert (await ada.nextcloud("GET", "/version")).status == 200


@pytest.mark.threat("C9")
async def test_many_clients_mark_the_same_at_once(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one", "two", "three")
    token = await ada.sign_in()
    marks: list[Awaitable[Reply]] = []
    for number in range(50):
        word = ("read", "star", "unread")[number % 3]
        marks.append(ada.nextcloud("POST", f"/items/{word}/multiple", {"itemIds": [1, 2, 3, 99]}))
    marks.append(ada.greader("POST", "mark-all-as-read", {"s": "reading-list"}))
    marks.append(ada.nextcloud("POST", "/items/star/multiple", {"itemIds": [3, 2, 1]}))

    replies = await asyncio.gather(*marks)

    assert {reply.status for reply in replies} == {200}
    assert token
    shown = await ada.items()
    assert [(item["id"], item["starred"]) for item in shown] == [(n, True) for n in (3, 2, 1)]


async def test_a_fever_call_without_a_key_is_no_guess(desk: Desk, ada: Person):
    for _ in range(30):
        await ada.ask("POST", "/fever/?api")

    assert (await ada.fever("items")).json()["auth"] == 1


async def test_sign_in_is_refused_in_its_own_words(ada: Person):
    for said in (
        {"Email": ada.email, "Passwd": "wrong"},
        {"Email": "nobody@example.org", "Passwd": ada.secret},
        {"Email": ada.email},
        {},
    ):
        reply = await ada.ask(
            "POST", f"{GREADER}/accounts/ClientLogin", headers=URLENCODED, body=form(said)
        )
        assert (reply.status, reply.text) == (401, "Error=BadAuthentication\n")


async def test_nextcloud_refusals_ask_for_basic_and_say_why(ada: Person):
    reply = await ada.ask("GET", f"{NEXTCLOUD}/v1-3/feeds")

    assert reply.status == 401
    assert reply.headers["www-authenticate"].startswith("Basic")
    assert list(reply.json()) == ["message"]


# Other people's things.


@pytest.mark.threat("C5", "A7")
async def test_anothers_ids_are_not_found_and_nothing_changes(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(bob, "one", "two", folder="Own")
    for _ in range(3):
        await desk.subscribe(ada, "mine")
    await ada.nextcloud("POST", "/items/read", {"newestItemId": 99})

    async def status(method: str, path: str, body: Any = None) -> int:
        return (await ada.nextcloud(method, path, body or {})).status

    for path in ("/rename", "/move", "/read"):
        said = {"feedTitle": "mine", "newestItemId": 99}
        assert await status("POST", f"/feeds/{feed.id}{path}", said) == 404
    assert await status("DELETE", f"/feeds/{feed.id}") == 404
    assert await status("PUT", f"/folders/{feed.folder_id}", {"name": "x"}) == 404
    assert await status("POST", f"/folders/{feed.folder_id}/read") == 404
    assert await status("DELETE", f"/folders/{feed.folder_id}") == 404
    stolen = {"url": await desk.published(), "folderId": feed.folder_id}
    assert await status("POST", "/feeds", stolen) == 404
    hashed = (await bob.items())[0]["guidHash"]
    assert await status("POST", f"/items/{feed.id}/{hashed}/star") == 404
    assert await ada.items(type=0, id=feed.id) == []
    assert await ada.items(type=1, id=feed.folder_id) == []
    assert (await bob.nextcloud("GET", "/feeds")).json()["feeds"][0]["unreadCount"] == 2
    assert (await ada.miniflux("GET", f"/feeds/{feed.id}")).status == 404
    assert (await ada.miniflux("DELETE", f"/categories/{feed.folder_id}")).status == 404
    moved = {"category_id": feed.folder_id}
    own = (await ada.nextcloud("GET", "/feeds")).json()["feeds"][0]["id"]
    assert (await ada.miniflux("PUT", f"/feeds/{own}", moved)).status == 404


@pytest.mark.threat("C5", "A8")
async def test_anothers_items_in_a_bulk_call_change_nothing(desk: Desk, ada: Person, bob: Person):
    feed = await desk.subscribe(bob, "one", "two", "three")
    pairs = [{"feedId": feed.id, "guidHash": i["guidHash"]} for i in await bob.items()]

    for body in ({"itemIds": [1, 2, 3]}, {"items": pairs}):
        for word in ("read", "star"):
            reply = await ada.nextcloud("POST", f"/items/{word}/multiple", body)
            assert (reply.status, reply.json()) == (200, [])

    shown = [(item["unread"], item["starred"]) for item in await bob.items()]
    assert shown == [(True, False)] * 3


# Pages of other sites.


@pytest.mark.threat("C6")
@pytest.mark.parametrize(
    "path", sorted({route.path for route in ROUTES if "OPTIONS" in route.methods})
)
async def test_any_page_may_ask_without_cookies(ada: Person, path: str):
    target = path.replace("{stream:path}", "x")
    for name in ("id", "hash", "entry", "login", "rest:path"):
        target = target.replace(f"{{{name}}}", "1")

    reply = await ada.ask(
        "OPTIONS",
        target,
        headers={"Origin": "https://app.example", "Access-Control-Request-Method": "GET"},
    )

    assert (reply.status, reply.body) == (204, b"")
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "authorization" in reply.headers["access-control-allow-headers"].lower()
    assert reply.headers["access-control-max-age"] == "600"
    assert "access-control-allow-credentials" not in reply.headers


@pytest.mark.parametrize("name", READS)
async def test_answers_and_refusals_can_be_read_by_any_page(desk: Desk, name: str):
    ada = await desk.person()
    good = await READS[name](ada)
    ada.secret, ada.greader_token = "wrong", "wrong"
    bad = await READS[name](ada)

    for reply in (good, bad):
        assert reply.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in reply.headers


@pytest.mark.threat("C6")
async def test_a_browsers_session_opens_no_sync_route(desk: Desk, ada: Person):
    signed_in = await desk.container.accounts.sign_in(ada.user, user_agent="", address="")
    cookie = {"Cookie": f"feedloom_session={signed_in.token}"}
    paths = [
        f"{NEXTCLOUD}/v1-3/feeds",
        f"{GREADER}/reader/api/0/user-info",
        "/v1/me",
        "/ocs/v1.php/cloud/user",
    ]

    assert [(await ada.ask("GET", path, headers=cookie)).status for path in paths] == [401] * 4
    fever = await ada.ask("POST", "/fever/?api", headers=cookie)
    assert fever.json()["auth"] == 0
