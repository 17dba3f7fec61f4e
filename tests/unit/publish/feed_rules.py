"""What feed validators check, as functions: a document in, its faults out."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser
from lxml import etree

from feedloom.model.feed import ParsedFeed
from feedloom.parse.parser import read_fast

ATOM = "{http://www.w3.org/2005/Atom}"
DEFRAMER = "{urn:feedloom:deframer:1}"
DC = "{http://purl.org/dc/elements/1.1/}"
MEDIA = "{http://search.yahoo.com/mrss/}"
_RFC822 = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} "
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT"
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")
_MIME = re.compile(r"[\w.+-]+/[\w.+-]+")
_CHANNEL = {"title", "link", "description", "language", "lastBuildDate", "generator", "item"}
_ITEM = {
    "title", "link", "description", "category", "comments", "enclosure", "guid",
    "pubDate", "source",
}  # fmt: skip


def strict(document: bytes) -> ET.Element:
    """Parse with two strict XML parsers; both raise on the smallest fault."""
    parser = etree.XMLParser(recover=False, resolve_entities=False, no_network=True, load_dtd=False)
    etree.fromstring(document, parser)
    return ET.fromstring(document)


def reread(document: bytes) -> ParsedFeed:
    """Read a document as our own fetcher would, fast path only."""
    return read_fast(
        document,
        url="https://feeds.example/rss",
        now=datetime(2026, 3, 1, 12, tzinfo=UTC),
        content_type="application/rss+xml",
    )


def read_elsewhere(document: bytes) -> feedparser.FeedParserDict:
    """Read a document with a parser that is not ours; raise on any complaint."""
    found = feedparser.parse(document)
    assert not found.bozo, found.get("bozo_exception")
    return found


def rss_faults(document: bytes) -> list[str]:
    """Check the rules a validator of RSS 2.0 checks."""
    root = strict(document)
    channel = root.find("channel")
    if root.tag != "rss" or root.get("version") != "2.0" or channel is None:
        return ["no RSS 2.0 channel"]
    faults = [f"no {n}" for n in ("title", "link", "description") if not channel.findtext(n)]
    faults += [f"{n} twice" for n in _CHANNEL - {"item"} if len(channel.findall(n)) > 1]
    faults += [f"unknown {c.tag}" for c in channel if "}" not in c.tag and c.tag not in _CHANNEL]
    if not _absolute(channel.findtext("link", "")):
        faults.append("relative channel link")
    if not _RFC822.fullmatch(channel.findtext("lastBuildDate", "")):
        faults.append("lastBuildDate")
    language = channel.findtext("language")
    if language is not None and not _LANGUAGE.fullmatch(language):
        faults.append("language")
    own = [e.get("href", "") for e in channel.findall(f"{ATOM}link") if e.get("rel") == "self"]
    if len(own) != 1 or not _absolute(own[0]):
        faults.append("no atom:link to itself")
    items = channel.findall("item")
    guids = [item.findtext("guid") for item in items]
    if len(set(guids)) != len(guids):
        faults.append("GUIDs are not unique")
    return faults + [fault for item in items for fault in item_faults(item)]


def item_faults(item: ET.Element) -> list[str]:
    """Check one item."""
    faults = [f"unknown {c.tag}" for c in item if "}" not in c.tag and c.tag not in _ITEM]
    faults += [f"{name} twice" for name in _ITEM - {"category"} if len(item.findall(name)) > 1]
    if not item.findtext("title") and not item.findtext("description"):
        faults.append("neither title nor description")
    link = item.findtext("link")
    if link is not None and not _absolute(link):
        faults.append("relative link")
    guid = item.find("guid")
    if guid is None or not guid.text or guid.get("isPermaLink") not in {"true", "false"}:
        faults.append("guid")
    elif guid.get("isPermaLink") == "true" and not _absolute(guid.text):
        faults.append("a GUID that is no permanent link")
    dated = item.findtext("pubDate", "")
    if not _RFC822.fullmatch(dated) or parsedate_to_datetime(dated).tzinfo is None:
        faults.append("pubDate")
    for enclosure in item.findall("enclosure"):
        if set(enclosure.attrib) != {"url", "length", "type"}:
            faults.append("enclosure attributes")
        elif not (
            _absolute(enclosure.attrib["url"])
            and enclosure.attrib["length"].isdigit()
            and _MIME.fullmatch(enclosure.attrib["type"])
        ):
            faults.append("enclosure values")
    return faults


def _absolute(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"http", "https"} and bool(parts.netloc)
