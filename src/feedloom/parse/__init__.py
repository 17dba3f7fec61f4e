"""Parsing: bytes of any kind in, one frozen ``ParsedFeed`` (or a list of feeds) out.

Raises ``NotAFeed`` and ``ParseError`` and nothing else, whatever the bytes are. Well
formed documents take a fast path; doubtful ones are read by a tolerant parser in a
process of its own. Nothing here opens a file or a connection.
"""

from feedloom.parse.fallback import FallbackPool
from feedloom.parse.opml import FeedList, ListedFeed, RejectedRow, read_opml
from feedloom.parse.parser import Fallback, FeedParser, parse_feed

__all__ = [
    "Fallback",
    "FallbackPool",
    "FeedList",
    "FeedParser",
    "ListedFeed",
    "RejectedRow",
    "parse_feed",
    "read_opml",
]
