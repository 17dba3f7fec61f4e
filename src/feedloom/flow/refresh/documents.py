"""From a document to articles ready to store: parsed, cleaned, hashed, clustered.

Run as a program, it is the child process of ``parse_pool``. That starts in the middle of a
first refresh, when every core is busy, so this module imports only what parsing needs.
"""

import gc
import hashlib
import pkgutil
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from feedloom.markup import clean_html, excerpt, first_picture, is_rtl, shortened, to_text
from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import MAX_ENTRIES, Format, ParsedEntry, ParsedFeed
from feedloom.model.stages import FetchResponse, Known, NewArticle
from feedloom.model.urls import guid_hash, strip_tracking, url_hash
from feedloom.processes import LOOK_EVERY, answer_frames, own_output

if TYPE_CHECKING:
    from feedloom.model.ports import Parser

SUMMARY_CHARS = 400
_TITLE_CHARS = 100
"""Of the summary, for an entry without a title."""
_EARLIEST_YEAR = 1990
_AHEAD = timedelta(hours=24)
_NOT_WORD = re.compile(r"\W+")

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
    """Parse a document and clean what is new in it; None when it takes guessing."""
    parsed = parser.parse_at_once(
        answer.body, url=answer.url, content_type=answer.content_type, now=now, most=most
    )
    if parsed is None:
        return None
    return parsed, new_articles(parsed, known, feed_url=answer.url, now=now)


def new_articles(
    parsed: ParsedFeed, known: Known, *, feed_url: str, now: datetime
) -> tuple[NewArticle, ...]:
    """Turn entries that are new or changed into articles, oldest first: cleaning is dear."""
    found = []
    for entry in parsed.entries:
        hashed = guid_hash(entry.guid)
        content_hash = _md5(
            entry.title,
            entry.url or "",
            entry.content_html,
            entry.summary_html,
            entry.author or "",
            *(enclosure.url for enclosure in entry.enclosures),
        )
        if hashed in known.tombstones or known.content_hashes.get(hashed) == content_hash:
            continue
        base = entry.url or parsed.site_url or feed_url
        found.append(_article(entry, hashed, content_hash, base=base, parsed=parsed, now=now))
    found.reverse()
    return tuple(sorted(found, key=lambda article: article.published_at))


def single_article(entry: ParsedEntry, *, feed_url: str, now: datetime) -> NewArticle:
    """Make an article of an entry that stands in no document."""
    parsed = ParsedFeed(Format.RSS, "", (entry,), ())
    (article,) = new_articles(parsed, Known({}, frozenset()), feed_url=feed_url, now=now)
    return article


def _article(
    entry: ParsedEntry,
    hashed: str,
    content_hash: str,
    *,
    base: str,
    parsed: ParsedFeed,
    now: datetime,
) -> NewArticle:
    content = clean_html(entry.content_html or entry.summary_html, base_url=base)
    if entry.summary_html:
        summary = to_text(entry.summary_html, limit=SUMMARY_CHARS)
    else:
        summary = excerpt(content, limit=SUMMARY_CHARS)
    url = strip_tracking(entry.url) if entry.url else base
    title = entry.title or shortened(summary, _TITLE_CHARS) or url
    published_at = entry.published_at or entry.updated_at
    if published_at is None or not _is_plausible(published_at, now):
        published_at = now
    language = entry.language or parsed.language
    is_episode = any((file.mime or "").startswith("audio/") for file in entry.enclosures)
    cover = parsed.icon_url if is_episode else None
    return NewArticle(
        guid=entry.guid,
        guid_hash=hashed,
        url=url,
        url_hash=url_hash(url),
        title=title,
        author=entry.author,
        content=content,
        summary=summary,
        published_at=published_at,
        updated_at=entry.updated_at,
        enclosures=entry.enclosures,
        thumbnail_url=entry.thumbnail_url or first_picture(content) or cover,
        categories=entry.categories,
        language=language,
        rtl=is_rtl(title, language),
        content_hash=content_hash,
        fingerprint=content_hash,
        cluster_key=cluster_key(entry.url, title, published_at),
        comments_url=entry.comments_url,
    )


def _is_plausible(at: datetime, now: datetime) -> bool:
    return at.year >= _EARLIEST_YEAR and at <= now + _AHEAD


def _md5(*parts: str) -> str:
    text = "\x00".join(parts).encode("utf-8", "replace")
    return hashlib.md5(text, usedforsecurity=False).hexdigest()


def cluster_key(url: str | None, title: str, published_at: datetime) -> str:
    """Return what articles share that tell the same story: the address, else the title."""
    if url:
        bare = strip_tracking(url).partition("#")[0].partition("://")[2]
        return _md5(bare.removeprefix("www.").rstrip("/").lower())
    words = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", title).casefold()).strip()
    return _md5(words, published_at.date().isoformat())


def answer(parser: "Parser", request: Request) -> Reply:
    """Read one document; what is wrong with it becomes a reply, but a bug ends the process."""
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
