"""Feeds as shared rows, one per address, and their schedules."""

import json
from dataclasses import replace

from feedloom.model.reasons import SHORTEST_INTERVAL_S, scheduled_at
from feedloom.model.urls import has_credentials, host_key, normalise, url_key
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import NotifyWorkers, Script, sql
from feedloom.store.queries import NOW, exists, first, insert, now_us, numbers, update
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import DAY_US, SECOND, from_us, maybe_us, read_object

FALLBACK_US = 300 * SECOND
"""A new feed is due at once; if that attempt is lost, it is due five minutes later."""
_STALE_US = 3600 * SECOND
_LARGEST_ID = 2**31 - 1
_SOON_S = 600
"""The shortest automatic polling interval."""
_PACES = {"adaptive", "quiet", "interval", "automatic", "hub"}
"""Schedule rules of feeds that work and have readers."""


def read_number(text: str) -> int | None:
    if not (text.isascii() and text.isdecimal()):
        return None
    # Python parses at most 4,300 digits; databases accept fewer.
    number = int(text[:20])
    return number if number <= _LARGEST_ID else 0


def ensure_feed(
    url: str, *, tenant_id: int | None = None, secret: str = "", due: bool = True
) -> Script[int]:
    """Return the feed of an address, made if needed; ``secret`` keeps it apart for some."""
    url = normalise(url)
    key = url_key(url) + (f"#{secret}" if secret else "")
    new = {"tenant_id": tenant_id, "url": hide_passwords(url), "url_key": key}
    made = yield insert(
        "feeds",
        "ON CONFLICT (coalesce(tenant_id, 0), url_key) DO NOTHING RETURNING id, url",
        host_key=host_key(url),
        created_at=NOW,
        updated_at=NOW,
        **new,
    )
    text = "SELECT id, url FROM feeds WHERE coalesce(tenant_id, 0) = :tenant AND url_key = :key"
    [row] = made or (yield sql(text, tenant=tenant_id or 0, key=key))
    feed_id: int = row["id"]
    if has_credentials(url) and not has_credentials(row["url"]):
        # The key that decrypts its password was lost; here is the password again.
        yield update("feeds", feed_id, url=hide_passwords(url))
        yield from fetch_now(feed_id, afresh=True)
    if url.startswith("https:") and row["url"].startswith("http:"):
        yield from check_https([feed_id], again=True)
    text = """INSERT INTO feed_schedules (feed_id, host_key, next_run_at, due_at, reason, urgency)
        SELECT id, host_key, CASE WHEN :due THEN now_us() + :fallback END,
        CASE WHEN :due THEN now_us() END, :reason, 1 FROM feeds WHERE id = :id
        ON CONFLICT (feed_id) DO NOTHING"""
    yield sql(text, id=feed_id, due=due, fallback=FALLBACK_US, reason=json.dumps({"rule": "new"}))
    yield NotifyWorkers()
    return feed_id


def check_https(feed_ids: list[int], *, again: bool = False) -> Script[None]:
    """Queue a check whether feeds are available over https; ``again`` after a day."""
    before = f"now_us() - {DAY_US}" if again else "0"
    text = f"""UPDATE feeds SET https_checked_at = now_us() WHERE id = ANY(:ids)
        AND coalesce(https_checked_at, -1) < {before} RETURNING id"""
    for feed_id in (yield from numbers(sql(text, ids=feed_ids))):
        yield from add_task(feed_task(TaskKind.HTTPS, feed_id))


def feed_task(kind: TaskKind, feed_id: int, **more: object) -> NewTask:
    return NewTask(kind, {"feed_id": feed_id, **more}, unique_key=f"{kind.value}:{feed_id}")


def look_again(feed_id: int, at: int) -> Script[None]:
    """Schedule a check of a feed that is not polled, replacing an earlier one.

    Tasks use the database's clock. With a clock that is slow, a planned check would be due
    at once, and so would the next one, forever.
    """
    at = max(at, (yield from now_us()) + 3_600 * SECOND)
    text = "UPDATE feeds SET look_again_at = :at WHERE id = :id RETURNING id"
    if (yield from exists(sql(text, id=feed_id, at=at))):
        look = feed_task(TaskKind.REVIVE, feed_id, at=at)
        key = f"{look.unique_key}:{at}"
        yield from add_task(replace(look, unique_key=key, run_at=from_us(at)))


def fetch_again(feed_id: int) -> Script[None]:
    """Fetch a feed that is being fetched once more: the fetch may not know a new subscriber."""
    text = "UPDATE feed_schedules SET again = true WHERE feed_id = :id AND lease_token IS NOT NULL"
    yield sql(f"{text} AND locked_until >= now_us()", id=feed_id)


def wake_feed(feed_id: int, *, alone: bool) -> Script[None]:
    """Schedule a feed that somebody now reads, at once if it is not fresh.

    A feed without readers is never fresh: its articles were not stored, and its next poll
    is the directory's or a proxy's. A feed that was added ``alone`` counts as part of the
    search that found it.
    """
    yield from fetch_again(feed_id)
    # A paused feed with a proxy was paused by its one-strike policy, which is not for readers.
    text = f"""UPDATE feed_schedules SET next_run_at = now_us() + {FALLBACK_US},
        due_at = now_us(), reason = :reason, urgency = LEAST(urgency, :urgency)
        WHERE feed_id = :id AND lease_token IS NULL
        AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = :id
        AND NOT f.is_mailing_list AND (f.state <> 'paused'
          OR EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = f.id))
        AND (f.last_success_at IS NULL OR f.last_success_at < now_us() - {_STALE_US}
          OR feed_schedules.next_run_at IS NULL OR feed_schedules.due_at IS NULL
          OR NOT feed_is_read(:id) OR CAST(feed_schedules.reason AS TEXT) LIKE :interval
          OR NOT EXISTS (SELECT 1 FROM articles a WHERE a.feed_id = f.id)))"""
    interval, urgency = '%"rule": "interval"%', 0 if alone else 1
    reason = json.dumps({"rule": "new"} | ({"alone": True} if alone else {}))
    yield sql(text, id=feed_id, interval=interval, urgency=urgency, reason=reason)
    text = """UPDATE feeds SET etag = NULL, last_modified = NULL, body_hash = NULL
        WHERE id = :id AND last_success_at IS NOT NULL AND NOT feed_is_read(:id)"""
    yield sql(text, id=feed_id)


def set_pace(feed_id: int, interval_s: int | None) -> Script[None]:
    """Apply a new interval, or its removal, from the last poll on.

    It only moves the next poll forward, because others may want it sooner. The back-off of
    a failing feed is unchanged.
    """
    # A refresh that is running was claimed with the old interval.
    yield from fetch_again(feed_id)
    text = """SELECT next_run_at, reason FROM feed_schedules WHERE feed_id = :id
        AND lease_token IS NULL AND due_at IS NOT NULL FOR UPDATE"""
    rows = yield sql(text, id=feed_id)
    before = (read_object(rows[0]["reason"]) if rows else None) or {}
    if before.get("rule") not in _PACES or "at" not in before:
        return
    rule, fastest_s = "automatic", _SOON_S
    if interval_s is not None:
        rule, fastest_s = "interval", max(interval_s, SHORTEST_INTERVAL_S)
    reason = before | {"rule": rule, "interval_s": fastest_s, "jitter_s": 0}
    next_at = maybe_us(scheduled_at(reason))
    if next_at is None or rows[0]["next_run_at"] <= next_at:
        return
    text = """UPDATE feed_schedules SET next_run_at = :next, due_at = LEAST(due_at, :next),
        reason = :reason WHERE feed_id = :id"""
    yield sql(text, id=feed_id, next=next_at, reason=json.dumps(reason))
    yield NotifyWorkers()


def fetch_now(feed_id: int, *, afresh: bool, by_hand: bool = True) -> Script[None]:
    """Fetch a feed at once; ``by_hand`` it waits for nothing but its host's rate limit."""
    if afresh:
        text = """UPDATE feeds SET consecutive_failures = 0, retry_count = 0, failing_since = NULL,
            state = CASE WHEN state = 'paused' THEN 'unchecked' ELSE state END WHERE id = :id"""
        yield sql(text, id=feed_id)
    yield from fetch_again(feed_id)
    text = """UPDATE feed_schedules SET next_run_at = now_us(), due_at = now_us(),
        attempts = 0, last_error = NULL, reason = :reason, urgency = LEAST(urgency, :urgency)
        WHERE feed_id = :id AND (lease_token IS NULL OR locked_until < now_us())"""
    yield sql(text, id=feed_id, urgency=0 if by_hand else 2, reason=json.dumps({"rule": "asked"}))
    yield NotifyWorkers()


def forget_validators(feed_id: int) -> Script[None]:
    yield update("feeds", feed_id, etag=None, last_modified=None, body_hash=None)


def set_address(feed_id: int, url: str) -> Script[None]:
    """Change the address of a feed; no other feed may have it."""
    host = host_key(url)
    new = {"url": hide_passwords(url), "url_key": url_key(url), "host_key": host}
    yield update("feeds", feed_id, https_checked_at=None, **new)
    text = "UPDATE feed_schedules SET host_key = :host WHERE feed_id = :id"
    yield sql(text, host=host, id=feed_id)


def other_feed_at(url: str, feed_id: int) -> Script[int | None]:
    """Return the id of another feed of the same tenant that has this address."""
    text = """SELECT o.id FROM feeds o JOIN feeds f ON f.id = :id
        WHERE coalesce(o.tenant_id, 0) = coalesce(f.tenant_id, 0)
        AND o.url_key = :key AND o.id <> f.id"""
    row = yield from first(sql(text, id=feed_id, key=url_key(url)))
    return row["id"] if row else None
