"""Analyses that readers want: which articles need one, and storing the results.

A feed's articles are analysed while one of its readers has calm titles on or a rule about
scores.
"""

from collections.abc import Mapping
from datetime import datetime

from feedloom.model.distilled.proxies import FeedToAnalyse, StoredAnalysis
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.distilled.analyses import (
    ARTICLES,
    contents_of,
    count_failure,
    keep_analyses,
    read_article,
)
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.arrivals import tell_holders
from feedloom.store.ingest.wanted import ON_SCORES, WANTING
from feedloom.store.queries import exists, numbers
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import read_object

_MOST_ARTICLES = 500


class AnalysisStore(Store):
    @reads(WORKER)
    def wanted(self, feed_id: int) -> Script[FeedToAnalyse | None]:
        """Return a feed whose articles somebody wants analysed, or None."""
        readers = yield sql(
            "SELECT u.settings, s.cookie IS NOT NULL AS apart"
            + WANTING.format(which="s.feed_id = :feed"),
            feed=feed_id,
        )
        if not readers:
            return None
        rows = yield sql(ARTICLES, id=feed_id, limit=_MOST_ARTICLES)
        return FeedToAnalyse(
            feed_id,
            tuple(read_article(row) for row in rows),
            tuple(read_object(row["settings"]) or {} for row in readers),
            is_private=any(row["apart"] for row in readers),
        )

    contents = reads(WORKER).of(contents_of)

    @writes(WORKER)
    def save(self, feed_id: int, analyses: Mapping[int, StoredAnalysis]) -> Script[None]:
        """Store analyses, tell clients about new titles and queue rules on scores."""
        text = "SELECT id FROM articles WHERE id = ANY(:ids)"
        there = yield from numbers(sql(text, ids=list(analyses)))
        yield from keep_analyses({article_id: analyses[article_id] for article_id in there})
        calm = [n for n in there if analyses[n].result.is_calmed]
        if calm:
            yield from tell_holders(calm)
        rules = sql(
            "SELECT 1 FROM rules r JOIN subscriptions s ON s.user_id = r.user_id"
            f" WHERE s.feed_id = :feed AND r.enabled AND r.field IN ({ON_SCORES}) LIMIT 1",
            feed=feed_id,
        )
        if there and (yield from exists(rules)):
            payload = {"feed_id": feed_id, "article_ids": there, "on_scores": True}
            yield from add_task(NewTask(TaskKind.APPLY_RULES, payload))

    @writes(WORKER)
    def note_failure(
        self, article_id: int, error: str, *, retry_at: datetime | None
    ) -> Script[None]:
        """Count a failed analysis. Without ``retry_at``, the article is parked."""
        yield from count_failure(article_id, error, retry_at=retry_at)
