"""One refresh of one feed, from its lease to its rows.

    claim | fetch | (same bytes? done) | parse | clean what is new | judge | store

Fetching runs for many feeds at once; parsing of large documents leaves the event loop;
storing joins others in one transaction. An expected failure becomes an outcome, a bug
is raised.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from feedloom.flow.refresh.health import (
    fresh_for_s,
    next_health,
    outcome_of,
    outcome_of_error,
    retry_after_s,
)
from feedloom.flow.refresh.revisions import revisions_of
from feedloom.model.errors import FetchError, ParseError
from feedloom.model.feed import MAX_ENTRIES, Asked, ParsedFeed
from feedloom.model.ports import Clock, Fetcher
from feedloom.model.stages import (
    FeedToRefresh,
    FetchRequest,
    FetchResponse,
    Known,
    NewArticle,
    NewRevision,
    Outcome,
    Purpose,
    Refreshed,
    Room,
    Stored,
)
from feedloom.model.urls import has_credentials

if TYPE_CHECKING:
    from feedloom.store import RefreshStore

_NOTHING_KNOWN = Known({}, frozenset())
_WEEK = timedelta(days=7)

Understand = Callable[
    [FetchResponse, Known, datetime, int], Awaitable[tuple[ParsedFeed, tuple[NewArticle, ...]]]
]
"""From an answer to the parsed feed and its new articles, of so many entries at most."""


@dataclass(frozen=True, slots=True)
class Refresher:
    fetcher: Fetcher
    store: RefreshStore
    understand: Understand
    clock: Clock
    chance: Callable[[], float] = random.random
    timeout_s: float = 30.0
    keep_revisions: bool = True
    first_entries: int = MAX_ENTRIES
    """How many entries of a feed's first document are kept."""

    async def refresh(self, feed: FeedToRefresh) -> tuple[Refreshed, Stored]:
        """Refresh one claimed feed and store what follows; never raises for the feed."""
        refreshed = await self.judge(feed, await self.fetch(feed))
        return refreshed, await self.store.store(refreshed)

    async def fetch(
        self, feed: FeedToRefresh, room: Room | None = None
    ) -> FetchResponse | FetchError:
        headers = {}
        if feed.user_agent:
            headers["User-Agent"] = feed.user_agent
        if feed.cookie:
            headers["Cookie"] = feed.cookie
        request = FetchRequest(
            feed.url,
            Purpose.FEED,
            etag=feed.etag,
            last_modified=feed.last_modified,
            headers=headers,
            timeout_s=self.timeout_s,
            direct=feed.direct,
            room=room,
        )
        try:
            return await self.fetcher.fetch(request)
        except FetchError as error:
            return error.with_traceback(None)

    async def judge(self, feed: FeedToRefresh, answer: FetchResponse | FetchError) -> Refreshed:
        if isinstance(answer, FetchError):
            return self._failed(feed, outcome_of_error(answer), str(answer))
        now = self.clock.now()
        outcome, message = outcome_of(answer)
        if outcome is Outcome.NEW:
            return await self._document(feed, answer)
        if outcome is Outcome.NOT_MODIFIED:
            return self._succeeded(feed, answer, outcome, body_hash=feed.body_hash)
        wait_s = retry_after_s(answer, now) if outcome is Outcome.RATE_LIMITED else None
        return self._failed(feed, outcome, message, answer=answer, wait_s=wait_s)

    async def _document(self, feed: FeedToRefresh, answer: FetchResponse) -> Refreshed:
        body_hash = hashlib.sha256(answer.body).hexdigest()
        if body_hash == feed.body_hash and answer.permanent_url is None:
            return self._succeeded(feed, answer, Outcome.UNCHANGED, body_hash=body_hash)
        try:
            parsed, articles, revisions = await self._understand(feed, answer)
        except ParseError as error:
            return self._failed(feed, Outcome.NOT_A_FEED, str(error), answer=answer)
        since = self.clock.now() - _WEEK
        count = feed.week_articles + sum(one.published_at > since for one in articles)
        fresh = replace(feed, week_articles=count)
        done = self._succeeded(fresh, answer, Outcome.NEW, body_hash=body_hash, asked=parsed.asked)
        new_url = _moved_to(feed, answer)
        return replace(
            done, feed=feed, parsed=parsed, articles=articles, revisions=revisions, new_url=new_url
        )

    async def _understand(
        self, feed: FeedToRefresh, answer: FetchResponse
    ) -> tuple[ParsedFeed, tuple[NewArticle, ...], dict[str, NewRevision]]:
        known, most = _NOTHING_KNOWN, feed.most_entries
        if feed.last_success_at is None:
            most = max(most, self.first_entries)
        else:
            known = await self.store.known(feed.feed_id)
        parsed, articles = await self.understand(answer, known, self.clock.now(), most)
        changed = [a for a in articles if a.guid_hash in known.content_hashes]
        if not (changed and self.keep_revisions):
            return parsed, articles, {}
        wordings = await self.store.wordings(feed.feed_id, [a.guid_hash for a in changed])
        return parsed, articles, await asyncio.to_thread(revisions_of, wordings, changed)

    def _succeeded(
        self,
        feed: FeedToRefresh,
        answer: FetchResponse,
        outcome: Outcome,
        *,
        body_hash: str | None,
        asked: Asked | None = None,
    ) -> Refreshed:
        now = self.clock.now()
        # Who answers that nothing changed need not repeat the validators.
        same = outcome is Outcome.NOT_MODIFIED
        fresh_s, chance = fresh_for_s(answer, now), self.chance()
        verdict = next_health(
            feed, outcome, now=now, asked=asked, fresh_for_s=fresh_s, chance=chance
        )
        return Refreshed(
            feed=feed,
            outcome=outcome,
            at=now,
            http_status=answer.status,
            etag=answer.headers.get("etag") or (feed.etag if same else None),
            last_modified=answer.headers.get("last-modified")
            or (feed.last_modified if same else None),
            body_hash=body_hash,
            size=len(answer.body),
            ms=answer.ms,
            verdict=verdict,
        )

    def _failed(
        self,
        feed: FeedToRefresh,
        outcome: Outcome,
        message: str | None,
        *,
        answer: FetchResponse | None = None,
        wait_s: int | None = None,
    ) -> Refreshed:
        now = self.clock.now()
        verdict = next_health(feed, outcome, now=now, retry_after_s=wait_s, chance=self.chance())
        return Refreshed(
            feed=feed,
            outcome=outcome,
            at=now,
            http_status=answer.status if answer else None,
            message=message,
            size=len(answer.body) if answer else 0,
            ms=answer.ms if answer else 0,
            verdict=verdict,
        )


def _moved_to(feed: FeedToRefresh, answer: FetchResponse) -> str | None:
    """Return the address a feed moved to for good; never from https back to http."""
    target = answer.permanent_url
    if target is None or target == feed.url:
        return None
    if feed.url.startswith("https:") and not target.startswith("https:"):
        return None
    if feed.cookie or feed.user_agent:
        # It is kept apart for those who send these; the redirect is followed each time.
        return None
    if has_credentials(feed.url) and not has_credentials(target):
        # What one person's password unlocked would become anybody's.
        return None
    return target
