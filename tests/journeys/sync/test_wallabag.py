"""Wallabag v2: the bookmarks in read-later apps, on both engines."""

import hashlib
import json
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from feedloom.model.bookmarks import Enriched
from feedloom.store import BookmarkStore
from tests.journeys.sync.desk import URLENCODED, Desk, Person, Reply, form

pytestmark = [pytest.mark.both_engines, pytest.mark.asyncio(loop_scope="module")]

PAGE = "https://pages.example/one?a=1"


async def signed_in(person: Person, **more: str) -> Reply:
    said = {
        "grant_type": "password",
        "client_id": "app",
        "client_secret": "none",
        "username": person.email,
        "password": person.secret,
    }
    return await person.ask(
        "POST", "/wallabag/oauth/v2/token", headers=URLENCODED, body=form(said | more)
    )


async def call(person: Person, method: str, path: str, body: object = None, **query: Any) -> Reply:
    token = (await signed_in(person)).json()["access_token"]
    target = f"/wallabag/api{path}" + (f"?{urlencode(query)}" if query else "")
    return await person.ask(
        method,
        target,
        headers={"Authorization": f"Bearer {token}"},
        body=b"" if body is None else json.dumps(body).encode(),
    )


async def told(person: Person, method: str, path: str, body: object = None, **query: Any) -> Any:
    reply = await call(person, method, path, body, **query)
    assert reply.status == 200, reply.text
    return reply.json()


async def kept(person: Person, url: str = PAGE, **more: Any) -> Any:
    return await told(person, "POST", "/entries.json", {"url": url, **more})


async def titles(person: Person, **query: Any) -> list[str]:
    page = await told(person, "GET", "/entries.json", **query)
    return [entry["title"] for entry in page["_embedded"]["items"]]


async def test_wallabag_tokens_live_as_long_as_their_app_password(desk: Desk, ada: Person):
    reply = await signed_in(ada)
    token = reply.json()
    refresh = {"grant_type": "refresh_token", "refresh_token": token["refresh_token"]}
    again = await signed_in(ada, **refresh)
    mine = await told(ada, "GET", "/user.json")
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    await desk.revoke(ada)
    after = await ada.ask("GET", "/wallabag/api/user", headers=headers)

    assert (token["token_type"], token["scope"]) == ("bearer", None)
    assert token["expires_in"] > 0
    assert reply.headers["cache-control"] == "no-store"
    assert ada.secret not in reply.text
    assert again.json()["access_token"] == token["access_token"]
    assert (mine["email"], mine["username"]) == (ada.email, ada.email)
    assert (after.status, after.json()["error"]) == (401, "invalid_grant")
    assert (await signed_in(ada, **refresh)).status == 400


async def test_wallabag_refuses_in_the_words_of_oauth(ada: Person, bob: Person):
    wrong = await signed_in(ada, password="wrong")
    others = await signed_in(ada, username=bob.email)
    unknown = await signed_in(ada, grant_type="client_credentials")
    none = await ada.ask("GET", "/wallabag/api/entries.json")

    assert [r.status for r in (wrong, others, unknown, none)] == [400, 400, 400, 401]
    assert wrong.json()["error"] == others.json()["error"] == "invalid_grant"
    assert unknown.json()["error"] == "invalid_request"
    assert none.headers["www-authenticate"].startswith("Bearer")


async def test_a_read_only_password_only_reads_entries(desk: Desk, ada: Person):
    entry = await kept(ada)
    reader = await desk.another_password(ada, scope="read")
    refused = await call(reader, "PATCH", f"/entries/{entry['id']}", {"starred": 1})

    assert await titles(reader) == [PAGE]
    assert refused.status == 403
    assert refused.json()["error"]["code"] == 403


async def test_the_version_is_told_to_everybody(ada: Person):
    version = await ada.ask("GET", "/wallabag/api/version")
    info = await ada.ask("GET", "/wallabag/api/info.json")

    assert version.json().startswith("2.")
    assert info.json()["version"] == version.json()


async def test_a_wallabag_entry_has_what_clients_read(desk: Desk, ada: Person):
    made = await kept(ada, title="One", tags="News, Long Reads")
    found = Enriched("", "", "# Head\n\n<script>x</script> *word*", "", ())
    await BookmarkStore(desk.container.work).finish_enriching(made["id"], found)
    entry = await told(ada, "GET", f"/entries/{made['id']}.json")
    short = await told(ada, "GET", f"/entries/{made['id']}", detail="metadata")

    assert "<h1>Head</h1>" in entry["content"]
    assert "<em>word</em>" in entry["content"]
    assert "<script" not in entry["content"]
    assert short["content"] == ""
    assert (entry["title"], entry["url"], entry["given_url"]) == ("One", PAGE, PAGE)
    assert entry["hashed_url"] == hashlib.sha1(PAGE.encode()).hexdigest()
    assert entry["domain_name"] == "pages.example"
    assert (entry["is_archived"], entry["is_starred"]) == (0, 0)
    assert [tag["slug"] for tag in entry["tags"]] == ["news", "long-reads"]
    assert entry["created_at"].endswith("+0000")
    assert entry["archived_at"] is None
    assert entry["_links"]["self"]["href"] == f"/api/entries/{made['id']}"
    assert (entry["user_name"], entry["annotations"]) == (ada.email, [])


async def test_entry_life(desk: Desk, ada: Person):
    made = await kept(ada)
    again = await kept(ada, title="Named", tags="b", starred=1)
    path = f"/entries/{made['id']}"
    changed = await told(ada, "PATCH", f"{path}.json", {"archive": 1, "starred": 0, "tags": "x,y"})
    unchanged = await told(ada, "PATCH", path, {"title": ""})
    reloaded = await told(ada, "PATCH", f"{path}/reload")
    bookmark = await desk.container.services().bookmarks.bookmark(ada.user.id, made["id"])
    gone = await told(ada, "DELETE", f"{path}.json")
    other = await kept(ada)
    by_id = await told(ada, "DELETE", f"/entries/{other['id']}", expect="id")

    assert (again["id"], again["title"]) == (made["id"], "Named")
    assert (again["is_starred"], [t["label"] for t in again["tags"]]) == (1, ["b"])
    assert (changed["is_archived"], changed["is_starred"]) == (1, 0)
    assert [tag["label"] for tag in changed["tags"]] == ["x", "y"]
    assert changed["archived_at"] is not None
    assert (unchanged["title"], unchanged["is_archived"]) == ("Named", 1)
    assert reloaded["id"] == gone["id"] == made["id"]
    assert (bookmark.state, bookmark.pinned) == ("archive", False)
    assert by_id == {"id": other["id"]}
    assert await titles(ada) == []


async def test_what_an_entry_cannot_keep_is_refused(ada: Person):
    made = await kept(ada)
    path = f"/entries/{made['id']}"
    replies = [
        await call(ada, "PATCH", path, {"content": "<p>mine</p>"}),
        await call(ada, "POST", "/entries", {"url": "no address"}),
        await call(ada, "POST", "/entries", {"url": PAGE, "tags": "x" * 300}),
        await call(ada, "GET", "/entries", domain_name="pages.example"),
        await call(ada, "GET", "/entries", sort="size"),
        await call(ada, "DELETE", path, expect="nothing"),
    ]

    assert [reply.status for reply in replies] == [400] * 6
    assert all(reply.json()["error"]["message"] for reply in replies)
    assert await titles(ada) == [PAGE]


async def test_entries_are_filtered(desk: Desk, ada: Person):
    said: dict[str, dict[str, Any]] = {
        "one": {"tags": "a,b"},
        "two": {"tags": "a", "archive": 1},
        "three": {"starred": 1},
    }
    for name, more in said.items():
        await kept(ada, f"https://pages.example/{name}", title=name, **more)
    await desk.stores.execute(
        "UPDATE bookmarks SET updated_at = 1000000 WHERE user_id = :user AND title <> 'one'",
        user=ada.user.id,
    )

    assert await titles(ada) == ["three", "two", "one"]
    assert await titles(ada, order="asc") == ["one", "two", "three"]
    assert await titles(ada, archive=1) == ["two"]
    assert await titles(ada, archive=0) == ["three", "one"]
    assert await titles(ada, starred=1) == ["three"]
    assert await titles(ada, tags="a") == ["two", "one"]
    assert await titles(ada, tags="a,b") == ["one"]
    assert await titles(ada, since=5) == ["one"]
    assert (await titles(ada, sort="updated"))[0] == "one"
    assert (await titles(ada, sort="archived"))[0] == "two"


async def test_pages_of_entries_are_linked(ada: Person):
    for number in range(5):
        await kept(ada, f"https://pages.example/{number}", title=str(number))
    page: Any = await told(ada, "GET", "/entries.json", perPage=2, archive=0, public=0)
    assert set(page["_links"]) == {"self", "first", "last", "next"}
    assert "archive=0&public=0&" in page["_links"]["self"]["href"]
    seen: list[str] = []
    while True:
        seen += [entry["title"] for entry in page["_embedded"]["items"]]
        following = page["_links"].get("next")
        if following is None:
            break
        address = urlsplit(following["href"])
        base, _, path = address.path.partition("/wallabag/api")
        assert (base, address.netloc) == ("", "feeds.example")
        page = await told(ada, "GET", f"{path}?{address.query}")

    beyond = await call(ada, "GET", "/entries", perPage=2, page=4)
    assert seen == ["4", "3", "2", "1", "0"]
    assert (page["page"], page["pages"], page["total"], page["limit"]) == (3, 3, 5, 2)
    assert set(page["_links"]) == {"self", "first", "last", "previous"}
    assert (beyond.status, beyond.json()["error"]["code"]) == (404, 404)


async def test_kept_addresses_exist(ada: Person, bob: Person):
    made = await kept(ada)
    digest = hashlib.sha1(PAGE.encode()).hexdigest()
    both = [("urls[]", PAGE), ("urls[]", "https://pages.example/none")]

    assert await told(ada, "GET", "/entries/exists.json", url=PAGE) == {"exists": True}
    assert await told(ada, "GET", "/entries/exists", hashed_url=digest, return_id=1) == {
        "exists": made["id"]
    }
    assert await told(ada, "GET", f"/entries/exists?{urlencode(both)}") == {
        PAGE: True,
        "https://pages.example/none": False,
    }
    assert await told(bob, "GET", "/entries/exists", url=PAGE, return_id=1) == {"exists": None}
    assert (await call(ada, "GET", "/entries/exists")).status == 400


async def test_tags_of_entries_come_and_go(ada: Person):
    made = await kept(ada, tags="a")
    await kept(ada, "https://pages.example/two", tags="a,b")
    path = f"/entries/{made['id']}/tags"
    added = await told(ada, "POST", f"{path}.json", {"tags": "a,c"})
    listed = await told(ada, "GET", path)
    everywhere = await told(ada, "GET", "/tags.json")
    removed = await told(ada, "DELETE", f"{path}/{listed[0]['id']}.json")
    missing = await call(ada, "DELETE", f"{path}/{listed[0]['id']}")

    assert [tag["label"] for tag in added["tags"]] == ["a", "c"]
    assert listed == added["tags"]
    assert {tag["label"]: tag["nbEntries"] for tag in everywhere} == {"a": 2, "b": 1, "c": 1}
    assert [tag["label"] for tag in removed["tags"]] == ["c"]
    assert missing.status == 404


async def test_entries_of_others_are_not_found(ada: Person, bob: Person):
    path = f"/entries/{(await kept(ada))['id']}"
    replies = [
        await call(bob, method, path + end, {"starred": 1, "tags": "x"})
        for method, end in (
            ("GET", ""),
            ("PATCH", ""),
            ("DELETE", ""),
            ("PATCH", "/reload"),
            ("GET", "/tags"),
            ("POST", "/tags"),
            ("DELETE", "/tags/1"),
        )
    ]

    assert {reply.status for reply in replies} == {404}
    assert await titles(bob) == []
    assert await titles(ada) == [PAGE]
