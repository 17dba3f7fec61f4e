"""The simulated day decides as the product does, and counts what it says it counts."""

import random
from array import array

import pytest

from bench.simulation.polling import BUSY, LATENCY_S, PUSHED_S, SELDOM, Poller
from bench.simulation.rules import Adaptive, Hourly, Known, Ours
from bench.simulation.world import DAY_S, HOUR_S, MEASURED_S, Host, Publisher, build, slots
from feedloom.flow.refresh.schedule import FASTEST_S, SLOWEST_S


class _Middle(random.Random):
    """Neither early nor late."""

    def random(self) -> float:
        return 0.5


def publisher(rate: float, *times_s: float, ttl_s: int = 0, fresh_for_s: int = 0) -> Publisher:
    return Publisher(1, rate, array("d", times_s), ttl_s, fresh_for_s)


@pytest.mark.parametrize("week_articles", [0, 1, 3, 14, 100, 252, 5_000])
@pytest.mark.parametrize("asks", [{}, {"ttl_s": HOUR_S}, {"fresh_for_s": 300}])
def test_the_rule_that_was_weighed_is_the_rule_that_runs(week_articles, asks):
    known = Known(publisher(1.0, **asks), week_articles)
    weighed = Adaptive(4, FASTEST_S, SLOWEST_S, chance=_Middle())

    assert weighed.next_s(known, DAY_S) == Ours(chance=_Middle()).next_s(known, DAY_S)


def test_fixed_polling_asks_24_times_and_waits_half_an_hour():
    every_minute = [MEASURED_S + 60.0 * minute + 1 for minute in range(1_440)]
    poller = Poller(Hourly(), chance=_Middle())

    poller.poll(Host("host", [publisher(1_440.0, *every_minute)]))

    assert poller.tally.polls == 24
    assert poller.tally.empty == 0
    assert sum(poller.tally.staleness_s[BUSY]) == 1_440
    assert 28 * 60 < poller.tally.percentile_s([BUSY], 0.5) < 32 * 60


@pytest.mark.parametrize(
    ("rule", "least_s", "most_s"), [(Hourly(), 1_800, 2_000), (Adaptive(4, 600), 100, 13 * HOUR_S)]
)
def test_what_is_published_last_is_followed_into_the_next_day(rule, least_s, most_s):
    late = MEASURED_S + DAY_S - 100.0
    poller = Poller(rule, chance=_Middle())

    poller.poll(Host("host", [publisher(0.1, late)]))

    assert sum(poller.tally.staleness_s[SELDOM]) == 1
    assert least_s < poller.tally.percentile_s([SELDOM], 0.5) < most_s


def test_feeds_of_one_host_queue_for_it():
    feeds = [publisher(0.0) for _ in range(50)]
    poller = Poller(Adaptive(4, 600, spacing_s=DAY_S / 10, quiet_s=HOUR_S), chance=_Middle())

    poller.poll(Host("host", feeds))

    assert poller.tally.polls == 10
    assert poller.tally.busiest == [(10, 50, "host")]


def test_a_hub_brings_polls_forward_and_one_a_day_stays():
    feed = publisher(5.0, *(MEASURED_S + HOUR_S * (n + 0.5) for n in range(5)))
    feed.hub = True
    poller = Poller(Ours(chance=_Middle()), hubs=True, chance=_Middle())

    poller.poll(Host("host", [feed]))

    assert poller.tally.percentile_s(["1 to 10 a day"], 0.99) == PUSHED_S + LATENCY_S
    assert poller.tally.polls - poller.tally.empty == 5
    assert poller.tally.empty <= 1


def test_the_world_is_as_its_sources_say():
    hosts = [build(slot) for slot in slots(6_000)]
    rates = sorted(feed.rate for host in hosts for feed in host.feeds)
    productive = [rate for rate in rates if rate]
    busiest = productive[-len(productive) * 17 // 100 :]

    assert len(rates) == 6_000
    assert 0.62 < len(productive) / len(rates) < 0.68
    assert 0.88 < sum(busiest) / sum(productive) < 0.98
    assert 0.5 < sum(rate >= 1 / 7 for rate in productive) / len(productive) < 0.62


def test_the_same_seed_is_the_same_world():
    first, second = ([build(slot) for slot in slots(50, seed=3)] for _ in range(2))

    assert first == second
