"""What became of a dead feed, as its reader sees it: on its page, with why."""

from selectolax.lexbor import LexborHTMLParser

from tests.factories_feeds import entries, rss
from tests.publisher import Answer, Publisher
from tests.serving import HTML, Server, Visitor

FEED = {"Content-Type": "application/rss+xml"}
LINK = '<title>Blog</title><link rel="alternate" type="application/rss+xml" href="{}">'


async def dead_feed(server: Server, site: Publisher, home: str) -> tuple[Visitor, int]:
    """Let somebody read a feed that dies, on a site that says ``home``."""
    ada = await server.register("ada@example.org")
    body = rss(title="Blog", link=site.url("/"), entries=entries(3))
    url = site.script("/old.xml", [*[Answer(body=body, headers=FEED)] * 2, Answer(404)])
    await ada.post("/feeds", json={"url": url})
    await server.refresh_all(due_only=True)
    site.page("/", home)
    await server.refresh_all()
    await server.refresh_all(due_only=True)
    [feed] = (await ada.get("/feeds")).json()
    return ada, feed["id"]


async def changes(ada: Visitor, feed_id: int) -> str:
    page = LexborHTMLParser((await ada.get(f"/feeds/{feed_id}", headers=HTML)).text)
    listed = page.css_first("section[aria-labelledby=audit-title]")
    assert listed is not None
    return " ".join(listed.text().split())


async def test_a_move_is_told_with_both_addresses_and_the_reason(server: Server, site: Publisher):
    body = rss(title="Blog", link=site.url("/"), entries=entries(4))
    new = site.script("/new.xml", [Answer(body=body, headers=FEED)])

    ada, feed_id = await dead_feed(server, site, LINK.format("/new.xml"))

    told = await changes(ada, feed_id)
    assert "moved by worker" in told
    assert f"{site.url('/old.xml')} → {new}" in told
    assert "It has 3 of the known entries." in told
    [feed] = (await ada.get("/feeds")).json()
    assert feed["url"] == new
    titles = [a["title"] for a in (await ada.get("/api/articles")).json()["articles"]]
    assert sorted(titles) == ["Entry 1", "Entry 2", "Entry 3", "Entry 4"]


async def test_a_merge_is_told_on_the_feed_that_stays(server: Server, site: Publisher):
    body = rss(title="Blog", link=site.url("/"), entries=entries(4))
    new = site.script("/new.xml", [Answer(body=body, headers=FEED)])
    bob = await server.register("bob@example.org")
    await bob.post("/feeds", json={"url": new})

    ada, feed_id = await dead_feed(server, site, LINK.format("/new.xml"))

    assert f"{site.url('/old.xml')} → {new}" in await changes(ada, feed_id)
    [mine] = (await ada.get("/feeds")).json()
    [theirs] = (await bob.get("/feeds")).json()
    assert mine["url"] == theirs["url"] == new


async def test_nothing_found_is_told_with_what_was_tried(server: Server, site: Publisher):
    ada, feed_id = await dead_feed(server, site, "<title>Blog</title>We closed.")

    told = await changes(ada, feed_id)
    assert "no new address found by worker" in told
    assert f"No feed was found at {site.url('/')}. Tried: {site.url('/')}" in told
    [feed] = (await ada.get("/feeds")).json()
    assert feed["url"] == site.url("/old.xml")


async def test_a_refusal_is_told_with_its_reason(server: Server, site: Publisher):
    parked = rss(
        title="Great casino offers", link="https://casino.example/", entries=entries(5, 100)
    )
    site.script("/casino.xml", [Answer(body=parked, headers=FEED)])

    ada, feed_id = await dead_feed(server, site, LINK.format("/casino.xml"))

    told = await changes(ada, feed_id)
    assert "Feeds were found, but none continues this one." in told
    assert site.url("/casino.xml") in told
