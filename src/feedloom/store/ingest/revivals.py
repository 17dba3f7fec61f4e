"""Dead feeds: what is known of them, and the switch to a new address."""

from datetime import datetime

from feedloom.model.errors import NotFound
from feedloom.model.stages import DeadFeed
from feedloom.model.urls import host_key, normalise, url_key, without_credentials
from feedloom.store.audit import audit
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.feeds import fetch_now, forget_validators, look_again
from feedloom.store.ingest.merge import lock_schedules, merge_feeds
from feedloom.store.times import maybe_time, to_us
from feedloom.store.values import read_asked


class RevivalStore(Store):
    @reads(WORKER)
    def dead_feed(self, feed_id: int) -> Script[DeadFeed]:
        """Tell what is remembered of a feed; ``NotFound`` when it is gone."""
        rows = yield sql(
            "SELECT f.url, f.url_key, f.title, f.site_url, f.state, f.failing_since,"
            " f.look_again_at, f.asked, f.in_directory, s.next_run_at IS NOT NULL AS polled,"
            " feed_is_read(:id) AS is_read, EXISTS (SELECT 1 FROM proxies p"
            "   WHERE p.feed_id = :id AND p.enabled AND p.deleted_at IS NULL) AS proxied"
            " FROM feeds f JOIN feed_schedules s ON s.feed_id = f.id WHERE f.id = :id",
            id=feed_id,
        )
        if not rows:
            raise NotFound("Feed not found.")
        guids, urls = yield from known_entries(feed_id)
        row = rows[0]
        is_wanted = row["is_read"] or row["proxied"] or row["in_directory"]
        return DeadFeed(
            url=row["url"],
            title=row["title"],
            site_url=row["site_url"],
            is_healthy=row["state"] == "healthy",
            is_apart="#" in row["url_key"],
            guids=guids,
            urls=urls,
            is_polled=bool(row["polled"]),
            is_wanted=bool(is_wanted) and row["state"] != "paused",
            is_read=bool(row["is_read"]),
            failing_since=maybe_time(row["failing_since"]),
            look_again_at=row["look_again_at"],
            asked=read_asked(row["asked"]),
        )

    @writes(WORKER)
    def swap(self, feed_id: int, new_url: str, why: str) -> Script[int]:
        new_url = normalise(new_url)
        rows = yield sql(
            "SELECT url, coalesce(tenant_id, 0) AS tenant FROM feeds WHERE id = :id", id=feed_id
        )
        if not rows:
            raise NotFound("Feed not found.")
        known = yield sql(
            "SELECT id FROM feeds WHERE coalesce(tenant_id, 0) = :tenant AND url_key = :key"
            " AND id <> :id",
            tenant=rows[0]["tenant"],
            key=url_key(new_url),
            id=feed_id,
        )
        kept: int = known[0]["id"] if known else feed_id
        yield from lock_schedules([feed_id, kept])
        yield sql(
            "SELECT id FROM feeds WHERE id = ANY(:ids) ORDER BY id FOR UPDATE", ids=[feed_id, kept]
        )
        yield from audit(
            actor="worker",
            action="feed_revived",
            subject=f"feed:{kept}",
            before=without_credentials(rows[0]["url"]),
            after=new_url,
            why=why,
        )
        if known:
            # What it listed last is not what the other one lists now.
            yield sql("UPDATE articles SET in_document = false WHERE feed_id = :id", id=feed_id)
            yield from merge_feeds(feed_id, kept)
        else:
            yield sql(
                "UPDATE feeds SET url = :url, url_key = :key, host_key = :host,"
                " https_checked_at = NULL WHERE id = :id",
                url=hide_passwords(new_url),
                key=url_key(new_url),
                host=host_key(new_url),
                id=feed_id,
            )
            yield sql(
                "UPDATE feed_schedules SET host_key = :host WHERE feed_id = :id",
                host=host_key(new_url),
                id=feed_id,
            )
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
        """Plan the next look at a feed that is not polled."""
        yield from look_again(feed_id, to_us(at))

    @writes(WORKER)
    def wake(self, feed_id: int) -> Script[None]:
        """Fetch a feed now: its own address answers again."""
        yield from fetch_now(feed_id, afresh=True, by_hand=False)


def known_entries(feed_id: int) -> Script[tuple[frozenset[str], frozenset[str]]]:
    entries = yield sql(
        "SELECT guid, url FROM articles WHERE feed_id = :id ORDER BY published_at DESC LIMIT 200",
        id=feed_id,
    )
    recent = yield sql("SELECT url FROM recent_items WHERE feed_id = :id", id=feed_id)
    guids = frozenset(row["guid"] for row in entries)
    return guids, frozenset(row["url"] for row in (*entries, *recent) if row["url"])
