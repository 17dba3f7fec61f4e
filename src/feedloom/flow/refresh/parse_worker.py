"""The child process that parses documents and cleans their articles during a refresh.

It starts in the middle of a first refresh, when every core is busy. So this module imports
only what parsing needs.
"""

import gc
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from feedloom.flow.refresh.prepared_articles import new_articles
from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import MAX_ENTRIES, ParsedEntry, ParsedFeed
from feedloom.model.stages import FetchResponse, Known, NewArticle
from feedloom.processes import LOOK_EVERY, answer_frames, own_output

if TYPE_CHECKING:
    from feedloom.model.ports import Parser

MakeParser = Callable[[], "Parser"]
Understood = tuple[ParsedFeed, tuple[NewArticle, ...]]


class Request(msgspec.Struct, array_like=True, gc=False):
    body: bytes
    url: str
    content_type: str
    known: Known
    now: datetime
    most: int = MAX_ENTRIES


class Reply(msgspec.Struct, array_like=True, gc=False):
    """A feed, or why there is none; without either the document takes guessing."""

    feed: ParsedFeed | None = None
    articles: tuple[NewArticle, ...] = ()
    message: str = ""
    kind: str = ""
    """What the document is instead of a feed."""


def read_at_once(
    parser: "Parser", answer: FetchResponse, known: Known, now: datetime, most: int = MAX_ENTRIES
) -> Understood | None:
    """Parse a document and clean what is new in it; None when it takes guessing.

    Raises ``ParseError`` kinds.
    """
    parsed = parser.parse_at_once(
        answer.body, url=answer.url, content_type=answer.content_type, now=now, most=most
    )
    if parsed is None:
        return None
    return parsed, new_articles(parsed, known, feed_url=answer.url, now=now)


def answer(parser: "Parser", request: Request) -> Reply:
    """Read one document; what is wrong with it becomes a reply.

    A bug is raised and ends the process. Whoever waits reads here, and the bug is logged.
    """
    headers = {"content-type": request.content_type}
    document = FetchResponse(request.url, 200, headers, request.body)
    try:
        found = read_at_once(parser, document, request.known, request.now, request.most)
    except NotAFeed as error:
        return Reply(message=str(error), kind=error.kind)
    except ParseError as error:
        return Reply(message=str(error))
    if found is None:
        return Reply()
    parsed, articles = found
    # What nobody asks an entry once its article is made is left out: it is long.
    short = tuple(
        ParsedEntry(entry.guid, entry.url, entry.title, published_at=entry.published_at)
        for entry in parsed.entries
    )
    return Reply(replace(parsed, entries=short), articles)


def main() -> None:
    make_parser: MakeParser = pkgutil.resolve_name(sys.argv[1])
    sink = own_output()
    parser = make_parser()
    requests = msgspec.msgpack.Decoder(Request)
    replies = msgspec.msgpack.Encoder()
    gc.freeze()
    gc.set_threshold(LOOK_EVERY)
    answer_frames(
        lambda frame: replies.encode(answer(parser, requests.decode(frame))), sys.stdin.buffer, sink
    )


if __name__ == "__main__":
    main()
