"""The child process that guesses, seen from inside: frames and answers."""

import io
from collections.abc import Callable

import feedparser
import msgspec
import pytest

from feedloom.model.errors import ParseError
from feedloom.parse.child import answer
from feedloom.parse.guesses import MAX_BYTES, bounded
from feedloom.parse.parser import Reply, Request
from feedloom.processes import answer_frames, read_frame, write_frame
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.pieces import atom, entry, item, rss


def asked(body: bytes) -> bytes:
    return msgspec.msgpack.encode(Request(body, URL, "", NOW))


def ask(body: bytes) -> Reply:
    return msgspec.msgpack.decode(answer(asked(body)), type=Reply)


def test_frames_come_out_as_they_went_in():
    stream = io.BytesIO()
    for body in (b"", b"one", bytes(100_000)):
        write_frame(stream, body)
    stream.seek(0)

    assert [read_frame(stream) for _ in range(4)] == [b"", b"one", bytes(100_000), None]


@pytest.mark.parametrize("cut", [1, 7, 8, 9, 11])
def test_half_a_frame_is_none(cut: int):
    stream = io.BytesIO()
    write_frame(stream, b"word")

    assert read_frame(io.BytesIO(stream.getvalue()[:cut])) is None


def test_a_feed_is_answered_with_its_entries():
    reply = ask(atom(entry()).encode())

    assert reply.feed is not None
    assert reply.feed.entries[0].title == "A title"
    assert not reply.feed.fast


def test_another_document_is_answered_with_its_kind():
    reply = ask(b"<note>x</note>")

    assert (reply.feed, reply.kind) == (None, "xml")
    assert reply.message.endswith(".")


def test_a_damaged_document_is_answered_with_a_sentence():
    reply = ask(b"<rss><channel></rss>")

    assert (reply.feed, reply.kind) == (None, "")
    assert reply.message.endswith(".")


@pytest.mark.threat("P1")
def test_bytes_that_look_like_a_path_are_not_opened():
    assert ask(b"/etc/hostname").kind == "text"


def test_a_short_document_is_left_whole():
    body = rss(item()).encode()

    assert bounded(body) == (body, False)


def test_a_long_document_is_cut():
    body = rss(item(description="x" * 3_000_000)).encode()
    within, cut = bounded(body)

    assert cut
    assert len(within) <= MAX_BYTES


def test_tags_in_sections_do_not_count():
    body = rss(item(description=f"<![CDATA[{'<b>' * 30_000}]]>")).encode()

    assert bounded(body) == (body, False)


@pytest.mark.threat("P8")
@pytest.mark.parametrize(
    "body",
    [b"<a>" * 3_000, b"<item" + b"".join(b' a%d="x"' % n for n in range(300)) + b">", b"<" * 3_000],
)
def test_documents_that_would_take_too_long_are_refused(body: bytes):
    with pytest.raises(ParseError):
        bounded(body)


@pytest.mark.parametrize(
    "body", [b"<br>" * 5_000, b"<a/>" * 5_000, b"<p>x" * 5_000, b"<a></a>" * 5_000]
)
def test_many_small_elements_are_fine(body: bytes):
    assert bounded(body)[0] == body


def test_an_unfinished_tag_at_the_end_is_cut_off():
    assert bounded(b"<rss>x<item a='1'") == (b"<rss>x", True)


def test_serving_answers_each_request_and_ends_with_the_last():
    source, sink = io.BytesIO(), io.BytesIO()
    for body in (rss(item()).encode(), b"<note/>"):
        write_frame(source, asked(body))
    source.seek(0)
    answer_frames(answer, source, sink)
    sink.seek(0)
    first, second, end = (read_frame(sink) for _ in range(3))

    assert first is not None
    assert second is not None
    assert end is None
    assert msgspec.msgpack.decode(first, type=Reply).feed is not None
    assert msgspec.msgpack.decode(second, type=Reply).kind == "xml"


def test_a_document_that_breaks_the_tolerant_parser_is_damaged(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feedparser, "parse", failing(AttributeError("odd")))

    assert ask(rss(item()).encode()).message == ParseError.default


@pytest.mark.threat("P13")
def test_a_document_that_eats_all_memory_ends_the_child(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(feedparser, "parse", failing(MemoryError()))

    with pytest.raises(MemoryError):
        ask(b"x")


def failing(error: Exception) -> Callable[..., object]:
    def parse(*_: object, **__: object) -> object:
        raise error

    return parse
