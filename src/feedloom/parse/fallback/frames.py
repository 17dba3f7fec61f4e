"""What parent and child of the fallback say to each other.

Each frame is a length of eight bytes and a MessagePack document. The first one of the
child only says that it is ready.
"""

from datetime import datetime
from typing import IO

import msgspec

from feedloom.model.feed import ParsedFeed

_LENGTH = 8


class Request(msgspec.Struct, frozen=True):
    """A document to read."""

    body: bytes
    url: str
    content_type: str
    now: datetime
    alarm_s: int
    """After so many seconds the child ends itself, should its parent be gone."""


class Reply(msgspec.Struct, frozen=True):
    """The feed, or why there is none."""

    feed: ParsedFeed | None = None
    message: str = ""
    kind: str = ""
    """What the document is instead of a feed."""
    spent: bool = False
    """The child ends after this reply."""


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next document on a stream, or None at its end."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    size = int.from_bytes(head)
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Write one document to a stream."""
    stream.write(len(body).to_bytes(_LENGTH) + body)
    stream.flush()
