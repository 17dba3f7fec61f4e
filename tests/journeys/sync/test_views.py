"""A person's views as feeds at secret addresses: made, read, revoked."""

import json
from typing import Any

import feedparser
import pytest

from tests.journeys.sync.desk import Desk, Person, Reply

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOME = "http://feeds.example"


async def call(person: Person, method: str, path: str = "", body: Any = None) -> Reply:
    headers = {"Authorization": f"Bearer {person.secret}", "Content-Type": "application/json"}
    encoded = b"" if body is None else json.dumps(body).encode()
    return await person.ask(method, f"/api/view-tokens{path}", headers=headers, body=encoded)


async def made(person: Person, **said: Any) -> dict[str, Any]:
    reply = await call(person, "POST", body=said)
    assert reply.status == 201, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def titles(person: Person, address: str) -> list[str]:
    """Read a feed as any reader would: without credentials, strictly."""
    reply = await person.ask("GET", address.removeprefix(HOME))
    assert reply.status == 200, reply.text
    parsed = feedparser.parse(reply.body)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return [entry.title for entry in parsed.entries]


async def test_every_view_as_rss_and_atom(desk: Desk, ada: Person):
    tech = await desk.subscribe(ada, "alpha", "beta", folder="Tech")
    await desk.subscribe(ada, "gamma")
    await desk.stores.reading.mark(ada.user.id, [1], "read")
    await desk.stores.reading.mark(ada.user.id, [2], "starred")
    await desk.stores.reading.tag(ada.user.id, [3], "later")
    await desk.container.indexer().catch_up()
    views: list[tuple[dict[str, Any], set[str]]] = [
        ({"view": "all"}, {"alpha", "beta", "gamma"}),
        ({"view": "unread"}, {"beta", "gamma"}),
        ({"view": "starred"}, {"beta"}),
        ({"view": "folder", "target_id": tech.folder_id}, {"alpha", "beta"}),
        ({"view": "feed", "target_id": tech.id}, {"alpha", "beta"}),
        ({"view": "tag", "text": "later"}, {"gamma"}),
        ({"view": "search", "text": "alpha"}, {"alpha"}),
    ]

    for said, expected in views:
        token = await made(ada, label=f"My {said['view']}", **said)
        for address in (token["rss_url"], token["atom_url"]):
            assert set(await titles(ada, address)) == expected, said
    listed = (await call(ada, "GET")).json()
    assert [token["label"] for token in listed] == [f"My {v['view']}" for v, _ in views]
    assert all("rss_url" not in token for token in listed)


async def test_a_feed_says_who_wrote_what_and_when(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one & <two>", title="Blog")
    token = await made(ada, view="all", label="Mine & yours")

    rss = await ada.ask("GET", token["rss_url"].removeprefix(HOME))
    atom = await ada.ask("GET", token["atom_url"].removeprefix(HOME))

    assert rss.headers["content-type"] == "application/rss+xml; charset=utf-8"
    assert atom.headers["content-type"] == "application/atom+xml; charset=utf-8"
    for reply in (rss, atom):
        parsed = feedparser.parse(reply.body)
        assert parsed.feed.title == "Mine & yours"
        assert parsed.entries[0].title == "one & <two>"
        assert parsed.entries[0].link == "https://site.example/one%20&%20%3Ctwo%3E"
        assert "noindex" in reply.headers["x-robots-tag"]
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert "private" in reply.headers["cache-control"]


async def test_a_feed_answers_304_until_something_changes(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscribe(ada, "one", url=url)
    path = (await made(ada, view="all"))["rss_url"].removeprefix(HOME)
    first = await ada.ask("GET", path)
    tagged = {"If-None-Match": first.headers["etag"]}

    same = await ada.ask("GET", path, headers=tagged)
    await desk.deliver(url, "two")
    changed = await ada.ask("GET", path, headers=tagged)

    assert (same.status, same.body) == (304, b"")
    assert changed.status == 200


@pytest.mark.threat("C4")
async def test_a_revoked_address_is_gone(desk: Desk, ada: Person, bob: Person):
    await desk.subscribe(ada, "one")
    token, other = await made(ada, view="all"), await made(ada, view="all")
    path = token["rss_url"].removeprefix(HOME)
    assert (await ada.ask("GET", path)).status == 200

    assert (await call(bob, "DELETE", f"/{token['id']}")).status == 404
    assert (await ada.ask("GET", path)).status == 200
    assert (await call(ada, "DELETE", f"/{token['id']}")).status == 204

    assert (await ada.ask("GET", path)).status == 404
    assert (await call(ada, "DELETE", f"/{token['id']}")).status == 404
    assert await titles(ada, other["rss_url"]) == ["one"]
    assert [t["id"] for t in (await call(ada, "GET")).json()] == [other["id"]]
    assert (await call(bob, "GET")).json() == []


@pytest.mark.threat("A3", "C4")
async def test_a_locked_out_persons_addresses_are_closed(desk: Desk, ada: Person):
    await desk.subscribe(ada, "one")
    path = (await made(ada, view="all"))["rss_url"].removeprefix(HOME)

    await desk.container.accounts.store.set_disabled(ada.user.id, disabled=True)

    assert (await ada.ask("GET", path)).status == 404


@pytest.mark.threat("C4")
@pytest.mark.parametrize("secret", ["x", "x" * 32, "x" * 5000, "%00", "..%2f.."])
async def test_guesses_find_nothing(ada: Person, secret: str):
    for ending in ("xml", "atom"):
        assert (await ada.ask("GET", f"/view/{secret}.{ending}")).status == 404


@pytest.mark.threat("A4", "C4")
async def test_secrets_are_long_and_kept_hashed(desk: Desk, ada: Person):
    token = await made(ada, view="all")
    secret = token["rss_url"].rpartition("/")[2].removesuffix(".xml")

    rows = await desk.stores.rows("SELECT token_hash FROM view_tokens")

    assert len(secret) >= 32
    assert all(secret not in row["token_hash"] for row in rows)


async def test_what_cannot_be_a_view_is_refused(desk: Desk, ada: Person, bob: Person):
    theirs = await desk.subscribe(bob, "secret", folder="Own")
    wrong = [
        ({}, 422),
        ({"view": "everything"}, 422),
        ({"view": "search"}, 422),
        ({"view": "tag", "text": "   "}, 422),
        ({"view": "folder"}, 404),
        ({"view": "feed", "target_id": theirs.id}, 404),
        ({"view": "folder", "target_id": theirs.folder_id}, 404),
        ({"view": "feed", "target_id": 2**40}, 404),
    ]

    statuses = [(await call(ada, "POST", body=body)).status for body, _ in wrong]

    assert statuses == [status for _, status in wrong]
    assert (await ada.ask("GET", "/api/view-tokens")).status == 401


@pytest.mark.threat("W9")
async def test_there_may_be_a_hundred_and_no_more(desk: Desk, ada: Person):
    for _ in range(100):
        await made(ada, view="all")

    assert (await call(ada, "POST", body={"view": "all"})).status == 422
