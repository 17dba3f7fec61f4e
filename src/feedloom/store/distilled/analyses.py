"""Deframing under the lease of a refresh: read the feed, store analyses, settle.

Each write locks the lease first and is refused if another worker holds it. The document,
the schedule and the end of the lease are one transaction.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from feedloom.model.distilled.documents import Built
from feedloom.model.distilled.proxies import ArticleToDeframe, FeedToDeframe, StoredAnalysis
from feedloom.model.errors import LeaseLost
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import Refreshed
from feedloom.store.distilled.deframed_rows import (
    CHANNEL_COLUMNS,
    ITEM_COLUMNS,
    read_analysis,
    read_channel,
    read_document,
    read_item,
)
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, NotifyWorkers, Row, Script, sql
from feedloom.store.queries import NOW, exists, first, insert, overwriting, upsert
from feedloom.store.queues.unwanted import unschedule_if_unwanted
from feedloom.store.times import maybe_time, maybe_us, to_us
from feedloom.store.values import value_of

_MOST_ARTICLES = 1_000
_FEED = f"""
SELECT {CHANNEL_COLUMNS}, p.enforce_feed_domain, p.max_items, p.prompt_key
FROM proxies p JOIN feeds f ON f.id = p.feed_id
WHERE p.feed_id = :id AND p.enabled AND p.deleted_at IS NULL
"""
ARTICLES = f"""
SELECT {ITEM_COLUMNS}, a.language, a.in_document,
  coalesce(t.attempts, 0) AS attempts, t.next_try_at
FROM articles a
LEFT JOIN analyses x ON x.article_id = a.id
LEFT JOIN analysis_attempts t ON t.article_id = a.id
WHERE a.feed_id = :id AND (a.in_document OR x.article_id IS NOT NULL)
ORDER BY a.published_at DESC, a.id DESC LIMIT :limit
"""
_WANTED = """
SELECT (SELECT count(*) FROM subscriptions s WHERE s.feed_id = :id) AS readers,
  (SELECT count(*) FROM proxies p WHERE p.feed_id = :id AND p.deleted_at IS NULL
    AND NOT p.enabled) AS disabled
"""
_SETTLE = """
UPDATE feed_schedules SET
  next_run_at = CASE WHEN :at_once OR again THEN now_us() ELSE :next END,
  due_at = CASE WHEN :at_once OR again THEN now_us() WHEN :inert THEN NULL
    ELSE :next END,
  reason = :reason, last_error = NULL, attempts = 0, lease_token = NULL,
  locked_until = NULL, locked_by = NULL, again = false
WHERE feed_id = :id
"""


def contents_of(article_ids: Sequence[int]) -> Script[dict[int, CleanHTML]]:
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
            articles=tuple(map(read_article, articles)),
            built=(yield from read_document(feed_id)),
        )

    @reads(WORKER)
    def content(self, article_id: int) -> Script[CleanHTML]:
        """Return the publisher's text of an article; empty if it is gone."""
        return (yield from contents_of([article_id])).get(article_id, CleanHTML(""))

    contents = reads(WORKER).of(contents_of)

    @writes(WORKER)
    def save_analysis(
        self, feed: FeedToDeframe, article_id: int, analysis: StoredAnalysis
    ) -> Script[None]:
        """Store an article's analysis; raise ``LeaseLost`` if the lease is lost."""
        yield from _hold(feed.feed_id, feed.lease_token)
        if (yield from _still_there(article_id)):
            yield from keep_analyses({article_id: analysis})

    @writes(WORKER)
    def note_failure(
        self, feed: FeedToDeframe, article_id: int, error: str, *, retry_at: datetime | None
    ) -> Script[None]:
        """Count a failed analysis. Without ``retry_at``, the article is parked."""
        yield from _hold(feed.feed_id, feed.lease_token)
        if (yield from _still_there(article_id)):
            yield from count_failure(article_id, error, retry_at=retry_at)

    @writes(WORKER)
    def settle(
        self, refreshed: Refreshed, built: Built | None, *, error: str | None = None
    ) -> Script[None]:
        """Store a new document, if there is one, and release the lease."""
        feed = refreshed.feed
        yield from _hold(feed.feed_id, feed.lease_token)
        if built is not None:
            yield from _save_document(feed.feed_id, built)
        rows = yield sql(_WANTED, id=feed.feed_id)
        readers, disabled = rows[0]["readers"], rows[0]["disabled"]
        next_run_at, reason = _schedule(refreshed, error=error, readers=readers)
        # Somebody may have subscribed while the feed was refreshed for the proxy only.
        at_once = bool(readers) and reason.get("rule") == "one_shot"
        yield sql(
            _SETTLE,
            id=feed.feed_id,
            at_once=at_once,
            inert=bool(disabled) and not readers,
            next=maybe_us(next_run_at),
            reason=json.dumps({"rule": "new"} if at_once else dict(reason)),
        )
        yield sql(
            "UPDATE proxies SET last_error = :error WHERE feed_id = :id",
            id=feed.feed_id,
            error=error,
        )
        yield from unschedule_if_unwanted(feed.feed_id)
        if at_once:
            yield NotifyWorkers()


def keep_analyses(analyses: Mapping[int, StoredAnalysis]) -> Script[None]:
    """Store articles' analyses in the caller's transaction."""
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


def count_failure(article_id: int, error: str, *, retry_at: datetime | None) -> Script[None]:
    """Count a failed analysis in the caller's transaction."""
    yield sql(
        "INSERT INTO analysis_attempts (article_id, attempts, last_error, next_try_at)"
        " VALUES (:id, 1, :error, :retry) ON CONFLICT (article_id) DO UPDATE SET"
        " attempts = analysis_attempts.attempts + 1, last_error = excluded.last_error,"
        " next_try_at = excluded.next_try_at",
        id=article_id,
        error=error,
        retry=maybe_us(retry_at),
    )


def read_article(row: Row) -> ArticleToDeframe:
    return value_of(
        ArticleToDeframe,
        row,
        item=read_item(row),
        is_listed=bool(row["in_document"]),
        analysis=read_analysis(row),
        retry_at=maybe_time(row["next_try_at"]),
    )


def _hold(feed_id: int, lease_token: str) -> Script[None]:
    """Lock the lease for this transaction; raise ``LeaseLost`` if it is lost."""
    held = sql(
        "SELECT feed_id FROM feed_schedules WHERE feed_id = :id"
        " AND lease_token = :token AND locked_until > now_us() FOR UPDATE",
        id=feed_id,
        token=lease_token,
    )
    if not (yield from exists(held)):
        raise LeaseLost


def _still_there(article_id: int) -> Script[bool]:
    return (yield from exists(sql("SELECT 1 FROM articles WHERE id = :id", id=article_id)))


def _schedule(
    refreshed: Refreshed, *, error: str | None, readers: int
) -> tuple[datetime | None, Mapping[str, object]]:
    """Return the next run: as the refresh decided, unless deframing itself failed."""
    feed, verdict = refreshed.feed, refreshed.verdict
    if error is not None and feed.one_strike and not readers:
        return None, {"rule": "one_strike", "at": refreshed.at.isoformat()}
    if verdict is None:
        return None, {}
    return verdict.next_run_at, verdict.reason


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
