"""How long the server works on a page, and how that grows with what a person has.

The application is called in this process, without a network between: what is measured is
routing, sign-in, queries, templates. Each page is asked for many times; time and CPU are
the server's alone, the whole page with its side bar, and the part htmx asks for.

One in twenty articles is unread: the newest, as in life. One table marks as many that are
spread over all years, so that every page of the table and its indexes is written. The last
asks a server over HTTP, one core each, and a bare ASGI handler that sends the same bytes
under the same HTTP server: the least that any page could cost.
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog
from starlette.applications import Starlette
from starlette.types import Message, Scope

from bench.bare import answer, bare
from bench.rss import _feedloom, _hit
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.model.reader import User, Wanted
from feedloom.processes import tune_interpreter
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from tests.containers import settings_for
from tests.databases import sqlite_databases

DAY_US = 86_400_000_000
EACH = 100
FOLDERS = 20
ROUNDS = 40
SWEEPS = 20
UNREAD = 20
"""One in so many articles is unread."""
HTMX = ((b"hx-request", b"true"),)
MAIN = (*HTMX, (b"hx-target", b"main#main"))
PAGES = (
    ("dashboard", "/dashboard", ()),
    ("dashboard's list", "/feeds", HTMX),
    ("river", "/ui/?view=feeds", ()),
    ("river, part", "/ui/?view=feeds", MAIN),
    ("reader, unread", "/read/unread", ()),
    ("reader, unread, part", "/read/unread", MAIN),
    ("reader, all, part", "/read/all", MAIN),
    ("reader, folder, part", "/read/folder/{folder}", MAIN),
    ("reader, 50 more rows", "/read/all?part=rows", HTMX),
    ("article", "/articles/50", HTMX),
    ("a feed's page, part", "/feeds/7", MAIN),
    ("statistics, part", "/statistics", MAIN),
    ("sidebar", "/ui/side", HTMX),
    ("counts", "/ui/counts", ()),
)
WHOLE_PAGES = ("dashboard", "river", "reader, unread")
STEP_KB, PAGE_KB = 60, 200
"""What a step within a page may send, compressed, and a whole page."""
AS_BROWSERS_ASK = ((b"accept-encoding", b"br"), (b"sec-fetch-site", b"same-origin"))
OVER_HTTP: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("50 rows", "/read/all?part=rows", {"HX-Request": "true"}),
    ("reader, unread", "/read/unread", {}),
    ("river", "/ui/?view=feeds", {}),
    ("dashboard's list", "/feeds", {"HX-Request": "true"}),
    ("article", "/articles/50", {"HX-Request": "true"}),
)
_SYLLABLES = (
    *("ba", "co", "de", "fi", "gu", "ha", "jo", "ka", "lem", "mo"),
    *("nar", "po", "que", "ri", "sto", "ta", "ul", "ver", "wi", "zan"),
)
_VOCABULARY = tuple(
    a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in ("", "n", "ra", "tos")
)


def run(quick: bool) -> list[Table]:
    sizes = (100,) if quick else (100, 1_000)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    worst = Table(
        "mark all read where unread articles are spread over all years, sqlite",
        ("articles", "marked", "median ms", "p95 ms", "median CPU ms", "p95 CPU ms"),
        note="The least favourable order there is; see also the benchmark of marking.",
    )
    measured = [asyncio.run(_measure(feeds, worst)) for feeds in sizes]
    return [*measured, worst, _beside_bare(sizes[-1], 1 if quick else 4)]


def _beside_bare(feeds: int, seconds: int) -> Table:
    """Ask for pages over HTTP, and a bare handler for the same bytes."""
    table = Table(
        f"pages over HTTP, {feeds:,} feeds and {feeds * EACH:,} articles, sqlite",
        ("page", "kB", "bare/s", "ours/s", "bare CPU ms", "CPU ms", "of bare (CPU)"),
        note=f"One process each on the same core, asked for {seconds} s. Pages are drawn"
        " anew each time; bare sends bytes that lie ready.",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = settings_for(sqlite_databases(folder), folder)
        cookie = asyncio.run(_prepare(settings, feeds))
        with _feedloom(settings) as ours:
            for page, path, headers in OVER_HTTP:
                said = {**headers, "Accept": "text/html", "Cookie": cookie}
                body, told = answer(ours, path, said, "text/html")
                with bare(body, told, folder) as handler:
                    hit = partial(_hit, headers=said, known=False, seconds=seconds)
                    least, drawn = hit(handler, "/"), hit(ours, path)
                table.add(
                    page,
                    len(body) / 1000,
                    round(least.per_s),
                    round(drawn.per_s),
                    1000 / least.per_cpu_s,
                    1000 / drawn.per_cpu_s,
                    f"{drawn.per_cpu_s / least.per_cpu_s:.1%}",
                )
    return table


async def _prepare(settings: Settings, feeds: int) -> str:
    """Fill a database; return the cookie of somebody who is signed in."""
    async with open_container(settings) as container:
        user, _ = await reader_with(container, feeds)
        return await cookie_of(container, user)


async def reader_with(container: Container, feeds: int, each: int = EACH) -> tuple[User, list[int]]:
    """Make somebody with so many feeds, in folders."""
    user = await container.accounts.register("reader@example.org", "correct horse")
    folders = [await container.folders().ensure(user.id, (f"Folder {n}",)) for n in range(FOLDERS)]
    await container.work.write(WORKER, _fill, user.id, folders, feeds, each)
    return user, folders


async def cookie_of(container: Container, user: User) -> str:
    signed = await container.accounts.sign_in(user, user_agent="bench", address="127.0.0.1")
    return f"feedloom_session={signed.token}"


@dataclass(slots=True)
class Visitor:
    """Somebody signed in, who asks the application itself."""

    application: Starlette
    cookie: bytes

    async def ask(
        self, path: str, headers: Iterable[tuple[bytes, bytes]]
    ) -> tuple[int, int, float, float]:
        """Ask once: status, bytes, milliseconds and milliseconds of CPU."""
        said = {"status": 0, "size": 0}

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            said["status"] = message.get("status", said["status"])
            said["size"] += len(message.get("body", b""))

        began, worked = time.perf_counter(), time.process_time()
        await self.application(self._scope(path, headers), receive, send)
        return (
            said["status"],
            said["size"],
            (time.perf_counter() - began) * 1000,
            (time.process_time() - worked) * 1000,
        )

    def _scope(self, path: str, headers: Iterable[tuple[bytes, bytes]]) -> Scope:
        name, _, query = path.partition("?")
        said = {b"host": b"bench", b"accept": b"text/html", b"cookie": self.cookie}
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": name,
            "raw_path": name.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": list((said | dict(headers)).items()),
            "client": ("127.0.0.1", 1),
            "server": ("bench", 80),
        }


async def _measure(feeds: int, worst: Table) -> Table:
    table = Table(
        f"pages of somebody with {feeds:,} feeds and {feeds * EACH:,} articles, sqlite",
        ("page", "kB", "sent kB", "median ms", "p95 ms", "median CPU ms", "p95 CPU ms"),
        note=f"{ROUNDS} requests each, compressed as browsers are sent them; one in {UNREAD}"
        " articles is unread, the newest."
        " CPU is the server's own; what other programs on the machine cost is in the rest.",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = settings_for(sqlite_databases(folder), folder)
        async with open_container(settings) as container:
            user, folders = await reader_with(container, feeds)
            cookie = await cookie_of(container, user)
            visitor = Visitor(container.application(), cookie.encode())
            tune_interpreter()
            for name_, path, headers in PAGES:
                where = path.format(folder=folders[0])
                table.add(name_, *await _one(visitor, where, headers))
            sweep = await _sweep(container, user.id)
            table.add("mark all read", 0.0, 0.0, *sweep[1:])
            await container.work.write(WORKER, _spread)
            worst.add(feeds * EACH, *await _sweep(container, user.id))
    return table


async def _one(
    visitor: Visitor, path: str, headers: Iterable[tuple[bytes, bytes]]
) -> tuple[float, ...]:
    _, plain, *_ = await visitor.ask(path, headers)
    asked = (*headers, *AS_BROWSERS_ASK)
    answers = [await visitor.ask(path, asked) for _ in range(ROUNDS)]
    statuses = {status for status, *_ in answers}
    if statuses != {200}:
        raise RuntimeError(f"{path} answered {statuses}")
    times = [ms for _, _, ms, _ in answers]
    return plain / 1000, answers[0][1] / 1000, *_figures(times, [cpu for *_, cpu in answers])


def _figures(times: list[float], worked: list[float]) -> Iterator[float]:
    """Tell the median and the 95th percentile, of time and of CPU."""
    for values in (sorted(times), sorted(worked)):
        yield statistics.median(values)
        yield values[int(len(values) * 0.95)]


async def _sweep(container: Container, user_id: int) -> tuple[float, ...]:
    """Mark everything read, and undo it, again and again; tell how many were marked."""
    store = container.services().overviews
    times, worked, marked = [], [], 0
    for _ in range(SWEEPS):
        # A worker lives beside it, and gives its sign of life now and then.
        await container.operations().beat("bench", {})
        began, cpu = time.perf_counter(), time.process_time()
        swept = await store.sweep(user_id, Wanted())
        times.append((time.perf_counter() - began) * 1000)
        worked.append((time.process_time() - cpu) * 1000)
        marked = swept.count
        await store.undo_sweep(user_id, swept.token)
    return marked, *_figures(times, worked)


def _spread() -> Script[None]:
    yield sql(f"UPDATE article_states SET unread = (item_no % {UNREAD} = 0)")


def _fill(user_id: int, folders: list[int], feeds: int, each: int) -> Script[None]:
    now: int = (yield sql("SELECT now_us() AS now"))[0]["now"]
    reason = json.dumps({"rule": "quiet", "at": "2026-01-01T00:00:00+00:00"})
    for table, columns, rows in (
        ("favicons", ("id", "source_url", "mime", "bytes", "fetched_at"), [
            (n, f"https://site{n}.example/icon", "image/png", b"", now)
            for n in range(1, feeds + 1)
        ]),
        ("feeds", _FEEDS, [_feed(n, now) for n in range(1, feeds + 1)]),
        ("feed_schedules", ("feed_id", "host_key", "next_run_at", "due_at", "reason"), [
            (n, f"h{n}", now + DAY_US, now + DAY_US, reason)
            for n in range(1, feeds + 1)
        ]),
        ("subscriptions", _SUBSCRIPTIONS, [
            (n, user_id, n, folders[n % len(folders)], now, True)
            for n in range(1, feeds + 1)
        ]),
    ):  # fmt: skip
        yield Insert(table, columns, rows)
    for turn in range(each):
        at = now - (each - turn) * DAY_US // 3
        numbers = range(turn * feeds + 1, (turn + 1) * feeds + 1)
        yield Insert("articles", _ARTICLES, [_article(n, feeds, at) for n in numbers])
        yield Insert(
            "article_states",
            _STATES,
            [_state(n, feeds * each, feeds, user_id, at) for n in numbers],
        )
    yield sql("UPDATE users SET next_item_no = :next", next=feeds * each + 1)


_FEEDS = (
    "id", "url", "url_key", "host_key", "title", "state", "last_fetch_status",
    "created_at", "updated_at", "site_url", "favicon_id",
)  # fmt: skip
_SUBSCRIPTIONS = ("id", "user_id", "feed_id", "folder_id", "added_at", "seeded")
_ARTICLES = (
    "id", "feed_id", "guid", "guid_hash", "url", "url_hash", "title", "content",
    "summary", "enclosures", "categories", "rtl", "published_at", "fetched_at",
    "content_hash", "fingerprint", "cluster_key",
)  # fmt: skip
_STATES = (
    "article_id", "user_id", "subscription_id", "item_no", "arrived_at",
    "published_at", "unread", "last_modified",
)  # fmt: skip


def _feed(n: int, now: int) -> tuple[object, ...]:
    site = f"https://site{n}.example/"
    return (
        n, f"{site}feed", f"k{n}", f"h{n}", _words(n, 3), "healthy", "success", now, now, site, n,
    )  # fmt: skip


def _words(n: int, count: int) -> str:
    """Say words that differ from article to article, as in life: else all compresses well."""
    chosen = random.Random(n * 1_000 + count).choices(_VOCABULARY, k=count)
    return " ".join(chosen).capitalize()


def _article(n: int, feeds: int, at: int) -> tuple[object, ...]:
    feed = (n - 1) % feeds + 1
    url = f"https://site{feed}.example/{n}"
    return (
        n, feed, f"g{n}", f"g{n}", url, f"u{n}", _words(n, 9), f"<p>{_words(n, 400)}</p>",
        _words(n, 30), "[]", "[]",
        False, at + feed, at, f"c{n}", f"f{n}", f"k{n}",
    )  # fmt: skip


def _state(n: int, all_articles: int, feeds: int, user_id: int, at: int) -> tuple[object, ...]:
    feed = (n - 1) % feeds + 1
    unread = n > all_articles * (UNREAD - 1) // UNREAD
    return (n, user_id, feed, n, at + feed, at + feed, unread, at + feed)
