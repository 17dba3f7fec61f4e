"""Storing the result of a refresh: one transaction for feed, articles, states, schedule.

If the lease of a ``Refreshed`` still holds, everything that follows from it is written;
otherwise nothing is. Several refreshes may share a transaction.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from feedloom.model.feed import CleanHTML, ParsedFeed
from feedloom.model.stages import FeedToRefresh, Known, Outcome, Refreshed, Stored, Verdict, Wording
from feedloom.model.urls import has_default_port, looks_private, url_key, without_credentials
from feedloom.model.work import TaskKind
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.group_commit import GroupCommit
from feedloom.store.engine.scripts import WORKER, Database, Insert, Many, Script, sql
from feedloom.store.ingest.arrivals import Subscriber, lock_readers, store_articles
from feedloom.store.ingest.feeds import (
    check_https,
    feed_task,
    look_again,
    other_feed_at,
    set_address,
)
from feedloom.store.ingest.merge import merge_feeds
from feedloom.store.locks import lock_schedules
from feedloom.store.queries import audit, exists, first
from feedloom.store.queues.hosts import COOLDOWN_US, leave_hosts
from feedloom.store.queues.task_queue import add_task
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.values import DAY_US, maybe_us, to_us, write_asked

_NOT_NOW = {Outcome.OFFLINE, Outcome.RATE_LIMITED}
"""After these outcomes the host is not asked for https either."""
_GATHER_S = 0.02
"""How long to wait after a write for more results to write together."""
_LONGEST_KEY = 2_000
"""The largest index key in bytes; a redirect to a longer address is not stored."""
_ATTEMPTED = """UPDATE feeds SET state = :state, last_fetch_status = :status,
      last_fetch_error = :error, last_http_status = :http, last_attempt_at = :at,
      consecutive_failures = :failures, retry_count = :failures, failing_since = :since,
      updated_at = :at"""
_FEED_FAILED = f"{_ATTEMPTED} WHERE id = :id"
_FEED_SUCCEEDED = f"""{_ATTEMPTED}, last_success_at = :at, etag = :etag,
  last_modified = :modified, body_hash = :hash WHERE id = :id
"""
_FEED_PARSED = """UPDATE feeds SET
      title = :title, description = :description, site_url = coalesce(:site, site_url),
      language = coalesce(:language, language), format = :format, hub_url = :hub,
      latest_item_published_at = coalesce(:latest, latest_item_published_at),
      avg_update_interval_s = coalesce(:average, avg_update_interval_s), asked = :asked
    WHERE id = :id"""
_SETTLE = """UPDATE feed_schedules SET next_run_at = :next, due_at = :next, reason = :reason,
      last_error = :error, attempts = 0, lease_token = NULL, locked_until = NULL,
      locked_by = NULL, urgency = CASE WHEN again THEN 0 ELSE 2 END, again = false
    WHERE feed_id = :id"""


class RefreshStore(Store):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        lanes = 1 if database.kind == "sqlite" else 4
        self._group: GroupCommit[Refreshed, Stored] = GroupCommit(
            self._write, most=64, weigh=_weight, lanes=lanes, gather_s=_GATHER_S
        )

    @reads(WORKER)
    def known(self, feed_id: int) -> Script[Known]:
        """Return which entries are stored, so that only new or changed ones are cleaned."""
        text = "SELECT guid_hash, content_hash FROM articles WHERE feed_id = :id"
        rows = yield sql(text, id=feed_id)
        # A new subscriber also gets articles that were deleted for others.
        text = """SELECT guid_hash FROM article_tombstones WHERE feed_id = :id AND NOT EXISTS
            (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id AND NOT s.seeded)"""
        gone = yield sql(text, id=feed_id)
        return Known(
            {row["guid_hash"]: row["content_hash"] for row in rows},
            frozenset(row["guid_hash"] for row in gone),
        )

    @reads(WORKER)
    def wordings(self, feed_id: int, guid_hashes: list[str]) -> Script[dict[str, Wording]]:
        """Return the stored wording of articles that the publisher has changed."""
        text = """SELECT guid_hash, title, summary, content FROM articles
            WHERE feed_id = :feed AND guid_hash = ANY(:hashes)"""
        rows = yield sql(text, feed=feed_id, hashes=guid_hashes)
        return {
            row["guid_hash"]: Wording(row["title"], row["summary"], CleanHTML(row["content"]))
            for row in rows
        }

    async def store(self, refreshed: Refreshed, *, last: bool = False) -> Stored:
        """Store a refresh; ``last`` says that no other is about to come, to be written with it."""
        return await self._group.put(refreshed, last=last)

    @writes(WORKER)
    def _write(self, group: list[Refreshed]) -> Script[list[Stored]]:
        return (yield from store_group(group))


def _weight(refreshed: Refreshed) -> int:
    """Estimate the size of a write; 25 articles count as one feed."""
    return 1 + len(refreshed.articles) // 25


def store_group(group: Sequence[Refreshed]) -> Script[list[Stored]]:
    targets: list[int] = []
    for item in group:
        if item.new_url is not None:
            target = yield from other_feed_at(item.new_url, item.feed.feed_id)
            targets += [target] if target is not None else []
    if targets:
        yield lock_schedules([*(item.feed.feed_id for item in group), *targets])
    text = """SELECT lease_token, again FROM feed_schedules WHERE lease_token = ANY(:tokens)
        AND locked_until > now_us() ORDER BY feed_id FOR UPDATE"""
    rows = yield sql(text, tokens=[item.feed.lease_token for item in group])
    held = {row["lease_token"]: bool(row["again"]) for row in rows}
    kept = [
        _once_more(item) if held[item.feed.lease_token] else item
        for item in group
        if item.feed.lease_token in held
    ]
    readers = yield from lock_readers(
        [*(item.feed.feed_id for item in kept if item.parsed is not None), *targets]
    )
    results = {i.feed.lease_token: Stored(i.feed.feed_id, lease_lost=True) for i in group}
    for item in sorted(kept, key=lambda item: item.feed.feed_id):
        stored = yield from _store_one(
            item, readers.get(item.feed.feed_id, ()), asked_again=held[item.feed.lease_token]
        )
        results[item.feed.lease_token] = stored
        if stored.merged_into is not None:
            # The other feed may be stored next, and has new readers now.
            readers |= yield from lock_readers([stored.merged_into])
    yield from _settle([(item, results[item.feed.lease_token]) for item in kept])
    return [results[item.feed.lease_token] for item in group]


def _once_more(item: Refreshed) -> Refreshed:
    """Let a feed that somebody asked for be fetched again; a rate limit is respected."""
    verdict = item.verdict
    if verdict is not None and item.outcome is not Outcome.RATE_LIMITED:
        verdict = replace(verdict, next_run_at=item.at, reason={"rule": "asked"})
    return replace(item, etag=None, last_modified=None, body_hash=None, verdict=verdict)


def _store_one(
    item: Refreshed, readers: Sequence[Subscriber], *, asked_again: bool
) -> Script[Stored]:
    feed, parsed = item.feed, item.parsed
    if parsed is None:
        return Stored(feed.feed_id, lease_kept=feed.proxied and item.outcome.succeeded)
    yield from _store_feed(feed, parsed)
    if readers or feed.proxied:
        stored = yield from store_articles(item, parsed, readers, asked_again=asked_again)
    else:
        # Articles that are kept for stars may not be listed any more.
        text = "UPDATE articles SET in_document = false WHERE feed_id = :id AND in_document"
        yield sql(text, id=feed.feed_id)
        stored = Stored(feed.feed_id)
    if item.new_url is not None:
        merged_into = yield from _move(feed, item.new_url)
        if merged_into is not None:
            return replace(stored, merged_into=merged_into)
    if feed.last_success_at is None:
        yield from _welcome(feed)
    return replace(stored, lease_kept=feed.proxied)


def _welcome(feed: FeedToRefresh) -> Script[None]:
    if feed.favicon_id is None:
        yield from add_task(feed_task(TaskKind.FAVICON, feed.feed_id, alone=feed.alone))
    apart = feed.cookie or feed.user_agent
    if feed.in_directory or apart or looks_private(feed.url):
        return
    text = """UPDATE feeds SET in_directory = true WHERE id = :id AND tenant_id IS NULL
        AND topic_status IS NULL AND url_key NOT LIKE '%#%' RETURNING id"""
    if (yield from exists(sql(text, id=feed.feed_id))):
        yield from add_task(feed_task(TaskKind.TOPIC, feed.feed_id))


def _store_feed(feed: FeedToRefresh, parsed: ParsedFeed) -> Script[None]:
    dates = sorted(entry.published_at for entry in parsed.entries if entry.published_at is not None)
    average = None
    if len(dates) > 1:
        average = int((dates[-1] - dates[0]).total_seconds() / (len(dates) - 1))
    if parsed.hub_url is not None and feed.hub_active_until is None:
        # A newly declared hub is asked now; others are renewed daily.
        row = yield from first(sql("SELECT hub_url FROM feeds WHERE id = :id", id=feed.feed_id))
        if row and row["hub_url"] != parsed.hub_url:
            yield from add_task(feed_task(TaskKind.WEBSUB, feed.feed_id))
    yield sql(
        _FEED_PARSED,
        id=feed.feed_id,
        title=parsed.title or feed.title or "",
        description=parsed.description,
        site=parsed.site_url,
        language=parsed.language,
        format=parsed.format.value,
        hub=parsed.hub_url,
        latest=to_us(dates[-1]) if dates else None,
        average=average,
        asked=write_asked(parsed.asked),
    )
    yield sql("DELETE FROM recent_items WHERE feed_id = :id", id=feed.feed_id)
    recent = [
        (feed.feed_id, place, entry.title, entry.url, maybe_us(entry.published_at))
        for place, entry in enumerate(parsed.entries[:10])
    ]
    yield Insert("recent_items", ("feed_id", "place", "title", "url", "published_at"), recent)
    yield from queue_for_index("feed", [feed.feed_id])


def _move(feed: FeedToRefresh, new_url: str) -> Script[int | None]:
    """Follow a permanent redirect; merge if the new address is a feed already."""
    if len(url_key(new_url).encode()) > _LONGEST_KEY:
        return None
    [row] = yield sql("SELECT url FROM feeds WHERE id = :id", id=feed.feed_id)
    if row["url"].startswith("https:") and not new_url.startswith("https:"):
        # The feed was switched to https during this fetch.
        return None
    target = yield from other_feed_at(new_url, feed.feed_id)
    yield audit(
        "worker",
        "feed_moved",
        f"feed:{feed.feed_id if target is None else target}",
        before=without_credentials(feed.url),
        after=without_credentials(new_url),
        why="The publisher redirects this address permanently.",
    )
    if target is not None:
        yield from merge_feeds(feed.feed_id, target)
        return target
    yield from set_address(feed.feed_id, new_url)
    return None


def _settle(everything: Sequence[tuple[Refreshed, Stored]]) -> Script[None]:
    done = [(item, stored) for item, stored in everything if stored.merged_into is None]
    succeeded, failed, over, proxies = [], [], [], []
    cooldowns: dict[str, int] = {}
    for item, stored in done:
        feed, verdict = item.feed, item.verdict
        if verdict is None:
            continue
        if item.outcome.succeeded:
            succeeded.append(_feed_values(item, verdict))
        elif verdict.charge:
            failed.append(_feed_values(item, verdict))
        # Leases are released, except of feeds that are deframed next.
        if not stored.lease_kept:
            over.append(_schedule_values(item, verdict))
            if feed.proxied and verdict.charge:
                proxies.append({"id": feed.feed_id, "error": item.message})
        if item.outcome is Outcome.RATE_LIMITED and verdict.next_run_at is not None:
            latest = to_us(item.at) + COOLDOWN_US
            cooldowns[feed.host_key] = min(to_us(verdict.next_run_at), latest)
    yield Many(_FEED_SUCCEEDED, succeeded)
    yield Many(_FEED_FAILED, failed)
    yield Many(_SETTLE, over)
    text = "UPDATE proxies SET last_error = :error WHERE feed_id = :id AND deleted_at IS NULL"
    yield Many(text, proxies)
    yield Insert(
        "fetch_log",
        ("feed_id", "at", "outcome", "http_status", "bytes", "ms", "new_articles", "message"),
        [_log_row(item, stored) for item, stored in done],
        "ON CONFLICT DO NOTHING",
    )
    yield from _look_for_addresses([item for item, _ in done])
    leases = [(item.feed.host_key, item.feed.lease_token) for item, _ in everything]
    yield from leave_hosts(leases, cooldowns)


def _revive(feed_id: int, at: int, *, is_over: bool) -> Script[None]:
    """Look for a feed's new address, once a day at most."""
    text = """UPDATE feeds SET revive_at = :at WHERE id = :id
        AND (revive_at IS NULL OR revive_at <= :before) RETURNING id"""
    if (yield from exists(sql(text, at=at, before=at - DAY_US, id=feed_id))):
        yield from add_task(feed_task(TaskKind.REVIVE, feed_id))
    elif is_over:
        # It stopped twice within a day, and nothing else would check it again.
        yield from look_again(feed_id, at + DAY_US)


def _look_for_addresses(done: Sequence[Refreshed]) -> Script[None]:
    """Look for another address of feeds that fail, and for https."""
    for item in done:
        if item.verdict is not None and item.verdict.revive:
            is_over = item.verdict.next_run_at is None
            yield from _revive(item.feed.feed_id, to_us(item.at), is_over=is_over)
    plain = [
        item.feed.feed_id
        for item in done
        if item.verdict is not None
        and not item.feed.https_checked
        and item.new_url is None
        and item.outcome not in _NOT_NOW
        and item.feed.url.startswith("http:")
        and has_default_port(item.feed.url)
    ]
    if plain:
        yield from check_https(plain)


def _feed_values(item: Refreshed, verdict: Verdict) -> dict[str, object]:
    return {
        "id": item.feed.feed_id,
        "state": verdict.state.value,
        "status": verdict.status.value if verdict.status else None,
        "error": item.message,
        "http": item.http_status,
        "at": to_us(item.at),
        "failures": verdict.consecutive_failures,
        "since": maybe_us(verdict.failing_since),
        "etag": item.etag,
        "modified": item.last_modified,
        "hash": item.body_hash,
    }


def _schedule_values(item: Refreshed, verdict: Verdict) -> dict[str, object]:
    return {
        "id": item.feed.feed_id,
        "next": maybe_us(verdict.next_run_at),
        # With spaces, because queries search for rules in this text.
        "reason": msgspec.json.format(msgspec.json.encode(verdict.reason), indent=0).decode(),
        "error": item.message,
    }


def _log_row(item: Refreshed, stored: Stored) -> tuple[object, ...]:
    return (
        item.feed.feed_id,
        to_us(item.at),
        item.outcome.value,
        item.http_status,
        item.size,
        item.ms,
        stored.new_articles,
        item.message,
    )
