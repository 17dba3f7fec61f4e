"""Text in; text and parts of items that are valid in XML, HTML or Markdown out. Never raises."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime

from feedloom.model.distilled.documents import Channel
from feedloom.model.errors import BadAddress
from feedloom.model.feed import Enclosure
from feedloom.model.urls import normalise, without_credentials

NAMESPACES = (
    'xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:media="http://search.yahoo.com/mrss/"'
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.IGNORECASE)
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")
_MIME = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,80}")
_ANY_TYPE = "application/octet-stream"
_UNTITLED = "Untitled feed"
_NAMELESS = "item"


def channel_head(channel: Channel, *, updated_at: datetime, self_url: str) -> Iterator[str]:
    title = first_of(channel.title, _UNTITLED)
    link = web_address(channel.url) or web_address(self_url)
    yield f"<title>{text(title)}</title>\n"
    yield f"<link>{text(link)}</link>\n"
    yield f"<description>{text(first_of(channel.description, title))}</description>\n"
    if channel.language and _LANGUAGE.fullmatch(channel.language):
        yield f"<language>{channel.language.lower()}</language>\n"
    yield f"<lastBuildDate>{rfc822(updated_at)}</lastBuildDate>\n"
    yield "<generator>Feedloom</generator>\n"
    yield (
        f'<atom:link rel="self" type="application/rss+xml" '
        f'href="{attribute(web_address(self_url))}"/>\n'
    )


def item_names(author: str | None, categories: Sequence[str]) -> Iterator[str]:
    if author:
        yield f"<dc:creator>{text(author)}</dc:creator>\n"
    for category in categories:
        yield f"<category>{text(category)}</category>\n"


def media_parts(enclosures: Sequence[Enclosure], thumbnail_url: str | None) -> Iterator[str]:
    """Write an item's files: the first as its enclosure, the others as media elements.

    RSS 2.0 allows one enclosure per item, and readers play the first file they find.
    """
    usable = [(url, e) for e in enclosures if (url := web_address(e.url))]
    for number, (url, enclosure) in enumerate(usable):
        kind = enclosure.mime or ""
        kind = kind if _MIME.fullmatch(kind) else _ANY_TYPE
        size = max(enclosure.length or 0, 0)
        if number == 0:
            yield f'<enclosure url="{attribute(url)}" length="{size}" type="{kind}"/>\n'
        else:
            yield f'<media:content url="{attribute(url)}" fileSize="{size}" type="{kind}"/>\n'
    if thumbnail := web_address(thumbnail_url):
        yield f'<media:thumbnail url="{attribute(thumbnail)}"/>\n'


def unique_guids(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return a GUID for each (guid, url), no two the same.

    Publishers repeat GUIDs; readers would show only one of the items.
    """
    taken: set[str] = set()
    guids = []
    for guid, url in pairs:
        wanted = first_of(guid, url, _NAMELESS)
        found, number = wanted, 1
        while found in taken:
            number += 1
            found = f"{wanted}#{number}"
        taken.add(found)
        guids.append(found)
    return guids


# What XML 1.0 forbids, and what it advises against because it is never meant.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def legible(value: str) -> str:
    """Remove characters that XML forbids, and surrounding white space."""
    if not value.isprintable():
        value = _FORBIDDEN.sub("", value).replace("\r", "\n")
    return value.strip()


def first_of(*values: str) -> str:
    return next((found for value in values if (found := legible(value))), "")


def markdown(value: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(value.split()))


def text(value: str) -> str:
    value = legible(value)
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(value: str) -> str:
    value = text(value).replace('"', "&quot;")
    return value.replace("\n", "&#10;").replace("\t", "&#9;")


def html_text(value: str) -> str:
    """Escape plain text for an element that readers interpret as HTML."""
    return text(html.escape(value, quote=False))


def web_address(url: str | None) -> str:
    if not url:
        return ""
    try:
        return without_credentials(normalise(url))
    except BadAddress:
        return ""


def rfc822(moment: datetime) -> str:
    """Format a time for RSS, in whole seconds and GMT."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def rfc3339(moment: datetime) -> str:
    """Format a time for Atom and JSON, in UTC."""
    told = moment.astimezone(UTC).isoformat(timespec="seconds")
    return told.replace("+00:00", "Z")
