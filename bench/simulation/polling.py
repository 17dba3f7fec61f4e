"""Polling the feeds of one host by one rule, and what comes of it.

Hosts do not know of each other, so each is simulated alone, in order of time, with the
spacing between its requests; results add up. Only the measured day counts; the days
before it bring hosts into their steady state, longer where many feeds queue for one,
and what was published on it is followed until it is stored.
"""

import heapq
import random
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.simulation.rules import WEEK_S, Known, Rule
from bench.simulation.world import DAY_S, END_S, MEASURED_S, Host, Publisher

LATENCY_S = 2
"""From being due to being stored: waking up, fetching, writing."""
PUSHED_S = 5
"""From publishing until a hub has told us, which makes the feed due (decision 0007)."""
FAILING = 0.01
"""Of all polls fail for a moment."""
_FINE_S = 4 * 3_600
"""Staleness is counted by the second up to here, by the minute up to four days."""
_BINS = _FINE_S + 4 * 1_440
BUSY, DAILY, SELDOM = ">10 a day", "1 to 10 a day", "<1 a day"
KINDS = (BUSY, DAILY, SELDOM)
_WARM_S, _WARM_QUEUED_S = DAY_S, 4 * DAY_S


def kind_of(rate: float) -> str:
    """Say how busy a feed is."""
    if rate > 10:
        return BUSY
    return DAILY if rate >= 1 else SELDOM


def _counts() -> "dict[str, array[int]]":
    return {kind: array("q", bytes(8 * _BINS)) for kind in KINDS}


def _bin(wait_s: float) -> int:
    if wait_s < _FINE_S:
        return int(wait_s)
    return min(_FINE_S + int(wait_s - _FINE_S) // 60, _BINS - 1)


def _waited_s(place: int) -> int:
    return place if place < _FINE_S else _FINE_S + (place - _FINE_S) * 60


@dataclass(slots=True)
class Tally:
    """What a rule brought about on the measured day."""

    feeds: int = 0
    polls: int = 0
    empty: int = 0
    by_minute: "array[int]" = field(default_factory=lambda: array("q", bytes(8 * 1440)))
    staleness_s: "dict[str, array[int]]" = field(default_factory=_counts)
    """How many articles were stored how long after they were published."""
    medians_s: "array[float]" = field(default_factory=lambda: array("d"))
    """Of each busy feed."""
    busiest: list[tuple[int, int, str]] = field(default_factory=list)
    """Requests, feeds and name of the hosts asked most."""

    def add(self, other: "Tally") -> None:
        self.feeds += other.feeds
        self.polls += other.polls
        self.empty += other.empty
        self.by_minute = _sum(self.by_minute, other.by_minute)
        for kind in KINDS:
            self.staleness_s[kind] = _sum(self.staleness_s[kind], other.staleness_s[kind])
        self.medians_s.extend(other.medians_s)
        self.note_busiest(other.busiest)

    def note_busiest(self, hosts: Iterable[tuple[int, int, str]]) -> None:
        self.busiest = heapq.nlargest(5, [*self.busiest, *hosts])

    def percentile_s(self, kinds: Iterable[str], share: float) -> int:
        """Return a percentile of the staleness of all articles of these kinds."""
        chosen = [self.staleness_s[kind] for kind in kinds]
        total = sum(sum(counts) for counts in chosen)
        wanted, seen = share * total, 0
        for place, counts in enumerate(zip(*chosen, strict=True)):
            seen += sum(counts)
            if seen >= wanted:
                return _waited_s(place)
        return _waited_s(_BINS)


def _sum(mine: "array[int]", other: "array[int]") -> "array[int]":
    return array("q", map(int.__add__, mine, other))


@dataclass(slots=True)
class _Polled:
    """A feed while it is polled."""

    publisher: Publisher
    stored: int
    """How many of its articles are stored."""
    known: Known
    failures: int = 0
    waits_s: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Poller:
    """Polls hosts by one rule and keeps the tally."""

    rule: Rule
    hubs: bool = False
    """Whether hubs can reach us: whether we have a public address."""
    otherwise: "Poller | None" = None
    """Who does the same where no hub is offered; that is then not done again."""
    tally: Tally = field(default_factory=Tally)
    chance: random.Random = field(default_factory=lambda: random.Random(11))

    def poll(self, host: Host) -> None:
        """Run one host through all days."""
        if self.rule.period_s:
            self._by_the_clock(host)
            return
        queued = host.shared and self.rule.spacing_s
        begin_s = float(MEASURED_S - (_WARM_QUEUED_S if queued else _WARM_S))
        polled = [self._enter(publisher, begin_s) for publisher in host.feeds]
        queue = [
            (begin_s + self._phase_s(feed, begin_s), place) for place, feed in enumerate(polled)
        ]
        heapq.heapify(queue)
        free_s, asked = begin_s, 0
        while queue:
            due_s, place = queue[0]
            now_s = max(due_s, free_s)
            free_s = now_s + self.rule.spacing_s
            if now_s >= END_S:
                # The day is over; each feed is looked at once more for what it left.
                self._collect(polled[place], now_s)
                heapq.heappop(queue)
                continue
            asked += now_s >= MEASURED_S
            next_s = self._visit(polled[place], now_s)
            heapq.heapreplace(queue, (self._told_s(polled[place], next_s), place))
        self._close(polled, host, asked)

    def _by_the_clock(self, host: Host) -> None:
        """Poll each feed at its times of the day; here nothing fails and none queues."""
        period_s, tally = self.rule.period_s, self.tally
        a_day = int(DAY_S / period_s)
        polled = []
        for publisher in host.feeds:
            feed = self._enter(publisher, MEASURED_S)
            phase_s = self._phase_s(feed, MEASURED_S)
            begin_s = MEASURED_S + phase_s
            for turn in range(a_day):
                tally.by_minute[int(phase_s + turn * period_s) // 60] += 1
            found = set()
            times_s = publisher.times_s
            for place in range(feed.stored, bisect_right(times_s, END_S)):
                turn = max(-int((begin_s - times_s[place]) // period_s), 0)
                if turn < a_day:
                    found.add(turn)
                waited_s = begin_s + turn * period_s - times_s[place]
                feed.waits_s.append(waited_s + LATENCY_S)
            tally.polls += a_day
            tally.empty += a_day - len(found)
            polled.append(feed)
        self._close(polled, host, a_day * len(polled))

    def _enter(self, publisher: Publisher, begin_s: float) -> _Polled:
        known = Known(publisher, 0, hub=self.hubs and publisher.hub)
        return _Polled(publisher, bisect_right(publisher.times_s, begin_s), known)

    def _phase_s(self, feed: _Polled, begin_s: float) -> float:
        """Start anywhere in a feed's first interval: nobody began at the same time."""
        next_s = self.rule.next_s(self._known(feed, begin_s), begin_s)
        return self.chance.random() * (next_s - begin_s)

    def _known(self, feed: _Polled, now_s: float) -> Known:
        known = feed.known
        before = bisect_left(feed.publisher.times_s, now_s - WEEK_S)
        known.week_articles = max(feed.stored - before, 0)
        return known

    def _visit(self, feed: _Polled, now_s: float) -> float:
        """Poll a feed; say when it is due again. What is decided knows the last visit's."""
        measured = now_s >= MEASURED_S
        known = self._known(feed, now_s)
        if measured:
            self.tally.polls += 1
            self.tally.by_minute[int(now_s - MEASURED_S) // 60] += 1
        if self.chance.random() < FAILING:
            known.failures = feed.failures = feed.failures + 1
            self.tally.empty += measured
            return self.rule.next_s(known, now_s)
        known.failures = feed.failures = 0
        found = self._collect(feed, now_s)
        self.tally.empty += measured and not found
        return self.rule.next_s(known, now_s)

    def _told_s(self, feed: _Polled, next_s: float) -> float:
        """Let a hub bring a poll forward."""
        times_s = feed.publisher.times_s
        if not feed.known.hub or feed.stored == len(times_s):
            return next_s
        return min(next_s, times_s[feed.stored] + PUSHED_S)

    def _collect(self, feed: _Polled, now_s: float) -> int:
        """Store what is new; answer how much that is."""
        times_s = feed.publisher.times_s
        before, feed.stored = feed.stored, bisect_right(times_s, now_s)
        for place in range(before, feed.stored):
            if times_s[place] >= MEASURED_S:
                feed.waits_s.append(now_s - times_s[place] + LATENCY_S)
        return feed.stored - before

    def _close(self, polled: list[_Polled], host: Host, asked: int) -> None:
        tally = self.tally
        tally.feeds += len(polled)
        if host.shared or asked > 90:
            tally.note_busiest([(asked, len(polled), host.name)])
        for feed in polled:
            waits_s = feed.waits_s
            counts = tally.staleness_s[kind_of(feed.publisher.rate)]
            for wait_s in waits_s:
                counts[_bin(wait_s)] += 1
            if waits_s and feed.publisher.rate > 10:
                tally.medians_s.append(sorted(waits_s)[len(waits_s) // 2])
