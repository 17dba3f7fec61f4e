"""Favicons: small images by their address, shared by the feeds of a site."""

from feedloom.model.reader import Icon
from feedloom.model.work import TaskKind
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Scope, Script, sql
from feedloom.store.ingest.feeds import feed_task
from feedloom.store.queries import NOW, exists, number, one, update, upsert
from feedloom.store.values import value_of


class IconStore(Store):
    @reads(Scope())
    def icon(self, icon_id: int) -> Script[Icon]:
        text = "SELECT source_url, mime, bytes AS data FROM favicons WHERE id = :id"
        return value_of(Icon, (yield from one(sql(text, id=icon_id), "Icon not found.")))

    @reads(Scope())
    def is_awaited(self, feed_id: int) -> Script[bool]:
        awaited = sql(
            "SELECT 1 FROM tasks WHERE unique_key = :key AND done_at IS NULL"
            " AND user_id IS NULL AND last_error IS NULL",
            key=feed_task(TaskKind.FAVICON, feed_id).unique_key,
        )
        return (yield from exists(awaited))

    @writes(WORKER)
    def save(self, feed_id: int, icon: Icon) -> Script[None]:
        saved = upsert(
            "favicons",
            "source_url",
            "RETURNING id",
            source_url=icon.source_url,
            mime=icon.mime,
            bytes=icon.data,
            fetched_at=NOW,
        )
        yield update("feeds", feed_id, favicon_id=(yield from number(saved)))

    @reads(WORKER)
    def feed_addresses(self, feed_id: int) -> Script[tuple[str, str | None]]:
        text = "SELECT url, site_url FROM feeds WHERE id = :id"
        row = yield from one(sql(text, id=feed_id), "Feed not found.")
        return row["url"], row["site_url"]
