"""Dead feeds: what is known of them, and the switch to a new address."""

from datetime import datetime

from feedloom.model.stages import DeadFeed
from feedloom.model.urls import normalise, without_credentials
from feedloom.store.audit import audit
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.feeds import (
    fetch_now,
    forget_validators,
    look_again,
    other_feed_at,
    set_address,
)
from feedloom.store.ingest.merge import merge_feeds
from feedloom.store.locks import lock_feeds, lock_schedules
from feedloom.store.queries import one
from feedloom.store.times import to_us
from feedloom.store.values import read_asked, value_of

_NOT_FOUND = "Feed not found."


class RevivalStore(Store):
    @reads(WORKER)
    def dead_feed(self, feed_id: int) -> Script[DeadFeed]:
        """Return what is known about a feed; raise ``NotFound`` if it is gone."""
        query = sql(
            "SELECT f.url, f.url_key, f.title, f.site_url, f.state, f.failing_since,"
            " f.look_again_at, f.asked, f.in_directory, s.next_run_at IS NOT NULL AS is_polled,"
            " feed_is_read(:id) AS is_read, EXISTS (SELECT 1 FROM proxies p"
            "   WHERE p.feed_id = :id AND p.enabled AND p.deleted_at IS NULL) AS proxied"
            " FROM feeds f JOIN feed_schedules s ON s.feed_id = f.id WHERE f.id = :id",
            id=feed_id,
        )
        row = yield from one(query, _NOT_FOUND)
        guids, urls = yield from known_entries(feed_id)
        is_wanted = row["is_read"] or row["proxied"] or row["in_directory"]
        return value_of(
            DeadFeed,
            row,
            is_healthy=row["state"] == "healthy",
            is_apart="#" in row["url_key"],
            guids=guids,
            urls=urls,
            is_wanted=bool(is_wanted) and row["state"] != "paused",
            asked=read_asked(row["asked"]),
        )

    @writes(WORKER)
    def swap(self, feed_id: int, new_url: str, why: str) -> Script[int]:
        new_url = normalise(new_url)
        feed = yield from one(sql("SELECT url FROM feeds WHERE id = :id", id=feed_id), _NOT_FOUND)
        known = yield from other_feed_at(new_url, feed_id)
        kept = known or feed_id
        yield from lock_schedules([feed_id, kept])
        yield from lock_feeds([feed_id, kept])
        yield from audit(
            actor="worker",
            action="feed_revived",
            subject=f"feed:{kept}",
            before=without_credentials(feed["url"]),
            after=new_url,
            why=why,
        )
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
        yield from audit(
            actor="worker",
            action="revival_failed",
            subject=f"feed:{feed_id}",
            before=None,
            after=None,
            why=tried,
        )

    @writes(WORKER)
    def look_again(self, feed_id: int, at: datetime) -> Script[None]:
        """Schedule the next check of a feed that is not polled."""
        yield from look_again(feed_id, to_us(at))

    @writes(WORKER)
    def wake(self, feed_id: int) -> Script[None]:
        """Fetch a feed now, because its own address works again."""
        yield from fetch_now(feed_id, afresh=True, by_hand=False)


def known_entries(feed_id: int) -> Script[tuple[frozenset[str], frozenset[str]]]:
    entries = yield sql(
        "SELECT guid, url FROM articles WHERE feed_id = :id ORDER BY published_at DESC LIMIT 200",
        id=feed_id,
    )
    recent = yield sql("SELECT url FROM recent_items WHERE feed_id = :id", id=feed_id)
    guids = frozenset(row["guid"] for row in entries)
    return guids, frozenset(row["url"] for row in (*entries, *recent) if row["url"])
