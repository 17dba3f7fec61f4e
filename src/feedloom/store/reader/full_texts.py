"""Full texts: which articles need one, and storing them."""

from collections.abc import Sequence
from datetime import datetime

from feedloom.model.distilled.documents import ArticlePageToRead
from feedloom.model.feed import CleanHTML
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.arrivals import tell_holders
from feedloom.store.queries import numbers, value
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.times import to_us

_WANTED = "EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id AND s.full_text)"


class FullTextStore(Store):
    @reads(WORKER)
    def find(self, article_id: int) -> Script[ArticlePageToRead | None]:
        query = sql(
            "SELECT a.url, a.full_content IS NOT NULL AS has_full_text,"
            " coalesce((SELECT min(s.content_selector) FROM subscriptions s"
            "   WHERE s.feed_id = a.feed_id), '') AS selector"
            " FROM articles a WHERE a.id = :id",
            id=article_id,
        )
        return (yield from value(ArticlePageToRead, query))

    @writes(WORKER)
    def save(self, article_id: int, content: CleanHTML) -> Script[None]:
        text = "UPDATE articles SET full_content = :content WHERE id = :id RETURNING id"
        saved = yield from numbers(sql(text, content=content, id=article_id))
        yield from queue_for_index("article", saved)
        yield from tell_holders(saved)

    @reads(WORKER)
    def wanting(self, feed_id: int, at: datetime, limit: int) -> Script[list[int]]:
        query = sql(
            "SELECT a.id FROM articles a WHERE a.feed_id = :feed AND a.fetched_at = :at"
            f" AND a.full_content IS NULL AND {_WANTED}"
            " ORDER BY a.published_at DESC, a.id DESC LIMIT :limit",
            feed=feed_id,
            at=to_us(at),
            limit=limit,
        )
        return (yield from numbers(query))

    @reads(WORKER)
    def wanting_again(self, article_ids: Sequence[int], limit: int) -> Script[list[int]]:
        query = sql(
            "SELECT a.id FROM articles a WHERE a.id = ANY(:ids)"
            f" AND a.full_content IS NOT NULL AND {_WANTED}"
            " ORDER BY a.published_at DESC, a.id DESC LIMIT :limit",
            ids=list(article_ids),
            limit=limit,
        )
        return (yield from numbers(query))
