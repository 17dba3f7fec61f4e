"""From the literal content of a document to the model: checked, resolved, bounded.

A ``RawFeed`` of any format goes in, the frozen ``ParsedFeed`` comes out. Identity,
order and limits of entries are decided here, and only here.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from feedloom.markup import absolute_url, plain, to_text, web_address
from feedloom.model.feed import MAX_ENTRIES, Asked, Chapter, Enclosure, ParsedEntry, ParsedFeed
from feedloom.parse.dates import read_date
from feedloom.parse.raw import RawEntry, RawFeed
from feedloom.parse.text import as_markup, joined, repaired, with_absolute_links

MAX_TITLE = 1_000
MAX_DESCRIPTION = 2_000
_PERIODS_S = {
    "hourly": 3_600,
    "daily": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 30 * 86_400,
    "yearly": 365 * 86_400,
}
_LONGEST_S = 365 * 86_400
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBER = re.compile(r"\s*(\d{1,7})\s*")
_HOURS_A_DAY = 24
MAX_GUID = 2_000
MAX_AUTHOR = 300
MAX_AUTHORS = 10
MAX_CATEGORY = 200
MAX_CATEGORIES = 50
MAX_ENCLOSURES = 50
MAX_CHAPTER = 200
_LARGEST = 2**53
_MIME = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,80}")
_SECONDS = re.compile(r"\d{1,6}(?:\.\d{1,9})?")
_DIGITS = re.compile(r"\s*(\d{1,16})\s*")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8}){0,3}")
_MAIL_THEN_NAME = re.compile(r"[^\s@()<>]{1,100}@[^\s()<>]{1,200}\s*\(([^()]{1,300})\)")
_NAME_THEN_MAIL = re.compile(r"([^<>@]{1,300})<[^\s<>]{1,300}>")


class _Listed(NamedTuple):
    guid: str
    raw: RawEntry
    published_at: datetime | None
    updated_at: datetime | None


def assemble(
    raw: RawFeed, *, url: str, now: datetime, fast: bool, most: int = MAX_ENTRIES
) -> ParsedFeed:
    if raw.damaged:
        _repair(raw)
    listed, skipped = _identified(raw.entries, now)
    kept = _newest(listed, most)
    description = to_text(raw.description, limit=MAX_DESCRIPTION)
    return ParsedFeed(
        format=raw.format,
        title=plain(raw.title, markup=not raw.title_is_text, limit=MAX_TITLE),
        entries=tuple(_entry(entry, raw, url) for entry in kept),
        listed_guids=tuple(entry.guid for entry in listed),
        description=" ".join(description.split()),
        site_url=web_address(raw.link, raw.base) if raw.link else None,
        self_url=web_address(raw.self_link, raw.base) if raw.self_link else None,
        hub_url=web_address(raw.hub, raw.base) if raw.hub else None,
        icon_url=web_address(raw.icon, raw.base) if raw.icon else None,
        language=language(raw.language),
        asked=_asked(raw),
        skipped=skipped,
        truncated=raw.truncated or len(listed) > most,
        fast=fast,
    )


def _identified(entries: Iterable[RawEntry], now: datetime) -> tuple[list[_Listed], int]:
    listed: dict[str, _Listed] = {}
    skipped = 0
    for raw in entries:
        guid = identifier(raw.id or raw.link or raw.permalink)
        guid = guid or identifier(plain(raw.title))
        if not guid:
            skipped += 1
        elif guid not in listed:
            published_at = read_date(raw.published, now=now)
            published_at = published_at or read_date(raw.other_date, now=now)
            updated_at = read_date(raw.updated, now=now)
            listed[guid] = _Listed(guid, raw, published_at, updated_at)
    return list(listed.values()), skipped


def _newest(listed: Sequence[_Listed], most: int) -> Sequence[_Listed]:
    dates: list[datetime | None] = []
    last: datetime | None = None
    for entry in listed:
        last = entry.published_at or entry.updated_at or last
        dates.append(last)
    first = next(filter(None, dates), None)
    if first is None:
        return listed[:most]
    order = sorted(range(len(listed)), key=lambda place: dates[place] or first, reverse=True)
    return [listed[place] for place in order[:most]]


def _entry(listed: _Listed, feed: RawFeed, url: str) -> ParsedEntry:
    raw = listed.raw
    title = plain(raw.title, markup=not raw.title_is_text, limit=MAX_TITLE)
    content, summary = _bodies(raw, url)
    attached = _enclosures(raw) if raw.enclosures else ()
    if raw.chapters or raw.chapters_url or raw.duration:
        attached = _with_details(raw, attached)
    link = raw.link or raw.permalink
    return ParsedEntry(
        guid=listed.guid,
        url=absolute_url(link, raw.base) if link else None,
        title=title or plain(raw.other_title, limit=MAX_TITLE),
        author=author(raw.creators or raw.authors or feed.authors),
        content_html=content,
        summary_html=summary,
        published_at=listed.published_at,
        updated_at=listed.updated_at,
        enclosures=attached,
        thumbnail_url=_thumbnail(raw, attached),
        categories=_categories(raw.categories) if raw.categories else (),
        language=language(raw.language),
        comments_url=absolute_url(raw.comments, raw.base) if raw.comments else None,
    )


def _bodies(raw: RawEntry, url: str) -> tuple[str, str]:
    """Return content and summary; the summary is empty when it is all there is."""
    content, summary = raw.content, raw.summary
    if not content or content.isspace():
        content, summary = summary, ""
    if not content and raw.captions:
        content = as_markup(raw.captions[0])
    if summary == content:
        summary = ""
    base = joined(raw.base, raw.content_base)
    if base != url:
        return with_absolute_links(content, base), with_absolute_links(summary, base)
    return content, summary


def _repair(raw: RawFeed) -> None:
    raw.title, raw.description = repaired(raw.title), repaired(raw.description)
    raw.authors = tuple(map(repaired, raw.authors))
    for entry in raw.entries:
        entry.title, entry.other_title = (repaired(entry.title), repaired(entry.other_title))
        entry.content, entry.summary = repaired(entry.content), repaired(entry.summary)
        entry.captions = tuple(map(repaired, entry.captions))
        entry.creators = tuple(map(repaired, entry.creators))
        entry.authors = tuple(map(repaired, entry.authors))
        entry.categories = tuple(map(repaired, entry.categories))


# Single fields


def _asked(raw: RawFeed) -> Asked:
    """Return what a document asks, clamped to a year."""
    hours = {number for text in raw.skip_hours if (number := _number(text)) is not None}
    days = {text.strip().lower()[:3] for text in raw.skip_days}
    minutes = _number(raw.ttl_minutes) or 0
    period_s = _PERIODS_S.get(raw.update_period.strip().lower(), 0)
    frequency = _number(raw.update_frequency) or 1
    return Asked(
        ttl_s=min(max(minutes * 60, period_s // frequency), _LONGEST_S) or None,
        skip_hours=frozenset(hour % _HOURS_A_DAY for hour in hours if hour <= _HOURS_A_DAY),
        skip_days=frozenset(n for n, day in enumerate(_DAYS) if day in days),
    )


def _number(text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    return int(match[1]) if match else None


def identifier(text: str) -> str:
    """Return a GUID as published, without what no database stores.

    One that is absurdly long keeps its beginning and a digest of the whole, so that two
    of them never become equal by being cut.
    """
    text = text.strip()
    if not text.isprintable():
        text = _UNPRINTABLE.sub("", text)
    if len(text) <= MAX_GUID:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text[: MAX_GUID - 100]}#{digest}"


def author(names: Sequence[str]) -> str | None:
    if not names:
        return None
    if len(names) == 1 and len(names[0]) <= MAX_AUTHOR:
        return _only_author(names[0])
    return _authors(names)


@lru_cache(maxsize=1_000)
def _only_author(name: str) -> str | None:
    # A feed has few authors, and most entries name one of them.
    return _authors((name,))


def _authors(names: Sequence[str]) -> str | None:
    found = dict.fromkeys(filter(None, map(_name, names[:MAX_AUTHORS])))
    return plain(", ".join(found), markup=False, limit=MAX_AUTHOR) or None


def _name(text: str) -> str:
    text = text.strip()
    if "@" in text:
        if match := _MAIL_THEN_NAME.fullmatch(text):
            text = match[1]
        elif match := _NAME_THEN_MAIL.fullmatch(text):
            text = match[1].strip(" \"'")
    return plain(text)


def _categories(names: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        text = _category(name) if len(name) <= MAX_CATEGORY else plain(name, limit=MAX_CATEGORY)
        if text:
            found.setdefault(text.casefold(), text)
        if len(found) == MAX_CATEGORIES:
            break
    return tuple(found.values())


@lru_cache(maxsize=1_000)
def _category(name: str) -> str:
    # A feed has few categories, too.
    return plain(name, limit=MAX_CATEGORY)


def language(text: str) -> str | None:
    if not text:
        return None
    tag = text.strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def _enclosures(raw: RawEntry) -> tuple[Enclosure, ...]:
    found: dict[str, Enclosure] = {}
    for address, kind, length in raw.enclosures:
        url = absolute_url(address.strip(), raw.base)
        if url is not None and url not in found:
            found[url] = Enclosure(url, _mime(kind), _length(length))
        if len(found) == MAX_ENCLOSURES:
            break
    return tuple(found.values())


def _with_details(raw: RawEntry, files: tuple[Enclosure, ...]) -> tuple[Enclosure, ...]:
    """Give the first sound or film of an entry its chapters and its duration."""
    found = tuple(
        Chapter(start, title)
        for written, words in raw.chapters
        if (start := _seconds(written)) is not None and (title := plain(words, limit=MAX_CHAPTER))
    )
    address = absolute_url(raw.chapters_url.strip(), raw.base) if raw.chapters_url else None
    for place, file in enumerate(files):
        if (file.mime or "").startswith(("audio/", "video/")):
            lasts = round(_seconds(raw.duration) or 0) or None
            told = replace(file, chapters=found, chapters_url=address, duration_s=lasts)
            return (*files[:place], told, *files[place + 1 :])
    return files


def _seconds(text: str) -> float | None:
    """Read ``1:02:03.500``, ``02:03`` or ``63``."""
    parts = text.strip().split(":")
    if len(parts) > 3 or not all(_SECONDS.fullmatch(part) for part in parts):  # noqa: PLR2004 - hours, minutes, seconds
        return None
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + float(part)
    return seconds


def _thumbnail(raw: RawEntry, attached: tuple[Enclosure, ...]) -> str | None:
    if not (raw.thumbnails or raw.images or attached):
        return None
    for address in raw.thumbnails + raw.images:
        if url := absolute_url(address.strip(), raw.base):
            return url
    pictures = (e.url for e in attached if (e.mime or "").startswith("image/"))
    return next(pictures, None)


def _mime(text: str) -> str | None:
    kind = text.partition(";")[0].strip().lower()
    return kind if _MIME.fullmatch(kind) else None


def _length(text: str) -> int | None:
    match = _DIGITS.fullmatch(text)
    length = int(match[1]) if match else 0
    return length if 0 < length < _LARGEST else None
