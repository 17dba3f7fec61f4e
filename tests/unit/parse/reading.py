"""Parsing for tests: as the parser does, but guessing in this process. For our own documents."""

from datetime import datetime

import msgspec

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse.child import answer
from feedloom.parse.parser import Reply, Request, read_fast
from feedloom.parse.raw import Unsure
from tests.corpus.feeds import NOW, URL


def guess_here(body: bytes, *, url: str, now: datetime, content_type: str) -> ParsedFeed:
    frame = answer(msgspec.msgpack.encode(Request(body, url, content_type, now)))
    reply = msgspec.msgpack.decode(frame, type=Reply)
    if reply.kind:
        raise NotAFeed(reply.message, kind=reply.kind)
    if reply.feed is None:
        raise ParseError(reply.message)
    return reply.feed


def read_here(
    body: bytes, *, url: str = URL, now: datetime = NOW, content_type: str = ""
) -> ParsedFeed:
    try:
        return read_fast(body, url=url, now=now, content_type=content_type)
    except Unsure:
        return guess_here(body, url=url, now=now, content_type=content_type)
