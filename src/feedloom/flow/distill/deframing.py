"""Analyses of articles: for proxied feeds, and for readers who want calm titles."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from feedloom.flow.distill.model_opt_out import SETTING
from feedloom.flow.metrics import ANALYSES
from feedloom.markup import to_text
from feedloom.model.distilled.documents import Built, DeframedItem
from feedloom.model.distilled.proxies import (
    MAX_ANALYSES_TRIED,
    ArticleToDeframe,
    FeedToAnalyse,
    FeedToDeframe,
    StoredAnalysis,
)
from feedloom.model.distilled.requests import Analyzer, AnalyzerResult, ArticleToAnalyse, Extractor
from feedloom.model.errors import BadAddress, BudgetSpent, DistillError, FetchError, ModelResting
from feedloom.model.ports import Clock
from feedloom.model.stages import Refreshed
from feedloom.model.urls import read_address, registrable_domain
from feedloom.model.work import NewTask, Task, TaskKind
from feedloom.publish import deframed_rss

if TYPE_CHECKING:
    from feedloom.store import AnalysisStore, DeframingStore, TaskQueue

log = structlog.get_logger()

SLOTS = 4
"""Feeds that are deframed at once in one process."""
_RETRY_S = (300, 1_800, 7_200, 43_200)
"""What follows the first, second … failed analysis of an article."""
_AT_ONCE = 100
_MOST_LOOKS = 50
_OTHER_TITLES = 40
_LATER = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Deframer:
    """Deframes a proxied feed, inside the lease of its refresh.

        refreshed | own domain only | page | text | analyse, keep each | build | serve, settle

    Readers have the articles already: nothing here can keep them from anybody. A failed
    analysis is counted and tried again at a later run; until then the feed is served with
    the publisher's own words in its place, marked. When the model is out of reach or the
    money is spent, the rest of the articles wait without blame.
    """

    store: DeframingStore
    extractor: Extractor
    analyzer: Analyzer
    clock: Clock
    base_url: str
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SLOTS))

    async def run(self, refreshed: Refreshed) -> None:
        async with self.slots:
            claimed = refreshed.feed
            feed = await self.store.feed(claimed.feed_id, claimed.lease_token)
            built = None if feed is None else await self._deframe(feed)
            await self.store.settle(refreshed, built)

    async def _deframe(self, feed: FeedToDeframe) -> Built | None:
        articles = served_articles(feed)
        made = await self._analyse(feed, articles)
        contents = await self.store.contents([article.id for article in articles])
        items = [
            replace(
                article.item,
                analysis=made.get(article.id, article.item.analysis),
                content=contents.get(article.id),
            )
            for article in articles
        ]
        address = quote(feed.channel.feed_url, safe="")
        self_url = f"{self.base_url}/rss?url={address}"
        now = self.clock.now()
        return await asyncio.to_thread(build, feed, items, self_url=self_url, now=now)

    async def _analyse(
        self, feed: FeedToDeframe, articles: Sequence[ArticleToDeframe]
    ) -> dict[int, AnalyzerResult]:
        made: dict[int, AnalyzerResult] = {}
        for article in articles:
            version = self.analyzer.prompt_version(article.language, feed.prompt_key)
            if not should_analyse(article, self.analyzer.model, version, now=self.clock.now()):
                continue
            try:
                question = ArticleToAnalyse(
                    title=article.item.title,
                    description=article.item.description,
                    text=await self._text(feed, article),
                    language=article.language,
                    prompt_key=feed.prompt_key,
                )
                result = await self.analyzer.analyse(question)
            except (ModelResting, BudgetSpent) as error:
                # No call was made, and none of the next articles would get one.
                ANALYSES.labels("put_off").inc()
                log.warning("deframing_put_off", feed=feed.feed_id, why=str(error))
                break
            except DistillError as error:
                ANALYSES.labels("failed").inc()
                why = str(error)
                log.warning("analysis_failed", article=article.id, why=why, detail=error.detail)
                retry_at = next_try_at(article.attempts + 1, self.clock.now())
                await self.store.note_failure(feed, article.id, why, retry_at=retry_at)
                continue
            stored = StoredAnalysis(result, self.analyzer.model, version, article.content_hash)
            await self.store.save_analysis(feed, article.id, stored)
            ANALYSES.labels("done").inc()
            made[article.id] = result
        return made

    async def _text(self, feed: FeedToDeframe, article: ArticleToDeframe) -> str:
        url = article.item.url
        # An entry without a link of its own has its site's, which tells other stories.
        if url not in {feed.url, feed.channel.url}:
            try:
                return (await self.extractor.extract(url)).text
            except (FetchError, DistillError, BadAddress) as error:
                log.info("page_not_read", article=article.id, why=str(error))
        return to_text(await self.store.content(article.id))


def served_articles(feed: FeedToDeframe) -> tuple[ArticleToDeframe, ...]:
    own = registrable_domain(read_address(feed.url).host)
    kept = (
        article
        for article in feed.articles
        if not feed.enforce_feed_domain or _domain(article.item.url) == own
    )
    return tuple(kept)[: feed.max_items]


def _domain(url: str) -> str:
    try:
        return registrable_domain(read_address(url).host)
    except BadAddress:
        return ""


def should_analyse(
    article: ArticleToDeframe, model: str, prompt_version: str, *, now: datetime
) -> bool:
    """Tell whether an article has no analysis of these words, by this model and prompt."""
    if not article.is_listed:
        return False
    found = article.analysis
    if found is not None and (found.content_hash, found.model, found.prompt_version) == (
        article.content_hash,
        model,
        prompt_version,
    ):
        return False
    if article.attempts == 0:
        return True
    return article.retry_at is not None and article.retry_at <= now


def next_try_at(failures: int, now: datetime) -> datetime | None:
    """Tell when an analysis is tried again; None parks the article."""
    if failures >= MAX_ANALYSES_TRIED:
        return None
    wait_s = _RETRY_S[min(failures, len(_RETRY_S)) - 1]
    return now + timedelta(seconds=wait_s)


def build(
    feed: FeedToDeframe, items: Sequence[DeframedItem], *, self_url: str, now: datetime
) -> Built | None:
    """Build the document; None when it is what is served already.

    Its time moves only when its items change, and then always: two documents never
    share a second.
    """

    def at(updated_at: datetime) -> Built:
        return deframed_rss(feed.channel, items, updated_at=updated_at, self_url=self_url)

    def items_of(built: Built) -> bytes:
        return built.xml_content[len(built.xml_header) :]

    before = feed.built
    if before is None:
        return at(now)
    same_time = at(before.updated_at)
    if same_time.etag == before.etag:
        return None
    if items_of(same_time) == items_of(before):
        return same_time
    return at(max(now, before.updated_at + timedelta(seconds=1)))


@dataclass(frozen=True, slots=True)
class CalmTitles:
    """Analyses articles once, for readers; what fails leaves the original title until later."""

    store: AnalysisStore
    tasks: TaskQueue
    analyzer: Analyzer
    offline: Analyzer
    clock: Clock

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do an ``analyse`` task: the articles of one feed that have no analysis.

        What arrives meanwhile asks for this task, which runs already: it looks again
        until nothing is left.
        """
        feed_id = int(str(task.payload["feed_id"]))
        analysed = 0
        try:
            for _ in range(_MOST_LOOKS):
                done = await self._some(feed_id)
                analysed += done
                if not done:
                    break
        except (ModelResting, BudgetSpent) as error:
            ANALYSES.labels("put_off").inc()
            log.warning("analyses_put_off", feed=feed_id, why=str(error))
            key, later = f"analyse-later:{feed_id}", self.clock.now() + _LATER
            await self.tasks.add(NewTask(TaskKind.ANALYSE, {"feed_id": feed_id}, key, run_at=later))
        return {"analysed": analysed}

    async def _some(self, feed_id: int) -> int:
        """Analyse some of the articles that wait; tell how many came out well."""
        feed = await self.store.wanted(feed_id)
        if feed is None:
            return 0
        # The model is only for what is public, and for readers who do not mind.
        minds = all(settings.get(SETTING) is True for settings in feed.readers)
        analyzer = self.offline if feed.is_private or minds else self.analyzer
        waiting = [each for each in feed.articles if self._is_wanted(each, analyzer)]
        return await self._analyse(feed, waiting[:_AT_ONCE], analyzer)

    def _is_wanted(self, article: ArticleToDeframe, analyzer: Analyzer) -> bool:
        found = article.analysis
        if found is not None and found.content_hash == article.content_hash:
            # Whatever made it: the proxy may use another prompt for the same feed.
            known = self.offline.prompt_version(article.language)
            is_old = found.model == self.offline.model and found.prompt_version != known
            if not is_old:
                return False
        version = analyzer.prompt_version(article.language)
        return should_analyse(article, analyzer.model, version, now=self.clock.now())

    async def _analyse(
        self, feed: FeedToAnalyse, articles: list[ArticleToDeframe], analyzer: Analyzer
    ) -> int:
        reads = [
            each.id
            for each in articles
            if analyzer.reads_text(each.item.title, each.item.description, each.language)
        ]
        contents = await self.store.contents(reads) if reads else {}
        made: dict[int, StoredAnalysis] = {}
        others = {
            each.id: f"{each.item.title}. {each.item.description}"
            for each in feed.articles[:_OTHER_TITLES]
        }
        try:
            for article in articles:
                question = ArticleToAnalyse(
                    title=article.item.title,
                    description=article.item.description,
                    text=to_text(contents.get(article.id, "")),
                    language=article.language,
                    feed_texts=tuple(others[other] for other in others if other != article.id),
                )
                analysis = await self._one(article, question, analyzer)
                if analysis is not None:
                    made[article.id] = analysis
        finally:
            # What a model was paid for is kept, whatever follows.
            if made:
                await self.store.save(feed.feed_id, made)
                ANALYSES.labels("done").inc(len(made))
        return len(made)

    async def _one(
        self, article: ArticleToDeframe, question: ArticleToAnalyse, analyzer: Analyzer
    ) -> StoredAnalysis | None:
        try:
            result = await analyzer.analyse(question)
        except (ModelResting, BudgetSpent):
            raise
        except DistillError as error:
            ANALYSES.labels("failed").inc()
            retry_at = next_try_at(article.attempts + 1, self.clock.now())
            await self.store.note_failure(article.id, str(error), retry_at=retry_at)
            return None
        version = analyzer.prompt_version(article.language)
        return StoredAnalysis(result, analyzer.model, version, article.content_hash)
