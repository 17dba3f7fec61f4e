"""A publisher on loopback: a real HTTP server that tests tell what to say.

    async with Publisher() as publisher:
        url = publisher.feed("/blog.xml", title="Blog", entries=entries(3))
        publisher.bump("/blog.xml")                  # one entry more, new ETag
        publisher.page("/", "<title>Blog</title>")
        publisher.redirect("/old.xml", "/blog.xml", status=301)
        publisher.script("/shaky", [Answer(503), Answer(body=b"fine")])
        publisher.evil("drip")                       # see tests/publisher_evil.py
        publisher.url("/blog.xml", host="127.0.3.7") # another host, same content
        publisher.page("/", "<title>B</title>", host="127.0.3.7")  # … its own content
        publisher.requests                           # everything that was asked

Every method that places something returns its address. The last answer of a script
repeats. Answers with an ``ETag`` or ``Last-Modified`` give a real 304 when asked with
them. An unknown path answers 404.

Synchronous tests, and tests whose code runs in other processes, use the same thing on a
thread of its own:

    with PublisherThread() as publisher:
        url = publisher.feed("/blog.xml")

It listens on 127.0.0.1 and, on demand, on other addresses of 127.0.0.0/8 and on ::1,
always on one port, never on anything a network could reach.
"""

import asyncio
import hashlib
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from types import TracebackType
from typing import Self

from tests import factories_feeds, publisher_evil
from tests.lines import hang_up

HOME = "127.0.0.1"
PUBLISHED_AT = datetime(2026, 1, 1, tzinfo=UTC)
_TLS_HELLO = b"\x16"
_MAX_HEAD = 262_144
_TAKEN: set[int] = set()
"""Ports of this process. Houses that tests share know the addresses of earlier ones."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer. ``raw`` bytes go out as they are, then the line closes."""

    status: int = 200
    body: bytes | str = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    raw: bytes | None = None
    close: bool = False
    """Close the connection after it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    """With its query."""
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes
    at: float
    """``time.monotonic()``."""
    host: str
    """The address it arrived at."""
    at_once: int
    """Requests to that address that were being answered, this one included."""


@dataclass(slots=True)
class _Script:
    answers: Sequence[Answer]
    given: int = 0

    def next(self) -> Answer:
        answer = self.answers[min(self.given, len(self.answers) - 1)]
        self.given += 1
        return answer


@dataclass(slots=True)
class _Feed:
    said: dict[str, object]
    entries: list[factories_feeds.FeedEntry]
    kind: str
    headers: Mapping[str, str]
    changes: int = 0


class Publisher:
    """The server. Its methods may be called from any thread."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.port = 0
        self._tls = tls
        self._scripts: dict[tuple[str | None, str], _Script] = {}
        self._feeds: dict[tuple[str | None, str], _Feed] = {}
        self._listening: dict[str, socket.socket] = {}
        self._starting: list[asyncio.Future[asyncio.Server]] = []
        self._lines: set[asyncio.Task[None]] = set()
        self._now: Counter[str] = Counter()
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._listen(HOME)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Starts that were asked for from another thread are placed by now.
        await asyncio.sleep(0)
        for server in await asyncio.gather(*self._starting):
            server.close()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)
        await asyncio.sleep(0)

    def url(self, path: str = "/", host: str = HOME) -> str:
        """Return the address of a path on a host, which starts to exist if need be."""
        with self._lock:
            if host not in self._listening:
                self._listen(host)
        scheme = "https" if self._tls else "http"
        name = f"[{host}]" if ":" in host else host
        return f"{scheme}://{name}:{self.port}{path}"

    def hosts(self, count: int) -> list[str]:
        """Return so many host addresses besides the home one, all different."""
        return [f"127.1.{n // 250}.{n % 250 + 1}" for n in range(count)]

    def script(self, path: str, answers: Answer | Sequence[Answer], host: str | None = None) -> str:
        """Say what a path answers, one after the other; the last one repeats."""
        given = [answers] if isinstance(answers, Answer) else list(answers)
        self._scripts[host, path] = _Script(given)
        return self.url(path, host or HOME)

    def file(
        self,
        path: str,
        body: bytes,
        content_type: str,
        *,
        headers: Mapping[str, str] | None = None,
        host: str | None = None,
    ) -> str:
        """Place a document with an ETag."""
        said = {"content-type": content_type, "etag": _etag(body), **(headers or {})}
        return self.script(path, Answer(body=body, headers=said), host)

    def page(self, path: str, html: str, *, status: int = 200, host: str | None = None) -> str:
        """Place an HTML page."""
        headers = {"content-type": "text/html; charset=utf-8"}
        return self.script(path, Answer(status, html, headers), host)

    def redirect(self, path: str, to: str, *, status: int = 302, host: str | None = None) -> str:
        """Place a redirect; ``to`` is sent as it is."""
        return self.script(path, Answer(status, headers={"location": to}), host)

    def feed(
        self,
        path: str = "/feed.xml",
        *,
        entries: Iterable[factories_feeds.FeedEntry] | None = None,
        kind: str = "rss",
        host: str | None = None,
        headers: Mapping[str, str] | None = None,
        **said: object,
    ) -> str:
        """Place a feed (``kind``: rss, atom, json); three entries unless given."""
        written = factories_feeds.entries(3) if entries is None else list(entries)
        self._feeds[host, path] = _Feed(said, written, kind, headers or {})
        return self._publish(host, path)

    def bump(
        self, path: str = "/feed.xml", *new: factories_feeds.FeedEntry, host: str | None = None
    ) -> str:
        """Put new entries on top of a feed (one made up unless given)."""
        feed = self._feeds[host, path]
        feed.changes += 1
        added = list(new) or [factories_feeds.entry(1000 + feed.changes)]
        feed.entries = [*added, *feed.entries]
        return self._publish(host, path)

    def evil(self, name: str, host: str = HOME) -> str:
        """Return an address that misbehaves; see ``publisher_evil.BEHAVIOURS``."""
        if name not in publisher_evil.BEHAVIOURS:
            msg = f"no such behaviour: {name}; there are {publisher_evil.BEHAVIOURS}"
            raise KeyError(msg)
        return self.url(f"/evil/{name}", host)

    def asked(self, path: str | None = None, host: str | None = None) -> list[Request]:
        """Return the requests for a path (without query) and host, oldest first."""
        return [
            request
            for request in self.requests
            if path in {None, request.path.partition("?")[0]} and host in {None, request.host}
        ]

    def count(self, path: str | None = None, host: str | None = None) -> int:
        """Return how often a path was asked for."""
        return len(self.asked(path, host))

    def most_at_once(self, host: str | None = None) -> int:
        """Return the most requests one host had to answer at the same time."""
        return max((r.at_once for r in self.asked(host=host)), default=0)

    def forget(self) -> None:
        """Empty the log of requests."""
        self.requests.clear()

    @property
    def open_lines(self) -> int:
        """The number of connections that clients hold open right now."""
        return len(self._lines)

    def _publish(self, host: str | None, path: str) -> str:
        feed = self._feeds[host, path]
        build, content_type = factories_feeds.FORMATS[feed.kind]
        body = build(entries=feed.entries, **feed.said)
        changed_at = PUBLISHED_AT + timedelta(minutes=feed.changes)
        headers = {
            "content-type": content_type,
            "etag": _etag(body),
            "last-modified": format_datetime(changed_at, usegmt=True),
            **feed.headers,
        }
        return self.script(path, Answer(body=body, headers=headers), host)

    def _listen(self, host: str) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        if not (host == "::1" or host.startswith("127.")):
            msg = f"{host} is not loopback"
            raise ValueError(msg)
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, self.port))
        if not self.port and made.getsockname()[1] in _TAKEN:
            made.close()
            self._listen(host)
            return
        made.listen(1024)
        self.port = made.getsockname()[1]
        _TAKEN.add(self.port)
        self._listening[host] = made
        # The system takes connections from here on, so callers need not wait.
        self._loop.call_soon_threadsafe(self._start, made)

    def _start(self, listening: socket.socket) -> None:
        starting = asyncio.start_server(self._serve, sock=listening, ssl=self._tls, limit=_MAX_HEAD)
        self._starting.append(self._loop.create_task(starting))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        self._lines.add(line)
        host = writer.get_extra_info("sockname")[0]
        try:
            while await self._serve_one(host, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # The client went away, which is its right.
        finally:
            try:
                await hang_up(writer)
            finally:
                self._lines.discard(line)

    async def _serve_one(
        self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        first = await reader.readexactly(1)
        if first == _TLS_HELLO:
            # As servers without TLS do; waiting for the rest takes until the time limit.
            return False
        head = first + await reader.readuntil(b"\r\n\r\n")
        self._now[host] += 1
        try:
            request = _read_head(head, host, at_once=self._now[host])
            length = int(request.headers.get("content-length", 0))
            request = replace(request, body=await reader.readexactly(length))
            self.requests.append(request)
            path = request.path.partition("?")[0]
            if path.startswith("/evil/"):
                behave = publisher_evil.find(path.removeprefix("/evil/"))
                await behave(request.path, reader, writer)
                return False
            return await self._answer(request, self._find(host, path), writer)
        finally:
            self._now[host] -= 1

    def _find(self, host: str, path: str) -> Answer:
        script = self._scripts.get((host, path)) or self._scripts.get((None, path))
        if script is None:
            return Answer(404, "no such page", {"content-type": "text/plain"})
        return script.next()

    async def _answer(self, request: Request, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return False
        if answer.status == 200 and _is_fresh(request.headers, answer.headers):
            answer = replace(answer, status=304, body=b"")
        if "accept-ranges" in answer.headers and "range" in request.headers:
            answer = _ranged(answer, request.headers["range"])
        closes = answer.close or request.headers.get("connection") == "close"
        writer.write(_written(answer, with_body=request.method != "HEAD"))
        await writer.drain()
        return not closes


class PublisherThread:
    """A ``Publisher`` whose event loop runs on its own thread."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._publisher = Publisher(tls)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Publisher:
        self._thread.start()
        self._ready.wait()
        return self._publisher

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with self._publisher:
            self._ready.set()
            await self._stop.wait()


def _read_head(head: bytes, host: str, *, at_once: int) -> Request:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Request(method, path, headers, b"", at=time.monotonic(), host=host, at_once=at_once)


def _is_fresh(asked: Mapping[str, str], said: Mapping[str, str]) -> bool:
    etag = next((v for k, v in said.items() if k.lower() == "etag"), None)
    if etag is not None and "if-none-match" in asked:
        known = {tag.strip() for tag in asked["if-none-match"].split(",")}
        return etag in known or "*" in known
    changed = next((v for k, v in said.items() if k.lower() == "last-modified"), None)
    since = asked.get("if-modified-since")
    if changed is None or since is None or "if-none-match" in asked:
        return False
    try:
        return parsedate_to_datetime(changed) <= parsedate_to_datetime(since)
    except ValueError:
        return False


def _ranged(answer: Answer, asked: str) -> Answer:
    """Cut an answer to the part that a player asks for: ``bytes=100-`` or ``bytes=0-99``."""
    body = answer.body.encode() if isinstance(answer.body, str) else answer.body
    first, _, last = asked.removeprefix("bytes=").partition("-")
    part = body[int(first) : int(last) + 1 if last else len(body)]
    end = int(first) + len(part) - 1
    said = {**answer.headers, "content-range": f"bytes {first}-{end}/{len(body)}"}
    return replace(answer, status=206, body=part, headers=said)


def _written(answer: Answer, *, with_body: bool) -> bytes:
    body = answer.body.encode() if isinstance(answer.body, str) else answer.body
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = "Unheard Of"
    headers = dict(answer.headers)
    if answer.status not in {204, 304}:
        headers.setdefault("content-length", str(len(body)))
    if answer.close:
        headers["connection"] = "close"
    lines = [f"HTTP/1.1 {answer.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    return head + body if with_body else head


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:16]}"'
