"""Publishers with large answers, for what a server asks of them."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.abuse.lab import FEED, HOSTS, MOST_MB, PAGE, Behaviour, Served, Site, packed, serving
from tests.abuse.newspaper import KINDS, NOISE, Newspaper, pictures_of, plain
from tests.containers import settings_for
from tests.databases import sqlite_databases
from tests.serving import Reply

AT_ONCE = 40
EACH, IN_ALL = 4, 12
PURPOSES = {
    "feed", "home", "article", "page", "site", "other", "model", "hub", "picture", "chapters"
}  # fmt: skip
"""Home is for the icon, article for the full text, site for discovery, other for adding."""


@pytest.mark.sampled(2)
@pytest.mark.faults
@pytest.mark.threat("W3")
@pytest.mark.parametrize("people", [1, AT_ONCE])
@pytest.mark.parametrize(
    ("body", "kind"), [(PAGE, "text/html"), (FEED, "text/xml")], ids=["page", "feed"]
)
async def test_adding_feeds_of_large_answers_takes_little_memory(
    body: bytes, kind: str, people: int, tmp_path: Path, counts, scaled
):
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    searches = EACH if people == 1 else IN_ALL
    async with (
        Site(packed(body, kind)) as site,
        serving(settings, people=people) as server,
        server.watched() as seen,
    ):
        # Nothing is answered before all but those that may search were refused.
        site.may_answer.clear()
        adding = [
            asyncio.create_task(
                server.people[n % people].post(
                    "/feeds", json={"url": site.url(f"/{n}", host=HOSTS[n])}
                )
            )
            for n in range(AT_ONCE)
        ]
        ended = asyncio.as_completed(adding)
        refused = [await next(ended) for _ in range(AT_ONCE - searches)]
        site.may_answer.set()
        searched = [await one for one in ended]
        # What goes on in the background is measured too.
        await site.until_asked(scaled(4, 12) * searches)

    answers = Counter(reply.status for reply in searched)
    counts(
        "adding",
        kind=kind,
        people=people,
        answers=dict(answers),
        asked=site.asked,
        peak_mb=round(seen.peak_mb),
        read=len(seen.answers),
    )
    assert seen.peak_mb < MOST_MB
    assert {reply.status for reply in refused} == {429}
    assert {reply.headers["Retry-After"] for reply in refused} == {"5"}
    assert set(answers) <= {202, 422}
    assert set(seen.answers) == {200}


async def declare_hub(settings: Settings, hub: str) -> None:
    """Have a feed whose hub is not asked yet: one with a public name, unlike loopback."""

    def declare() -> Script[None]:
        yield sql("UPDATE feeds SET hub_url = :hub", hub=hub)

    async with open_container(settings) as container:
        ada = await container.accounts.store.create("ada@example.org", "-")
        subscriptions = container.services().subscriptions
        await subscriptions.subscribe(ada.id, "http://paper.example/feed")
        await container.work.write(WORKER, declare)


async def ask_for_everything(
    paper: Newspaper, server: Served, feeds: int
) -> list[asyncio.Task[Reply]]:
    """Have the server ask a publisher for each purpose, as often as there are feeds."""
    reader = server.people[0]
    for number in range(1, feeds + 1):
        url = paper.url(f"/feed/{number}", host=HOSTS[number - 1])
        added = await reader.post("/feeds", json={"url": url})
        assert added.status < 300, added.text
    listed: list[dict[str, Any]] = []
    while len(listed) < feeds:
        listed = (await reader.get("/api/articles?limit=100")).json()["articles"]
    subscribed = (await reader.get("/feeds")).json()
    paper.is_good = False
    asked = [reader.post("/api/summaries", json={})]
    for number, (article, feed) in enumerate(zip(listed, subscribed, strict=True)):
        host, item = HOSTS[number], article["id"]
        sound = {"url": article["enclosures"][0]["url"]}
        asked += [
            reader.post(f"/api/articles/{item}/full-text"),
            reader.post(f"/feeds/{feed['id']}/refresh"),
            reader.post("/api/bookmarks", json={"url": paper.url("/page", host=host)}),
            reader.post("/api/discover", json={"url": paper.url("/site", host=host)}),
            reader.post("/feeds", json={"url": paper.url("/other", host=host)}),
            reader.get(f"/articles/{item}/chapters", params=sound),
            *(reader.get(path) for path in await pictures_of(reader, item)),
        ]
    return [asyncio.create_task(one) for one in asked]


@pytest.mark.faults
@pytest.mark.sampled(1)
@pytest.mark.threat("W3", "W11", "S11", "S17", "S18")
@pytest.mark.parametrize("kind", KINDS)
async def test_no_answer_for_any_purpose_takes_all(kind: str, tmp_path, counts, scaled):
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    async with Newspaper(KINDS[kind]()) as paper:
        settings = replace(
            settings,
            ai_type="compatible",
            ai_base_url=paper.url("/model"),
            base_url="http://reader.example",
        )
        await declare_hub(settings, paper.url("/hub", host=HOSTS[-1]))
        async with serving(settings) as server, server.watched() as seen:
            asking = await ask_for_everything(paper, server, scaled(3, 20))
            for place in PURPOSES:
                await paper.until_asked_for(place)
            # What was begun goes on for a while.
            for _ in range(20):
                await server.reader.get("/feeds")
            for one in asking:
                one.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

    counts(
        "purposes",
        kind=kind,
        asked=dict(paper.asked_for),
        peak_mb=round(seen.peak_mb),
        read=len(seen.answers),
    )
    assert seen.peak_mb < MOST_MB
    assert set(seen.answers) == {200}


@pytest.mark.sampled(1)
@pytest.mark.faults
@pytest.mark.threat("W3", "S16", "P15")
@pytest.mark.parametrize(
    "behave",
    [plain(NOISE, "image/png"), packed(NOISE[:8] + bytes(9_900_000), "image/png")],
    ids=["noise", "compressed"],
)
async def test_large_pictures_take_little_memory(behave: Behaviour, tmp_path, counts):
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    async with Newspaper(behave, pictures=AT_ONCE) as paper, serving(settings) as server:
        reader = server.people[0]
        await reader.post("/feeds", json={"url": paper.url("/feed/1")})
        while not (found := (await reader.get("/api/articles")).json()["articles"]):
            pass
        pictures = await pictures_of(reader, found[0]["id"])
        async with server.watched() as seen:
            replies = await asyncio.gather(*map(reader.get, pictures))

    counts("pictures", peak_mb=round(seen.peak_mb), read=len(seen.answers))
    assert len(pictures) == AT_ONCE
    assert {reply.status for reply in replies} == {404}
    assert seen.peak_mb < MOST_MB
    assert set(seen.answers) == {200}
