"""The queue of feeds to refresh: claim what is due and whose host is free."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import structlog

from feedloom.model.feed import MAX_ENTRIES
from feedloom.model.reasons import Reason, after_skips
from feedloom.model.stages import FeedToRefresh
from feedloom.model.work import MAX_ATTEMPTS, Politeness, Waits
from feedloom.store.engine.decorators import Store, writes
from feedloom.store.engine.scripts import WORKER, Database, Insert, Row, Script, sql
from feedloom.store.queues.hosts import HostRow, leave_hosts, lock_hosts, save_hosts
from feedloom.store.queues.leases import (
    PARKED,
    SCHEDULES,
    UNREADABLE,
    apart,
    due_rows,
    new_secret,
    release,
    renew,
    take,
    token_of,
)
from feedloom.store.values import SECOND, from_us, read_object, to_us, value_of


def unschedule_if_unwanted(feed_id: int, *, paused: bool = False) -> Script[None]:
    """Stop polling a feed without readers that no proxy and no directory needs.

    A feed that its readers ``paused`` is not polled for the directory either.
    """
    text = """UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL, reason = :reason
        WHERE feed_id = :id AND lease_token IS NULL AND NOT feed_is_read(:id)
        AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = :id AND p.deleted_at IS NULL)
        AND (:paused OR NOT EXISTS (SELECT 1 FROM feeds f WHERE f.id = :id AND f.in_directory))"""
    yield sql(text, id=feed_id, paused=paused, reason=json.dumps({"rule": "unwanted"}))


log = structlog.get_logger()

_WEEK_US = 7 * 86_400 * SECOND
_LOOKS = 16
_FEW_LOOKS = 3
_LOOK = 64
"""Rows read by each look after the first, which usually suffices."""
_ROUNDS = 64
"""Transactions that may only put feeds off before a claim gives up for now."""
_BUSY_US = SECOND // 5
"""How long to wait for a host that another process has locked."""
URGENT = "urgency < 2 AND due_at IS NOT NULL"
THE_REST = "urgency = 2"
"""Conditions on ``urgency``: 0 when somebody asked, 1 for what was never fetched."""
_PUT_OFF = "ON CONFLICT (feed_id) DO UPDATE SET due_at = excluded.due_at"
"""The rows exist; this updates many of them in one statement on both engines."""
_CLAIMED = """SELECT f.id AS feed_id, f.url, f.host_key, f.title, f.site_url,
      CASE WHEN u.ignorers > 0 THEN NULL ELSE f.etag END AS etag,
      CASE WHEN u.ignorers > 0 THEN NULL ELSE f.last_modified END AS last_modified,
      CASE WHEN u.ignorers > 0 THEN NULL ELSE f.body_hash END AS body_hash,
      f.favicon_id, f.state, f.consecutive_failures, f.failing_since,
      f.last_success_at, f.latest_item_published_at, f.in_directory, f.is_mailing_list,
      f.direct, f.https_checked_at IS NOT NULL AS https_checked, f.asked,
      s.lease_token, s.attempts, s.reason,
      p.feed_id IS NOT NULL AND p.enabled AND p.deleted_at IS NULL AS proxied,
      p.feed_id IS NOT NULL AND NOT p.enabled AND p.deleted_at IS NULL AS switched_off,
      coalesce(p.polling, false) AS proxy_polling, p.interval_s AS proxy_interval_s,
      coalesce(p.error_policy = 'one_strike', false) AS one_strike, p.max_items,
      w.lease_until AS hub_active_until,
      coalesce(u.subscribers, 0) AS subscriber_count, u.interval_s, u.user_agent, u.cookie,
      (SELECT count(*) FROM articles a WHERE a.feed_id = f.id
        AND a.published_at > now_us() - :week) AS week_articles
    FROM feed_schedules s JOIN feeds f ON f.id = s.feed_id
    LEFT JOIN proxies p ON p.feed_id = f.id
    LEFT JOIN websub w ON w.feed_id = f.id AND w.state = 'active'
    LEFT JOIN (SELECT feed_id, count(*) AS subscribers, min(interval_s) AS interval_s,
      min(user_agent) AS user_agent, min(cookie) AS cookie,
      sum(CASE WHEN ignores_cache THEN 1 ELSE 0 END) AS ignorers FROM subscriptions
      WHERE feed_id = ANY(:ids) AND paused_at IS NULL GROUP BY feed_id) u ON u.feed_id = f.id
    WHERE s.feed_id = ANY(:ids)"""


@dataclass(slots=True)
class _Claim:
    began: int = 0
    taken: list[int] = field(default_factory=list)
    feeds: list[FeedToRefresh] = field(default_factory=list)
    more: bool = True
    """There may be more due feeds behind those that were put off."""
    fronts: dict[str, int] = field(default_factory=dict)
    """Slots given before all booked ones, by host."""
    put_off_us: dict[str, int] = field(default_factory=dict)
    """How long the last postponed feed of a host waits; 0 while the host cools down."""
    next_us: int | None = None
    """How long until the next feed is due; known if none was claimed."""

    def put_off(self, host_key: str, wait_us: int) -> None:
        before = self.put_off_us.get(host_key, 0)
        self.put_off_us[host_key] = max(before, wait_us) if wait_us else 0


class FeedQueue(Store):
    def __init__(
        self, database: Database, *, lease_s: float, politeness: Politeness, worker: str
    ) -> None:
        super().__init__(database)
        self._lease_s = lease_s
        self._politeness = politeness
        self._worker = worker
        self._next_at = 0.0
        self._put_off_until: dict[str, float] = {}

    async def claim(self, limit: int) -> list[FeedToRefresh]:
        for _ in range(_ROUNDS):
            claim = await self._claim(limit)
            now = time.monotonic()
            held = {host: until for host, until in self._put_off_until.items() if until > now}
            for host, wait_us in claim.put_off_us.items():
                until = now + wait_us / SECOND
                held[host] = max(held.get(host, until), until) if wait_us else now
            self._put_off_until = held
            self._next_at = inf if claim.next_us is None else now + claim.next_us / SECOND
            if claim.feeds or not claim.more:
                return claim.feeds
        return []

    @writes(WORKER)
    def _claim(self, limit: int) -> Script[_Claim]:
        """Lease due feeds, and note what was put off."""
        claim = _Claim()
        secret = new_secret()
        # A host with many due feeds gives one of them at a time and puts the others off;
        # other hosts wait behind those, so it takes several looks to fill all slots.
        look = 0
        for look in range(_LOOKS):
            size = max(limit, _LOOK) if look else limit
            rows = yield from _due(size)
            claim.more = len(rows) == size
            if not rows:
                break
            claim.began = claim.began or rows[0]["now"]
            wanted = limit - len(claim.taken)
            ids = yield from self._choose(rows, wanted, claim, secret)
            if ids:
                yield from take(SCHEDULES, ids, secret, lease_s=self._lease_s, worker=self._worker)
                claim.taken += ids
            # What is taken should not wait for a long look past what must: a host counts
            # the time from now on, and whoever claims comes back at once for more.
            is_enough = len(claim.taken) >= limit or (claim.taken and look >= _FEW_LOOKS)
            if not claim.more or is_enough:
                break
        if claim.taken:
            claim.feeds = yield from _read(claim.taken)
            if look:
                # Hosts count from the end of a long claim, when requests are sent.
                text = """UPDATE hosts SET next_free_at = next_free_at + clock_us() - :began
                    WHERE host_key = ANY(:hosts)"""
                yield sql(text, began=claim.began, hosts=[feed.host_key for feed in claim.feeds])
        else:
            # SQLite uses the partial index only with this condition.
            text = "SELECT min(due_at) - now_us() AS us FROM feed_schedules"
            [row] = yield sql(f"{text} WHERE due_at IS NOT NULL")
            claim.next_us = row["us"]
        return claim

    def _choose(
        self, rows: Sequence[Row], wanted: int, claim: _Claim, secret: str
    ) -> Script[list[int]]:
        """Choose feeds whose hosts are free; put off those before them and park some.

        Hosts that another process has locked are skipped. Otherwise, with many feeds on few
        hosts, all claims would wait for each other.
        """
        now: int = rows[0]["now"]
        reasons = {row["id"]: read_object(row["reason"]) for row in rows}
        unreadable = [row["id"] for row in rows if reasons[row["id"]] is None]
        if unreadable:
            log.critical("feeds_unreadable", feeds=unreadable, why=UNREADABLE)
            yield from _park(unreadable, UNREADABLE)
        rows = [row for row in rows if reasons[row["id"]] is not None]
        yield from _park([row["id"] for row in rows if row["attempts"] >= MAX_ATTEMPTS], PARKED)
        hosts = yield from lock_hosts((row["host_key"] for row in rows), wait=False)
        asked: dict[str, HostRow] = {}
        chosen: list[int] = []
        later: list[tuple[object, ...]] = []
        for row in rows:
            if len(chosen) == wanted:
                break
            if row["attempts"] >= MAX_ATTEMPTS:
                continue
            reason = reasons[row["id"]] or {}
            skipped_until = _skipped_until(now, reason)
            if skipped_until is not None:
                later.append((row["id"], row["host_key"], skipped_until))
                continue
            host = hosts.get(row["host_key"])
            wait_until: int | None = now + _BUSY_US
            if host is not None:
                asked[host.host_key] = host
                host.front_until = claim.fronts.get(host.host_key, 0)
                wait_until = self._ask(host, row, reason, token_of(secret, row["id"]))
                claim.fronts[host.host_key] = host.front_until
            if wait_until is None:
                chosen.append(row["id"])
            else:
                later.append((row["id"], row["host_key"], wait_until))
                is_cooling = host is not None and host.cooldown_until > now
                claim.put_off(row["host_key"], 0 if is_cooling else wait_until - now)
        yield from save_hosts(asked.values())
        yield Insert("feed_schedules", ("feed_id", "host_key", "due_at"), later, _PUT_OFF)
        return chosen

    def _ask(self, host: HostRow, row: Row, reason: Reason, token: str) -> int | None:
        """Return None if a feed may start now, or when it is due again."""
        # Somebody added just this feed and it was never fetched since: its first fetch
        # is the last request of the burst that found it.
        is_burst = row["attempts"] == 0 and bool(reason.get("alone"))
        by_person = reason.get("rule") == "asked"
        return host.take(token, row["now"], self._politeness, burst=is_burst, asked=by_person)

    def waits(self) -> Waits:
        """Tell what claims of this process wait for, without hosts that asked for a pause."""
        now = time.monotonic()
        last = max(self._put_off_until.values(), default=now)
        return Waits(max(0.0, self._next_at - now), max(0.0, last - now))

    @writes(WORKER)
    def heartbeat(self, tokens: Sequence[str]) -> Script[set[str]]:
        """Renew leases; return the tokens of those that still hold."""
        return (yield from renew(SCHEDULES, list(tokens), lease_s=self._lease_s))

    @writes(WORKER)
    def release(self, feeds: Sequence[FeedToRefresh]) -> Script[None]:
        yield from release(SCHEDULES, [feed.lease_token for feed in feeds])
        yield from leave_hosts([(feed.host_key, feed.lease_token) for feed in feeds], {})


def _due(limit: int) -> Script[Sequence[Row]]:
    """Lock due feeds: first those somebody asked for or that were never fetched."""
    columns = "host_key, reason"
    urgent = yield from due_rows(SCHEDULES, columns, limit, only=URGENT, first="urgency, ")
    if len(urgent) == limit:
        return urgent
    rest = yield from due_rows(SCHEDULES, columns, limit - len(urgent), only=THE_REST)
    return apart([*urgent, *rest])


def _skipped_until(now: int, reason: Reason) -> int | None:
    """Return when to try again if the publisher asks to skip this hour, which a delayed job met."""
    if "skip_hours" not in reason and "skip_days" not in reason:
        return None
    until = to_us(after_skips(from_us(now), reason))
    return until if until > now else None


def _read(ids: list[int]) -> Script[list[FeedToRefresh]]:
    found = yield sql(_CLAIMED, ids=ids, week=_WEEK_US)
    inert = {
        row["feed_id"]: (row["host_key"], row["lease_token"])
        for row in found
        if row["switched_off"] and not row["subscriber_count"]
    }
    if inert:
        # Only a disabled proxy wants them; they keep their place in the schedule for when
        # it is enabled again.
        text = """UPDATE feed_schedules SET due_at = NULL, lease_token = NULL,
            locked_until = NULL, locked_by = NULL, attempts = attempts - 1
            WHERE feed_id = ANY(:ids)"""
        yield sql(text, ids=list(inert))
        yield from leave_hosts(list(inert.values()), {})
    feeds = {row["feed_id"]: _feed(row) for row in found if row["feed_id"] not in inert}
    # Keep the order of the claim, which is the order of fetching.
    return [feeds[id_] for id_ in ids if id_ in feeds]


def _park(ids: list[int], why: str) -> Script[None]:
    if ids:
        text = """UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL,
            lease_token = NULL, locked_until = NULL, last_error = :why WHERE feed_id = ANY(:ids)"""
        yield sql(text, ids=ids, why=why)
        text = "UPDATE proxies SET last_error = :why WHERE feed_id = ANY(:ids)"
        yield sql(f"{text} AND deleted_at IS NULL", ids=ids, why=why)


def _feed(row: Row) -> FeedToRefresh:
    reason = read_object(row["reason"]) or {}
    return value_of(
        FeedToRefresh,
        row,
        looks=reason.get("looks", 0),
        alone=bool(reason.get("alone")),
        most_entries=max(MAX_ENTRIES, row["max_items"] if row["proxied"] else 0),
    )
