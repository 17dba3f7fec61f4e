"""Parsing: bytes of any kind in, one frozen ``ParsedFeed`` (or a list of feeds) out.

Raises ``NotAFeed`` and ``ParseError`` and nothing else, whatever the bytes are. Well
formed documents take a fast path; doubtful ones are read by a tolerant parser in a
process of its own. Nothing here opens a file or a connection.
"""

from feedloom.parse.opml import FeedList as FeedList
from feedloom.parse.opml import ListedFeed as ListedFeed
from feedloom.parse.opml import RejectedRow as RejectedRow
from feedloom.parse.opml import read_opml as read_opml
from feedloom.parse.parser import FeedParser as FeedParser
