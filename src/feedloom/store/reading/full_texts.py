"""Full texts as rows: which articles want one, and where they are kept."""

from collections.abc import Sequence
from datetime import datetime

from feedloom.model.distilled.full_texts import ArticlePageToRead
from feedloom.model.feed import CleanHTML
from feedloom.store.engine.steps import WORKER, Database, Steps, sql
from feedloom.store.finding.search_index import queue_for_index
from feedloom.store.ingest.arrivals import tell_holders
from feedloom.store.times import to_us

_WANTED = (
    "EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id AND s.full_text)"
)


class FullTextStore:
    """Articles' full texts. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, article_id: int) -> ArticlePageToRead | None:
        """Tell where an article's page is; None when the article is gone."""
        return await self._database.read(WORKER, _find, article_id)

    async def save(self, article_id: int, content: CleanHTML) -> None:
        """Keep an article's full text, and let it be found by its words."""
        await self._database.write(WORKER, _save, article_id, content)

    async def wanting(self, feed_id: int, at: datetime, limit: int) -> list[int]:
        """List what a refresh at this time brought, newest first, where it is wanted."""
        return await self._database.read(WORKER, _wanting, feed_id, to_us(at), limit)

    async def wanting_again(self, article_ids: Sequence[int], limit: int) -> list[int]:
        """List which of these have a full text that is still wanted, newest first."""
        return await self._database.read(
            WORKER, _wanting_again, list(article_ids), limit
        )


def _find(article_id: int) -> Steps[ArticlePageToRead | None]:
    rows = yield sql(
        "SELECT url, full_content IS NOT NULL AS is_full FROM articles WHERE id = :id",
        id=article_id,
    )
    if not rows:
        return None
    return ArticlePageToRead(rows[0]["url"], bool(rows[0]["is_full"]))


def _save(article_id: int, content: CleanHTML) -> Steps[None]:
    rows = yield sql(
        "UPDATE articles SET full_content = :content WHERE id = :id RETURNING id",
        content=content,
        id=article_id,
    )
    yield from queue_for_index("article", [row["id"] for row in rows])
    yield from tell_holders([row["id"] for row in rows])


def _wanting_again(article_ids: list[int], limit: int) -> Steps[list[int]]:
    rows = yield sql(
        "SELECT a.id FROM articles a WHERE a.id = ANY(:ids)"
        f" AND a.full_content IS NOT NULL AND {_WANTED}"
        " ORDER BY a.published_at DESC, a.id DESC LIMIT :limit",
        ids=article_ids,
        limit=limit,
    )
    return [row["id"] for row in rows]


def _wanting(feed_id: int, at: int, limit: int) -> Steps[list[int]]:
    rows = yield sql(
        "SELECT a.id FROM articles a WHERE a.feed_id = :feed AND a.fetched_at = :at"
        f" AND a.full_content IS NULL AND {_WANTED}"
        " ORDER BY a.published_at DESC, a.id DESC LIMIT :limit",
        feed=feed_id,
        at=at,
        limit=limit,
    )
    return [row["id"] for row in rows]
