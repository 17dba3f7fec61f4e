"""Measure *For you* with simulated readers: ``python -m tools.evaluate_ranking``.

Readers with hidden tastes read a generated stream, newest first, for some days; what they
star, open and dismiss is learned by the program's own code. Then each of the following days
is ranked before they read it. Writes the figures into docs/evaluation-ranking.md.
"""

import asyncio
import math
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog

from bench.pages import HTMX, MAIN, Visitor, cookie_of, reader_with
from feedloom.app import Container, open_container
from feedloom.flow.reader.for_you import rank
from feedloom.model.interests import ArticleToRank, Interest, InterestKind, Sign, Term, terms_of
from feedloom.processes import tune_interpreter
from feedloom.store.engine.scripts import WORKER, Many, Script, sql
from tests.containers import settings_for
from tests.databases import sqlite_databases

PAGE = Path("docs/evaluation-ranking.md")
START = datetime(2026, 1, 1, tzinfo=UTC)
WITH_CATEGORIES, ON_TOPIC = 0.6, 0.7
FEEDS, TOPICS, ENTITIES, COMMON = 120, 12, 240, 400
LEARNING_DAYS, TEST_DAYS = 14, 7
READ_A_DAY = 80
READERS = 25
FIRST = 10
KINDS = ("feeds", "topics", "names", "all of these", "nothing")


@dataclass(frozen=True, slots=True)
class Feed:
    number: int
    per_day: float
    topic: int
    has_categories: bool
    authors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    candidate: ArticleToRank
    topic: int
    names: tuple[int, ...]


@dataclass(slots=True)
class Learned:
    """Counts as the store keeps them, without a database."""

    counts: defaultdict[Term, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def learn(self, each: ArticleToRank, sign: Sign) -> None:
        for term in terms_of(each.subscription_id, each.title, each.author, each.categories):
            self.counts[term][sign.value] += 1

    def interests(self) -> list[Interest]:
        return [
            Interest(n, kind, name, **counts, subscription_id=_feed_of(kind, name))
            for n, ((kind, name), counts) in enumerate(self.counts.items())
        ]


def _feed_of(kind: InterestKind, name: str) -> int | None:
    return int(name) if kind is InterestKind.FEED else None


def world(rng: random.Random) -> list[Feed]:
    """Make feeds: most publish once a day or less, a few all the time."""
    return [
        Feed(
            number,
            min(60.0, rng.lognormvariate(0.3, 1.4)),
            rng.randrange(TOPICS),
            rng.random() < WITH_CATEGORIES,
            tuple(f"Author {number}-{n}" for n in range(rng.choice((0, 1, 1, 4)))),
        )
        for number in range(1, FEEDS + 1)
    ]


def day_of(rng: random.Random, feeds: Sequence[Feed], day: int) -> list[Item]:
    """Let a day's articles appear, the newest first."""
    found = []
    for feed in feeds:
        whole, rest = divmod(feed.per_day, 1)
        found += [
            _item(rng, feed, START + timedelta(days=day, hours=rng.random() * 24))
            for _ in range(int(whole) + (rng.random() < rest))
        ]
    return sorted(found, key=lambda item: item.candidate.published_at, reverse=True)


def _item(rng: random.Random, feed: Feed, at: datetime) -> Item:
    topic = feed.topic if rng.random() < ON_TOPIC else rng.randrange(TOPICS)
    names = tuple(rng.sample(range(topic, ENTITIES, TOPICS), 2))
    common = [f"common{min(int(rng.paretovariate(0.8)), COMMON)}" for _ in range(5)]
    words = [*common, f"subject{topic}x{rng.randrange(8)}", *(f"name{n}" for n in names)]
    rng.shuffle(words)
    number = rng.getrandbits(48)
    candidate = ArticleToRank(
        item_no=number,
        subscription_id=feed.number,
        feed_title=f"Feed {feed.number}",
        published_at=at,
        title=" ".join(words),
        author=rng.choice(feed.authors) if feed.authors else None,
        categories=(f"topic {topic}",) if feed.has_categories else (),
    )
    return Item(candidate, topic, names)


class Reader:
    """Somebody with hidden tastes: how likely they open an article depends on them."""

    def __init__(self, kind: str, rng: random.Random) -> None:
        def tastes(share: float, size: int, by: float) -> dict[int, float]:
            chosen = rng.sample(range(size), int(size * share))
            return {n: by if place % 2 else -by for place, n in enumerate(chosen)}

        mixed = kind == "all of these"
        by = 1.5 if mixed else 2.5
        self.rng = rng
        self.feeds = tastes(0.3, FEEDS + 1, by) if mixed or kind == "feeds" else {}
        self.topics = tastes(0.5, TOPICS, by) if mixed or kind == "topics" else {}
        self.names = tastes(0.2, ENTITIES, by) if mixed or kind == "names" else {}

    def chance(self, item: Item) -> float:
        taste = self.feeds.get(item.candidate.subscription_id, 0.0)
        taste += self.topics.get(item.topic, 0.0) + sum(self.names.get(n, 0.0) for n in item.names)
        return 1 / (1 + math.exp(2.4 - taste))

    def reads(self, item: Item, learned: Learned) -> None:
        chance = self.chance(item)
        if self.rng.random() < chance:
            learned.learn(item.candidate, Sign.OPENED)
            if self.rng.random() < chance / 3:
                learned.learn(item.candidate, Sign.STARRED)
        elif self.rng.random() < (1 - chance) / 20:
            learned.learn(item.candidate, Sign.DISMISSED)


Order = Callable[[Sequence[Item], Reader, Learned, random.Random], Iterable[int]]


def _for_you(items: Sequence[Item], _: Reader, learned: Learned, __: random.Random) -> list[int]:
    now = max(item.candidate.published_at for item in items)
    ranked = rank(learned.interests(), [item.candidate for item in items], now)
    return [each.item_no for each in ranked]


def _feeds_alone(
    items: Sequence[Item], reader: Reader, learned: Learned, rng: random.Random
) -> list[int]:
    kept = {t: c for t, c in learned.counts.items() if t[0] is InterestKind.FEED}
    return _for_you(items, reader, Learned(defaultdict(Counter, kept)), rng)


def _most_opened_feed(
    items: Sequence[Item], _: Reader, learned: Learned, __: random.Random
) -> list[int]:
    def opened(item: Item) -> int:
        term = (InterestKind.FEED, str(item.candidate.subscription_id))
        return -learned.counts[term]["opened"] if term in learned.counts else 0

    return [item.candidate.item_no for item in sorted(items, key=opened)]


def _newest(items: Sequence[Item], _: Reader, __: Learned, ___: random.Random) -> list[int]:
    return [item.candidate.item_no for item in items]


def _at_random(items: Sequence[Item], _: Reader, __: Learned, rng: random.Random) -> list[int]:
    return [item.candidate.item_no for item in rng.sample(items, len(items))]


def _all_knowing(items: Sequence[Item], reader: Reader, _: Learned, __: random.Random) -> list[int]:
    return [i.candidate.item_no for i in sorted(items, key=reader.chance, reverse=True)]


ORDERS: dict[str, Order] = {
    "random": _at_random,
    "newest first": _newest,
    "most opened feeds first": _most_opened_feed,
    "For you, feeds alone": _feeds_alone,
    "For you": _for_you,
    "all-knowing": _all_knowing,
}


def judge(kind: str, seed: int, learning_days: int = LEARNING_DAYS) -> dict[str, float]:
    """Give the share of the first ten that one reader would open, for each order."""
    rng = random.Random(f"{seed}/{kind}")
    feeds, reader, learned = world(rng), Reader(kind, rng), Learned()
    for day in range(learning_days):
        for item in day_of(rng, feeds, day)[:READ_A_DAY]:
            reader.reads(item, learned)
    hits: defaultdict[str, list[float]] = defaultdict(list)
    for day in range(learning_days, learning_days + TEST_DAYS):
        items = day_of(rng, feeds, day)
        opened = {i.candidate.item_no for i in items if rng.random() < reader.chance(i)}
        for name, order in ORDERS.items():
            first = list(order(items, reader, learned, rng))[:FIRST]
            hits[name].append(sum(n in opened for n in first) / len(first))
        for item in items[:READ_A_DAY]:
            reader.reads(item, learned)
    return {name: statistics.mean(found) for name, found in hits.items()}


def _row(name: str, values: Iterable[object]) -> str:
    return f"| {name} | " + " | ".join(str(value) for value in values) + " |"


def orders_table() -> list[str]:
    lines = [_row("taste", ORDERS), "|---" * (len(ORDERS) + 1) + "|"]
    for kind in KINDS:
        found = [judge(kind, seed) for seed in range(READERS)]
        means = [statistics.mean(each[name] for each in found) for name in ORDERS]
        lines.append(_row(kind, (f"{mean:.2f}" for mean in means)))
    return lines


def days_table() -> list[str]:
    days = (1, 3, 7, 14, 28)
    lines = [_row("days of reading", days), "|---" * (len(days) + 1) + "|"]
    names = ("newest first", "For you")
    found = {d: [judge("all of these", s, d) for s in range(READERS)] for d in days}
    for name in names:
        means = (statistics.mean(each[name] for each in found[d]) for d in days)
        lines.append(_row(name, (f"{mean:.2f}" for mean in means)))
    return lines


async def cost_table(feeds: int = 1_000) -> list[str]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    lines = ["| | median | p95 | p95 of CPU |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with open_container(settings_for(sqlite_databases(folder), folder)) as container:
            user, _ = await reader_with(container, feeds)
            await container.work.write(WORKER, _varied)
            cookie = await cookie_of(container, user)
            visitor = Visitor(container.application(), cookie.encode())
            await _learn(container, user.id)
            tune_interpreter()
            for what, path, headers in (
                ("Unread, whole page", "/read/unread", ()),
                ("For you, whole page", "/read/for-you", ()),
                ("For you, without the sidebar", "/read/for-you", MAIN),
                ("JSON, 50 articles", "/api/for-you", HTMX),
            ):
                await visitor.ask(path, headers)
                answers = [await visitor.ask(path, headers) for _ in range(60)]
                lines.append(_times(what, [a[2] for a in answers], [a[3] for a in answers]))
            lines.append(await _starring(container, user.id))
    return lines


async def _starring(container: Container, user_id: int) -> str:
    times, worked = [], []
    for item in range(2_000, 2_060):
        began, cpu = time.perf_counter(), time.process_time()
        await container.services().reading.mark(user_id, [item], "starred")
        times.append((time.perf_counter() - began) * 1000)
        worked.append((time.process_time() - cpu) * 1000)
    return _times("Starring an article", times, worked)


def _times(what: str, times: list[float], worked: list[float]) -> str:
    late = int(len(times) * 0.95)
    values = statistics.median(times), sorted(times)[late], sorted(worked)[late]
    return _row(what, (f"{ms:.1f} ms" for ms in values))


async def _learn(container: Container, user_id: int) -> None:
    services = container.services()
    await services.interests.start(user_id)
    for item in range(1, 1_000):
        await services.interests.learn(user_id, [item], Sign.OPENED)


def _varied() -> Script[None]:
    """Give articles titles, authors and categories of real length."""
    rng = random.Random(1)
    rows = yield sql("SELECT id FROM articles")
    yield Many(
        "UPDATE articles SET title = :title, author = :author, categories = :topics WHERE id = :id",
        [
            {
                "id": row["id"],
                "title": " ".join(f"words{int(rng.paretovariate(0.7)) % 5_000}" for _ in range(9)),
                "author": f"Author {rng.randrange(500)}",
                "topics": f'["topic {rng.randrange(40)}", "topic {rng.randrange(40)}"]',
            }
            for row in rows
        ],
    )


def main() -> None:
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("<!-- figures -->\n")
    _, end, after = rest.partition("<!-- /figures -->\n")
    told = [
        f"### Share of the first {FIRST} that the reader opens",
        "",
        *orders_table(),
        "",
        "### After so many days of reading (all of these tastes)",
        "",
        *days_table(),
        "",
        "### Server time with 1,000 feeds and 100,000 articles, SQLite",
        "",
        *asyncio.run(cost_table()),
    ]
    PAGE.write_text(f"{before}<!-- figures -->\n" + "\n".join(told) + f"\n{end}{after}", "utf-8")


if __name__ == "__main__":
    main()
