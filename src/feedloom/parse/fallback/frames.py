"""What parent and child of the fallback say to each other, in MessagePack.

The first frame of the child only says that it is ready.
"""

from datetime import datetime

import msgspec

from feedloom.model.feed import ParsedFeed


class Request(msgspec.Struct, frozen=True):
    body: bytes
    url: str
    content_type: str
    now: datetime
    alarm_s: int
    """After so many seconds the child ends itself, should its parent be gone."""


class Reply(msgspec.Struct, frozen=True):
    feed: ParsedFeed | None = None
    message: str = ""
    kind: str = ""
    """What the document is instead of a feed."""
    spent: bool = False
    """The child ends after this reply."""
