"""A farm of feeds on loopback, fast enough not to be what a benchmark measures.

    python bench/farm.py --feeds 500 --hosts 500 --port 8800

Feeds are written once, with a strong ETag and Last-Modified; whole answers lie ready in
memory. Even feeds are RSS 2.0, odd ones Atom. Every host is an address of 127.0.0.0/8
on the same port; feed ``n`` lives on host ``n modulo hosts``. Prints ``ready`` and
where to find the list of addresses, then serves until it is stopped.

    /f/<n>.xml       a feed                 /site/<n>/   a page that names the feed
    /_urls           all addresses          /_opml       the same as OPML
    /_stats          what was asked so far  /_reset      forget that
    /_bump?percent=10  one new entry in so many of the feeds, others than last time
    /_bad            addresses on hosts of their own that hang, drip or never end

Bad hosts come with ``--hang``, ``--drip`` and ``--endless``, each with a number.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import random
import socket
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from html import escape
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

import uvloop

TEXT = """
river stone window paper morning signal garden harbour letter engine silver meadow
copper lantern violin market winter compass thunder orchard bridge candle feather
island journey kettle ladder mirror needle ocean pepper quarry ribbon saddle timber
umbrella valley whistle yellow zenith
"""
WORDS = TEXT.split()
BEHAVIOURS = ("hang", "drip", "endless")
WITHOUT_END = b"<item>" * 10_000
BASE = datetime.fromtimestamp(time.time(), UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class Plan:
    feeds: int
    entries: int
    size: int
    hosts: int
    port: int
    packed: bool
    delay_s: float
    bad: tuple[str, ...]
    """What each of the bad hosts does."""
    headlines: tuple[str, ...] = ()
    """What titles and texts are made of, instead of a few words."""

    def host(self, number: int) -> str:
        return _host(1, number % self.hosts)

    def bad_host(self, number: int) -> str:
        return _host(100, number)

    def site(self, number: int) -> str:
        return f"http://{self.host(number)}:{self.port}"

    def url(self, number: int) -> str:
        return f"{self.site(number)}/f/{number}.xml"


def _host(network: int, place: int) -> str:
    return f"127.{network + place // 62500}.{place // 250 % 250}.{place % 250 + 1}"


@dataclass(frozen=True, slots=True)
class Written:
    """One feed, ready to send."""

    etag: bytes
    full: bytes
    unchanged: bytes


@dataclass(slots=True)
class Counts:
    ok: int = 0
    not_modified: int = 0
    other: int = 0
    sent_bytes: int = 0
    lines: int = 0
    most_lines: int = 0
    agents: dict[str, int] = field(default_factory=dict)


class Farm:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.counts = Counts()
        self._added = [0] * plan.feeds
        self._next_bump = 0
        self.feeds = [self._write(number) for number in range(plan.feeds)]

    def bump(self, percent: float) -> int:
        count = round(self.plan.feeds * percent / 100)
        for step in range(count):
            number = (self._next_bump + step) % self.plan.feeds
            self._added[number] += 1
            self.feeds[number] = self._write(number)
        self._next_bump = (self._next_bump + count) % self.plan.feeds
        return count

    def _write(self, number: int) -> Written:
        added = self._added[number]
        newest_first = range(self.plan.entries + added - 1, added - 1, -1)
        entries = [self._entry(number, place) for place in newest_first]
        document = _rss if number % 2 == 0 else _atom
        body = document(number, self.plan, entries)
        kind = "rss" if number % 2 == 0 else "atom"
        etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        validators = (
            f"ETag: {etag}\r\nLast-Modified: "
            f"{format_datetime(BASE + timedelta(seconds=added), usegmt=True)}\r\n"
        )
        encoding = ""
        if self.plan.packed:
            body = gzip.compress(body, mtime=0)
            encoding = "Content-Encoding: gzip\r\n"
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/{kind}+xml\r\n{encoding}"
            f"{validators}Content-Length: {len(body)}\r\n\r\n"
        )
        unchanged = f"HTTP/1.1 304 Not Modified\r\n{validators}\r\n"
        return Written(etag.encode(), head.encode() + body, unchanged.encode())

    def _entry(self, number: int, place: int) -> "Entry":
        chance = random.Random(number * 100_003 + place)
        site = self.plan.site(number)
        paragraphs: list[str] = []
        wanted = self.plan.size // self.plan.entries - 560
        lines = self.plan.headlines
        title = f"{' '.join(chance.choices(WORDS, k=5))} {number}-{place}"
        while sum(map(len, paragraphs)) < wanted:
            words = escape(". ".join(chance.choices(lines, k=2))) if lines else ""
            words = words or " ".join(chance.choices(WORDS, k=24))
            paragraphs.append(f'<p>{words} <a href="{site}/more">more</a></p>')
        return Entry(
            guid=f"urn:farm:{number}:{place}",
            link=f"{site}/site/{number}/{place}",
            title=escape(chance.choice(lines)) if lines else title,
            author=f"Author {place % 7}",
            topic=chance.choice(WORDS),
            html="".join(paragraphs),
            at=self._dated(number, self.plan.entries - place),
        )

    def _dated(self, number: int, age: int) -> datetime:
        """Old entries lie 17 minutes apart, added ones a second."""
        if age <= 0:
            return BASE + timedelta(seconds=1 - age)
        return BASE - timedelta(minutes=17 * age + number % 60)


@dataclass(frozen=True, slots=True)
class Entry:
    guid: str
    link: str
    title: str
    author: str
    topic: str
    html: str
    at: datetime


def _rss(number: int, plan: Plan, entries: list[Entry]) -> bytes:
    items = "".join(
        f"<item><title>{e.title}</title><link>{e.link}</link>"
        f'<guid isPermaLink="false">{e.guid}</guid>'
        f"<pubDate>{format_datetime(e.at)}</pubDate><dc:creator>{e.author}</dc:creator>"
        f"<category>{e.topic}</category>"
        f"<description>{escape(e.html)}</description></item>\n"
        for e in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        f"<title>Farm feed {number}</title><link>{plan.site(number)}/site/{number}/"
        f"</link><description>Feed {number} of the farm</description>"
        f"<language>en</language>\n{items}</channel></rss>\n"
    ).encode()


def _atom(number: int, plan: Plan, entries: list[Entry]) -> bytes:
    items = "".join(
        f"<entry><id>{e.guid}</id><title>{e.title}</title>"
        f'<link rel="alternate" href="{e.link}"/><published>{e.at.isoformat()}'
        f"</published><updated>{e.at.isoformat()}</updated>"
        f'<author><name>{e.author}</name></author><category term="{e.topic}"/>'
        f'<content type="html">{escape(e.html)}</content></entry>\n'
        for e in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
        f"<id>urn:farm:{number}</id><title>Farm feed {number}</title>"
        f'<link rel="alternate" href="{plan.site(number)}/site/{number}/"/>'
        f'<link rel="self" href="{plan.url(number)}"/>'
        f"<updated>{entries[0].at.isoformat()}</updated>\n{items}</feed>\n"
    ).encode()


class Line(asyncio.Protocol):
    """One connection; answers as fast as requests come in."""

    def __init__(self, farm: Farm) -> None:
        self._farm = farm
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        counts = self._farm.counts
        counts.lines += 1
        counts.most_lines = max(counts.most_lines, counts.lines)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own signature
        self._farm.counts.lines -= 1

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        while (end := data.find(b"\r\n\r\n")) >= 0:
            self._send(self._answer(data[:end]))
            data = data[end + 4 :]
        self._rest = data

    def _send(self, answer: bytes) -> None:
        delay_s = self._farm.plan.delay_s
        if delay_s:
            loop = asyncio.get_running_loop()
            loop.call_later(delay_s, self._transport.write, answer)
        else:
            self._transport.write(answer)

    def _answer(self, head: bytes) -> bytes:
        path = head.split(b" ", 2)[1]
        if not path.startswith(b"/f/"):
            self._farm.counts.other += 1
            return _other(self._farm, path.decode("latin-1"))
        number = path[3:].removesuffix(b".xml")
        if not number.isdigit() or int(number) >= len(self._farm.feeds):
            self._farm.counts.other += 1
            return _document("no such feed", "text/plain", status="404 Not Found")
        return self._feed(self._farm.feeds[int(number)], head)

    def _feed(self, feed: Written, head: bytes) -> bytes:
        counts = self._farm.counts
        agent = _header(head, b"user-agent").decode("latin-1")[:80]
        counts.agents[agent] = counts.agents.get(agent, 0) + 1
        if feed.etag in _header(head, b"if-none-match"):
            counts.not_modified += 1
            return feed.unchanged
        counts.ok += 1
        counts.sent_bytes += len(feed.full)
        return feed.full


class BadLine(asyncio.Protocol):
    """One connection of a host that hangs, drips or never ends."""

    def __init__(self, behaviour: str) -> None:
        self._behaviour = behaviour
        self._task: asyncio.Task[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own signature
        if self._task is not None:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def data_received(self, data: bytes) -> None:  # noqa: ARG002 - asyncio's own signature
        if self._task is None and self._behaviour != "hang":
            self._task = asyncio.get_running_loop().create_task(self._go_on())

    async def _go_on(self) -> None:
        is_drip = self._behaviour == "drip"
        self._transport.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            self._transport.write(b"<" if is_drip else WITHOUT_END)
            await asyncio.sleep(1.0 if is_drip else 0.0)
            await self._may_write.wait()


def _header(head: bytes, name: bytes) -> bytes:
    at = head.lower().find(b"\r\n" + name + b":")
    if at < 0:
        return b""
    start = at + len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else None].strip()


def _other(farm: Farm, path: str) -> bytes:
    plan = farm.plan
    parts = urlsplit(path)
    text, kind, status = "ok", "text/plain", "200 OK"
    match parts.path.strip("/").split("/"):
        case ["_urls"]:
            text = "\n".join(map(plan.url, range(plan.feeds)))
        case ["_bad"]:
            hosts = map(plan.bad_host, range(len(plan.bad)))
            text = "\n".join(f"http://{host}:{plan.port}/f" for host in hosts)
        case ["_opml"]:
            text, kind = _opml(plan), "text/x-opml"
        case ["_stats"]:
            text, kind = _stats(farm), "application/json"
        case ["_reset"]:
            farm.counts = Counts(lines=farm.counts.lines)
        case ["_bump"]:
            percent = float(parse_qs(parts.query).get("percent", ["10"])[0])
            text = str(farm.bump(percent))
        case ["site", number, *_]:
            text, kind = _page(number), "text/html"
        case _:
            text, status = "no such page", "404 Not Found"
    return _document(text, kind, status)


def _stats(farm: Farm) -> str:
    counts = farm.counts
    sizes = [len(feed.full) for feed in farm.feeds]
    return json.dumps(
        {
            "feeds": len(farm.feeds),
            "average_bytes": sum(sizes) // max(len(sizes), 1),
            "200": counts.ok,
            "304": counts.not_modified,
            "other": counts.other,
            "sent_bytes": counts.sent_bytes,
            "lines": counts.lines,
            "most_lines": counts.most_lines,
            "agents": counts.agents,
        }
    )


def _page(number: str) -> str:
    return (
        f"<!doctype html><html lang=en><title>Farm site {escape(number)}</title>"
        '<link rel="alternate" type="application/rss+xml"'
        f' href="/f/{escape(number)}.xml"><article><h1>Farm site</h1>'
        f"<p>{' '.join(WORDS * 5)}</p></article></html>"
    )


def _opml(plan: Plan) -> str:
    rows = "".join(
        f'<outline type="rss" text="Farm feed {n}" xmlUrl="{plan.url(n)}"/>\n'
        for n in range(plan.feeds)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><head><title>Farm'
        f"</title></head><body>\n{rows}</body></opml>\n"
    )


def _document(text: str, kind: str, status: str = "200 OK") -> bytes:
    body = text.encode()
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _listen(host: str, port: int, send_ahead: int = 0) -> socket.socket:
    made = socket.socket()
    if send_ahead:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_ahead)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((host, port))
    made.listen(256)
    return made


async def serve(plan: Plan) -> None:
    """Serve until cancelled."""
    loop = asyncio.get_running_loop()
    farm = Farm(plan)
    hosts = ["127.0.0.1", *(plan.host(n) for n in range(plan.hosts))]
    servers = [
        await loop.create_server(lambda: Line(farm), sock=_listen(host, plan.port))
        for host in hosts
    ]
    for number, behaviour in enumerate(plan.bad):
        # Megabytes sent ahead would cost a publisher's processor, and it is ours here.
        listening = _listen(plan.bad_host(number), plan.port, send_ahead=65_536)
        servers.append(await loop.create_server(partial(BadLine, behaviour), sock=listening))
    print(f"ready http://127.0.0.1:{plan.port}/_urls", flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--feeds", type=int, default=500)
    options.add_argument("--entries", type=int, default=50)
    options.add_argument("--size", type=int, default=60_000, help="bytes of a feed")
    options.add_argument("--hosts", type=int, default=0, help="0: one for each feed")
    options.add_argument("--port", type=int, default=8800)
    options.add_argument("--gzip", action="store_true", help="send feeds packed")
    options.add_argument("--delay", type=float, default=0.0, help="of each answer")
    options.add_argument("--headlines", type=Path, help="a file of what to make articles of")
    for behaviour in BEHAVIOURS:
        options.add_argument(f"--{behaviour}", type=int, default=0, help="bad hosts")
    given = options.parse_args()
    plan = Plan(
        feeds=given.feeds,
        entries=given.entries,
        size=given.size,
        hosts=given.hosts or given.feeds,
        port=given.port,
        packed=given.gzip,
        delay_s=given.delay,
        bad=tuple(behaviour for behaviour in BEHAVIOURS for _ in range(getattr(given, behaviour))),
        headlines=tuple(given.headlines.read_text("utf-8").splitlines()) if given.headlines else (),
    )
    try:
        uvloop.run(serve(plan))
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()
