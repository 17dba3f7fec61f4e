"""From parsed entries to articles ready to store: cleaned, hashed, clustered. Pure.

Only entries that are new or changed are cleaned: the hash of what the publisher wrote
tells, and cleaning is the dearest step.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta

from feedloom.markup import clean_html, excerpt, first_picture, is_rtl, shortened, to_text
from feedloom.model.feed import CleanHTML, Format, ParsedEntry, ParsedFeed
from feedloom.model.stages import Known, NewArticle
from feedloom.model.urls import guid_hash, strip_tracking, url_hash

SUMMARY_CHARS = 400
_TITLE_CHARS = 100
"""Of the summary, for an entry without a title."""
_EARLIEST_YEAR = 1990
_AHEAD = timedelta(hours=24)
_NOT_WORD = re.compile(r"\W+")


def new_articles(
    parsed: ParsedFeed, known: Known, *, feed_url: str, now: datetime
) -> tuple[NewArticle, ...]:
    """Turn entries that are new or changed into articles, oldest first."""
    found = []
    for entry in parsed.entries:
        hashed = guid_hash(entry.guid)
        content_hash = _content_hash(entry)
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
    summary = _summary(entry, content)
    url = strip_tracking(entry.url) if entry.url else base
    title = entry.title or shortened(summary, _TITLE_CHARS) or url
    published_at = _plausible(entry.published_at or entry.updated_at, now)
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


def _summary(entry: ParsedEntry, content: CleanHTML) -> str:
    if entry.summary_html:
        return to_text(entry.summary_html, limit=SUMMARY_CHARS)
    return excerpt(content, limit=SUMMARY_CHARS)


def _content_hash(entry: ParsedEntry) -> str:
    return _md5(
        entry.title,
        entry.url or "",
        entry.content_html,
        entry.summary_html,
        entry.author or "",
        *(enclosure.url for enclosure in entry.enclosures),
    )


def _md5(*parts: str) -> str:
    text = "\x00".join(parts).encode("utf-8", "replace")
    return hashlib.md5(text, usedforsecurity=False).hexdigest()


def _plausible(at: datetime | None, now: datetime) -> datetime:
    """Replace a date that is missing or absurd by now."""
    if at is None or at.year < _EARLIEST_YEAR or at > now + _AHEAD:
        return now
    return at


def cluster_key(url: str | None, title: str, published_at: datetime) -> str:
    """Return what articles share that tell the same story: the address, else the title."""
    if url:
        bare = strip_tracking(url).partition("#")[0].partition("://")[2]
        return _md5(bare.removeprefix("www.").rstrip("/").lower())
    words = _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", title).casefold()).strip()
    return _md5(words, published_at.date().isoformat())


def published_this_week(articles: Sequence[NewArticle], now: datetime) -> int:
    """Count articles published in the last seven days."""
    since = now - timedelta(days=7)
    return sum(1 for article in articles if article.published_at > since)
