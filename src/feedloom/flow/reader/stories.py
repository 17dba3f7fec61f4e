"""A story as one person sees it: its articles, and how each of their feeds words it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedloom.markup import to_text
from feedloom.model.reader import Article, Wanted
from feedloom.model.stories import SourceWording, Story, StoryArticle, WordingEngine

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, StoryStore

MOST_SOURCES = 24
"""Beside each other on the board."""
_TEXT_CHARS = 2_000
_WEEKS = 8
_MOST_JUDGED = 60
"""Headlines of each source."""
_MOST_TRENDS = 8
_FEWEST = 5


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
    store: StoryStore
    reading: ReadingStore
    engine: WordingEngine

    async def board(self, user_id: int, story_id: int) -> Board:
        story = await self.store.story(user_id, story_id)
        newest = {article.subscription_id: article for article in story.articles}
        chosen = list(newest.values())[:MOST_SOURCES]
        histories = [await self._history(user_id, article) for article in chosen[:_MOST_TRENDS]]
        return await asyncio.to_thread(self._compare, story, chosen, histories)

    async def _history(self, user_id: int, article: Article) -> Sequence[Article]:
        since = article.published_at - timedelta(weeks=_WEEKS)
        wanted = Wanted(
            subscription_id=article.subscription_id, published_since=since, limit=_MOST_JUDGED
        )
        return (await self.reading.articles(user_id, wanted)).articles

    def _compare(
        self, story: Story, chosen: Sequence[Article], histories: Sequence[Sequence[Article]]
    ) -> Board:
        wordings = self.engine.compare([_told(article) for article in chosen])
        lines = [Line(*both) for both in zip(chosen, wordings, strict=True)]
        scores = {line.article.item_no: line.wording.score for line in lines}
        trends = []
        for article, history in zip(chosen, histories, strict=False):
            trend = self._trend(article, history, scores)
            if trend is not None:
                trends.append(trend)
        return Board(story, lines, trends)

    def _trend(
        self, article: Article, history: Sequence[Article], scores: Mapping[int, float | None]
    ) -> Trend | None:
        weeks: list[list[float]] = [[] for _ in range(_WEEKS)]
        newest = max((one.published_at for one in history), default=article.published_at)
        for one in history:
            score = self.engine.score(one.title, one.language or "")
            if score is not None:
                weeks[_week(one.published_at, newest)].append(score)
        judged = [score for week in weeks for score in week]
        if len(judged) < _FEWEST:
            return None
        return Trend(
            article.subscription_id,
            article.feed_title,
            scores[article.item_no],
            round(sum(judged) / len(judged), 2),
            len(judged),
            tuple(round(sum(week) / len(week), 2) if week else None for week in weeks),
        )


def _week(at: datetime, newest: datetime) -> int:
    return max(0, _WEEKS - 1 - (newest - at) // timedelta(weeks=1))


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
