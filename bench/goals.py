"""What the benchmarks must show: each goal finds its own figure in a result.

A figure that cannot be found is told as not measured, never as met. Goals about sizes
the small forms do not have say so in their figure.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.pages import PAGE_KB, STEP_KB, WHOLE_PAGES

Result = Mapping[str, Any]
Found = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Goal:
    """One promise."""

    bench: str
    text: str
    find: Callable[[Result], Found]

    def judge(self, result: Result | None) -> tuple[str, bool | None]:
        """Tell the figure and whether the goal is met; None when there is no figure."""
        if result is None or "failed" in result or "tables" not in result:
            return "", None
        try:
            measured, met = self.find(result)
        except (KeyError, IndexError, StopIteration, ValueError):
            return "", None
        return measured + (" (small form)" if result["quick"] else ""), met


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table by column name."""

    rows: list[dict[str, Any]]

    @classmethod
    def of(cls, result: Result, *words: str) -> "Rows":
        """Find the table whose title has all these words; the last one of several."""
        table = [t for t in result["tables"] if all(w in t["title"] for w in words)][-1]
        columns = table["columns"]
        return cls([dict(zip(columns, row, strict=True)) for row in table["rows"]])

    def one(self, **wanted: object) -> dict[str, Any]:
        return next(self.all(**wanted))

    def all(self, **wanted: object) -> Iterator[dict[str, Any]]:
        return (row for row in self.rows if all(row[k] == v for k, v in wanted.items()))


def _percent(text: str) -> float:
    return float(text.rstrip("%")) / 100


def _against_reader(step: str, farm: int, goal: float) -> Callable[[Result], Found]:
    """Compare one pass, on the first farm (a host each) or the second (fewer hosts)."""

    def find(result: Result) -> Found:
        titles = [t["title"] for t in result["tables"] if "refresh of" in t["title"]]
        row = Rows.of(result, titles[farm]).one(who="feedloom, SQLite", **{"pass": step})
        ratio, seconds = float(row["x reader"]), row["seconds"]
        return f"{ratio:.1f}x ({seconds:.2f} s)", ratio >= goal

    return find


def _parsing(result: Result) -> Found:
    rows = [row for row in Rows.of(result, "Parsing").rows if "all of " in row["feed"]]
    told = [f"{row['ours']:.1f}x ({row['feed'].removeprefix('all of ')})" for row in rows]
    return ", ".join(told), min(float(row["ours"]) for row in rows) >= 10


def _flat(result: Result) -> Found:
    spreads = []
    for table in result["tables"]:
        if not table["title"].startswith("growth"):
            continue
        place = table["columns"].index("first ms")
        costs = [row[place] for row in table["rows"]]
        spreads.append((max(costs) - min(costs)) / (max(costs) + min(costs)))
    worst = max(spreads)
    return f"±{worst:.0%} over {len(spreads)} engine(s)", worst <= 0.15


def _refresh_memory(result: Result) -> Found:
    peaks = [
        row[table["columns"].index("peak MB")]
        for table in result["tables"]
        if table["title"].startswith("growth")
        for row in table["rows"]
    ]
    return f"{max(peaks)} MB at most", max(peaks) < 150


def _bad_hosts(*, endless: bool, goal: float) -> Callable[[Result], Found]:
    def find(result: Result) -> Found:
        shares = [
            _percent(row["of alone"])
            for table in result["tables"]
            for row in Rows.of(result, table["title"]).rows
            if row["bad hosts"] and ("without end" in row["beside them"]) == endless
        ]
        return f"{min(shares):.0%} at least", min(shares) >= goal

    return find


def _rss(result: Result) -> Found:
    shares = [
        _percent(row["of nginx (CPU)"])
        for row in Rows.of(result, "/rss").all()
        if not row["request"].startswith("known")
    ]
    return f"{min(shares):.0%} at least", min(shares) >= 0.35


def _pages_p95(result: Result) -> Found:
    rows = Rows.of(result, "pages of somebody").rows
    worst = max(rows, key=lambda row: float(row["p95 ms"]))
    return f"{worst['p95 ms']:.0f} ms at most ({worst['page']})", worst["p95 ms"] < 50


def _pages_sent(result: Result) -> Found:
    rows = Rows.of(result, "pages of somebody").rows
    sent = {row["page"]: row["sent kB"] for row in rows}
    step = max(kb for page, kb in sent.items() if page not in WHOLE_PAGES)
    page = max(sent[page] for page in WHOLE_PAGES)
    return f"{page:.0f} kB a page, {step:.0f} kB a step", page < PAGE_KB and step < STEP_KB


def _search_p95(engine: str, goal_ms: int) -> Callable[[Result], Found]:
    def find(result: Result) -> Found:
        together = Rows.of(result, f"Search on {engine}").rows[-1]
        column = [name for name in together if name.endswith("p95 ms")][-1]
        worked = [name for name in together if ": CPU" in name][-1]
        took, size = together[column], column.split(":")[0]
        text = f"{took:.0f} ms ({together[worked]:.0f} ms of CPU), {size} articles"
        return text, took < goal_ms

    return find


def _canonical(result: Result) -> Found:
    row = Rows.of(result, "Discovery").one(program="feedloom")
    right, sites = row["canonical right"], row["sites with a feed"]
    return f"{right} of {sites}", right == sites


def _page_cpu(result: Result) -> Found:
    row = Rows.of(result, "pages of somebody").one(page="reader, 50 more rows")
    return f"{row['median CPU ms']:.1f} ms", row["median CPU ms"] <= 5


def _json_cpu(result: Result) -> Found:
    rows = Rows.of(result, "JSON lists").rows
    most = max(row["ours CPU ms"] for row in rows if row["list"] == "50 articles")
    return f"{most:.1f} ms at most", most <= 5


def _claim_rate(result: Result) -> Found:
    row = Rows.of(result, "a host for each feed").rows[-1]
    text = f"{row['claims/s']:,} a second, {row['workers']} workers, {row['feeds']:,} feeds"
    return text, row["claims/s"] >= 2_000


def _claim_time(result: Result) -> Found:
    row = Rows.of(result, "a host for each feed").rows[-1]
    paced, busy = row["p99 ms at 2,000/s"], row["p99 ms"]
    return f"{paced:.1f} ms at 2,000 a second ({busy:.1f} ms at most)", paced < 20


def _claim_plan(result: Result) -> Found:
    note = next(t["note"] for t in result["tables"] if "a host for each" in t["title"])
    met = "Index Scan using feed_schedules_due" in note and "Sort" not in note
    return "index scan, no sort" if met else "another plan", met


def _staleness(result: Result) -> Found:
    row = Rows.of(result, "a simulated day,").one(rule="feedloom, no hubs")
    minutes = float(row["median min, >10 a day"])
    return f"{minutes:.1f} min", minutes < 10


def _requests(result: Result) -> Found:
    row = Rows.of(result, "a simulated day,").one(rule="feedloom, no hubs")
    return f"{row['x hourly']:.0%} of hourly polling", row["x hourly"] <= 0.5


def _start(column: str, most: float, unit: str) -> Callable[[Result], Found]:
    def find(result: Result) -> Found:
        rows = Rows.of(result, "feedloom serve")
        figures = [row[column] for row in rows.all(feeds=1_000)]
        worst = max(
            _percent(each) * 100 if isinstance(each, str) else float(each) for each in figures
        )
        return (f"{worst:.2g} {unit}" if worst < 10 else f"{worst:.0f} {unit}", worst < most)

    return find


def _image_cost(result: Result) -> Found:
    worst = max(row["p95 CPU ms"] for row in Rows.of(result, "that is kept").rows)
    return f"{worst:.2f} ms", worst <= 1


def _image_cache(result: Result) -> Found:
    row = Rows.of(result, "cache").rows[0]
    return f"{row['largest MB']:.0f} of {row['limit MB']:.0f} MB", row["largest MB"] <= row[
        "limit MB"
    ]


GOALS = (
    Goal(
        "parsing",
        "Parsing with sanitising: at least 10x feedparser at each size, all kinds of feeds"
        " together",
        _parsing,
    ),
    Goal(
        "refreshing",
        "First refresh of 500 x 50 x 60 KB, ten feeds a host: at least 7x `reader`",
        _against_reader("first", 1, 7),
    ),
    Goal(
        "refreshing",
        "First refresh of the same, a host for each feed: at least 7x `reader`",
        _against_reader("first", 0, 7),
    ),
    Goal(
        "refreshing",
        "All 304, ten feeds a host: at least 4x `reader`",
        _against_reader("304", 1, 4),
    ),
    Goal(
        "refreshing",
        "All 304, a host for each feed: at least 2.5x `reader`",
        _against_reader("304", 0, 2.5),
    ),
    Goal("refreshing", "Cost of a feed flat (±15 %) as feeds grow", _flat),
    Goal("refreshing", "Peak memory of refreshing under 150 MB", _refresh_memory),
    Goal(
        "bad_hosts",
        "Good feeds keep at least 80 % of their rate beside a quarter that hang or drip",
        _bad_hosts(endless=False, goal=0.8),
    ),
    Goal(
        "bad_hosts",
        "Good feeds keep at least 60 % of their rate beside hosts without end",
        _bad_hosts(endless=True, goal=0.6),
    ),
    Goal("rss", "`/rss`: at least 35 % of nginx static per core", _rss),
    Goal("lists", "JSON lists: at most 5 ms of CPU for 50 articles", _json_cpu),
    Goal("pages", "Pages: at most 5 ms of CPU for 50 rows", _page_cpu),
    Goal("discovery", "The canonical feed of every site shape", _canonical),
    Goal("search", "Search: p95 under 50 ms, SQLite", _search_p95("sqlite", 50)),
    Goal("search", "Search: p95 under 100 ms, PostgreSQL", _search_p95("postgresql", 100)),
    Goal("pages", "Compressed: pages under 200 kB, steps under 60 kB", _pages_sent),
    Goal("pages", "p95 under 50 ms at 1,000 feeds and 100,000 articles", _pages_p95),
    Goal("claims", "Claims: at least 2,000 a second, 4 workers", _claim_rate),
    Goal("claims", "Claims: p99 under 20 ms", _claim_time),
    Goal("claims", "Claims: by index, without a sort", _claim_plan),
    Goal(
        "simulating",
        "Median staleness under 10 min where more than 10 a day are published",
        _staleness,
    ),
    Goal("simulating", "At most half the requests of hourly polling", _requests),
    Goal("startup", "Start to first answer under 1.5 s", _start("first answer s", 1.5, "s")),
    Goal("startup", "Idle under 100 MB", _start("memory MB", 100, "MB")),
    Goal("startup", "Idle under 1 % CPU", _start("idle CPU", 1, "%")),
    Goal("images", "Sending a kept picture: at most 1 ms of CPU (p95)", _image_cost),
    Goal("images", "The cache of pictures stays within its limit", _image_cache),
)
