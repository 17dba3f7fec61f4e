"""Analyses of articles: under the lease of a refresh, and those that readers want.

``DeframingStore`` locks the lease before each write. Without a proxy, a feed is analysed while
one of its readers has calm titles on or a rule about scores.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from feedloom.model.distilled.documents import Built
from feedloom.model.distilled.proxies import (
    ArticleToDeframe,
    FeedToAnalyse,
    FeedToDeframe,
    StoredAnalysis,
)
from feedloom.model.errors import LeaseLost
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import Refreshed
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.distilled.proxied_feeds import (
    CHANNEL_COLUMNS,
    ITEM_COLUMNS,
    read_analysis,
    read_channel,
    read_document,
    read_item,
)
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, NotifyWorkers, Row, Script, sql
from feedloom.store.ingest.arrivals import tell_holders
from feedloom.store.ingest.rules import ON_SCORES, WANTING
from feedloom.store.queries import NOW, exists, first, insert, numbers, overwriting, upsert
from feedloom.store.queues.feed_queue import unschedule_if_unwanted
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import maybe_us, read_object, to_us, value_of

_MOST_ARTICLES = 1_000
_FEED = f"""SELECT {CHANNEL_COLUMNS}, p.enforce_feed_domain, p.max_items, p.prompt_key
    FROM proxies p JOIN feeds f ON f.id = p.feed_id
    WHERE p.feed_id = :id AND p.enabled AND p.deleted_at IS NULL"""
ARTICLES = f"""SELECT {ITEM_COLUMNS}, a.language, a.in_document AS is_listed,
      coalesce(t.attempts, 0) AS attempts, t.next_try_at AS retry_at
    FROM articles a LEFT JOIN analyses x ON x.article_id = a.id
    LEFT JOIN analysis_attempts t ON t.article_id = a.id
    WHERE a.feed_id = :id AND (a.in_document OR x.article_id IS NOT NULL)
    ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""
_IS_THERE = "SELECT 1 FROM articles WHERE id = :id"
_WANTED = """SELECT (SELECT count(*) FROM subscriptions s WHERE s.feed_id = :id) AS readers,
      (SELECT count(*) FROM proxies p WHERE p.feed_id = :id AND p.deleted_at IS NULL
        AND NOT p.enabled) AS disabled"""
_SETTLE = """UPDATE feed_schedules SET
      next_run_at = CASE WHEN :at_once OR again THEN now_us() ELSE :next END,
      due_at = CASE WHEN :at_once OR again THEN now_us() WHEN :inert THEN NULL ELSE :next END,
      reason = :reason, last_error = NULL, attempts = 0, lease_token = NULL,
      locked_until = NULL, locked_by = NULL, again = false
    WHERE feed_id = :id"""


def _contents(article_ids: Sequence[int]) -> Script[dict[int, CleanHTML]]:
    """Return the publisher's text of articles, by id."""
    rows = yield sql("SELECT id, content FROM articles WHERE id = ANY(:ids)", ids=list(article_ids))
    return {row["id"]: CleanHTML(row["content"]) for row in rows}


class DeframingStore(Store):
    @reads(WORKER)
    def feed(self, feed_id: int, lease_token: str) -> Script[FeedToDeframe | None]:
        """Return a leased feed, or None if no enabled proxy wants it any more."""
        row = yield from first(sql(_FEED, id=feed_id))
        if row is None:
            return None
        articles = yield sql(ARTICLES, id=feed_id, limit=_MOST_ARTICLES)
        return value_of(
            FeedToDeframe,
            row,
            feed_id=feed_id,
            lease_token=lease_token,
            url=row["feed_url"],
            channel=read_channel(row),
            articles=tuple(map(_article, articles)),
            built=(yield from read_document(feed_id)),
        )

    @reads(WORKER)
    def content(self, article_id: int) -> Script[CleanHTML]:
        """Return the publisher's text of an article; empty if it is gone."""
        return (yield from _contents([article_id])).get(article_id, CleanHTML(""))

    contents = reads(WORKER).of(_contents)

    @writes(WORKER)
    def save_analysis(
        self, feed: FeedToDeframe, article_id: int, analysis: StoredAnalysis
    ) -> Script[None]:
        """Store an article's analysis; raise ``LeaseLost`` if the lease is lost."""
        yield from _hold(feed.feed_id, feed.lease_token)
        if (yield from exists(sql(_IS_THERE, id=article_id))):
            yield from _keep_analyses({article_id: analysis})

    @writes(WORKER)
    def note_failure(
        self, feed: FeedToDeframe, article_id: int, error: str, *, retry_at: datetime | None
    ) -> Script[None]:
        """Count a failed analysis. Without ``retry_at``, the article is parked."""
        yield from _hold(feed.feed_id, feed.lease_token)
        if (yield from exists(sql(_IS_THERE, id=article_id))):
            yield from _count_failure(article_id, error, retry_at=retry_at)

    @writes(WORKER)
    def settle(
        self, refreshed: Refreshed, built: Built | None, *, error: str | None = None
    ) -> Script[None]:
        """Store a new document, if there is one, and release the lease."""
        feed = refreshed.feed
        yield from _hold(feed.feed_id, feed.lease_token)
        if built is not None:
            yield from _save_document(feed.feed_id, built)
        [row] = yield sql(_WANTED, id=feed.feed_id)
        readers, disabled = row["readers"], row["disabled"]
        # The next run is as the refresh decided, unless deframing itself failed.
        next_run_at: datetime | None = None
        reason: Mapping[str, object] = {}
        if error is not None and feed.one_strike and not readers:
            reason = {"rule": "one_strike", "at": refreshed.at.isoformat()}
        elif refreshed.verdict is not None:
            next_run_at, reason = refreshed.verdict.next_run_at, refreshed.verdict.reason
        # Somebody may have subscribed while the feed was refreshed for the proxy only.
        at_once = bool(readers) and reason.get("rule") == "one_shot"
        told = json.dumps({"rule": "new"} if at_once else dict(reason))
        when = {"at_once": at_once, "next": maybe_us(next_run_at), "reason": told}
        yield sql(_SETTLE, id=feed.feed_id, inert=bool(disabled) and not readers, **when)
        text = "UPDATE proxies SET last_error = :error WHERE feed_id = :id"
        yield sql(text, id=feed.feed_id, error=error)
        yield from unschedule_if_unwanted(feed.feed_id)
        if at_once:
            yield NotifyWorkers()


def _keep_analyses(analyses: Mapping[int, StoredAnalysis]) -> Script[None]:
    for article_id, analysis in analyses.items():
        result = analysis.result
        yield upsert(
            "analyses",
            "article_id",
            article_id=article_id,
            analyzer_result=json.dumps(result.as_json()),
            score=result.overall,
            clickbait=result.clickbait.value,
            slant=result.framing.value,
            calm_title=result.calm_title if result.is_calmed else None,
            model=analysis.model,
            prompt_version=analysis.prompt_version,
            content_hash=analysis.content_hash,
            created_at=NOW,
        )
    yield sql("DELETE FROM analysis_attempts WHERE article_id = ANY(:ids)", ids=list(analyses))


def _count_failure(article_id: int, error: str, *, retry_at: datetime | None) -> Script[None]:
    """Count a failed analysis in the caller's transaction."""
    text = """INSERT INTO analysis_attempts (article_id, attempts, last_error, next_try_at)
        VALUES (:id, 1, :error, :retry) ON CONFLICT (article_id) DO UPDATE SET
        attempts = analysis_attempts.attempts + 1, last_error = excluded.last_error,
        next_try_at = excluded.next_try_at"""
    yield sql(text, id=article_id, error=error, retry=maybe_us(retry_at))


def _article(row: Row) -> ArticleToDeframe:
    return value_of(ArticleToDeframe, row, item=read_item(row), analysis=read_analysis(row))


def _hold(feed_id: int, lease_token: str) -> Script[None]:
    """Lock the lease for this transaction; raise ``LeaseLost`` if it is lost."""
    text = """SELECT feed_id FROM feed_schedules WHERE feed_id = :id
        AND lease_token = :token AND locked_until > now_us() FOR UPDATE"""
    if not (yield from exists(sql(text, id=feed_id, token=lease_token))):
        raise LeaseLost


def _save_document(feed_id: int, built: Built) -> Script[None]:
    changes = {
        "xml_header": built.xml_header.decode(),
        "xml_content": built.xml_content.decode(),
        "xml_gzip": built.xml_gzip,
        "etag": built.etag,
        "item_refs": json.dumps(built.item_refs),
        "updated_at": to_us(built.updated_at),
    }
    tail = overwriting("feed_id", changes)
    yield insert("cached_feeds", tail, feed_id=feed_id, created_at=NOW, **changes)


class AnalysisStore(Store):
    @reads(WORKER)
    def wanted(self, feed_id: int) -> Script[FeedToAnalyse | None]:
        """Return a feed whose articles somebody wants analysed, or None."""
        text = f"""SELECT u.settings, s.cookie IS NOT NULL AS apart
            {WANTING.format("s.feed_id = :feed")}"""
        readers = yield sql(text, feed=feed_id)
        if not readers:
            return None
        rows = yield sql(ARTICLES, id=feed_id, limit=500)
        return FeedToAnalyse(
            feed_id,
            tuple(map(_article, rows)),
            tuple(read_object(row["settings"]) or {} for row in readers),
            is_private=any(row["apart"] for row in readers),
        )

    contents = reads(WORKER).of(_contents)

    @writes(WORKER)
    def save(self, feed_id: int, analyses: Mapping[int, StoredAnalysis]) -> Script[None]:
        """Store analyses, tell clients about new titles and queue rules on scores."""
        text = "SELECT id FROM articles WHERE id = ANY(:ids)"
        there = yield from numbers(sql(text, ids=list(analyses)))
        yield from _keep_analyses({article_id: analyses[article_id] for article_id in there})
        calm = [n for n in there if analyses[n].result.is_calmed]
        if calm:
            yield from tell_holders(calm)
        text = f"""SELECT 1 FROM rules r JOIN subscriptions s ON s.user_id = r.user_id
            WHERE s.feed_id = :feed AND r.enabled AND r.field IN ({ON_SCORES}) LIMIT 1"""
        if there and (yield from exists(sql(text, feed=feed_id))):
            payload = {"feed_id": feed_id, "article_ids": there, "on_scores": True}
            yield from add_task(NewTask(TaskKind.APPLY_RULES, payload))

    note_failure = writes(WORKER).of(_count_failure)
