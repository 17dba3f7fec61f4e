"""Calm titles and scores for readers: analyse articles that somebody wants analysed.

    feed with new articles | those without an analysis | analyse | keep, tell, apply rules

Once per article, whoever reads it. What fails or must wait leaves the original title; it
is tried again later, and nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.distill.deframing import next_try_at, should_analyse
from feedloom.flow.distill.model_opt_out import SETTING
from feedloom.flow.metrics import ANALYSES
from feedloom.markup import to_text
from feedloom.model.distilled.proxies import ArticleToDeframe, FeedToAnalyse, StoredAnalysis
from feedloom.model.distilled.requests import Analyzer, ArticleToAnalyse
from feedloom.model.errors import BudgetSpent, DistillError, ModelResting
from feedloom.model.ports import Clock
from feedloom.model.work import NewTask, Task, TaskKind

if TYPE_CHECKING:
    from feedloom.store import AnalysisStore, TaskQueue

log = structlog.get_logger()

_AT_ONCE = 100
_MOST_LOOKS = 50
_OTHER_TITLES = 40
_LATER = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class CalmTitles:
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
            await self._again(feed_id)
        return {"analysed": analysed}

    async def _some(self, feed_id: int) -> int:
        """Analyse some of the articles that wait; tell how many came out well."""
        feed = await self.store.wanted(feed_id)
        if feed is None:
            return 0
        analyzer = self._analyzer_for(feed)
        waiting = [each for each in feed.articles if self._is_wanted(each, analyzer)]
        return await self._analyse(feed, waiting[:_AT_ONCE], analyzer)

    def _analyzer_for(self, feed: FeedToAnalyse) -> Analyzer:
        """Choose the model only for what is public, and for readers who do not mind."""
        minds = all(settings.get(SETTING) is True for settings in feed.readers)
        return self.offline if feed.is_private or minds else self.analyzer

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
        return StoredAnalysis(
            result,
            model=analyzer.model,
            prompt_version=analyzer.prompt_version(article.language),
            content_hash=article.content_hash,
        )

    async def _again(self, feed_id: int) -> None:
        await self.tasks.add(
            NewTask(
                TaskKind.ANALYSE,
                {"feed_id": feed_id},
                unique_key=f"analyse-later:{feed_id}",
                run_at=self.clock.now() + _LATER,
            )
        )
