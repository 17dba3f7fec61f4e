import gzip
import tracemalloc
import zlib

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from feedloom.fetch.content_encoding import Body, _Members, too_large
from feedloom.model.errors import TooLarge, Unreachable

DOCUMENT = b"<rss>" + bytes(range(256)) * 300 + b"</rss>"


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress(DOCUMENT)),
    "x-gzip": ("X-GZip", gzip.compress(DOCUMENT)),
    "gzip in two members": ("gzip", gzip.compress(DOCUMENT[:99]) + gzip.compress(DOCUMENT[99:])),
    "deflate": ("deflate", zlib.compress(DOCUMENT)),
    "deflate without its header": ("deflate", bare_deflate(DOCUMENT)),
    "br": ("br", brotli.compress(DOCUMENT)),
    "zstd": ("zstd", zstd.compress(DOCUMENT)),
    "zstd in two frames": ("zstd", zstd.compress(DOCUMENT[:99]) + zstd.compress(DOCUMENT[99:])),
    "nothing": ("", DOCUMENT),
    "identity": ("identity", DOCUMENT),
    "a charset by mistake": ("UTF-8", DOCUMENT),
    "gzip and identity": ("identity, gzip", gzip.compress(DOCUMENT)),
}
BOMB = bytes(20_000_000)
BOMBS = {
    "gzip": gzip.compress(BOMB, 1),
    "deflate": zlib.compress(BOMB, 1),
    "br": brotli.compress(BOMB, quality=1),
    "zstd": zstd.compress(BOMB),
    "": BOMB,
}


def feed(body: Body, data: bytes, step: int) -> None:
    for start in range(0, len(data), step):
        chunk = data[start : start + step]
        while body.feed(chunk):
            chunk = b""


def unpack(encoding: str, data: bytes, step: int = 1 << 20, limit: int = 10**6) -> bytes:
    body = Body(encoding, limit)
    feed(body, data, step)
    return body.whole()


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("step", [1, 7, 4096, 1 << 20])
def test_document_comes_out_however_the_wire_cuts_it(kind, step):
    encoding, packed = PACKED[kind]

    assert unpack(encoding, packed, step) == DOCUMENT


@pytest.mark.threat("S19")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("missing", [1, 4, 9, 50])
def test_stream_without_its_end_is_an_error(encoding, missing):
    _, packed = PACKED[encoding]

    with pytest.raises(Unreachable):
        unpack(encoding, packed[:-missing])


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_stream_of_something_else_is_an_error(encoding):
    with pytest.raises(Unreachable):
        unpack(encoding, DOCUMENT)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", ""])
def test_empty_body_is_empty_in_every_encoding(encoding):
    assert unpack(encoding, b"") == b""


@pytest.mark.threat("S17")
@pytest.mark.parametrize("encoding", BOMBS)
@pytest.mark.parametrize("step", [1000, 1 << 20])
def test_bomb_is_dropped_at_the_limit(encoding, step):
    body = Body(encoding, 1_000_000)

    with pytest.raises(TooLarge):
        feed(body, BOMBS[encoding], step)

    assert len(body.beginning()) == 1_000_000
    assert body.size < 2_500_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", ""])
def test_document_of_exactly_the_limit_is_whole(encoding):
    _, packed = PACKED[encoding or "nothing"]

    assert unpack(encoding, packed, limit=len(DOCUMENT)) == DOCUMENT
    with pytest.raises(TooLarge):
        unpack(encoding, packed, limit=len(DOCUMENT) - 1)


@pytest.mark.threat("S17")
@pytest.mark.parametrize(
    "encoding", ["gzip, gzip", ", ".join(["gzip"] * 50), "br,zstd", "xyz", "compress"]
)
def test_stacked_and_unknown_encodings_are_refused(encoding):
    with pytest.raises(Unreachable):
        Body(encoding, 100)


def test_stream_of_empty_blocks_is_too_large_by_what_arrives():
    body = Body("gzip", 1000)
    body.feed(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")

    with pytest.raises(TooLarge):
        feed(body, b"\x00\x00\x00\xff\xff" * 1_000_000, 50_000)


@pytest.mark.threat("S17")
@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_thousands_of_members_are_refused(pack):
    encoding = "gzip" if pack is gzip.compress else "zstd"

    with pytest.raises(Unreachable):
        unpack(encoding, pack(b"x") * 2000)


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "deflate"])
@pytest.mark.parametrize("step", [1, 1 << 20])
def test_padding_after_the_end_is_ignored(encoding, step):
    _, packed = PACKED[encoding]

    assert unpack(encoding, packed + b"\x00" * 20, step) == DOCUMENT


@pytest.mark.threat("S17")
def test_zstd_frame_that_demands_a_huge_window_is_refused():
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: 27,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    packer = zstd.ZstdCompressor(options=options)
    packed = packer.compress(DOCUMENT) + packer.flush()

    with pytest.raises(Unreachable):
        unpack("zstd", packed)


@given(st.sampled_from(["gzip", "deflate", "br", "zstd", ""]), st.lists(st.binary(max_size=200)))
def test_any_bytes_end_in_a_document_or_one_of_our_errors(encoding, chunks):
    body = Body(encoding, 1000)

    try:
        for chunk in chunks:
            body.feed(chunk)
        out = body.whole()
    except (Unreachable, TooLarge):
        out = body.beginning()

    assert len(out) <= 1000


def test_too_large_names_the_limit():
    assert str(too_large(10_000_000)) == "The document is larger than 10 MB."
    assert str(too_large(500_000)) == "The document is larger than 500 KB."


@pytest.mark.threat("S17")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_what_follows_the_last_stream_is_not_kept(encoding):
    _, packed = PACKED[encoding]
    body = Body(encoding, 10_000_000)
    feed(body, packed, 1000)

    for _ in range(5000):
        body.feed(b"\x00" * 1000)
        assert isinstance(body._decoder, _Members)
        assert len(body._decoder._held) <= 4

    assert body.whole() == DOCUMENT


def test_a_header_of_two_bytes_may_come_in_two_chunks():
    for packed in (PACKED["deflate"][1], PACKED["deflate without its header"][1]):
        body = Body("deflate", 10**6)
        feed(body, packed[:2], 1)
        feed(body, packed[2:], len(packed))
        assert body.whole() == DOCUMENT


@pytest.mark.threat("S18")
@pytest.mark.parametrize("step", [1, 2, 100])
def test_small_chunks_take_no_more_memory_than_they_hold(step):
    data = bytes(300_000)
    tracemalloc.start()
    body = Body("", 10**6)
    feed(body, data, step)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert kept < 3 * len(data)
    assert body.whole() == body.beginning() == data


def test_a_body_in_one_chunk_is_not_copied():
    body = Body("", 10**6)
    body.feed(DOCUMENT)

    assert body.whole() is DOCUMENT
