"""Misbehaviour, one per name, written to the wire byte by byte.

``Publisher.evil("drip")`` returns an address that behaves so. Behaviours that never end
by themselves end when the client goes away or the publisher closes. Bombs are large
only once decoded.
"""

import asyncio
import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache

import brotli  # type: ignore[import-untyped]  # it ships no types
from backports import zstd
from isal import igzip

Behaviour = Callable[[str, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

BOMB_BYTES = 100_000_000
DOCUMENT = b"<rss version='2.0'><channel><title>Cut</title></channel></rss>" * 40


async def _hang(_: str, reader: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    await reader.read()


async def _close(_: str, __: asyncio.StreamReader, ___: asyncio.StreamWriter) -> None:
    return


async def _reset(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    line = writer.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _drip(_: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(_head("content-length: 100000"))
    await _drop_by_drop(reader, writer)


async def _stall(_: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Much at once, and then nothing more."""
    writer.write(_head("content-length: 400000") + b"x" * 200_000)
    await reader.read()


async def _drip_headers(_: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    await _drop_by_drop(reader, writer)


async def _endless_headers(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    await _repeat(writer, b"x-more: and more\r\n")


async def _endless_header(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx-long: ")
    await _repeat(writer, b"x" * 1000)


async def _endless_hints(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _repeat(writer, b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 100)


async def _endless_chunks(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(_head("transfer-encoding: chunked"))
    await _repeat(writer, b"400\r\n" + b"x" * 1024 + b"\r\n")


async def _endless_body(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(_head())
    await _repeat(writer, b"x" * 65_536)


async def _endless_nothing(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Empty stored blocks: a gzip stream that goes on and says nothing."""
    writer.write(_head("content-encoding: gzip"))
    writer.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
    await _repeat(writer, b"\x00\x00\x00\xff\xff" * 10_000)


async def _repeat(writer: asyncio.StreamWriter, data: bytes) -> None:
    while True:
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0)


async def _drop_by_drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send a byte a second until the client goes away."""
    while not reader.at_eof():
        writer.write(b"x")
        await writer.drain()
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.read(1), 1.0)


def _head(*headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode("latin-1")


def _says(make: Callable[[], bytes]) -> Behaviour:
    """Return the behaviour that sends fixed bytes and closes."""

    async def behave(_: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(make())
        await writer.drain()

    return behave


def _sized(body: bytes, *headers: str, status: str = "200 OK", more: int = 0) -> bytes:
    length = f"content-length: {len(body) + more}"
    return _head(*headers, length, status=status) + body


async def _redirect_forever(
    path: str, __: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    number = int(path.partition("?n=")[2] or 0) + 1
    location = f"location: /evil/redirect_forever?n={number}"
    writer.write(_sized(b"", location, status="302 Found"))
    await writer.drain()


@cache
def bomb(encoding: str) -> bytes:
    """Return ``BOMB_BYTES`` zeros, packed."""
    match encoding:
        case "gzip":
            return igzip.compress(bytes(BOMB_BYTES))
        case "deflate":
            return zlib.compress(bytes(BOMB_BYTES), 1)
        case "br":
            return bytes(brotli.compress(bytes(BOMB_BYTES), quality=3))
        case _:
            return zstd.compress(bytes(BOMB_BYTES))


def _bomb(encoding: str, status: str = "200 OK") -> Callable[[], bytes]:
    where = "location: /elsewhere"
    header = f"content-encoding: {encoding}"
    return lambda: _sized(bomb(encoding), header, where, status=status)


@cache
def _stacked(depth: int) -> bytes:
    body = DOCUMENT
    for _ in range(depth):
        body = gzip.compress(body, mtime=0)
    names = ", ".join(["gzip"] * depth)
    return _sized(body, f"content-encoding: {names}")


def _cut(encoding: str, packed: bytes) -> Callable[[], bytes]:
    return lambda: _sized(packed[:-9], f"content-encoding: {encoding}", 'etag: "cut"')


_BEHAVIOURS: dict[str, Behaviour] = {
    "hang": _hang,
    "close": _close,
    "reset": _reset,
    "drip": _drip,
    "stall": _stall,
    "drip_headers": _drip_headers,
    "endless_headers": _endless_headers,
    "endless_header": _endless_header,
    "endless_hints": _endless_hints,
    "endless_chunks": _endless_chunks,
    "endless_body": _endless_body,
    "endless_nothing": _endless_nothing,
    "redirect_forever": _redirect_forever,
    "redirect_loop": _says(
        lambda: _sized(b"", "location: /evil/redirect_loop", status="301 Moved")
    ),
    "redirect_nowhere": _says(lambda: _sized(b"", status="302 Found")),
    "garbage": _says(lambda: b"\x00\x01SSH-2.0-not HTTP at all\r\n\r\n"),
    "upgrade": _says(
        lambda: _head("upgrade: h2c", "connection: upgrade", status="101 Switching Protocols")
    ),
    "short": _says(lambda: _sized(DOCUMENT, 'etag: "cut"', more=1000)),
    "long": _says(lambda: _sized(DOCUMENT) + b"and much more" * 100),
    "two_lengths": _says(
        lambda: _head(f"content-length: {len(DOCUMENT)}", "content-length: 5") + DOCUMENT
    ),
    "bad_length": _says(lambda: _head("content-length: many") + DOCUMENT),
    "cut_chunks": _says(
        lambda: _head("transfer-encoding: chunked", 'etag: "cut"') + b"fff\r\nshort"
    ),
    "bad_chunks": _says(
        lambda: _head("transfer-encoding: chunked") + b"3\r\nabc\r\nzzz\r\nabc\r\n"
    ),
    "cut_gzip": _says(_cut("gzip", gzip.compress(DOCUMENT, mtime=0))),
    "cut_deflate": _says(_cut("deflate", zlib.compress(DOCUMENT))),
    "cut_br": _says(_cut("br", bytes(brotli.compress(DOCUMENT)))),
    "cut_zstd": _says(_cut("zstd", zstd.compress(DOCUMENT))),
    "not_gzip": _says(lambda: _sized(DOCUMENT, "content-encoding: gzip")),
    "unknown_encoding": _says(lambda: _sized(DOCUMENT, "content-encoding: xyz")),
    "stacked": _says(lambda: _stacked(50)),
    "stacked_twice": _says(lambda: _stacked(2)),
    "bomb_gzip": _says(_bomb("gzip")),
    "bomb_deflate": _says(_bomb("deflate")),
    "bomb_br": _says(_bomb("br")),
    "bomb_zstd": _says(_bomb("zstd")),
    "bomb_redirect": _says(_bomb("gzip", "302 Found")),
    "bomb_error": _says(_bomb("gzip", "500 Internal Server Error")),
    "wide_zstd": _says(lambda: _sized(_wide_zstd(), "content-encoding: zstd")),
}
BEHAVIOURS = frozenset(_BEHAVIOURS)


def _wide_zstd() -> bytes:
    """A small document whose frame demands a window of 128 MB to be decoded."""
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    packer = zstd.ZstdCompressor(options=options)
    return packer.compress(DOCUMENT) + packer.flush()


def find(name: str) -> Behaviour:
    """Return the behaviour of a name."""
    return _BEHAVIOURS[name]
