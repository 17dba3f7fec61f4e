"""A day of polling a million feeds, by our schedule and by others.

The decisions are the product's own (``flow/refresh``); the publishers are drawn
(``simulation/world``), the time is simulated. Staleness is the time from publishing to
storing. All processors share the hosts; each host is simulated whole.
"""

import multiprocessing
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import islice

from bench.simulation.polling import BUSY, DAILY, KINDS, SELDOM, Poller, Tally
from bench.simulation.rules import Adaptive, HourAfterSuccess, Hourly, Ours, QuarterHourly
from bench.simulation.world import Slot, build, slots
from bench.tables import Table

FEEDS = 1_000_000
QUICK_FEEDS = 20_000
CHOOSING_FEEDS = 50_000
DAY_S = 86_400
_CHUNK_FEEDS = 4_000


def rivals() -> list[Poller]:
    """Make everybody whom the main table compares."""
    ours = Poller(Ours("feedloom, no hubs"))
    return [
        ours,
        Poller(Ours("feedloom, hubs where offered"), hubs=True, otherwise=ours),
        Poller(Hourly()),
        Poller(QuarterHourly()),
        Poller(HourAfterSuccess()),
    ]


def constants() -> list[Poller]:
    """Make our rule with the constants that were weighed."""
    tried = [
        (over, fastest * 60.0, 12 * 3600.0) for over in (2, 4, 6, 8) for fastest in (5, 10, 15, 30)
    ]
    tried += [(4, 900.0, hours * 3600.0) for hours in (6, 24)]
    return [Poller(Adaptive(*each)) for each in tried]


def processors() -> int:
    """Count the processors we may use."""
    return len(os.sched_getaffinity(0))


def run(quick: bool) -> list[Table]:
    feeds = QUICK_FEEDS if quick else FEEDS
    began = time.perf_counter()
    sizes = (feeds // 100, feeds // 10, feeds)
    results = [simulate(size, rivals) for size in sizes]
    seconds = time.perf_counter() - began
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak_mb = cpu.ru_maxrss // 1024
    main = _compared(feeds, results[-1])
    main.note = (
        f"Simulated in {seconds:.0f} s on {processors()} processors,"
        f" {cpu.ru_utime + cpu.ru_stime:.0f} CPU s, peak {peak_mb} MB each. 'x hourly':"
        " requests against fixed hourly polling. Goals: median under 10 min for feeds"
        " that publish more than 10 a day, at most half the requests."
    )
    tables = [main, _hosts(results[-1]), _grown(sizes, results)]
    tables.append(_weighed(feeds // 5 if quick else CHOOSING_FEEDS))
    return tables


def simulate(feeds: int, make: Callable[[], list[Poller]]) -> dict[str, Tally]:
    """Poll a world by every rule of ``make``."""
    total: dict[str, Tally] = {poller.rule.name: Tally() for poller in make()}
    context = multiprocessing.get_context("spawn")
    jobs = ((chunk, make) for chunk in _chunks(slots(feeds)))
    with context.Pool(processors()) as pool:
        for part in pool.imap_unordered(_one_chunk, jobs):
            for name, tally in part.items():
                total[name].add(tally)
    return total


def _chunks(hosts: Iterator[Slot]) -> Iterator[list[Slot]]:
    """Cut the hosts into jobs: large ones alone, small ones by the thousand."""
    chunk: list[Slot] = []
    for slot in hosts:
        chunk.append(slot)
        if sum(each.feeds for each in islice(chunk, 2)) >= _CHUNK_FEEDS or (
            len(chunk) >= _CHUNK_FEEDS
        ):
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _one_chunk(job: tuple[list[Slot], Callable[[], list[Poller]]]) -> dict[str, Tally]:
    hosts, make = job
    pollers = make()
    for host in (build(slot) for slot in hosts if not slot.hub):
        for poller in pollers:
            if poller.otherwise is None:
                poller.poll(host)
    for poller in pollers:
        if poller.otherwise is not None:
            poller.tally.add(poller.otherwise.tally)
    for host in (build(slot) for slot in hosts if slot.hub):
        for poller in pollers:
            poller.poll(host)
    return {poller.rule.name: poller.tally for poller in pollers}


def _compared(feeds: int, results: dict[str, Tally]) -> Table:
    table = Table(
        f"a simulated day, {feeds:,} feeds",
        (
            "rule",
            "requests/s",
            "peak/s",
            "x hourly",
            "empty",
            f"median min, {BUSY}",
            "of feeds",
            "p95 min",
            f"median min, {DAILY}",
            f"median min, {SELDOM}",
        ),
    )
    hourly = results[Hourly().name].polls
    for name, tally in results.items():
        table.add(
            name,
            tally.polls / DAY_S,
            max(tally.by_minute) / 60,
            tally.polls / hourly,
            f"{tally.empty / tally.polls:.0%}",
            _minutes(tally, BUSY, 0.5),
            statistics.median(tally.medians_s) / 60,
            _minutes(tally, BUSY, 0.95),
            _minutes(tally, DAILY, 0.5),
            _minutes(tally, SELDOM, 0.5),
        )
    return table


def _minutes(tally: Tally, kind: str, share: float) -> float:
    return tally.percentile_s([kind], share) / 60


def _hosts(results: dict[str, Tally]) -> Table:
    table = Table(
        "a simulated day: the hosts asked most",
        ("rule", "host", "feeds", "requests a day", "of what spacing allows"),
        note=(
            "One request in 3 s is 28,800 a day. At 100 % feeds queue for their host; the"
            " rules below ours have no spacing and would ask so often."
        ),
    )
    for name, tally in results.items():
        for asked, feeds, host in tally.busiest[:3]:
            table.add(name, host, feeds, asked, f"{asked * 3 / DAY_S:.0%}")
    return table


def _grown(sizes: tuple[int, ...], results: list[dict[str, Tally]]) -> Table:
    table = Table(
        "a simulated day: growth",
        ("feeds", "requests a feed", f"median min, {BUSY}", "all, p50 min", "all, p95 min"),
        note="feedloom without hubs; what grows is the queue for the largest hosts.",
    )
    for feeds, result in zip(sizes, results, strict=True):
        tally = result["feedloom, no hubs"]
        table.add(
            feeds,
            tally.polls / feeds,
            _minutes(tally, BUSY, 0.5),
            tally.percentile_s(KINDS, 0.5) / 60,
            tally.percentile_s(KINDS, 0.95) / 60,
        )
    return table


def _weighed(feeds: int) -> Table:
    table = Table(
        f"a simulated day: constants weighed, {feeds:,} feeds",
        (
            "constants",
            "requests a feed",
            "x hourly",
            f"median min, {BUSY}",
            "of feeds",
            f"median min, {DAILY}",
            f"median min, {SELDOM}",
        ),
        note="Our rule for successes, without hubs; hourly polling asks 24 times.",
    )
    for name, tally in simulate(feeds, constants).items():
        asked = tally.polls / feeds
        table.add(
            name,
            asked,
            asked / 24,
            _minutes(tally, BUSY, 0.5),
            statistics.median(tally.medians_s) / 60,
            _minutes(tally, DAILY, 0.5),
            _minutes(tally, SELDOM, 0.5),
        )
    return table
