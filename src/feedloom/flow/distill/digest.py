"""The digest: a person's articles of the last day become a few paragraphs that cite them.

    may one begin? -> articles of 24 h -> engine -> kept, with an event

One generation per person at a time. Nothing is kept of one that failed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from feedloom.flow.distill.model_opt_out import SETTING as NO_MODEL
from feedloom.markup import to_text
from feedloom.model.distilled.digests import (
    CitedArticle,
    DueDigest,
    NewSummary,
    Summary,
    ToldClaim,
)
from feedloom.model.distilled.requests import Digest, DigestArticle, Digester
from feedloom.model.errors import (
    BudgetSpent,
    Conflict,
    FeedloomError,
    InvalidInput,
    ModelUnavailable,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Throttled,
)
from feedloom.model.ports import Clock
from feedloom.model.reader import Article, User, Wanted
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import AccountStore, ReadingStore, SummaryStore

DAY = timedelta(hours=24)
MOST_ARTICLES = 100
EXCERPT_CHARS = 1_000
NO_ARTICLES = "No articles found from the last 24 hours"
_PATIENCE_S = 130.0
"""One call of a minute, its retry, and what lies between."""
_SPOKEN = ("en", "de")
_DUE_AT_ONCE = 100
_LAST_HOUR = 23


class DigestFailed(FeedloomError):
    """A digest could not be made, for whatever reason that is not the provider's."""

    key = "digest_failed"
    default = "Failed to generate summary. Please try again later."


def as_failure(error: FeedloomError) -> FeedloomError:
    if isinstance(error, BudgetSpent):
        return ModelUnavailable(detail=str(error))
    return error if isinstance(error, _TELLING) else DigestFailed(detail=str(error))


_TELLING = (
    NotFound,
    Conflict,
    Throttled,
    NotSignedIn,
    NotAllowed,
    InvalidInput,
    ModelUnavailable,
    DigestFailed,
)


@dataclass(frozen=True, slots=True)
class Schedule:
    hour: int
    timezone: str = "UTC"

    def next_after(self, now: datetime) -> datetime:
        zone = ZoneInfo(self.timezone)
        there = now.astimezone(zone)
        wanted = there.replace(hour=self.hour, minute=0, second=0, microsecond=0)
        if wanted <= there:
            wanted += timedelta(days=1)
        return wanted.astimezone(now.tzinfo)


def read_schedule(hour: object, timezone: object) -> Schedule:
    """Check what was chosen; raise ``InvalidInput`` for what is no hour or zone."""
    if not isinstance(hour, int) or not 0 <= hour <= _LAST_HOUR:
        raise InvalidInput("Choose an hour of the day.", field="hour")
    name = timezone if isinstance(timezone, str) and timezone else "UTC"
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError) as error:
        raise InvalidInput("Unknown time zone.", field="timezone") from error
    return Schedule(hour, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    store: SummaryStore
    reading: ReadingStore
    accounts: AccountStore
    digester: Digester
    clock: Clock
    has_model: bool = False
    """True when digests are sent to a model outside, unless their person opted out."""

    async def generate(self, user_id: int) -> Summary:
        """Write and keep a digest of the last 24 hours.

        Raises ``NotFound`` without articles, ``Conflict`` while another one is being
        written, ``Throttled`` right after one, ``ModelUnavailable`` when the provider
        fails, and ``DigestFailed`` for anything else.
        """
        try:
            await self.store.begin(user_id)
            try:
                return await self._generate(user_id)
            finally:
                await self.store.end(user_id)
        except FeedloomError as error:
            failure = as_failure(error)
            if failure is error:
                raise
            raise failure from error

    async def _generate(self, user_id: int) -> Summary:
        wanted = Wanted(
            published_since=self.clock.now() - DAY,
            limit=MOST_ARTICLES,
            with_content=True,
        )
        articles = (await self.reading.articles(user_id, wanted)).articles
        if not articles:
            raise NotFound(NO_ARTICLES)
        told = await asyncio.to_thread(_told, articles)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                digest = await self.digester.digest(
                    told, language_of(a.language for a in articles), user_id=user_id
                )
        except TimeoutError as error:
            raise ModelUnavailable(detail="the digest took too long") from error
        if not digest.paragraphs:
            raise DigestFailed(detail="the digest has no paragraphs")
        return await self.store.save(user_id, _kept(digest, articles))

    async def set_daily(self, user: User, schedule: Schedule | None) -> None:
        settings = {**user.settings, "digest_daily": schedule is not None}
        next_at = None
        if schedule is not None:
            settings |= {"digest_hour": schedule.hour, "timezone": schedule.timezone}
            next_at = schedule.next_after(self.clock.now())
        await self.accounts.save_settings(user.id, settings)
        await self.store.schedule(user.id, next_at)

    async def set_model_wish(self, user_id: int, *, no_model: bool) -> None:
        user = await self.accounts.by_id(user_id)
        if user is not None:
            settings = {**user.settings, NO_MODEL: no_model}
            await self.accounts.save_settings(user_id, settings)

    async def queue_due(self) -> None:
        for due in await self.store.due(_DUE_AT_ONCE):
            await self.store.queue(due, self._next_at(due))

    async def run(self, task: Task) -> Mapping[str, object]:
        try:
            summary = await self.generate(task.user_id or 0)
        except (NotFound, Conflict, Throttled) as error:
            return {"summary_id": None, "why": str(error)}
        return {"summary_id": summary.id}

    def _next_at(self, due: DueDigest) -> datetime | None:
        try:
            schedule = read_schedule(due.hour, due.timezone)
        except InvalidInput:
            # Zones come and go with the system's data: better late than never again.
            schedule = Schedule(due.hour % (_LAST_HOUR + 1))
        # The database's clock said that it is due; ours may be a little behind.
        return schedule.next_after(max(self.clock.now(), due.due_at))


def language_of(languages: Iterable[str | None]) -> str:
    spoken = Counter((language or "")[:2].lower() for language in languages)
    return max(_SPOKEN, key=lambda language: spoken[language])


def _told(articles: Sequence[Article]) -> list[DigestArticle]:
    return [
        DigestArticle(
            id=article.item_no,
            title=article.title,
            source=article.feed_title,
            published_at=article.published_at,
            excerpt=to_text(article.content, limit=EXCERPT_CHARS) or article.summary,
            url=article.url,
            cluster_key=article.cluster_key,
        )
        for article in articles
    ]


def _kept(digest: Digest, articles: Sequence[Article]) -> NewSummary:
    by_item = {article.item_no: article for article in articles}
    return NewSummary(
        paragraphs=tuple(
            tuple(ToldClaim(claim.text, claim.article_ids) for claim in part.claims)
            for part in digest.paragraphs
        ),
        cited=tuple(
            CitedArticle(
                item_no,
                by_item[item_no].title,
                by_item[item_no].feed_title,
                by_item[item_no].url,
                by_item[item_no].published_at,
            )
            for item_no in digest.article_ids
        ),
        article_ids=tuple(article.article_id for article in articles),
        model=digest.model,
        note=digest.note,
    )
