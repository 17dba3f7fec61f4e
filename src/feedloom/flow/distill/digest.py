"""The digest: a person's articles become a few paragraphs that cite them.

    may one begin? -> articles -> engine -> kept, with an event

Who asks for one gets the last 24 hours. A scheduled digest counts what arrived since the
one before, so that no post of a quiet feed is lost; it is made offline where the language
model fails. One generation per person at a time. Nothing is kept of one that failed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import structlog

from feedloom.flow.distill.mail import new_message_id, wants_mail
from feedloom.flow.distill.model_opt_out import SETTING as NO_MODEL
from feedloom.markup import clean_html, to_text
from feedloom.model.distilled.digests import CitedArticle, NewSummary, Summary
from feedloom.model.distilled.documents import ViewItem
from feedloom.model.distilled.requests import Digest, DigestArticle, Digester
from feedloom.model.errors import (
    BudgetSpent,
    Conflict,
    DistillError,
    FeedloomError,
    InvalidInput,
    ModelUnavailable,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Throttled,
)
from feedloom.model.feed import CleanHTML
from feedloom.model.ports import Clock
from feedloom.model.reader import Article, Order, User, Wanted
from feedloom.model.sync import Place
from feedloom.model.work import Task
from feedloom.publish import digest_html, digest_title

if TYPE_CHECKING:
    from feedloom.store import AccountStore, ReadingStore, SummaryStore, SyncStore

log = structlog.get_logger()

DAY = timedelta(hours=24)
_WEEK = timedelta(days=7)
"""What was published earlier is no news, whenever it arrived."""
MOST_ARTICLES = 1_000
_PAGE = 200
EXCERPT_CHARS = 1_000
NO_ARTICLES = "No articles found from the last 24 hours"
_PATIENCE_S = 130.0
"""One call of a minute, its retry, and what lies between."""
_SPOKEN = ("en", "de")
_DUE_AT_ONCE = 100
_IN_FEED = 30
_NO_MODEL = {
    "en": "The language model failed, so this digest was created without it: all sentences are"
    " quoted from the articles.",
    "de": "Das Sprachmodell antwortete nicht. Der Überblick entstand ohne es: Die Sätze sind aus"
    " den Artikeln zitiert.",
}
_LAST_HOUR = 23


class DigestFailed(FeedloomError):
    """A digest could not be made, for whatever reason that is not the provider's."""

    key = "digest_failed"
    default = "Failed to generate summary. Please try again later."


def as_failure(error: FeedloomError) -> FeedloomError:
    """Return what to tell people: some errors speak for themselves."""
    match error:
        case BudgetSpent():
            return ModelUnavailable(detail=str(error))
        case NotFound() | Conflict() | Throttled() | NotSignedIn() | NotAllowed():
            return error
        case InvalidInput() | ModelUnavailable() | DigestFailed():
            return error
        case _:
            return DigestFailed(detail=str(error))


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
    syncing: SyncStore
    accounts: AccountStore
    digester: Digester
    offline: Digester
    """For scheduled digests when the model fails."""
    clock: Clock
    mail_from: str = ""
    """Whose name digests are mailed in; empty where no mail is sent."""
    has_model: bool = False
    """True when digests are sent to a model outside, unless their person opted out."""

    async def generate(self, user_id: int, *, scheduled: bool = False) -> Summary:
        """Write and keep a digest of the last 24 hours, or of what arrived since the last.

        Raises ``NotFound`` without articles, ``Conflict`` while another one is being
        written, ``Throttled`` right after one, ``ModelUnavailable`` when the provider
        fails, and ``DigestFailed`` for anything else.
        """
        try:
            await self.store.begin(user_id)
            try:
                return await self._generate(user_id, scheduled=scheduled)
            finally:
                await self.store.end(user_id)
        except FeedloomError as error:
            failure = as_failure(error)
            if failure is error:
                raise
            raise failure from error

    async def _generate(self, user_id: int, *, scheduled: bool) -> Summary:
        if scheduled:
            wanted = await self._since_last(user_id)
        else:
            wanted = Wanted(published_since=self.clock.now() - DAY)
        told, articles = await self._articles(user_id, wanted)
        if not articles:
            raise NotFound(NO_ARTICLES)
        language = language_of(a.language for a in articles)
        digest = await self._digest(user_id, told, language, scheduled=scheduled)
        if not digest.paragraphs:
            raise DigestFailed(detail="the digest has no paragraphs")
        # The mail that it goes out by, if its person wants one.
        user = await self.accounts.by_id(user_id) if scheduled and self.mail_from else None
        message_id = new_message_id(self.mail_from) if user and wants_mail(user) else None
        by_item = {article.item_no: article for article in articles}
        cited = (by_item[item_no] for item_no in digest.article_ids)
        new = NewSummary(
            paragraphs=digest.paragraphs,
            cited=tuple(
                CitedArticle(a.item_no, a.title, a.feed_title, a.url, a.published_at) for a in cited
            ),
            article_ids=tuple(article.article_id for article in articles),
            model=digest.model,
            note=digest.note,
            left_out=digest.left_out,
            language=language,
            until_item=wanted.before_item - 1 if wanted.before_item else None,
            message_id=message_id,
        )
        return await self.store.save(user_id, new)

    async def _since_last(self, user_id: int) -> Wanted:
        until = await self.store.until(user_id)
        last = Wanted(order=Order.ITEM_DESC, include_hidden=True, limit=1)
        newest = await self.reading.item_nos(user_id, last)
        now = self.clock.now()
        return Wanted(
            after_item=until,
            before_item=max(newest, default=0) + 1,
            arrived_since=now - DAY if until is None else None,
            published_since=now - _WEEK,
        )

    async def _articles(
        self, user_id: int, wanted: Wanted
    ) -> tuple[list[DigestArticle], list[Article]]:
        """Read the newest articles page by page: whole texts are held a page at a time."""
        told: list[DigestArticle] = []
        articles: list[Article] = []
        wanted = replace(wanted, with_content=True, limit=_PAGE)
        while len(articles) < MOST_ARTICLES:
            page = await self.reading.articles(user_id, wanted)
            feeds = sorted({article.subscription_id for article in page.articles})
            places = await self.syncing.places(user_id, feeds)
            told += await asyncio.to_thread(_told, page.articles, places)
            articles += (
                a._replace(content=CleanHTML(""), full_content=None) for a in page.articles
            )
            if page.next_cursor is None:
                break
            wanted = replace(wanted, cursor=page.next_cursor)
        return told, articles

    async def _digest(
        self, user_id: int, told: Sequence[DigestArticle], language: str, *, scheduled: bool
    ) -> Digest:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                return await self.digester.digest(told, language, user_id=user_id)
        except (DistillError, TimeoutError) as error:
            if scheduled:
                log.warning("digest_without_model", user=user_id, why=str(error))
                digest = await self.offline.digest(told, language, user_id=user_id)
                return replace(digest, note=_NO_MODEL[language])
            if isinstance(error, TimeoutError):
                raise ModelUnavailable(detail="the digest took too long") from error
            raise

    async def feed_items(self, user_id: int, base_url: str) -> list[ViewItem]:
        page = await self.store.summaries(user_id, limit=_IN_FEED)
        return [
            ViewItem(
                guid=f"{base_url}/digest/{summary.id}",
                url=f"{base_url}/digest/{summary.id}",
                title=digest_title(summary),
                content=clean_html(digest_html(summary), base_url=base_url),
                published_at=summary.created_at,
                updated_at=summary.created_at,
            )
            for summary in page.summaries
        ]

    async def set_daily(self, user: User, schedule: Schedule | None) -> None:
        changes: dict[str, object] = {"digest_daily": schedule is not None}
        next_at = None
        if schedule is not None:
            changes |= {"digest_hour": schedule.hour, "timezone": schedule.timezone}
            next_at = schedule.next_after(self.clock.now())
        await self.accounts.save_settings(user.id, changes)
        await self.store.schedule(user.id, next_at)

    async def set_model_wish(self, user_id: int, *, no_model: bool) -> None:
        await self.accounts.save_settings(user_id, {NO_MODEL: no_model})

    async def queue_due(self) -> None:
        for due in await self.store.due(_DUE_AT_ONCE):
            try:
                schedule = read_schedule(due.hour, due.timezone)
            except InvalidInput:
                # Zones come and go with the system's data: better late than never again.
                schedule = Schedule(due.hour % (_LAST_HOUR + 1))
            # The database's clock said that it is due; ours may be a little behind.
            now = max(self.clock.now(), due.due_at)
            await self.store.queue(due, schedule.next_after(now))

    async def run(self, task: Task) -> Mapping[str, object]:
        try:
            summary = await self.generate(task.user_id or 0, scheduled=True)
        except NotFound as error:
            return {"summary_id": None, "why": str(error)}
        return {"summary_id": summary.id}


def language_of(languages: Iterable[str | None]) -> str:
    spoken = Counter((language or "")[:2].lower() for language in languages)
    return max(_SPOKEN, key=lambda language: spoken[language])


def text_of(article: Article) -> str:
    """Return the text that a digest sees; the offsets of its evidence count in it."""
    return to_text(article.content, limit=EXCERPT_CHARS) or article.summary


def _told(articles: Sequence[Article], places: Mapping[int, Place]) -> list[DigestArticle]:
    return [
        DigestArticle(
            id=article.item_no,
            title=article.title,
            source=article.feed_title,
            published_at=article.published_at,
            excerpt=text_of(article),
            url=article.url,
            cluster_key=article.cluster_key,
            language=article.language,
            section=place.folder.partition("/")[0]
            if (place := places.get(article.subscription_id))
            else "",
            calm_title=article.calm_title,
            categories=article.categories,
            arrived_at=article.arrived_at,
        )
        for article in articles
    ]
