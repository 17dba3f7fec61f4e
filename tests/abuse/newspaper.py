"""A publisher whose feeds are good until they are told to misbehave, as all else of it does.

A feed links to a page, an article and an icon on the same host; ``asked_for`` counts what
was asked for, by the first part of its path.
"""

import asyncio
from collections import Counter
from email.utils import format_datetime

from feedloom.app import SystemClock
from tests.abuse.lab import Behaviour, Site, packed

MANY = 200_000


class Newspaper(Site):
    """Good feeds under ``/feed``, bad answers everywhere else."""

    def __init__(self, behave: Behaviour) -> None:
        super().__init__(behave)
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
        return (
            f"<rss version='2.0'><channel><title>Paper {number}</title>"
            f"<link>{url}/home/{number}</link>"
            f"<item><title>News of {number}</title><guid>{number}</guid>"
            f"<link>{url}/article/{number}</link><pubDate>{now}</pubDate>"
            f"<description>What happened at place {number} today.</description></item>"
            "</channel></rss>"
        ).encode()


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


KINDS = {
    "large": large,
    "endless": endless,
    "slow": slow,
    "compressed": compressed,
    "many": many,
}
