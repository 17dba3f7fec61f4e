"""The publishers of a simulated world: who publishes how often, when, and from where.

A seed goes in; hosts with their feeds come out, the same ones each time. Where the
figures come from (docs/decisions/0010-cadence.md tells more):

* A third of all feeds is silent: a crawl of 12,611 feeds over eight months found 8,155
  that published at all (Travers and others, 2014).
* The others publish log-normally: 30 % at least once a day, 60 % at least once a week,
  as the 100,000 feeds most subscribed to at a large reader once did. That gives a median
  of 0.27 and a mean of 6 a day; the busiest 17 % publish 94 % of all articles. The crawl
  found 5.5 a day and 97 %, so two sources agree.
* People publish by day: four in five articles fall into twelve hours, which lie
  elsewhere for each feed.
* A fifth of the feeds lives on platforms, with few on most and very many on some; they
  are people's own and publish a third as often. The largest offer a hub.
* Two in five ask to be polled at most once an hour, as the most common blog software
  does without being told to; one in five has a cache header of five minutes.
"""

import math
import random
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

DAY_S = 86_400
HOUR_S = 3_600
MEASURED_DAY = 11
"""Days before it are history: a week of articles and some days of polling."""
END_S = (MEASURED_DAY + 1) * DAY_S
MEASURED_S = MEASURED_DAY * DAY_S

_SILENT = 0.35
_SIGMA = 2.504
_MU = -1.313
_PLATFORM_MU = _MU - math.log(3)
_MOST_A_DAY = 1_000.0
_ON_PLATFORMS = 0.2
_LARGEST = (0.05, 0.03, 0.02, 0.01, 0.01)
"""Shares of all feeds that the largest platforms have; the rest shares the rest."""
_WITH_HUB = 3
_FEW = 20
"""Feeds on each of the smaller platforms, on average."""
_BY_DAY = 0.8


@dataclass(slots=True)
class Publisher:
    """One feed: what it publishes, and what it asks of pollers."""

    number: int
    rate: float
    """Articles a day in the long run."""
    times_s: "array[float]"
    """When it publishes, in order, over all days."""
    ttl_s: int = 0
    fresh_for_s: int = 0
    hub: bool = False


@dataclass(slots=True)
class Host:
    """One registrable domain and its feeds."""

    name: str
    feeds: list[Publisher] = field(default_factory=list)

    @property
    def shared(self) -> bool:
        return len(self.feeds) > 1


@dataclass(frozen=True, slots=True)
class Slot:
    """A host before its feeds are drawn: cheap to hand to another process."""

    name: str
    feeds: int
    seed: int
    platform: bool = False
    hub: bool = False


def slots(feeds: int, *, seed: int = 1) -> Iterator[Slot]:
    """Lay out the hosts of a world of so many feeds."""
    left = feeds
    for place, share in enumerate(_LARGEST):
        count = round(feeds * share)
        left -= count
        yield Slot(
            f"platform {place + 1}",
            count,
            seed * 1_000_003 + place,
            platform=True,
            hub=place < _WITH_HUB,
        )
    chance = random.Random(seed)
    number = len(_LARGEST)
    smaller = round(feeds * (_ON_PLATFORMS - sum(_LARGEST)))
    left -= smaller
    while smaller > 0:
        count = min(1 + int(chance.expovariate(1 / _FEW)), smaller)
        smaller -= count
        number += 1
        yield Slot(f"host {number}", count, seed * 1_000_003 + number, platform=True)
    for _ in range(left):
        number += 1
        yield Slot(f"host {number}", 1, seed * 1_000_003 + number)


def build(slot: Slot) -> Host:
    """Draw the feeds of a host."""
    chance = random.Random(slot.seed)
    host = Host(slot.name)
    for number in range(slot.feeds):
        rate = _rate(chance, _PLATFORM_MU if slot.platform else _MU)
        publisher = Publisher(number, rate, _times(chance, rate), hub=slot.hub)
        asks = chance.random()
        if asks < 0.4:
            publisher.ttl_s = HOUR_S
        elif asks < 0.6:
            publisher.fresh_for_s = 300
        host.feeds.append(publisher)
    return host


def _rate(chance: random.Random, mu: float) -> float:
    if chance.random() < _SILENT:
        return 0.0
    return min(chance.lognormvariate(mu, _SIGMA), _MOST_A_DAY)


def _times(chance: random.Random, rate: float) -> "array[float]":
    morning = chance.random() * DAY_S
    uniform = chance.random
    times = []
    for _ in range(_poisson(chance, rate * (MEASURED_DAY + 1))):
        if uniform() < _BY_DAY:
            hour_s = morning + uniform() * DAY_S / 2
        else:
            hour_s = morning + DAY_S / 2 + uniform() * DAY_S / 2
        times.append(int(uniform() * (MEASURED_DAY + 1)) * DAY_S + hour_s % DAY_S)
    times.sort()
    return array("d", times)


def _poisson(chance: random.Random, mean: float) -> int:
    if mean > 50:
        return max(0, round(chance.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, chance.random()
    while product > limit:
        count += 1
        product *= chance.random()
    return count
