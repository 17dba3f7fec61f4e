"""The demonstration itself: its folder, its settings, and a week of one reader's activity.

Feeds are really fetched, from seven days ago until now: the clock is set back and moved
on step by step, so that articles, fetches and healing have the dates they would have.
"""

import asyncio
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from feedloom.app import Container, SystemClock
from feedloom.config import Settings
from feedloom.demo.publishers import BLOGS, Blog, Sites
from feedloom.factories import worker_name
from feedloom.flow.worker.worker import Worker
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.errors import ConfigError
from feedloom.model.reader import User, Wanted
from feedloom.model.rules import NewRule
from feedloom.model.work import Politeness
from feedloom.store import FeedQueue

EMAIL = "demo@example.org"
_STAGE = "demo.json"
_DATABASE = "feedloom.db"
_WEEK, _STEP = timedelta(days=7), timedelta(hours=6)
_ACTOR = "demonstration"
_ALL_AT_ONCE = 1_000
_READ_UNTIL = timedelta(days=2)
"""The reader has read what is older than this, and some of the rest."""
_LIKED = {
    "The first boat of the year",
    "Leases, or how to lend work to strangers",
    "Rye, finally",
    "Night trains return to the northern line",
    "Counting with two hands",
}
_KEPT = (("letterpress", 1, ("reading",)), ("quiet-machines", 0, ("reading", "computing")))
_RULES = (
    NewRule("No adverts", field="title", pattern="advert|sponsored", action="hide"),
    NewRule("Boats", field="any", pattern="boat|ferry", action="tag", tag="boats"),
)
_PROXIED = "daily-alarm"

Tell = Callable[[int, int], None]
"""Called with how much of the week is over, and how much there is."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What the demonstration stores beside its database."""

    opened_at: datetime
    password: str
    sites_port: int
    is_set: bool = False
    """Whether its week is lived; one that was interrupted begins again."""


def open_stage(folder: Path, *, now: datetime, sites_port: int) -> Stage:
    """Read what a folder keeps, or begin there; refuse other people's databases.

    The publishers keep their port: it is part of the address of every feed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stage = _read_stage(folder / _STAGE)
    if stage is not None and stage.is_set:
        return stage
    leftovers = list(folder.glob(f"{_DATABASE}*"))
    if stage is None and leftovers:
        raise ConfigError(f"{folder} contains a database that isn't a demo. Choose another folder.")
    for path in leftovers:
        path.unlink()
    begun = Stage(now, secrets.token_urlsafe(9), sites_port)
    keep_stage(folder, begun)
    return begun


def _read_stage(path: Path) -> Stage | None:
    if not path.is_file():
        return None
    try:
        said = json.loads(path.read_text("utf-8"))
        opened_at = datetime.fromisoformat(said["opened_at"])
        return Stage(opened_at, str(said["password"]), int(said["sites_port"]), said["is_set"])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read. Choose another folder.") from error


def keep_stage(folder: Path, stage: Stage) -> None:
    said = asdict(stage) | {"opened_at": stage.opened_at.isoformat()}
    descriptor = os.open(folder / _STAGE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(said, file)


def settings_for(folder: Path, port: int) -> Settings:
    return Settings(
        data_dir=str(folder),
        host="127.0.0.1",
        port=port,
        allow_networks="127.0.0.1/32",
        host_delay=0.0,
        registration="closed",
        directory_check=False,
        ai_type="offline",
        rsshub_url="",
        log_level="warning",
    )


class SetBackClock(SystemClock):
    """A clock that shows what it was set to; the machine's time from the end on."""

    def __init__(self) -> None:
        self.set_to: datetime | None = None

    def now(self) -> datetime:
        return self.set_to or super().now()


async def live_a_week(
    container: Container, sites: Sites, user: User, *, tell: Tell | None = None
) -> None:
    clock = SetBackClock()
    past = replace(container, clock=clock)
    told, sites.now = sites.now, clock.now
    count = _WEEK // _STEP
    try:
        clock.set_to = sites.opened_at - _WEEK
        await _subscribe(past, sites, user)
        worker = _impolite_worker(past)
        for number in range(count + 1):
            clock.set_to = sites.opened_at - (count - number) * _STEP
            await _refresh(past, worker)
            if tell is not None:
                tell(number + 1, count + 1)
    finally:
        sites.now = told
    await container.operations().date_back_arrivals()
    await _read(container, sites, user.id)
    await _keep(container, sites, user.id)
    await _deframe(container, sites)
    await container.directory(container.work).seed(check=False)
    await container.indexer().catch_up()
    await container.story_teller().tell_once()
    await container.services().digests.generate(user.id)


async def _subscribe(container: Container, sites: Sites, user: User) -> None:
    for blog in BLOGS:
        if blog.folder:
            folder = await container.folders().ensure(user.id, (blog.folder,))
            url = sites.first_feed_url(blog)
            await container.subscribing().add(user, url, exact=True, folder_id=folder)


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


async def _read(container: Container, sites: Sites, user_id: int) -> None:
    reading = container.services().reading
    found = (await reading.articles(user_id, Wanted(limit=500))).articles
    old = sites.opened_at - _READ_UNTIL
    read = [a.item_no for a in found if a.published_at < old or a.item_no % 4 == 0]
    await reading.mark(user_id, read, "read")
    liked = [a.item_no for a in found if a.title in _LIKED]
    await reading.mark(user_id, liked, "starred")
    await reading.tag(user_id, liked[:2], "to print")


async def _keep(container: Container, sites: Sites, user_id: int) -> None:
    services = container.services()
    for rule in _RULES:
        await services.rules.add(user_id, rule)
    for slug, place, tags in _KEPT:
        blog = _blog(slug)
        piece = blog.pieces(opened_at=sites.opened_at, now=sites.now())[place]
        url = f"{sites.home_url(blog)}{piece.slug}"
        new = NewBookmark(url, piece.title, "For the long weekend.", tags)
        await services.bookmarks.add(user_id, new)
    await container.worker().task_loop().drain()


async def _deframe(container: Container, sites: Sites) -> None:
    proxies = container.proxies(container.work)
    url = sites.feed_url(_blog(_PROXIED))
    await proxies.add(NewProxy(url, enabled=True, polling=True), actor=_ACTOR)
    await proxies.store.sync(url, actor=_ACTOR)
    await container.worker().feed_loop().drain()


def _blog(slug: str) -> Blog:
    return next(blog for blog in BLOGS if blog.slug == slug)
