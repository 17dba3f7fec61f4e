"""What is one article and what is one feed, from a publisher's answers to a reader's list."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from feedloom.model.reader import Order, Wanted
from tests.containers import Home
from tests.factories_feeds import FIRST_ENTRY_AT, entry
from tests.publisher import Publisher


def podcast(*numbers: int, name: str = "Episode {}") -> bytes:
    """Write a podcast whose episodes have files, but no pages."""
    items = "".join(
        f"<item><guid isPermaLink='false'>ep{n}</guid><title>{name.format(n)}</title>"
        f"<enclosure url='https://pod.example/{n}.mp3' type='audio/mpeg' length='1'/>"
        f"<pubDate>{format_datetime(FIRST_ENTRY_AT + timedelta(days=n))}</pubDate></item>"
        for n in numbers
    )
    return (
        "<?xml version='1.0'?><rss version='2.0'><channel><title>Pod</title>"
        f"<link>https://pod.example/</link><description/>{items}</channel></rss>"
    ).encode()


def place(publisher: Publisher, path: str, document: bytes) -> str:
    return publisher.file(path, document, "application/rss+xml")


@pytest.mark.threat("R3")
async def test_every_morning_briefing_arrives_with_its_own_file(home: Home, publisher: Publisher):
    url = place(publisher, "/pod.xml", podcast(1, name="Morning briefing"))
    await home.subscribe(url)
    await home.refresh_due()

    for number in (2, 3):
        place(publisher, "/pod.xml", podcast(number, name="Morning briefing"))
        await home.refresh()

    assert [(a.guid, a.enclosures[0].url) for a in await home.articles()] == [
        (f"ep{n}", f"https://pod.example/{n}.mp3") for n in (1, 2, 3)
    ]


@pytest.mark.threat("R3", "R9")
async def test_a_correction_under_a_new_guid_is_read(home: Home, publisher: Publisher):
    url = publisher.feed("/a.xml", entries=[entry(1, content="<p>old words</p>")])
    await home.subscribe(url)
    await home.refresh_due()
    corrected = entry(1, guid="https://new.example/1", content="<p>new words</p>")
    publisher.feed("/a.xml", entries=[corrected])

    await home.refresh()

    found = [(a.guid, a.content) for a in await home.articles()]
    assert found == [("https://new.example/1", "<p>new words</p>")]


@pytest.mark.threat("R4", "S13")
async def test_podcasts_that_become_one_keep_episodes_and_marks(home: Home, publisher: Publisher):
    old = place(publisher, "/old.xml", podcast(1, 2, 3))
    new = place(publisher, "/new.xml", podcast(1, 2, 3))
    bob = await home.container.accounts.store.create("bob@example.org", "no password")
    mine = await home.subscribe(old)
    await home.container.subscribing().add(bob, new, exact=True)
    await home.refresh_due()
    await home.reading.mark(home.person.id, [2], "starred")
    await home.reading.mark(home.person.id, [3], "read")
    publisher.redirect("/old.xml", "/new.xml", status=301)
    place(publisher, "/new.xml", podcast(1, 2, 3, 4))

    await home.retry(mine)
    await home.refresh()

    assert [(a.title, a.starred, a.unread) for a in await home.articles()] == [
        ("Episode 1", False, True),
        ("Episode 2", True, True),
        ("Episode 3", False, False),
        ("Episode 4", False, True),
    ]
    theirs = await home.reading.articles(bob.id, Wanted(order=Order.ITEM_ASC))
    assert [(a.title, a.unread) for a in theirs.articles] == [
        (f"Episode {n}", True) for n in (1, 2, 3, 4)
    ]


@pytest.mark.threat("S13")
async def test_a_move_to_an_endless_address_is_followed_but_not_for_good(
    home: Home, publisher: Publisher
):
    publisher.feed("/good.xml")
    query = "&".join(f"{n}={n * 7919 % 10007}" for n in range(330))
    publisher.redirect("/feed.xml", f"/good.xml?{query}", status=301)
    url = publisher.url("/feed.xml")
    mine = await home.subscribe(url)

    await home.refresh_due()

    mine = await home.look(mine)
    assert len(query) > 2500
    assert (mine.url, mine.last_fetch_status) == (url, "success")
    assert len(await home.articles()) == 3
