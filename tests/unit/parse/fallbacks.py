"""Fallbacks for tests: one in this process, and one that must not be asked."""

from datetime import datetime

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse.fallback.child import answer
from feedloom.parse.fallback.frames import Request
from feedloom.parse.fallback.limits import bounded


class InProcess:
    """Reads as the child process does, without one. Only for our own documents."""

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        reply = answer(Request(bounded(body).body, url, content_type, now, 5))
        if reply.kind:
            raise NotAFeed(reply.message, kind=reply.kind)
        if reply.feed is None:
            raise ParseError(reply.message)
        return reply.feed


class Never:
    """Fails the test that needs it."""

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        asked = f"{body[:80]!r} of {url} as {content_type} at {now}"
        raise AssertionError(f"the fast path was unsure about {asked}")
