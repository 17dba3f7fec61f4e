"""Hits on the wire: many requests on one line, in every order, and lines that end."""

import asyncio
import re

import pytest

from feedloom.serve.middleware.server import MOST_PIPELINED
from tests.journeys.proxies.desk import Desk, rss_path

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"(?i)content-length: (\d+)")


class Line:
    """One connection, spoken by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, desk: Desk) -> "Line":
        port = int(desk.server.url.rpartition(":")[2])
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    def say(self, *requests: str) -> None:
        self._writer.write("".join(requests).encode())

    async def hear(self, *, has_body: bool = True) -> tuple[int, bytes, bytes]:
        """Read one answer: status, head and body."""
        async with asyncio.timeout(10):
            head = await self._reader.readuntil(HEAD_END)
            found = LENGTH.search(head)
            size = int(found[1]) if found and has_body else 0
            return int(head.split()[1]), head, await self._reader.readexactly(size)

    async def is_over(self) -> bool:
        async with asyncio.timeout(10):
            return await self._reader.read(1) == b""

    def close(self) -> None:
        self._writer.close()


def request(
    path: str, *said: str, method: str = "GET", version: str = "1.1", body: str = ""
) -> str:
    headers = "".join(f"{line}\r\n" for line in ("Host: x", *said))
    return f"{method} {path} HTTP/{version}\r\n{headers}\r\n{body}"


@pytest.fixture
async def hot(desk: Desk) -> str:
    """The path of a document that is in memory now."""
    url = desk.feed()
    await desk.built(url)
    path = rss_path(url)
    assert (await desk.visitor.get(path)).status == 200
    return path


async def test_a_line_serves_many_hits(desk: Desk, hot: str):
    line = await Line.open(desk)
    for _ in range(5):
        line.say(request(hot))
        status, head, body = await line.hear()

        assert (status, body[:5]) == (200, b"<?xml")
        assert b"connection: close" not in head.lower()
        assert head.lower().count(b"\r\ndate: ") == 1
    line.close()


async def test_requests_sent_at_once_are_answered_in_order(desk: Desk, hot: str):
    line = await Line.open(desk)
    etag = re.search(rb"(?i)etag: (\S+)", (await first(desk, hot))[1])
    assert etag is not None
    known = f"If-None-Match: {etag[1].decode()}"

    line.say(
        request(hot),
        request("/healthz"),
        request(hot, known),
        request("/rss?url=https://nowhere.example/"),
        request(hot, method="HEAD"),
        request(hot),
    )
    heard = [await line.hear() for _ in range(4)]
    heard.append(await line.hear(has_body=False))
    heard.append(await line.hear())

    assert [status for status, _, _ in heard] == [200, 200, 304, 404, 200, 200]
    assert heard[0][2] == heard[5][2]
    assert heard[2][2] == heard[4][2] == b""
    line.close()


async def first(desk: Desk, path: str) -> tuple[int, bytes, bytes]:
    line = await Line.open(desk)
    line.say(request(path))
    heard = await line.hear()
    line.close()
    return heard


@pytest.mark.parametrize(("said", "version"), [(("Connection: close",), "1.1"), ((), "1.0")])
async def test_a_line_ends_when_it_is_asked_to(desk: Desk, hot: str, said, version):
    line = await Line.open(desk)
    line.say(request(hot, *said, version=version))

    status, head, body = await line.hear()

    assert (status, body[-7:]) == (200, b"</rss>\n")
    assert b"connection: close" in head.lower()
    assert await line.is_over()
    line.close()


async def test_a_body_nobody_asked_for_is_passed_over(desk: Desk, hot: str):
    line = await Line.open(desk)
    line.say(request(hot, "Content-Length: 5", body="hello"), request(hot))

    answers = [await line.hear() for _ in range(2)]

    assert [status for status, _, _ in answers] == [200, 200]
    line.close()


async def test_a_head_in_pieces_is_a_head(desk: Desk, hot: str):
    line = await Line.open(desk)
    whole = request(hot)
    for piece in (whole[:7], whole[7:30], whole[30:]):
        line.say(piece)
        await asyncio.sleep(0.02)

    assert (await line.hear())[0] == 200
    line.close()


async def test_who_reads_slowly_gets_all_of_it(desk: Desk, hot: str):
    line = await Line.open(desk)
    line.say(*[request(hot)] * MOST_PIPELINED)
    await asyncio.sleep(0.3)

    bodies = {(await line.hear())[2] for _ in range(MOST_PIPELINED)}

    assert len(bodies) == 1
    line.close()
