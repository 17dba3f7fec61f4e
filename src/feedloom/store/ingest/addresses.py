"""Feeds that change their address: dead ones that moved, http that becomes https."""

from collections.abc import Sequence
from datetime import datetime

from feedloom.model.errors import Conflict
from feedloom.model.stages import DeadFeed, PlainFeed
from feedloom.model.urls import guid_hash, normalise, without_credentials
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import WORKER, Many, Script, sql
from feedloom.store.ingest.feeds import (
    fetch_now,
    forget_validators,
    look_again,
    other_feed_at,
    set_address,
)
from feedloom.store.ingest.merge import merge_feeds
from feedloom.store.locks import lock_feeds, lock_schedules
from feedloom.store.queries import audit, exists, first, one
from feedloom.store.values import to_us, value_of

_NOT_FOUND = "Feed not found."


class RevivalStore(Store):
    @reads(WORKER)
    def dead_feed(self, feed_id: int) -> Script[DeadFeed]:
        """Return what is known about a feed; raise ``NotFound`` if it is gone."""
        text = """SELECT f.url, f.title, f.site_url, f.failing_since, f.look_again_at, f.asked,
            f.state = 'healthy' AS is_healthy, f.url_key LIKE '%#%' AS is_apart,
            s.next_run_at IS NOT NULL AS is_polled, feed_is_read(:id) AS is_read,
            f.state <> 'paused' AND (f.in_directory OR feed_is_read(:id)
              OR EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = :id AND p.enabled
                AND p.deleted_at IS NULL)) AS is_wanted
            FROM feeds f JOIN feed_schedules s ON s.feed_id = f.id WHERE f.id = :id"""
        row = yield from one(sql(text, id=feed_id), _NOT_FOUND)
        guids, urls = yield from known_entries(feed_id)
        return value_of(DeadFeed, row, guids=guids, urls=urls)

    @writes(WORKER)
    def swap(self, feed_id: int, new_url: str, why: str) -> Script[int]:
        new_url = normalise(new_url)
        feed = yield from one(sql("SELECT url FROM feeds WHERE id = :id", id=feed_id), _NOT_FOUND)
        known = yield from other_feed_at(new_url, feed_id)
        kept = known or feed_id
        yield lock_schedules([feed_id, kept])
        yield lock_feeds([feed_id, kept])
        before = without_credentials(feed["url"])
        yield audit("worker", "feed_revived", f"feed:{kept}", before=before, after=new_url, why=why)
        if known:
            # What it listed last is not what the other feed lists now.
            yield sql("UPDATE articles SET in_document = false WHERE feed_id = :id", id=feed_id)
            yield from merge_feeds(feed_id, kept)
        else:
            yield from set_address(feed_id, new_url)
        yield from forget_validators(kept)
        yield from fetch_now(kept, afresh=True, by_hand=False)
        return kept

    @writes(WORKER)
    def note_failure(self, feed_id: int, tried: str) -> Script[None]:
        yield audit("worker", "revival_failed", f"feed:{feed_id}", why=tried)

    @writes(WORKER)
    def look_again(self, feed_id: int, at: datetime) -> Script[None]:
        """Schedule the next check of a feed that is not polled."""
        yield from look_again(feed_id, to_us(at))

    @writes(WORKER)
    def wake(self, feed_id: int) -> Script[None]:
        """Fetch a feed now, because its own address works again."""
        yield from fetch_now(feed_id, afresh=True, by_hand=False)


def known_entries(feed_id: int) -> Script[tuple[frozenset[str], frozenset[str]]]:
    text = "SELECT guid, url FROM articles WHERE feed_id = :id ORDER BY published_at DESC LIMIT 200"
    entries = yield sql(text, id=feed_id)
    recent = yield sql("SELECT url FROM recent_items WHERE feed_id = :id", id=feed_id)
    guids = frozenset(row["guid"] for row in entries)
    return guids, frozenset(row["url"] for row in (*entries, *recent) if row["url"])


class HTTPSStore(Store):
    @reads(WORKER)
    def plain_feed(self, feed_id: int) -> Script[PlainFeed | None]:
        text = """SELECT url, title, site_url, body_hash,
            last_success_at IS NOT NULL AS ever_worked,
            (SELECT min(cookie) FROM subscriptions WHERE feed_id = :id) AS cookie,
            (SELECT min(user_agent) FROM subscriptions WHERE feed_id = :id) AS user_agent
            FROM feeds WHERE id = :id"""
        row = yield from first(sql(text, id=feed_id))
        if row is None or not row["url"].startswith("http:"):
            return None
        guids, urls = yield from known_entries(feed_id)
        return value_of(PlainFeed, row, guids=guids, urls=urls)

    @writes(WORKER)
    def upgrade(
        self, feed_id: int, old_url: str, new_url: str, guids: Sequence[str]
    ) -> Script[bool]:
        yield lock_schedules([feed_id])
        text = """SELECT 1 FROM feed_schedules WHERE feed_id = :id
            AND lease_token IS NOT NULL AND locked_until >= now_us()"""
        if (yield from exists(sql(text, id=feed_id))):
            # The running fetch would be stored with the GUIDs of the http document.
            raise Conflict("The feed is being fetched.")
        text = """UPDATE feeds SET url = :new, etag = NULL, last_modified = NULL, body_hash = NULL,
            updated_at = now_us() WHERE id = :id AND url = :old RETURNING state"""
        rows = yield sql(text, id=feed_id, old=hide_passwords(old_url), new=hide_passwords(new_url))
        if not rows:
            return False
        # GUIDs that are addresses have changed to https, too.
        changed = [guid for guid in guids if guid.startswith("https:")]
        renamed = [
            {"id": feed_id, "guid": g, "new": guid_hash(g), "old": guid_hash(f"http{g[5:]}")}
            for g in changed
        ]
        text = """UPDATE articles SET guid = :guid, guid_hash = :new
            WHERE feed_id = :id AND guid_hash = :old AND NOT EXISTS
            (SELECT 1 FROM articles o WHERE o.feed_id = :id AND o.guid_hash = :new)"""
        yield Many(text, renamed)
        text = """INSERT INTO article_tombstones (feed_id, guid_hash, deleted_at)
            SELECT feed_id, :new, deleted_at FROM article_tombstones
            WHERE feed_id = :id AND guid_hash = :old ON CONFLICT DO NOTHING"""
        yield Many(text, renamed)
        yield audit(
            "worker",
            "https_found",
            f"feed:{feed_id}",
            before=without_credentials(old_url),
            after=without_credentials(new_url),
            why="The same feed is available over https.",
        )
        if rows[0]["state"] != "healthy":
            yield from fetch_now(feed_id, afresh=True, by_hand=False)
        return True
