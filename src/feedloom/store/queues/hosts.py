"""Rate limits per host, across processes: when the next request may start, and how many at once.

The decision is pure; the scripts around it lock the rows in one order. A host that must be
spared never occupies a slot, because its jobs are put off.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from msgspec import MsgspecError
from msgspec.json import decode, encode

from feedloom.model.work import Politeness
from feedloom.store.engine.decorators import Store, writes
from feedloom.store.engine.scripts import WORKER, Database, Insert, Row, Script, sql
from feedloom.store.queries import now_us, overwriting
from feedloom.store.values import SECOND

log = structlog.get_logger()


@dataclass(slots=True)
class HostRow:
    host_key: str
    next_free_at: int = 0
    booked_until: int = 0
    cooldown_until: int = 0
    holds: dict[str, int] = field(default_factory=dict)
    """Running requests: lease token -> when they count as finished."""
    front_until: int = 0
    """The last slot this claim gave before all booked ones; not stored."""

    @classmethod
    def of(cls, row: Row) -> "HostRow":
        host = cls(row["host_key"], row["next_free_at"], row["booked_until"], row["cooldown_until"])
        if row["in_flight"] != _NONE:
            try:
                host.holds = dict(decode(row["in_flight"], type=list[tuple[str, int]]))
            except (MsgspecError, TypeError):
                # After the cooldown all running requests are over, and the record is rewritten.
                log.critical("host_unreadable", host=host.host_key, why=_SPARED)
                host.cooldown_until = row["now"] + COOLDOWN_US
        return host

    def take(
        self,
        token: str,
        now: int,
        politeness: Politeness,
        *,
        burst: bool = False,
        asked: bool = False,
    ) -> int | None:
        """Start a request (None), or return when its job is due again; ``asked`` ones go first."""
        self.disbelieve(now, politeness)
        if self.holds:
            self.holds = {t: until for t, until in self.holds.items() if until > now}
        delay = int(politeness.delay_s * SECOND)
        free_at = max(self.next_free_at, self.cooldown_until)
        may_at = self.burst_at(delay, MOST_ADDED) if burst else free_at
        if may_at <= now and len(self.holds) < politeness.at_once:
            self.next_free_at = max(self.next_free_at, now) + delay
            self.holds[token] = now + int(politeness.hold_s * SECOND)
            return None
        if may_at <= now:
            free_at = now + max(delay, SECOND // 20)
            if burst:
                # It waits for running requests only, so it needs no slot behind others.
                return free_at
        # Each postponed job gets a slot of its own, so that they don't all return at once.
        # Requests start slightly after their slots, so a job may come due while its host is
        # still busy. The oldest job therefore returns as soon as the host is free, the job that
        # has this slot already comes next, and only a third one moves to the end.
        if asked or not self.front_until:
            self.front_until = max(self.front_until + delay, free_at)
            self.booked_until = max(self.booked_until, self.front_until)
            return self.front_until
        self.booked_until = max(self.booked_until, free_at) + delay
        return self.booked_until

    def disbelieve(self, now: int, politeness: Politeness) -> None:
        """Reset impossible times, which a fast clock wrote."""
        delay = int(politeness.delay_s * SECOND)
        if self.next_free_at > now + (_MOST_OVERDRAWN + 1) * delay + _SLACK_US:
            self.next_free_at = 0
        if self.booked_until > now + _MOST_BOOKED_US:
            self.booked_until = 0
        if self.cooldown_until > now + COOLDOWN_US + _SLACK_US:
            self.cooldown_until = 0
        if self.holds:
            latest = now + int(politeness.hold_s * SECOND) + _SLACK_US
            self.holds = {t: at for t, at in self.holds.items() if at <= latest}

    def burst_at(self, delay: int, most: int) -> int:
        """Return when a burst may continue: it may run ahead of the spacing, within limits."""
        return max(self.cooldown_until, self.next_free_at - most * delay)

    def values(self) -> tuple[object, ...]:
        return (
            self.host_key,
            self.next_free_at,
            self.booked_until,
            self.cooldown_until,
            encode([*self.holds.items()]).decode() if self.holds else _NONE,
        )


_SPARED = "Its record of running requests is unreadable. No requests are sent to it for 15 minutes."
_MOST_OVERDRAWN = 40
"""Requests that bursts may be ahead of the spacing: more than one discovery makes."""
MOST_ADDED = 15
"""The same for feeds that people add by hand: one search and a few feeds of a domain go
at once, and further ones wait for the spacing."""
COOLDOWN_US = 900 * SECOND
"""The longest pause that a host can ask for."""
_MOST_BOOKED_US = 86_400 * SECOND
"""Slots are given out for a day: 28,800 feeds of one host. More start over, and only
come back in vain more often."""
_SLACK_US = 60 * SECOND
"""Tolerance for times written by a claim that took long."""
_NONE = "[]"
_COLUMNS = ("host_key", "next_free_at", "booked_until", "cooldown_until", "in_flight")
_KEEP = overwriting("host_key", _COLUMNS)
"""The rows exist; this updates many of them in one statement on both engines."""


def lock_hosts(host_keys: Iterable[str], *, wait: bool = True) -> Script[dict[str, HostRow]]:
    """Lock hosts in one order, making missing rows; without ``wait``, locked ones are left out."""
    keys = sorted(set(host_keys))
    text = f"""SELECT *, now_us() AS now FROM hosts WHERE host_key = ANY(:keys) ORDER BY host_key
        FOR UPDATE{"" if wait else " SKIP LOCKED"}"""
    rows = yield sql(text, keys=keys)
    if len(rows) < len(keys):
        # Rows are made for unknown hosts only: an insert waits for the transaction it conflicts
        # with, and two that wait for each other are a deadlock.
        known = yield sql("SELECT host_key FROM hosts WHERE host_key = ANY(:keys)", keys=keys)
        there = {row["host_key"] for row in known}
        if missing := [(key,) for key in keys if key not in there]:
            yield Insert("hosts", ("host_key",), missing, "ON CONFLICT DO NOTHING")
            rows = yield sql(text, keys=keys)
    return {row["host_key"]: HostRow.of(row) for row in rows}


def save_hosts(hosts: Iterable[HostRow]) -> Script[None]:
    yield Insert("hosts", _COLUMNS, [host.values() for host in hosts], _KEEP)


def leave_hosts(leases: Sequence[tuple[str, str]], cooldowns: Mapping[str, int]) -> Script[None]:
    if not leases:
        return
    hosts = yield from lock_hosts(host for host, _ in leases)
    for host_key, token in leases:
        hosts[host_key].holds.pop(token, None)
    for host_key, until in cooldowns.items():
        host = hosts[host_key]
        host.cooldown_until = max(host.cooldown_until, until)
    yield from save_hosts(hosts.values())


class HostRateLimit(Store):
    """The rate limit for requests other than feed refreshes."""

    def __init__(self, database: Database, politeness: Politeness) -> None:
        super().__init__(database)
        self._politeness = politeness

    @writes(WORKER)
    def enter(self, host_key: str, token: str, *, burst: bool = False) -> Script[float]:
        """Start a request (0), or return how many seconds to wait before asking again.

        A burst skips the spacing and pays for it afterwards by moving the host's next free
        time. A host that asked for a pause, or that bursts have overdrawn, is spared anyway.
        """
        hosts = yield from lock_hosts([host_key])
        now = yield from now_us()
        host = hosts[host_key]
        if burst:
            delay = int(self._politeness.delay_s * SECOND)
            host.disbelieve(now, self._politeness)
            wait_us = host.burst_at(delay, _MOST_OVERDRAWN) - now
            if wait_us > 0:
                return wait_us / SECOND
            host.next_free_at = max(host.next_free_at, now) + delay
            yield from save_hosts([host])
            return 0
        booked = host.booked_until
        wait_until = host.take(token, now, self._politeness)
        host.booked_until = booked if wait_until is not None else host.booked_until
        yield from save_hosts([host])
        if wait_until is None:
            return 0
        wait_us = max(host.next_free_at, host.cooldown_until) - now
        return max(wait_us, SECOND // 20) / SECOND

    @writes(WORKER)
    def leave(self, host_key: str, token: str) -> Script[None]:
        yield from leave_hosts([(host_key, token)], {})
