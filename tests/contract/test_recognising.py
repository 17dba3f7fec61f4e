"""Articles under another GUID: recognised by an address of their own, and by no other."""

from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs

from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Article, Order, User, Wanted
from feedloom.model.stages import NewArticle, Stored
from feedloom.model.urls import url_hash
from tests.fakes import START
from tests.stores import Stores, article, refreshed

SITE = "https://site.example/"
URL = "https://site.example/feed.xml"
PAGE = "https://site.example/briefing"
ALL = Wanted(limit=1000, order=Order.ITEM_ASC, with_content=True)


def episode(number: int, url: str) -> NewArticle:
    """Make one of many episodes that all have the same name."""
    return article(
        "Morning briefing", guid=f"episode:{number}", published_at=START + timedelta(days=number)
    )._replace(
        url=url,
        url_hash=url_hash(url),
        content=CleanHTML(f"<p>Day {number}</p>"),
        content_hash=f"hash:{number}",
    )


async def publish(stores: Stores, *articles: NewArticle, linkless: bool) -> Stored:
    """Store a document of these articles, in which they may have no links."""
    done = refreshed(await stores.claim(URL), articles)
    assert done.parsed is not None
    entries = done.parsed.entries
    if linkless:
        entries = tuple(entry._replace(url=None) for entry in entries)
    parsed = replace(done.parsed, entries=entries, site_url=SITE)
    return await stores.refreshes.store(structs.replace(done, parsed=parsed))


async def reader(stores: Stores) -> User:
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, URL)
    return person


async def held(stores: Stores, person: User) -> tuple[Article, ...]:
    return (await stores.reading.articles(person.id, ALL)).articles


@pytest.mark.threat("R3")
@pytest.mark.parametrize(
    ("url", "linkless"),
    [
        (SITE, True),
        (SITE, False),
        (SITE.rstrip("/"), False),
        (URL, False),
        ("https://elsewhere.example/where-the-feed-was-found", True),
    ],
)
async def test_episodes_with_one_name_and_no_page_of_their_own_all_arrive(
    stores: Stores, url: str, linkless: bool
):
    ada = await reader(stores)

    for number in range(3):
        await publish(stores, episode(number, url), linkless=linkless)

    assert [a.guid for a in await held(stores, ada)] == ["episode:0", "episode:1", "episode:2"]


async def test_an_address_that_others_have_too_recognises_nothing(stores: Stores):
    ada = await reader(stores)
    await publish(stores, episode(0, PAGE), episode(1, PAGE), linkless=False)
    after_two = await publish(stores, episode(2, PAGE), linkless=False)
    await stores.execute("DELETE FROM articles WHERE guid <> 'episode:2'")

    two_for_one = await publish(stores, episode(3, PAGE), episode(4, PAGE), linkless=False)

    assert (after_two.new_articles, two_for_one.new_articles) == (1, 2)
    assert [a.guid for a in await held(stores, ada)] == ["episode:2", "episode:3", "episode:4"]


@pytest.mark.threat("R3", "R9")
async def test_a_new_guid_and_new_words_change_one_article(stores: Stores):
    ada = await reader(stores)
    await publish(stores, article("one"), article("two"), linkless=False)
    await stores.reading.mark(ada.id, [1, 2], "read")
    one = article("one", guid="new:one")
    two = article("two", guid="new:two")._replace(
        content=CleanHTML("<p>Corrected</p>"), content_hash="other"
    )

    stored = await publish(stores, one, two, linkless=False)

    assert (stored.new_articles, len(stored.changed_ids)) == (0, 1)
    found = [(a.guid, a.content, a.unread) for a in await held(stores, ada)]
    assert found == [("new:one", "<p>one</p>", False), ("new:two", "<p>Corrected</p>", False)]
    known = await stores.refreshes.known(stored.feed_id)
    assert sorted(known.content_hashes.values()) == ["hash:one", "other"]
