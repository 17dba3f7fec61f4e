"""JSON lists: the same tag while nothing changed, and never older than an answer before."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from feedloom.app import Container
from tests.journeys.web.people import Person
from tests.publisher import Publisher
from tests.serving import Visitor

pytestmark = pytest.mark.both_engines

LISTS = (
    "/api/articles",
    "/api/articles?unread=true&limit=10",
    "/feeds",
    "/api/folders",
    "/api/tags",
    "/api/bookmarks",
)
WRITES, READERS = 40, 4


@pytest.fixture
async def program(ada: Person, town_publisher: Publisher) -> Visitor:
    """An app password of somebody with a folder and a feed of three articles."""
    await ada.visitor.post("/api/folders", json={"name": "Maths"})
    url = town_publisher.feed("/kept.xml", title="Kept", host=ada.host)
    await ada.subscribe(url)
    await ada.server.refresh_all()
    made = await ada.server.program(ada.email)
    await made.get("/api/me")  # The first use of a password is written down.
    return made


async def body(visitor: Visitor, path: str) -> bytes:
    reply = await visitor.get(path)
    assert reply.status == 200, reply.text
    return reply.body


@pytest.mark.parametrize("path", LISTS)
async def test_who_has_the_list_is_told_so(program: Visitor, path: str):
    first = await program.get(path)

    etag = first.headers["ETag"]
    again = await program.get(path)
    answers = [
        await program.get(path, headers={"If-None-Match": known})
        for known in (etag, f"W/{etag}", f'"other", {etag}', "*")
    ]
    other = await program.get(path, headers={"If-None-Match": '"other"'})

    assert again.headers["ETag"] == etag
    assert again.headers["Cache-Control"] == "private, no-cache"
    assert [(each.status, each.body) for each in answers] == [(304, b"")] * 4
    assert {each.headers["ETag"] for each in answers} == {etag}
    assert (other.status, other.body) == (200, first.body)


async def test_every_change_is_in_the_next_answer(program: Visitor):
    feed = (await program.get("/feeds")).json()[0]["id"]
    article = (await program.get("/api/articles")).json()["articles"][0]["id"]
    mark = f"/api/articles/{article}"
    changes = (
        ("PATCH", mark, {"unread": False}, "/api/articles"),
        ("PATCH", mark, {"unread": True}, "/api/folders"),
        ("PATCH", mark, {"starred": True}, "/api/articles?starred=true"),
        ("PATCH", mark, {"tags": ["later"]}, "/api/tags"),
        ("PATCH", mark, {"hidden": True}, "/feeds"),
        ("PATCH", f"/feeds/{feed}", {"title": "Mine"}, "/feeds"),
        ("POST", "/api/folders", {"name": "More"}, "/api/folders"),
        ("POST", "/api/bookmarks", {"url": "https://a.example/"}, "/api/bookmarks"),
        ("DELETE", f"/feeds/{feed}", None, "/api/articles"),
    )
    # What the folders count is the root's, which is not shown: move the feed first.
    folder = (await program.get("/api/folders")).json()[0]["id"]
    await program.patch(f"/feeds/{feed}", json={"folder_id": folder})
    for method, address, change, seen_at in changes:
        before = await body(program, seen_at)
        assert await body(program, seen_at) == before

        changed = await program.ask(method, address, json=change)

        assert changed.status < 300, changed.text
        assert await body(program, seen_at) != before, (address, change)


async def test_what_another_process_fetched_is_in_the_next_answer(
    program: Visitor, ada: Person, town_publisher: Publisher, tmp_path: Path
):
    before = [await body(program, path) for path in ("/api/articles", "/feeds")]
    town_publisher.bump("/kept.xml", host=ada.host)
    await ada.server.call(lambda h: h.operations().make_due(None, everything=True))
    settings = ada.server.settings
    assert await body(program, "/api/articles") == before[0]

    worker = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("feedloom")),
        "update",
        env=os.environ
        | {
            "FEEDLOOM_DATA_DIR": str(tmp_path),
            "FEEDLOOM_DATABASE_URL": settings.database_url,
            "FEEDLOOM_WORKER_DATABASE_URL": settings.worker_database_url,
            "FEEDLOOM_ALLOW_NETWORKS": settings.allow_networks,
            "FEEDLOOM_HOST_DELAY": "0",
        },
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert await worker.wait() == 0

    assert len((await program.get("/api/articles")).json()["articles"]) == 4
    assert [await body(program, path) for path in ("/api/articles", "/feeds")] != before


async def test_nobody_gets_the_list_of_another(program: Visitor, ada: Person):
    eve = await ada.server.register(f"eve-{ada.email}")
    theirs = {path: await body(program, path) for path in LISTS}

    hers = {path: await body(eve, path) for path in LISTS}

    assert b"Kept" in theirs["/feeds"]
    assert b"Maths" in theirs["/api/folders"]
    assert hers == {path: await body(eve, path) for path in LISTS}
    assert all(b"Kept" not in found and b"Maths" not in found for found in hers.values())
    assert theirs == {path: await body(program, path) for path in LISTS}


async def test_who_may_not_come_in_any_more_gets_nothing(program: Visitor, ada: Person):
    before = await body(program, "/api/articles")

    async def revoke(container: Container) -> None:
        found = await container.accounts.store.by_email(ada.email)
        assert found is not None
        held = await container.accounts.store.app_passwords(found[0].id)
        for password in held:
            await container.accounts.store.revoke_app_password(found[0].id, password.id)

    stranger = await ada.server.visitor().get("/api/articles")
    await ada.server.call(revoke)
    revoked = await program.get("/api/articles")

    assert b"Kept" in before
    assert stranger.status == 401
    assert revoked.status == 401
    assert b"Kept" not in stranger.body + revoked.body


async def test_no_answer_is_older_than_what_was_said_before(program: Visitor, ada: Person):
    feed = (await program.get("/feeds")).json()[0]["id"]
    await program.patch(f"/feeds/{feed}", json={"title": "0"})
    said = 0
    seen: list[int] = []

    async def write() -> None:
        nonlocal said
        for number in range(1, WRITES + 1):
            await program.patch(f"/feeds/{feed}", json={"title": str(number)})
            said = number
            await asyncio.sleep(0.005)

    async def read(path: str) -> None:
        while said < WRITES:
            least = said
            found = (await program.get(path)).json()
            rows = found if path == "/feeds" else found["articles"]
            name = rows[0]["title" if path == "/feeds" else "feed_title"]
            assert int(name) >= least
            seen.append(int(name))

    paths = ("/feeds", "/api/articles") * (READERS // 2)
    await asyncio.gather(write(), *(read(path) for path in paths))

    assert len(set(seen)) > WRITES // 4
