"""The demonstration's publishers: who they are, what they have written, their web server.

They stand in ``sample_blogs.toml``. Each has a homepage, a feed, a page per article and an
icon under a folder of its own. Feeds have an ``ETag`` and answer 304. What is published
depends on the clock alone, and the only thing that can be changed is a feed's address, to
see how that heals.
"""

import hashlib
import io
import math
import re
import tomllib
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from feedloom.markup import clean_html
from feedloom.model.distilled.documents import Channel, ViewItem
from feedloom.model.feed import Enclosure
from feedloom.publish import view_feed

_CORRECTED_AFTER = timedelta(hours=12)
TICK = timedelta(minutes=10)
"""How often a ticker reports."""
_TICKS_SHOWN = 24
_TICKS_BEFORE = 2
"""A ticker is younger than the week: it would drown everything else."""
_TIDE_H = 12.42
_FOLDER = Path(__file__).parent
_GONE, _ABSENT = 410, 404
_FIRST_FEED = "feed.xml"
_TEMPLATES = Environment(loader=FileSystemLoader(_FOLDER / "templates"), autoescape=True)
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="7" fill="hsl({hue} 45% 42%)"/>'
    '<text x="16" y="23" text-anchor="middle" font-family="Georgia, serif"'
    ' font-size="20" fill="#fff">{letter}</text></svg>'
)
_AUDIO_RATE, _AUDIO_S, _AUDIO_HZ = 8_000, 3, 330


@dataclass(frozen=True, slots=True)
class Piece:
    slug: str
    title: str
    html: str
    published_at: datetime
    audio: bool = False


@dataclass(frozen=True, slots=True)
class Blog:
    slug: str
    title: str
    folder: str
    """Where the demonstration's reader keeps it; empty for one they do not know yet."""
    about: str
    stories: tuple[tuple[str, str], ...]
    """Titles and first sentences, newest first."""
    first_wordings: dict[str, list[str]] = field(default_factory=dict)
    """By title: what the title and the first sentence were before the publisher changed them."""
    rest: tuple[str, ...] = ("",)
    """What follows the first sentences, in turn."""
    author: str = ""
    every_h: float = 7.0
    first_h: float = 1.0
    """Hours between the newest story and the present."""
    audio: bool = False
    language: str = "en"
    format: str = "rss"
    moved_h: float | None = None
    """Its feed got another address so many hours ago."""
    gone_h: float | None = None
    """Its site vanished so many hours ago."""
    is_ticker: bool = False
    has_comments: bool = False
    """It offers a second, worse feed."""

    def pieces(self, *, opened_at: datetime, now: datetime) -> list[Piece]:
        """List what is published by now, newest first.

        ``opened_at`` is when the demonstration began: it fixes all dates, so that they
        are the same whenever the publisher is asked.
        """
        ticks = list(self._ticks(opened_at, now)) if self.is_ticker else []
        told = [
            self._piece(place, opened_at, now)
            for place in range(len(self.stories))
            if self._told_at(place, opened_at) <= now
        ]
        return ticks + told

    def _told_at(self, place: int, opened_at: datetime) -> datetime:
        return opened_at - timedelta(hours=self.first_h + place * self.every_h)

    def _piece(self, place: int, opened_at: datetime, now: datetime) -> Piece:
        title, first = self.stories[place]
        # The number keeps titles apart that leave nothing an address can hold.
        slug = f"{len(self.stories) - place}-{slug_of(title)}".rstrip("-")
        told_at = self._told_at(place, opened_at)
        if now < told_at + _CORRECTED_AFTER:
            title, first = self.first_wordings.get(title, (title, first))
        text = f"<p>{first}</p>{self.rest[place % len(self.rest)]}"
        return Piece(slug, title, text, told_at, self.audio)

    def _ticks(self, opened_at: datetime, now: datetime) -> Iterator[Piece]:
        newest = (now - opened_at) // TICK
        oldest = max(newest - _TICKS_SHOWN, -_TICKS_BEFORE - 1)
        for number in range(newest, oldest, -1):
            at = opened_at + number * TICK
            phase = math.tau * at.timestamp() / 3_600 / _TIDE_H
            metres = 2.6 + 1.9 * math.sin(phase)
            trend = "rising" if math.cos(phase) > 0 else "falling"
            title = f"{at:%H:%M} at the quay: {metres:.1f} m and {trend}"
            html = f"<p>The gauge at the old quay read {metres:.2f} m at {at:%H:%M}.</p>"
            yield Piece(f"tide-{at:%Y%m%d-%H%M}", title, html, at)


def slug_of(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].rstrip("-")


def _read() -> Iterator[Blog]:
    found = tomllib.loads((_FOLDER / "sample_blogs.toml").read_text("utf-8"))
    for blog in found["blogs"]:
        rest = found["texts"].get(blog.pop("rest", ""), ("",))
        stories = tuple((title, first) for title, first in blog.pop("stories"))
        yield Blog(**blog, stories=stories, rest=tuple(rest))


BLOGS = tuple(_read())


@dataclass(slots=True)
class Sites:
    url: str
    """Where they are, without a slash at the end."""
    opened_at: datetime
    now: Callable[[], datetime]
    moves: dict[str, int] = field(default_factory=dict)
    """How often somebody moved a publisher's feed, by its slug."""

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self._overview),
                Route("/move/{slug}", self._move, methods=["POST"]),
                Route("/{slug}/", self._home),
                Route("/{slug}/icon.svg", self._icon),
                Route("/{slug}/comments.xml", self._comments),
                Route("/{slug}/{name}.xml", self._feed),
                Route("/{slug}/{name}.wav", self._audio),
                Route("/{slug}/{name}", self._article),
            ]
        )

    def home_url(self, blog: Blog) -> str:
        return f"{self.url}/{blog.slug}/"

    def feed_url(self, blog: Blog) -> str:
        return f"{self.url}/{blog.slug}/{self._feed_name(blog)}"

    def first_feed_url(self, blog: Blog) -> str:
        return f"{self.url}/{blog.slug}/{_FIRST_FEED}"

    def _feed_name(self, blog: Blog) -> str:
        number = self.moves.get(blog.slug, 0) + self._is_past(blog.moved_h)
        return f"feed-{number + 1}.xml" if number else _FIRST_FEED

    def _is_past(self, hours: float | None) -> bool:
        return hours is not None and self.now() >= self.opened_at - timedelta(hours=hours)

    def _blog(self, request: Request) -> Blog:
        for blog in BLOGS:
            if blog.slug == request.path_params["slug"] and not self._is_past(blog.gone_h):
                return blog
        raise HTTPException(_ABSENT)

    def _pieces(self, blog: Blog) -> list[Piece]:
        return blog.pieces(opened_at=self.opened_at, now=self.now())

    async def _overview(self, _request: Request) -> Response:
        living = [blog for blog in BLOGS if not self._is_past(blog.gone_h)]
        return _page("overview.html", blogs=living, sites=self)

    async def _move(self, request: Request) -> Response:
        blog = self._blog(request)
        self.moves[blog.slug] = self.moves.get(blog.slug, 0) + 1
        return RedirectResponse("/", 303)

    async def _home(self, request: Request) -> Response:
        blog = self._blog(request)
        pieces, feed_name = self._pieces(blog), self._feed_name(blog)
        return _page("home.html", blog=blog, pieces=pieces, feed_name=feed_name)

    async def _icon(self, request: Request) -> Response:
        blog = self._blog(request)
        hue = int(hashlib.sha256(blog.slug.encode()).hexdigest(), 16) % 360
        svg = _ICON.format(hue=hue, letter=blog.title[:1])
        return Response(svg, media_type="image/svg+xml")

    async def _feed(self, request: Request) -> Response:
        blog = self._blog(request)
        if f"{request.path_params['name']}.xml" != self._feed_name(blog):
            raise HTTPException(_GONE)
        document = self.document(blog)
        etag = f'"{hashlib.sha256(document).hexdigest()[:24]}"'
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers={"ETag": etag})
        kind = f"application/{blog.format}+xml"
        return Response(document, media_type=kind, headers={"ETag": etag})

    def document(self, blog: Blog) -> bytes:
        home = self.home_url(blog)
        pieces = self._pieces(blog)
        newest = max((one.published_at for one in pieces), default=self.opened_at)
        form: Literal["rss", "atom"] = "atom" if blog.format == "atom" else "rss"
        return view_feed(
            Channel(blog.title, home, blog.about, blog.language),
            [_item(home, blog, piece) for piece in pieces],
            updated_at=newest,
            self_url=self.feed_url(blog),
            format=form,
        )

    async def _comments(self, request: Request) -> Response:
        blog = self._blog(request)
        if not blog.has_comments:
            raise HTTPException(_ABSENT)
        home = self.home_url(blog)
        channel = Channel(f"Comments on {blog.title}", home, "What readers say.")
        document = view_feed(channel, [], updated_at=self.opened_at, self_url=f"{home}comments.xml")
        return Response(document, media_type="application/rss+xml")

    async def _article(self, request: Request) -> Response:
        blog = self._blog(request)
        for piece in self._pieces(blog):
            if piece.slug == request.path_params["name"]:
                return _page("article.html", blog=blog, piece=piece)
        raise HTTPException(_ABSENT)

    async def _audio(self, request: Request) -> Response:
        if not self._blog(request).audio:
            raise HTTPException(_ABSENT)
        return Response(_tone(), media_type="audio/wav")


def _item(home: str, blog: Blog, piece: Piece) -> ViewItem:
    link = f"{home}{piece.slug}"
    audio = Enclosure(f"{link}.wav", "audio/wav", len(_tone()))
    return ViewItem(
        guid=link,
        url=link,
        title=piece.title,
        content=clean_html(piece.html, base_url=home),
        published_at=piece.published_at,
        author=blog.author or None,
        categories=(blog.folder.lower(),) if blog.folder else (),
        enclosures=(audio,) if piece.audio else (),
    )


def _page(name: str, **given: object) -> Response:
    return HTMLResponse(_TEMPLATES.get_template(name).render(**given))


@cache
def _tone() -> bytes:
    count = _AUDIO_RATE * _AUDIO_S
    step = math.tau * _AUDIO_HZ / _AUDIO_RATE
    samples = bytes(round(128 + 60 * (1 - n / count) * math.sin(n * step)) for n in range(count))
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(_AUDIO_RATE)
        sound.writeframes(samples)
    return file.getvalue()
