"""The statuses that the integrator's guide promises are those the server sends."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.factories_feeds import entries, entry
from tests.publisher import Answer, Publisher
from tests.serving import Reply, Server, Visitor

GUIDE = Path(__file__).parents[3] / "docs" / "integrator" / "api.md"
CODE = re.compile(r"```.*?```", re.DOTALL)


def promised() -> set[tuple[str, int]]:
    """List the statuses in the guide's sentences, by heading."""
    found = set()
    for section in CODE.sub("", GUIDE.read_text("utf-8")).split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        found |= {(heading, int(code)) for code in re.findall(r"`([1-5]\d\d)`", text)}
    return found


async def slow_discovery(ada: Visitor, site: Publisher) -> Reply:
    return await ada.post("/api/discover", json={"url": site.url("/slow/")})


async def new_feed(ada: Visitor, site: Publisher) -> Reply:
    return await ada.post("/feeds", json={"url": site.url("/blog.xml")})


async def slow_feed(ada: Visitor, site: Publisher) -> Reply:
    return await ada.post("/feeds", json={"url": site.url("/slow/")})


async def feed_twice(ada: Visitor, site: Publisher) -> Reply:
    await new_feed(ada, site)
    return await new_feed(ada, site)


async def no_feed(ada: Visitor, site: Publisher) -> Reply:
    return await ada.post("/feeds", json={"url": site.page("/bare", "<p>Nothing</p>")})


async def unchanged(ada: Visitor, site: Publisher) -> Reply:
    del site
    tag = (await ada.get("/api/articles")).headers["ETag"]
    return await ada.get("/api/articles", headers={"If-None-Match": tag})


async def unlearned(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.get("/api/for-you")


async def unrelated(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.get("/api/search?q=x&order=meaning")


async def digest(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.post("/api/summaries")


async def digest_twice(ada: Visitor, site: Publisher) -> Reply:
    await digest(ada, site)
    return await ada.post("/api/summaries")


async def feed_of_another(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.get("/feeds/999999")


async def story_of_others(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.get("/api/stories/1")


async def unknown_field(ada: Visitor, site: Publisher) -> Reply:
    del site
    return await ada.post("/api/folders", json={"alias": "News"})


WAYS: dict[tuple[str, int], Callable[[Visitor, Publisher], Awaitable[Reply]]] = {
    ("Discovery", 202): slow_discovery,
    ("Subscribing", 201): new_feed,
    ("Subscribing", 202): slow_feed,
    ("Subscribing", 409): feed_twice,
    ("Subscribing", 422): no_feed,
    ("Articles", 304): unchanged,
    ("Articles", 409): unrelated,
    ("For you", 409): unlearned,
    ("Stories", 404): story_of_others,
    ("Bookmarks and digests", 200): digest,
    ("Bookmarks and digests", 429): digest_twice,
    ("Errors", 422): unknown_field,
    ("Errors", 429): digest_twice,
    ("Errors", 404): feed_of_another,
}


def test_every_promised_status_is_looked_at():
    assert promised() == set(WAYS)


@pytest.mark.parametrize(("section", "status"), WAYS)
async def test_the_server_sends_the_promised_status(
    server: Server, publisher: Publisher, section: str, status: int
):
    if status == 202:
        server.container.searches.answer_s = 0.1
    now = server.container.clock.now()
    publisher.feed("/blog.xml", entries=[*entries(2), entry(9, published_at=now)])
    publisher.script("/slow/", Answer(delay_s=1.0))
    ada = await server.register("ada@example.org")

    if section in {"Bookmarks and digests", "Errors"}:
        await new_feed(ada, publisher)
        await server.refresh_all()

    reply = await WAYS[section, status](ada, publisher)

    assert reply.status == status, reply.text
    if status == 429:
        assert int(reply.headers["Retry-After"]) > 0
