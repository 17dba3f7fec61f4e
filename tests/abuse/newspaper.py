"""A publisher whose feeds are good until they are told to misbehave, as all else of it does.

A feed links to a page, an article, pictures, a recording with chapters and an icon on the
same host; ``asked_for`` counts what was asked for, by the first part of its path.
"""

import asyncio
import random
import re
from collections import Counter
from email.utils import format_datetime

from feedloom.app import SystemClock
from tests.abuse.lab import Behaviour, Site, packed
from tests.serving import HTML, Visitor

MANY = 200_000
NOISE = b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(9_900_000)
_PICTURE = re.compile(r'src="(/images/[^"]+)"')


class Newspaper(Site):
    """Good feeds under ``/feed``, bad answers everywhere else."""

    def __init__(self, behave: Behaviour, *, pictures: int = 1) -> None:
        super().__init__(behave)
        self.pictures = pictures
        self.asked_for: Counter[str] = Counter()
        self.is_good = True

    async def until_asked_for(self, place: str) -> None:
        """Wait until something was asked for."""
        while place not in self.asked_for:
            await self.wait_for_request()

    async def answer(self, path: str, writer: asyncio.StreamWriter) -> None:
        kind = path.split("/")[1]
        self.asked_for[kind] += 1
        if kind == "feed" and self.is_good:
            body = self._feed(path.rpartition("/")[2])
            length = f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write(f"HTTP/1.1 200 OK\r\n{length}".encode() + body)
            await writer.drain()
        else:
            await self.behave(writer)

    def _feed(self, number: str) -> bytes:
        now = format_datetime(SystemClock().now())
        url = self.url("", host=f"127.0.0.{number}")
        pictures = "".join(
            f"&lt;img src='{url}/picture/{number}-{n}'&gt;" for n in range(self.pictures)
        )
        return (
            "<rss version='2.0' xmlns:podcast='https://podcastindex.org/namespace/1.0'>"
            f"<channel><title>Paper {number}</title>"
            f"<link>{url}/home/{number}</link>"
            f"<item><title>News of {number}</title><guid>{number}</guid>"
            f"<link>{url}/article/{number}</link><pubDate>{now}</pubDate>"
            f"<enclosure url='{url}/sound/{number}' type='audio/mpeg' length='1'/>"
            f"<podcast:chapters url='{url}/chapters/{number}' type='application/json'/>"
            f"<description>What happened at place {number} today.{pictures}</description></item>"
            "</channel></rss>"
        ).encode()


async def pictures_of(reader: Visitor, item: int) -> list[str]:
    """Find the addresses of an article's pictures at this server."""
    page = await reader.get(f"/articles/{item}", headers=HTML)
    return _PICTURE.findall(page.text)


def plain(body: bytes, kind: str) -> Behaviour:
    """Answer with a body as it is."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()

    return behave


def large() -> Behaviour:
    """Send 60 MB as they are."""
    return _stream(1_100)


def endless() -> Behaviour:
    """Send without end."""
    return _stream(None)


def slow() -> Behaviour:
    """Send a byte now and then."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.2)

    return behave


def compressed() -> Behaviour:
    """Send 100 MB that are 100 KB on the wire."""
    return packed(b"<p>words and more words</p>\n" * 3_700_000)


def many() -> Behaviour:
    """List as many entries, links and icons as fit into 9 MB, each of its own."""
    links = "".join(
        f"<a href='/feed/{n}.xml'>f</a><link rel=icon href='/{n}'>" for n in range(MANY)
    )
    return packed(f"<!doctype html><title>x</title>{links}".encode())


def _stream(times: int | None) -> Behaviour:
    part = b"<p>words and more words</p>\n" * 2_000

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        sent = 0
        while times is None or sent < times:
            sent += 1
            writer.write(part)
            await writer.drain()
            # Others have their turn also where somebody reads as quickly.
            await asyncio.sleep(0)

    return behave


KINDS = {"large": large, "endless": endless, "slow": slow, "compressed": compressed, "many": many}
