"""Simulate a week of one reader's activity in an open container.

Feeds are really fetched, from seven days ago until now: the clock is set back and moved
on step by step, so that articles, fetches and healing have the dates they would have.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from feedloom.app import Container, SystemClock
from feedloom.demo.sample_blogs import BLOGS, Blog
from feedloom.demo.web_server import Sites
from feedloom.factories import worker_name
from feedloom.flow.worker.worker import Worker
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.reader import User, Wanted
from feedloom.model.rules import NewRule
from feedloom.model.work import Politeness
from feedloom.store import FeedQueue

_DAYS = 7
_STEP = timedelta(hours=6)
_ACTOR = "demonstration"
_ALL_AT_ONCE = 1_000
_READ_UNTIL = timedelta(days=2)
"""The reader has read what is older than this, and some of the rest."""
_PROXIED = "daily-alarm"

Tell = Callable[[int, int], None]
"""Called with how much of the week is over, and how much there is."""


class SetBackClock(SystemClock):
    """A clock that shows what it was set to; the machine's time from the end on."""

    def __init__(self) -> None:
        self.set_to: datetime | None = None

    def now(self) -> datetime:
        return self.set_to or super().now()


@dataclass(frozen=True, slots=True)
class _Reader:
    container: Container
    user: User
    sites: Sites


async def live_a_week(
    container: Container, sites: Sites, user: User, *, tell: Tell | None = None
) -> None:
    clock = SetBackClock()
    past = replace(container, clock=clock)
    told, sites.now = sites.now, clock.now
    steps = list(_steps(sites.opened_at))
    try:
        clock.set_to = steps[0]
        await _subscribe(_Reader(past, user, sites))
        worker = _impolite_worker(past)
        for number, step in enumerate(steps, 1):
            clock.set_to = step
            await _refresh(past, worker)
            if tell is not None:
                tell(number, len(steps))
    finally:
        sites.now = told
    await container.operations().date_back_arrivals()
    await _use(_Reader(container, user, sites))


def _steps(opened_at: datetime) -> Iterator[datetime]:
    count = timedelta(days=_DAYS) // _STEP
    for number in range(count, -1, -1):
        yield opened_at - number * _STEP


async def _subscribe(reader: _Reader) -> None:
    for blog in BLOGS:
        if blog.folder:
            folder = await reader.container.folders().ensure(reader.user.id, (blog.folder,))
            await reader.container.subscribing().add(
                reader.user, reader.sites.first_feed_url(blog), exact=True, folder_id=folder
            )


def _impolite_worker(container: Container) -> Worker:
    worker = container.worker()
    worker.feeds = FeedQueue(
        container.work,
        lease_s=container.settings.lease_seconds,
        politeness=Politeness(delay_s=0, at_once=_ALL_AT_ONCE),
        worker=worker_name(),
    )
    return worker


async def _refresh(container: Container, worker: Worker) -> None:
    """Fetch every feed once.

    The worker's own loop would not end: what is due next is in the past, too.
    """
    await container.operations().make_due(None, everything=True)
    claimed = await worker.feeds.claim(_ALL_AT_ONCE)
    await asyncio.gather(*(worker.refresher.refresh(feed) for feed in claimed))
    await worker.task_loop().drain()


async def _use(reader: _Reader) -> None:
    container = reader.container
    await _read(reader)
    await _keep(reader)
    await _deframe(reader)
    await container.directory(container.work).seed(check=False)
    await container.indexer().catch_up()
    await container.story_teller().tell_once()
    await container.services().digests.generate(reader.user.id)


async def _read(reader: _Reader) -> None:
    services, user_id = reader.container.services(), reader.user.id
    found = await services.reading.articles(user_id, Wanted(limit=500))
    old = reader.sites.opened_at - _READ_UNTIL
    read = [
        article.item_no
        for article in found.articles
        if article.published_at < old or article.item_no % 4 == 0
    ]
    await services.reading.mark(user_id, read, "read")
    liked = [a.item_no for a in found.articles if a.title in _LIKED]
    await services.reading.mark(user_id, liked, "starred")
    await services.reading.tag(user_id, liked[:2], "to print")


async def _keep(reader: _Reader) -> None:
    services, user_id = reader.container.services(), reader.user.id
    for rule in _RULES:
        await services.rules.add(user_id, rule)
    for slug, place, tags in _KEPT:
        blog = _blog(slug)
        piece = blog.pieces(opened_at=reader.sites.opened_at, now=reader.sites.now())[place]
        url = f"{reader.sites.home_url(blog)}{piece.slug}"
        await services.bookmarks.add(
            user_id, NewBookmark(url, piece.title, "For the long weekend.", tags)
        )
    await reader.container.worker().task_loop().drain()


async def _deframe(reader: _Reader) -> None:
    container = reader.container
    proxies = container.proxies(container.work)
    url = reader.sites.feed_url(_blog(_PROXIED))
    await proxies.add(NewProxy(url, enabled=True, polling=True), actor=_ACTOR)
    await proxies.store.sync(url, actor=_ACTOR)
    await container.worker().feed_loop().drain()


def _blog(slug: str) -> Blog:
    return next(blog for blog in BLOGS if blog.slug == slug)


_LIKED = frozenset(
    {
        "The first boat of the year",
        "Leases, or how to lend work to strangers",
        "Rye, finally",
        "Night trains return to the northern line",
        "Counting with two hands",
    }
)
_KEPT = (("letterpress", 1, ("reading",)), ("quiet-machines", 0, ("reading", "computing")))
_RULES = (
    NewRule("No adverts", field="title", pattern="advert|sponsored", action="hide"),
    NewRule("Boats", field="any", pattern="boat|ferry", action="tag", tag="boats"),
)
