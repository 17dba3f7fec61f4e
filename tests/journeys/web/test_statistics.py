"""The page that tells what a person reads of each feed, and its one-click actions."""

from datetime import UTC, datetime, timedelta

import pytest

from feedloom.app import Container
from feedloom.model.overviews import FeedUse
from feedloom.model.reader import Wanted
from feedloom.serve.pages.feeds.about import is_flood, is_never_read
from tests.factories_feeds import entry
from tests.journeys.web.people import Person, arrive
from tests.publisher import Publisher
from tests.serving import Server


@pytest.fixture
async def ada(shared_server: Server) -> Person:
    return await arrive(shared_server)


def use(published: int, read: int, weeks: float) -> FeedUse:
    return FeedUse(1, "A feed", None, published, read, weeks, None)


@pytest.mark.parametrize(
    ("feed", "is_never", "floods"),
    [
        (use(published=12, read=0, weeks=12.0), True, False),
        (use(published=12, read=0, weeks=1.0), False, False),
        (use(published=12, read=1, weeks=12.0), False, False),
        (use(published=600, read=59, weeks=12.0), False, True),
        (use(published=600, read=60, weeks=12.0), False, False),
        (use(published=594, read=0, weeks=12.0), True, True),
        (use(published=500, read=0, weeks=12.0), True, False),
    ],
)
def test_feeds_that_are_never_read_or_flood_are_told_apart(
    feed: FeedUse, is_never: bool, floods: bool
):
    assert (is_never_read(feed), is_flood(feed)) == (is_never, floods)


async def test_a_flood_is_named_and_calmed_with_one_click(ada: Person, publisher: Publisher):
    now = datetime.now(UTC)  # noqa: TID251 - what the page counts as this week
    entries = [
        entry(number, title=f"News {number}", published_at=now - timedelta(minutes=number))
        for number in range(50)
    ]
    url = publisher.feed("/flood.xml", title="The flood", entries=entries, host=ada.host)
    empty = await ada.page("/statistics")
    feed = await ada.subscribe(url)
    await ada.server.refresh_all(due_only=True)
    await ada.server.call(lambda container: _read_one(container, ada.email))

    page = await ada.page("/statistics")
    calmed = await ada.send("/feeds/selected", feed=str(feed.id), do="expire", next="/statistics")
    after = await ada.page(calmed.headers["Location"])
    await ada.send("/feeds/selected", feed=str(feed.id), do="pause", next="/statistics")

    assert "Nothing to count yet" in empty.text
    assert "Your feeds published 50 articles. You read 1 of" in " ".join(page.texts("main p"))
    assert page.texts("[aria-labelledby=floods-title] .feed-name") == ["The flood"]
    assert page.texts("[aria-labelledby=favourites-title] a") == ["The flood"]
    assert (await ada.look(feed.id)).read_after_days == 7
    assert "marked as read after 7 days" in after.text
    assert (await ada.look(feed.id)).paused_at is not None
    assert (await ada.page("/statistics")).all(".use-row") == []


async def _read_one(container: Container, email: str) -> None:
    found = await container.accounts.store.by_email(email)
    assert found is not None
    reading = container.services().reading
    page = await reading.articles(found[0].id, Wanted(unread=True, limit=1))
    await reading.mark(found[0].id, [page.articles[0].item_no], "read")
