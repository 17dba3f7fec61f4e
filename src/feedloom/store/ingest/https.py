"""Feeds fetched over http, and their switch to https.

Both forms of an address have the same key, so there is one row and nothing to merge.
"""

from collections.abc import Sequence

from feedloom.model.errors import Conflict
from feedloom.model.stages import PlainFeed
from feedloom.model.urls import guid_hash, without_credentials
from feedloom.store.audit import audit
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import WORKER, Many, Script, sql
from feedloom.store.ingest.feeds import fetch_now
from feedloom.store.ingest.revivals import known_entries
from feedloom.store.locks import lock_schedules
from feedloom.store.queries import exists, first
from feedloom.store.values import value_of


class HTTPSStore(Store):
    @reads(WORKER)
    def plain_feed(self, feed_id: int) -> Script[PlainFeed | None]:
        query = sql(
            "SELECT url, title, site_url, body_hash, last_success_at IS NOT NULL AS ever_worked,"
            " (SELECT min(cookie) FROM subscriptions WHERE feed_id = :id) AS cookie,"
            " (SELECT min(user_agent) FROM subscriptions WHERE feed_id = :id) AS user_agent"
            " FROM feeds WHERE id = :id",
            id=feed_id,
        )
        row = yield from first(query)
        if row is None or not row["url"].startswith("http:"):
            return None
        guids, urls = yield from known_entries(feed_id)
        return value_of(PlainFeed, row, guids=guids, urls=urls)

    @writes(WORKER)
    def upgrade(
        self, feed_id: int, old_url: str, new_url: str, guids: Sequence[str]
    ) -> Script[bool]:
        yield from lock_schedules([feed_id])
        busy = sql(
            "SELECT 1 FROM feed_schedules WHERE feed_id = :id"
            " AND lease_token IS NOT NULL AND locked_until >= now_us()",
            id=feed_id,
        )
        if (yield from exists(busy)):
            # The running fetch would be stored with the GUIDs of the http document.
            raise Conflict("The feed is being fetched.")
        rows = yield sql(
            "UPDATE feeds SET url = :new, etag = NULL, last_modified = NULL,"
            " body_hash = NULL, updated_at = now_us() WHERE id = :id AND url = :old"
            " RETURNING state",
            id=feed_id,
            old=hide_passwords(old_url),
            new=hide_passwords(new_url),
        )
        if not rows:
            return False
        yield from _rename(feed_id, guids)
        yield from audit(
            actor="worker",
            action="https_found",
            subject=f"feed:{feed_id}",
            before=without_credentials(old_url),
            after=without_credentials(new_url),
            why="The same feed is available over https.",
        )
        if rows[0]["state"] != "healthy":
            yield from fetch_now(feed_id, afresh=True, by_hand=False)
        return True


def _rename(feed_id: int, guids: Sequence[str]) -> Script[None]:
    """Rename GUIDs that are addresses and have changed to https."""
    renamed = [
        {"id": feed_id, "guid": guid, "new": guid_hash(guid), "old": guid_hash(f"http{guid[5:]}")}
        for guid in guids
        if guid.startswith("https:")
    ]
    yield Many(
        "UPDATE articles SET guid = :guid, guid_hash = :new"
        " WHERE feed_id = :id AND guid_hash = :old AND NOT EXISTS"
        " (SELECT 1 FROM articles o WHERE o.feed_id = :id AND o.guid_hash = :new)",
        renamed,
    )
    yield Many(
        "INSERT INTO article_tombstones (feed_id, guid_hash, deleted_at)"
        " SELECT feed_id, :new, deleted_at FROM article_tombstones"
        " WHERE feed_id = :id AND guid_hash = :old ON CONFLICT DO NOTHING",
        [{name: row[name] for name in ("id", "new", "old")} for row in renamed],
    )
