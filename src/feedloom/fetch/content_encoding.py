"""Bodies: chunks from the wire in, one decoded document of limited size out.

Understands gzip, deflate, Brotli and zstd, one at a time. Every byte is counted after decoding,
while it comes, so that a bomb is dropped at the limit and not after it. A compressed stream that
stops before its own end is an error even when the length that HTTP promised was kept. Decodes one
step at a time, so that whoever reads a body can wait for memory in between.
"""

from collections.abc import Callable
from typing import Protocol, cast

import brotli  # type: ignore[import-untyped]  # it ships no types
from backports import zstd
from isal import isal_zlib

from feedloom.model.errors import TooLarge, Unreachable

_GZIP_WBITS = 31
_ZLIB_WBITS = 15
_ZLIB_HEADER_SIZE = 2
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_MEMBERS = 100
"""Streams may be strung together; so many of them is an attack, not a document."""
# RFC 9659 asks HTTP clients for windows of 8 MB. A frame may demand 16 times that.
_ZSTD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
_DECODING_ERRORS: tuple[type[Exception], ...] = (  # type: ignore[assignment]  # isal's stubs
    isal_zlib.IsalError,
    brotli.error,
    zstd.ZstdError,
)
# Real servers put these where an encoding belongs; they mean that there is none.
_NO_ENCODING = frozenset({"", "identity", "none", "utf-8", "utf8", "binary", "8bit"})
_DAMAGED = "The server's response is damaged or incomplete."
_STEP = 65_536
_MEGABYTE = 1_000_000
_MOST_PIECES = 64
"""Kept as they come, because most bodies are few and large ones."""


class Body:
    """Collects one body within ``limit`` decoded bytes."""

    def __init__(self, content_encoding: str, limit: int) -> None:
        self._decoder = _decoder_for(content_encoding)
        self._limit = limit
        self._pieces: list[bytes] = []
        self._rest = bytearray()
        self.size = 0
        """Decoded bytes so far."""
        self._received = 0

    def feed(self, chunk: bytes) -> bool:
        """Take a chunk from the wire, or an empty one while this returns True.

        A chunk is decoded a step at a time. Raises ``TooLarge`` or ``Unreachable``.
        """
        self._received += len(chunk)
        has_more = False
        if self._decoder is not None:
            step = min(_STEP, self._limit - self.size + 1)
            try:
                chunk = self._decoder.decode(chunk, step)
            except _DECODING_ERRORS as error:
                raise Unreachable(_DAMAGED) from error
            has_more = len(chunk) >= step
        self.size += len(chunk)
        # A server may send two bytes at a time, and each object takes forty of its own.
        if len(self._pieces) < _MOST_PIECES:
            self._pieces.append(chunk)
        else:
            self._rest += chunk
        # What arrives is counted too: a stream of empty blocks decodes to nothing.
        if self.size > self._limit or self._received > self._limit + _MEGABYTE:
            raise too_large(self._limit)
        return has_more

    def whole(self) -> bytes:
        """Return the document; raise ``Unreachable`` when its end is missing."""
        if self._decoder and self._received and not self._decoder.finished:
            raise Unreachable(_DAMAGED)
        return self._joined()

    def beginning(self) -> bytes:
        """Return what came so far, cut at the limit."""
        return self._joined()[: self._limit]

    def clear(self) -> None:
        """Forget what came: an error holds this body through its traceback."""
        self._pieces.clear()
        self._rest.clear()
        self._decoder = None

    def _joined(self) -> bytes:
        return self._pieces[0] if len(self._pieces) == 1 else b"".join((*self._pieces, self._rest))


def too_large(limit: int) -> TooLarge:
    """Return the error that names the limit in words."""
    if limit < _MEGABYTE:
        return TooLarge(f"The document is larger than {limit // 1000} KB.")
    return TooLarge(f"The document is larger than {limit // _MEGABYTE} MB.")


def _decoder_for(content_encoding: str) -> "_Members | _Brotli | None":
    names = content_encoding.lower().split(",")
    wanted = [name for name in map(str.strip, names) if name not in _NO_ENCODING]
    match wanted:
        case []:
            return None
        case ["gzip" | "x-gzip"]:
            return _Members(_start_gzip, magic=_GZIP_MAGIC)
        case ["deflate"]:
            return _Members(_start_deflate, least=_ZLIB_HEADER_SIZE)
        case ["zstd"]:
            return _Members(_start_zstd, magic=_ZSTD_MAGIC)
        case ["br"]:
            return _Brotli()
        case _:
            raise Unreachable("The server's response uses an unknown encoding.")


class _Stream(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Members:
    """Streams that end by themselves and may follow one another."""

    def __init__(
        self, start: Callable[[bytes], _Stream], *, magic: bytes | None = None, least: int = 1
    ) -> None:
        self._start = start
        self._magic = magic
        self._least = least
        self._stream: _Stream | None = None
        self._members = 0
        self._held = b""
        self._is_full = False
        """The stream has more to give without further input."""

    @property
    def finished(self) -> bool:
        """True when the stream came to its own end."""
        return self._members > 0 and self._stream is None

    def decode(self, data: bytes, room: int) -> bytes:
        """Decode; at ``room`` bytes or more, keep the rest of the input for later."""
        data = self._held + data
        self._held = b""
        out = b""
        while (data or self._is_full) and (stream := self._stream_for(data)):
            out += stream.decompress(data, room - len(out))
            self._is_full = len(out) >= room and not stream.eof
            if stream.eof:
                data = stream.unused_data
                self._stream = None
            else:
                data = getattr(stream, "unconsumed_tail", b"")
            if len(out) >= room or not stream.eof:
                self._held = data
                break
        return out

    def _stream_for(self, data: bytes) -> _Stream | None:
        if self._stream is None:
            if self._members == 0:
                starts = len(data) >= self._least
            else:
                # What follows the last member and is none is padding, to be ignored.
                starts = self._magic is not None and data.startswith(self._magic)
            if not starts:
                # A header cut in two by the wire: the rest of it comes next.
                size = len(self._magic or b"") if self._members else self._least
                self._held = data[:size]
                return None
            self._members += 1
            if self._members > _MAX_MEMBERS:
                raise Unreachable(_DAMAGED)
            self._stream = self._start(data)
        return self._stream


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    @property
    def finished(self) -> bool:
        return bool(self._stream.is_finished())

    def decode(self, data: bytes, room: int) -> bytes:
        if self._stream.is_finished():
            return b""
        # It may return twice the limit it is given.
        return bytes(self._stream.process(data, output_buffer_limit=room))


def _start_gzip(_: bytes) -> _Stream:
    return cast("_Stream", isal_zlib.decompressobj(_GZIP_WBITS))


def _start_deflate(data: bytes) -> _Stream:
    # "deflate" means a zlib stream (RFC 1950: method 8, a header divisible by 31),
    # yet some servers send the bare one that belongs inside it.
    header = int.from_bytes(data[:_ZLIB_HEADER_SIZE], "big")
    is_zlib = header >> 8 & 0x0F == isal_zlib.DEFLATED and header % 31 == 0
    return cast("_Stream", isal_zlib.decompressobj(_ZLIB_WBITS if is_zlib else -_ZLIB_WBITS))


def _start_zstd(_: bytes) -> _Stream:
    return zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
