"""What a search keeps of answers, and which of them are worth their whole length."""

import pytest

from feedloom.discover import Reply, RequestKind, begins_like_feed
from feedloom.discover.request_plan import Asking
from feedloom.model.stages import FetchResponse


def test_bodies_are_let_go_once_they_are_judged():
    asking = Asking()
    asking.want("http://a.example/", RequestKind.PAGE)
    asking.want("http://a.example/feed", RequestKind.FEED)
    for request in asking.issue():
        asking.close(request.url, Reply(FetchResponse(request.url, 200, {}, b"x" * 9)))

    page = asking.take("http://a.example/")
    assert page is not None
    assert page.fetched is not None
    assert page.fetched.body == b"x" * 9
    for url in ("http://a.example/", "http://a.example/feed"):
        reply = asking.reply_to(url)
        assert reply is not None
        assert reply.fetched is not None
        assert reply.fetched.body == b""


@pytest.mark.parametrize(
    ("body", "is_feed"),
    [
        (b"<?xml version='1.0'?><rss version='2.0'>", True),
        (b"\xef\xbb\xbf <atom:feed>", True),
        (b'{"version": "https://jsonfeed.org/version/1.1"}', True),
        (b"<!DOCTYPE html><title>x</title><rss>", False),
        (b"words", False),
        (b"", False),
    ],
)
def test_what_begins_like_a_feed(body: bytes, is_feed: bool):
    assert begins_like_feed(body) is is_feed
