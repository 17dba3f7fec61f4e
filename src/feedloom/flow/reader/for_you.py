"""*For you*: unread articles, sorted by what a person liked, each with its reasons.

Each feed, author, topic and word counts by how much more often it was liked than its share
of what is unread would explain. Words that stand in every title therefore count nothing,
and neither does a feed only because it publishes a lot.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from feedloom.model.interests import (
    ArticleToRank,
    Interest,
    InterestKind,
    Reason,
    Suggestion,
    Term,
    terms_of,
)
from feedloom.model.ports import Clock
from feedloom.model.reader import Wanted

if TYPE_CHECKING:
    from feedloom.store import InterestStore, ReadingStore

MOST_SHOWN = 100
_STRENGTH = {
    InterestKind.FEED: 1.0,
    InterestKind.AUTHOR: 0.7,
    InterestKind.TOPIC: 0.7,
    InterestKind.WORD: 0.5,
}
_FLOOR = -1.5
"""What counts against an article counts no more than this."""
_PER_TELLER = 0.5
_MOST_WORDS = 3
"""Of a title, those that say most."""
_LEAST = 0.1
"""Points below which nothing is a reason."""
_MOST_LIKED = 50
"""Feeds whose older articles are looked at, too."""
_PER_DAY, _OLDEST_DAYS = 0.15, 14
_SAME_FEED = 0.25
"""What an article loses for each better one of its feed."""
_WORDS = {
    InterestKind.FEED: "from {}",
    InterestKind.AUTHOR: "by {}",
    InterestKind.TOPIC: "about {}",
    InterestKind.WORD: "with “{}” in the title",
}


class Ranked(NamedTuple):
    item_no: int
    points: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class ForYou:
    store: InterestStore
    reading: ReadingStore
    clock: Clock

    async def suggest(self, user_id: int, limit: int) -> tuple[Suggestion, ...]:
        interests = await self.store.interests(user_id)
        feeds = sorted(
            (i for i in interests if i.subscription_id and i.liked), key=lambda i: -i.liked
        )
        liked = [i.subscription_id for i in feeds[:_MOST_LIKED] if i.subscription_id]
        candidates = await self.store.candidates(user_id, liked)
        ranked = rank(interests, candidates, self.clock.now())[:limit]
        wanted = Wanted(item_nos=tuple(each.item_no for each in ranked), limit=limit)
        page = await self.reading.articles(user_id, wanted)
        articles = {article.item_no: article for article in page.articles}
        return tuple(
            Suggestion(articles[each.item_no], each.points, each.reasons)
            for each in ranked
            if each.item_no in articles
        )


def rank(
    interests: Sequence[Interest], candidates: Sequence[ArticleToRank], now: datetime
) -> list[Ranked]:
    """Sort candidates, best first; of several that tell one story only the best stays."""
    terms = [
        terms_of(each.subscription_id, each.title, each.author, each.categories)
        for each in candidates
    ]
    shares = Counter(term for found in terms for term in found)
    titles = {str(each.subscription_id): each.feed_title for each in candidates}
    total = len(candidates)
    reasons = _reasons(interests, {term: n / total for term, n in shares.items()}, titles)
    rated = []
    for each, found in zip(candidates, terms, strict=True):
        why = _strongest([reasons[term] for term in found if term in reasons])
        if each.tellers > 1:
            text = f"{each.tellers} of your feeds report it."
            points = _PER_TELLER * math.log2(each.tellers)
            why.append(Reason("story", str(each.tellers), points, text))
        days = (now - each.published_at).total_seconds() / 86_400
        lost = _PER_DAY * min(max(days, 0.0), _OLDEST_DAYS)
        points = sum(reason.points for reason in why) - lost
        rated.append((points, each, tuple(sorted(why, key=lambda reason: -reason.points))))
    return _in_order(rated)


def _reasons(
    interests: Sequence[Interest], shares: Mapping[Term, float], titles: Mapping[str, str]
) -> dict[Term, Reason]:
    known = {interest.term: interest for interest in interests}
    of_feeds = [i for i in interests if i.kind is InterestKind.FEED]
    liked, disliked = sum(i.liked for i in of_feeds), sum(i.disliked for i in of_feeds)
    found = {}
    for (kind, name), share in shares.items():
        interest = known.get((kind, name))
        if interest is None:
            # A feed that was never picked had its chance, the more often it publishes.
            if kind is not InterestKind.FEED:
                continue
            interest = Interest(0, kind, titles[name])
        points = _STRENGTH[kind] * (
            _surprise(interest.liked, liked * share)
            - _surprise(interest.disliked, disliked * share)
        )
        if abs(points) >= _LEAST:
            sentence = _sentence(interest, points)
            found[kind, name] = Reason(kind, interest.name, points, sentence)
    return found


def _surprise(count: int, expected: float) -> float:
    """Say how much more a count is than chance would make it; below zero where it is less."""
    return max(_FLOOR, math.log((count + 1) / (expected + 1)))


def _sentence(interest: Interest, points: float) -> str:
    what = _WORDS[interest.kind].format(interest.name)
    if points < 0:
        return f"You seldom pick articles {what}."
    if interest.more:
        return f"You asked for more {what}."
    for did in ("starred", "saved", "opened"):
        if n := getattr(interest, did):
            return f"You {did} {n} article{'s' * (n > 1)} {what}."
    return f"You dismiss few articles {what}."


def _strongest(reasons: Sequence[Reason]) -> list[Reason]:
    words = [reason for reason in reasons if reason.kind is InterestKind.WORD]
    words.sort(key=lambda reason: -abs(reason.points))
    others = [reason for reason in reasons if reason.kind is not InterestKind.WORD]
    return others + words[:_MOST_WORDS]


def _in_order(rated: list[tuple[float, ArticleToRank, tuple[Reason, ...]]]) -> list[Ranked]:
    rated.sort(key=lambda row: (-row[0], -row[1].published_at.timestamp(), -row[1].item_no))
    told: set[int | None] = set()
    of_feed: Counter[int] = Counter()
    ranked = []
    for points, each, why in rated:
        if each.story is not None and each.story in told:
            continue
        told.add(each.story)
        lost = _SAME_FEED * of_feed[each.subscription_id]
        of_feed[each.subscription_id] += 1
        ranked.append(Ranked(each.item_no, points - lost, why))
    # Equal points stay in the order they have: the newest first.
    return sorted(ranked, key=lambda one: -one.points)
