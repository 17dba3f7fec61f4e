"""Other texts of articles: full texts, and what they said before their publishers changed them."""

import zlib
from collections.abc import Sequence
from datetime import datetime

from feedloom.model.distilled.documents import ArticlePageToRead
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Revision
from feedloom.model.stages import Wording
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.arrivals import tell_holders
from feedloom.store.queries import numbers, value
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.values import to_us, value_of

_WANTED = "EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id AND s.full_text)"


class FullTextStore(Store):
    @reads(WORKER)
    def find(self, article_id: int) -> Script[ArticlePageToRead | None]:
        text = """SELECT a.url, a.full_content IS NOT NULL AS has_full_text,
            coalesce((SELECT min(s.content_selector) FROM subscriptions s
              WHERE s.feed_id = a.feed_id), '') AS selector FROM articles a WHERE a.id = :id"""
        return (yield from value(ArticlePageToRead, sql(text, id=article_id)))

    @writes(WORKER)
    def save(self, article_id: int, content: CleanHTML) -> Script[None]:
        text = "UPDATE articles SET full_content = :content WHERE id = :id RETURNING id"
        saved = yield from numbers(sql(text, content=content, id=article_id))
        yield from queue_for_index("article", saved)
        yield from tell_holders(saved)

    @reads(WORKER)
    def wanting(self, feed_id: int, at: datetime, limit: int) -> Script[list[int]]:
        text = f"""SELECT a.id FROM articles a WHERE a.feed_id = :feed AND a.fetched_at = :at
            AND a.full_content IS NULL AND {_WANTED}
            ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""
        return (yield from numbers(sql(text, feed=feed_id, at=to_us(at), limit=limit)))

    @reads(WORKER)
    def wanting_again(self, article_ids: Sequence[int], limit: int) -> Script[list[int]]:
        text = f"""SELECT a.id FROM articles a WHERE a.id = ANY(:ids)
            AND a.full_content IS NOT NULL AND {_WANTED}
            ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""
        return (yield from numbers(sql(text, ids=list(article_ids), limit=limit)))


_OWN = """SELECT v.id, v.changed_at, v.title, v.text, t.item_no FROM revisions v
    JOIN article_states t ON t.article_id = v.article_id WHERE t.user_id = :user"""


class RevisionStore(Store):
    @reads(as_user)
    def of_articles(self, user_id: int, item_nos: list[int], limit: int) -> Script[list[Revision]]:
        """List the latest revisions of articles, oldest first."""
        text = f"{_OWN} AND t.item_no = ANY(:items) ORDER BY v.id DESC LIMIT :limit"
        rows = yield sql(text, user=user_id, items=item_nos, limit=limit)
        texts = [row["text"] and zlib.decompress(row["text"]).decode() for row in rows]
        found = [value_of(Revision, row, text=text) for row, text in zip(rows, texts, strict=True)]
        return found[::-1]

    @reads(as_user)
    def wordings(self, user_id: int, item_nos: list[int]) -> Script[dict[int, Wording]]:
        """Return the publisher's current wording, ignoring a person's own edits."""
        text = """SELECT t.item_no, a.title, a.summary, a.content FROM article_states t
            JOIN articles a ON a.id = t.article_id
            WHERE t.user_id = :user AND t.item_no = ANY(:items)"""
        rows = yield sql(text, user=user_id, items=item_nos)
        return {
            row["item_no"]: Wording(row["title"], row["summary"], CleanHTML(row["content"]))
            for row in rows
        }

    @reads(as_user)
    def latest(self, user_id: int, limit: int) -> Script[list[int]]:
        """List the items that changed last, newest change first."""
        text = """SELECT t.item_no, max(v.id) AS last FROM revisions v
            JOIN article_states t ON t.article_id = v.article_id
            WHERE t.user_id = :user AND t.hidden_at IS NULL
            GROUP BY t.item_no ORDER BY last DESC LIMIT :limit"""
        return (yield from numbers(sql(text, user=user_id, limit=limit)))
