"""The directory: initial content, search with one ranking for both engines, topics.

The engines find candidates; the order is decided here, so it is the same on both:
relevance, times canonical, times health, times freshness, an exact domain first.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import msgspec

from feedloom.discover import TOPICS, read_directory
from feedloom.model.distilled.requests import FeedToClassify, TopicClassifier
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.ports import Clock
from feedloom.model.reader import DirectoryPage, DirectoryWanted, ListedFeed
from feedloom.model.search_query import Term, fold, read_search, words_of
from feedloom.model.urls import registrable_domain
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import DirectoryStore

_HEALTH = {"healthy": 1.0, "unchecked": 0.9, "degraded": 0.8, "unhealthy": 0.4, "paused": 0.2}
_CANONICAL = 1.3
_STALE = 0.6
_STALE_AFTER = timedelta(days=90)
_STALE_INTERVALS = 10
_OLD_LINK = "This page link is no longer valid."
_Id = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
_FIELD_WEIGHTS = (4.0, 3.0, 3.0, 2.0, 1.0, 1.0, 0.5)
"""Title, domain, site's title, topic and tags, description, recent titles, language."""


@dataclass(frozen=True, slots=True)
class Directory:
    store: DirectoryStore
    clock: Clock
    classifier: TopicClassifier | None = None
    confidence: float = 0.8
    """From which a proposed topic is approved by itself."""

    async def seed(self, *, check: bool) -> int:
        return await self.store.seed(read_directory(), check=check)

    async def search(self, wanted: DirectoryWanted, cursor: str | None = None) -> DirectoryPage:
        if read_search(wanted.text).wanted:
            found = await self.store.find(wanted)
            ranked = rank(wanted.text, found, self.clock.now())
            start = _offset(cursor)
            end = start + wanted.limit
            return DirectoryPage(tuple(ranked[start:end]), str(end) if len(ranked) > end else None)
        found = await self.store.find(replace(wanted, after=_after(cursor)))
        page = found[: wanted.limit]
        more = len(found) > wanted.limit
        return DirectoryPage(tuple(page), _cursor(page[-1]) if more else None)

    async def run(self, task: Task) -> Mapping[str, object]:
        if self.classifier is None:
            return {}
        feed_id = int(str(task.payload["feed_id"]))
        try:
            title, description, recent = await self.store.feed_for_topic(feed_id)
        except NotFound:
            return {"topic": None}
        feed = FeedToClassify(title, description, recent)
        guess = await self.classifier.classify(feed, sorted(TOPICS))
        if guess is None:
            return {"topic": None}
        status = "approved" if guess.confidence >= self.confidence else "pending"
        topic, confidence = guess.topic, guess.confidence
        await self.store.set_topic(feed_id, topic, confidence, status=status, actor=guess.model)
        return {"topic": topic, "confidence": confidence, "status": status}

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(sorted(TOPICS))

    async def decide(self, feed_id: int, topic: str, *, approved: bool, actor: str) -> None:
        """Approve a feed's topic or reject it; ``InvalidInput`` for one there is not."""
        if topic not in TOPICS:
            raise InvalidInput("Topic not found.", field="topic")
        status = "approved" if approved else "rejected"
        await self.store.set_topic(feed_id, topic, 1.0, status=status, actor=actor)


def rank(text: str, feeds: Sequence[ListedFeed], now: datetime) -> list[ListedFeed]:
    terms = read_search(text).wanted
    asked = fold(text.strip())

    def key(feed: ListedFeed) -> tuple[bool, float, str, int]:
        exact = asked in {feed.domain, registrable_domain(feed.domain)}
        score = _relevance(feed, terms) * _HEALTH.get(feed.state, 0.9)
        if feed.is_canonical:
            score *= _CANONICAL
        if is_stale(feed, now):
            score *= _STALE
        return (not exact, -round(score, 9), feed.title.casefold(), feed.feed_id)

    return sorted(feeds, key=key)


def _relevance(feed: ListedFeed, terms: Sequence[Term]) -> float:
    fields = (
        words_of(feed.title),
        words_of(feed.domain),
        words_of(feed.site_title),
        words_of(" ".join((feed.approved_topic or "", *feed.tags))),
        words_of(feed.description),
        words_of(" ".join(feed.recent_titles)),
        words_of(feed.language or ""),
    )
    best = [
        max(
            weight * _density(term.words, words)
            for weight, words in zip(_FIELD_WEIGHTS, fields, strict=True)
        )
        for term in terms
    ]
    # Who types two words means both: half of them is worth half.
    return sum(best) * sum(score > 0 for score in best) / max(1, len(best))


def _density(wanted: tuple[str, ...], words: tuple[str, ...]) -> float:
    places = range(len(words) - len(wanted) + 1)
    hits = sum(words[place : place + len(wanted)] == wanted for place in places)
    if not hits:
        return 0.0
    return (1 + math.log(hits)) * len(wanted) / (len(wanted) + math.log1p(len(words)))


def is_stale(feed: ListedFeed, now: datetime) -> bool:
    if feed.latest_at is None:
        return False
    silence, usual_s = now - feed.latest_at, feed.interval_s or 0
    is_unusual = silence.total_seconds() > max(_STALE_INTERVALS * usual_s, 86_400)
    return silence > _STALE_AFTER or (usual_s > 0 and is_unusual)


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal() or len(cursor) > 6:  # noqa: PLR2004 - never that many
        raise InvalidInput(_OLD_LINK, field="cursor")
    return int(cursor)


def _cursor(feed: ListedFeed) -> str:
    # Databases fold ASCII only here: bytes do the same.
    title = feed.title.encode().lower().decode()
    text = msgspec.json.encode([feed.fails, title, feed.feed_id])
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _after(cursor: str | None) -> tuple[bool, str, int] | None:
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        found = msgspec.json.decode(text, type=tuple[bool, str, _Id])
    except (ValueError, binascii.Error, msgspec.DecodeError) as error:
        raise InvalidInput(_OLD_LINK, field="cursor") from error
    if "\x00" in found[1]:
        raise InvalidInput(_OLD_LINK, field="cursor")
    return found
