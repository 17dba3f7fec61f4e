"""Passwords in addresses: what they unlock is never shown to anybody else."""

import pytest
from msgspec.structs import replace

from feedloom.flow.refresh.pipeline import _moved_to
from feedloom.model.reader import Wanted
from feedloom.model.stages import (
    Discovered,
    Ending,
    FeedToRefresh,
    FetchResponse,
    Origin,
    ScoredCandidate,
    Site,
)
from feedloom.store import HubStore, SiteStore
from tests.stores import Stores, refreshed

PRIVATE = "https://ada:secret@site.example/feed.xml"
PUBLIC = "https://site.example/feed.xml"


def candidate(url: str) -> ScoredCandidate:
    return ScoredCandidate(url=url, origin=Origin.HTML, score=50, reasons={}, valid=True)


@pytest.mark.threat("S15", "S23")
async def test_candidates_with_a_password_are_not_kept_for_the_readers_of_a_site(stores: Stores):
    bob = await stores.person("bob@example.org")
    mine = await stores.subscriptions.subscribe(bob.id, PUBLIC)
    site = Site("https://site.example/", "https://site.example/", "site.example", "x")
    found = Discovered(
        site=site,
        candidates=(candidate(PUBLIC), candidate(PRIVATE)),
        canonical=candidate(PUBLIC),
        ending=Ending.FOUND,
        tried=(),
        requests=1,
        complete=True,
    )

    await SiteStore(stores.front).save(found)

    page = await stores.subscriptions.page(bob.id, mine.id)
    assert [line.url for line in page.candidates] == [PUBLIC]


@pytest.mark.threat("S15")
async def test_a_hub_is_not_told_an_address_that_is_a_secret(stores: Stores):
    ada = await stores.person()
    for url in (PRIVATE, PUBLIC):
        await stores.subscriptions.subscribe(ada.id, url)
    await stores.execute("UPDATE feeds SET hub_url = 'https://hub.example/'")
    hubs = HubStore(stores.work)

    ids = {r["url"]: r["id"] for r in await stores.rows("SELECT id, url FROM feeds")}
    assert await hubs.declared(ids[PRIVATE]) is None
    assert await hubs.declared(ids[PUBLIC]) == ("https://hub.example/", PUBLIC)


@pytest.mark.threat("S15")
async def test_articles_of_a_feed_without_a_title_do_not_tell_its_address(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, PRIVATE)
    await stores.deliver(PRIVATE, "one")
    await stores.execute("UPDATE feeds SET title = ''")

    page = await stores.reading.articles(ada.id, Wanted())

    assert [one.feed_title for one in page.articles] == ["site.example"]


@pytest.mark.threat("S15")
async def test_the_audit_trail_of_a_move_tells_no_password(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, PRIVATE)
    moved = refreshed(await stores.claim(PRIVATE), ())
    new_url = PRIVATE.replace("feed", "new")

    await stores.refreshes.store(replace(moved, new_url=new_url))

    trail = "SELECT before_value, after_value FROM audit_log"
    assert [tuple(dict(row).values()) for row in await stores.rows(trail)] == [
        (PUBLIC, PUBLIC.replace("feed", "new"))
    ]


@pytest.mark.threat("S13")
def test_a_private_feed_never_moves_to_an_address_without_its_password():
    feed = FeedToRefresh(1, PRIVATE, "site.example", "token")
    elsewhere = FetchResponse(PUBLIC, 200, {}, b"", permanent_url="https://other.example/feed.xml")
    same = FetchResponse(
        PUBLIC, 200, {}, b"", permanent_url="https://ada:secret@site.example/new.xml"
    )

    assert _moved_to(feed, elsewhere) is None
    assert _moved_to(feed, same) == "https://ada:secret@site.example/new.xml"
