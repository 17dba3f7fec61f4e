"""Stories: grouping articles as they arrive, the board of one story, folded lists."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.worker.maintenance import pause
from feedloom.markup import to_text
from feedloom.model.errors import StoreError
from feedloom.model.reader import Article, ArticlePage, Wanted
from feedloom.model.stories import (
    Kin,
    SourceWording,
    Story,
    StoryArticle,
    StoryEngine,
    WordingEngine,
)

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, StoryQueue, StoryStore

log = structlog.get_logger()

_BATCH = 500
_PAUSE_S = 1.0
_REST = 4
"""Whoever stores articles comes first: rest this many times as long as the work took."""
MOST_SOURCES = 24
"""Beside each other on the board."""
_TEXT_CHARS = 2_000
_WEEKS = 8
_MOST_JUDGED = 60
"""Headlines of each source."""
_MOST_TRENDS = 8
_FEWEST = 5
_ADDRESS = 12
"""So much of a cluster key tells the address."""


@dataclass(slots=True)
class StoryTeller:
    """Groups articles into stories, within seconds of their arrival.

    New articles go to the engine in the order of their ids; what it tells of each is stored.
    The worker that holds the lease keeps the open stories in memory. Whoever takes it over
    reads them again from what was stored, so nothing is lost with a worker.
    """

    store: StoryQueue
    make_engine: Callable[[], StoryEngine]
    lease_s: float = 30.0
    batch: int = _BATCH
    _engine: StoryEngine | None = None
    """What it knows holds for as long as the token does."""
    _token: str = field(default_factory=lambda: secrets.token_hex(16))
    _renewed_at: float = 0.0

    async def run(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                began_at, count = time.monotonic(), 0
                try:
                    count = await self._some()
                    if self._engine is not None and self._is_renewal_due():
                        await self._claim()
                except StoreError as error:
                    log.warning("stories_not_told", why=str(error))
                took_s = time.monotonic() - began_at
                await pause(stop, _REST * took_s if count else _PAUSE_S)
        finally:
            await self.let_go()

    async def catch_up(self) -> int:
        """Tell the story of everything that waits; answer how many articles it were."""
        total = 0
        while count := await self._some():
            total += count
        return total

    async def tell_once(self) -> None:
        try:
            await self.catch_up()
        finally:
            await self.let_go()

    async def let_go(self) -> None:
        """Leave the telling to whoever comes next."""
        if self._engine is None:
            return
        self._engine = None
        try:
            await self.store.release(self._token)
        except StoreError as error:
            log.warning("stories_not_released", why=str(error))

    def _is_renewal_due(self) -> bool:
        return time.monotonic() > self._renewed_at + self.lease_s / 3

    async def _some(self) -> int:
        if not await self.store.any_waiting():
            return 0
        engine = (None if self._is_renewal_due() else self._engine) or await self._claim()
        if engine is None:
            return 0
        try:
            waiting = await self.store.waiting(self.batch)
            stories = await asyncio.to_thread(
                lambda: [(article.id, engine.add(article)) for article in waiting]
            )
            is_written = await self.store.tell(self._token, stories, self.lease_s)
        except BaseException:
            # The engine may know of articles that were not written.
            self._engine = None
            raise
        if not is_written:
            self._engine = None
            return 0
        self._renewed_at = time.monotonic()
        return len(stories)

    async def _claim(self) -> StoryEngine | None:
        was_own = await self.store.claim(self._token, self.lease_s)
        self._renewed_at = time.monotonic()
        if not was_own:
            self._engine = None
        if was_own is None:
            return None
        if self._engine is None:
            self._engine = await self._remember()
            if not await self.store.claim(self._token, self.lease_s):
                self._engine = None
        return self._engine

    async def _remember(self) -> StoryEngine:
        engine, after = self.make_engine(), 0
        since = await self.store.open_since()
        while rows := await self.store.told(since, after, 1_000):
            await asyncio.to_thread(_add_told, engine, rows)
            after = rows[-1][0].id
            if self._is_renewal_due():
                # Reading a large window may take longer than a lease.
                await self.store.claim(self._token, self.lease_s)
                self._renewed_at = time.monotonic()
        return engine


def _add_told(engine: StoryEngine, told: Sequence[tuple[StoryArticle, int]]) -> None:
    for article, story in told:
        engine.add(article, decided=story)


@dataclass(frozen=True, slots=True)
class Line:
    """One source on the wording board: its newest article, beside those of others."""

    article: Article
    wording: SourceWording


@dataclass(frozen=True, slots=True)
class Trend:
    """How loaded a source's headlines are, week by week; None where there were none."""

    feed_id: int
    feed_title: str
    here: float | None
    usual: float
    headlines: int
    weeks: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Board:
    story: Story
    lines: Sequence[Line]
    trends: Sequence[Trend]


@dataclass(frozen=True, slots=True)
class Stories:
    """A story as one person sees it: its articles, and how each of their feeds words it."""

    store: StoryStore
    reading: ReadingStore
    engine: WordingEngine

    async def board(self, user_id: int, story_id: int) -> Board:
        story = await self.store.story(user_id, story_id)
        newest = {article.subscription_id: article for article in story.articles}
        chosen = list(newest.values())[:MOST_SOURCES]
        histories = []
        for article in chosen[:_MOST_TRENDS]:
            since = article.published_at - timedelta(weeks=_WEEKS)
            wanted = Wanted(
                subscription_id=article.subscription_id, published_since=since, limit=_MOST_JUDGED
            )
            histories.append((await self.reading.articles(user_id, wanted)).articles)
        return await asyncio.to_thread(self._compare, story, chosen, histories)

    def _compare(
        self, story: Story, chosen: Sequence[Article], histories: Sequence[Sequence[Article]]
    ) -> Board:
        wordings = self.engine.compare([_told(article) for article in chosen])
        lines = [Line(*both) for both in zip(chosen, wordings, strict=True)]
        trends = (
            self._trend(line.article, history, line.wording.score)
            for line, history in zip(lines, histories, strict=False)
        )
        return Board(story, lines, [trend for trend in trends if trend is not None])

    def _trend(
        self, article: Article, history: Sequence[Article], here: float | None
    ) -> Trend | None:
        weeks: list[list[float]] = [[] for _ in range(_WEEKS)]
        newest = max((one.published_at for one in history), default=article.published_at)
        for one in history:
            score = self.engine.score(one.title, one.language or "")
            if score is not None:
                age = (newest - one.published_at) // timedelta(weeks=1)
                weeks[max(0, _WEEKS - 1 - age)].append(score)
        judged = [score for week in weeks for score in week]
        if len(judged) < _FEWEST:
            return None
        return Trend(
            article.subscription_id,
            article.feed_title,
            here,
            round(sum(judged) / len(judged), 2),
            len(judged),
            tuple(round(sum(week) / len(week), 2) if week else None for week in weeks),
        )


def _told(article: Article) -> StoryArticle:
    text = to_text(article.full_content or article.content, limit=_TEXT_CHARS)
    return StoryArticle(
        article.item_no,
        article.title,
        article.feed_title,
        article.published_at,
        article.arrived_at,
        text or article.summary,
        article.language or "",
    )


@dataclass(frozen=True, slots=True)
class Fold:
    """What a row of a list stands for beside its own article."""

    others: Sequence[Article]
    """Newest first."""
    feeds: int
    """How many other feeds they come from."""
    story_id: int | None = None
    """None where they are identical, not only about the same event."""

    @property
    def unread(self) -> int:
        return sum(article.unread for article in self.others)


def fold_page(
    page: ArticlePage, kin: Kin, *, copies: bool, stories: bool, keep: int = 0
) -> tuple[ArticlePage, Mapping[int, Fold]]:
    """Leave out the rows that another stands for, but ``keep``; tell what each stands for.

    The first of a group in the order of the list stands for all of them. Folding is display:
    nothing is marked by it and every count stays what it was.
    """
    groups = _groups(kin, copies=copies, stories=stories)
    group_of = {article.item_no: group for group in groups for article in group}
    identical = _groups(kin, copies=True, stories=False)
    copy_count = {article.item_no: len(group) for group in identical for article in group}
    place = {item: number for number, item in enumerate(kin.listed)}
    rows, folds = [], {}
    for article in page.articles:
        group = group_of.get(article.item_no)
        if group is None:
            rows.append(article)
            continue
        listed = (one.item_no for one in group if one.item_no in place)
        first = min(listed, key=place.__getitem__, default=article.item_no)
        if article.item_no == first:
            is_copy = copy_count.get(article.item_no) == len(group)
            story = None if is_copy else kin.stories.get(article.item_no)
            folds[article.item_no] = _fold(article, group, story)
        elif article.item_no != keep:
            continue
        rows.append(article)
    return replace(page, articles=tuple(rows)), folds


def companions(items: Collection[int], kin: Kin, *, copies: bool, stories: bool) -> list[int]:
    groups = _groups(kin, copies=copies, stories=stories)
    named = ([article.item_no for article in group] for group in groups)
    return [item for group in named if not set(items).isdisjoint(group) for item in group]


def _groups(kin: Kin, *, copies: bool, stories: bool) -> list[list[Article]]:
    """Group what several feeds have; one feed's own articles are never the same."""
    by_address = defaultdict(list)
    for article in kin.articles:
        by_address[article.cluster_key[:_ADDRESS]].append(article)
    named: dict[object, int] = {}
    found: dict[int, list[Article]] = {}
    for article in kin.articles:
        story = kin.stories.get(article.item_no)
        keys: list[object] = [story] if stories and story else []
        if copies:
            keys += _copy_keys(article, story, by_address[article.cluster_key[:_ADDRESS]])
        group = next((named[key] for key in keys if key in named), article.item_no)
        for key in keys:
            named.setdefault(key, group)
        found.setdefault(group, []).append(article)
    return [group for group in found.values() if _feeds(group) > 1]


def _copy_keys(article: Article, story: int | None, same: Sequence[Article]) -> list[object]:
    title = " ".join(article.title.casefold().split())
    address = article.cluster_key[:_ADDRESS]
    # Some feeds give all their articles one address.
    is_own = len(same) == _feeds(same)
    keys: list[object] = [address if is_own else (address, title)]
    if story and article.summary:
        keys.append((story, title, article.summary))
    return keys


def _feeds(articles: Sequence[Article]) -> int:
    return len({article.subscription_id for article in articles})


def _fold(article: Article, group: Sequence[Article], story: int | None) -> Fold:
    others = sorted(
        (one for one in group if one.item_no != article.item_no),
        key=lambda one: (one.published_at, one.item_no),
        reverse=True,
    )
    feeds = {one.subscription_id for one in others} - {article.subscription_id}
    return Fold(others, len(feeds), story)
