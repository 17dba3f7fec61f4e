"""Fallbacks for tests: one in this process, and one that must not be asked."""

from datetime import datetime

from feedloom.model.feed import ParsedFeed
from feedloom.parse.fallback.guesses import read_guessing
from feedloom.parse.fallback.limits import bounded


class InProcess:
    """Reads as the child process does, without one. Only for our own documents."""

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        return read_guessing(
            bounded(body).body, url=url, content_type=content_type, now=now
        )


class Never:
    """Fails the test that needs it."""

    def read(
        self, body: bytes, *, url: str, content_type: str, now: datetime
    ) -> ParsedFeed:
        asked = f"{body[:80]!r} of {url} as {content_type} at {now}"
        raise AssertionError(f"the fast path was unsure about {asked}")
