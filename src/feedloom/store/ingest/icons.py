"""Favicons: small images by their address, shared by the feeds of a site."""

from feedloom.model.errors import NotFound
from feedloom.model.reader import Icon
from feedloom.model.work import TaskKind
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Scope, Script, sql
from feedloom.store.ingest.feeds import feed_task


class IconStore(Store):
    @reads(Scope())
    def icon(self, icon_id: int) -> Script[Icon]:
        rows = yield sql("SELECT source_url, mime, bytes FROM favicons WHERE id = :id", id=icon_id)
        if not rows:
            raise NotFound("Icon not found.")
        row = rows[0]
        return Icon(row["source_url"], row["mime"], bytes(row["bytes"]))

    @reads(Scope())
    def is_awaited(self, feed_id: int) -> Script[bool]:
        rows = yield sql(
            "SELECT 1 AS x FROM tasks WHERE unique_key = :key AND done_at IS NULL"
            " AND user_id IS NULL AND last_error IS NULL",
            key=feed_task(TaskKind.FAVICON, feed_id).unique_key,
        )
        return bool(rows)

    @writes(WORKER)
    def save(self, feed_id: int, icon: Icon) -> Script[None]:
        rows = yield sql(
            "INSERT INTO favicons (source_url, mime, bytes, fetched_at)"
            " VALUES (:url, :mime, :bytes, now_us()) ON CONFLICT (source_url)"
            " DO UPDATE SET mime = excluded.mime, bytes = excluded.bytes,"
            " fetched_at = excluded.fetched_at RETURNING id",
            url=icon.source_url,
            mime=icon.mime,
            bytes=icon.data,
        )
        yield sql(
            "UPDATE feeds SET favicon_id = :icon WHERE id = :id", icon=rows[0]["id"], id=feed_id
        )

    @reads(WORKER)
    def feed_addresses(self, feed_id: int) -> Script[tuple[str, str | None]]:
        rows = yield sql("SELECT url, site_url FROM feeds WHERE id = :id", id=feed_id)
        if not rows:
            raise NotFound("Feed not found.")
        return rows[0]["url"], rows[0]["site_url"]
