"""May a feed replace a dead one? Two feeds in, a verdict with its reason out.

It may when it belongs to the same site and carries on: it has entries of the old one,
or bears its name. A domain that was sold and now offers some feed does neither, and is
refused even when it kept the name but links elsewhere.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from feedloom.discover.looks import FEED_HOSTS, Kind, kind_of
from feedloom.model.feed import ParsedFeed
from feedloom.model.search_query import words_of
from feedloom.model.urls import host_of, is_address, registrable_domain, url_key

SIMILAR = 0.8
STRONG_OVERLAP = 2
"""Entries in common that prove a move even to another domain."""
LONG_GUID = 12
"""Shorter ones ("17") may be the same by chance."""

_PARKED = re.compile(
    r"(?i)\b(?:domain (?:is |name is |may be )?(?:for sale|parked|expired|available)"
    r"|buy this domain|parked (?:free|domain|page)|this domain|domain parking"
    r"|hugedomains|sedoparking|afternic|bodis|namecheap parking|courtesy of godaddy)\b"
)
_FOR_SALE = "The domain looks parked or for sale."
_MOST_READ = 100_000
_NOISE_WORDS = (
    "rss atom feed feeds xml json the a an of and official blog weblog site website home "
    "page homepage latest posts entries articles updates new all untitled"
)
_NOISE = frozenset(_NOISE_WORDS.split())


@dataclass(frozen=True, slots=True)
class KnownFeed:
    url: str
    title: str
    site_url: str | None = None
    guids: frozenset[str] = frozenset()
    urls: frozenset[str] = frozenset()
    """Addresses of its entries."""


class Judgement(NamedTuple):
    """Yes or no, and the sentence for the audit."""

    is_replacement: bool
    why: str


def is_replacement(old: KnownFeed, new_url: str, new: ParsedFeed) -> Judgement:
    is_comments = kind_of(new_url, new.title) is Kind.COMMENTS
    is_same_site = bool(_sites(old.url, old.site_url) & _sites(new_url, new.site_url))
    shared = _shared_entries(old, new)
    if _looks_parked(new):
        why = _FOR_SALE
    elif is_comments and kind_of(old.url, old.title) is not Kind.COMMENTS:
        why = "It is a comments feed, and the old one was not."
    elif shared >= (1 if is_same_site else STRONG_OVERLAP):
        return Judgement(is_replacement=True, why=f"It has {shared} of the known entries.")
    elif not is_same_site:
        why = "It belongs to another site."
    elif not _is_similar(old.title, new.title):
        why = "Neither its entries nor its title match the old feed."
    elif not _links_home(new_url, new):
        why = "It has the old title, but its entries link elsewhere."
    else:
        why = "It is on the same site and has the same title."
        return Judgement(is_replacement=True, why=why)
    return Judgement(is_replacement=False, why=why)


def is_parked(why: str) -> bool:
    """Tell whether a search ended at a domain that is for sale."""
    return _FOR_SALE in why


def looks_parked(text: str) -> bool:
    """Tell whether a page or a title is what a seller of domains puts up."""
    return _PARKED.search(text[:_MOST_READ]) is not None


def _looks_parked(feed: ParsedFeed) -> bool:
    if _PARKED.search(feed.title) or _PARKED.search(feed.description):
        return True
    parked = sum(bool(_PARKED.search(entry.title)) for entry in feed.entries)
    return bool(feed.entries) and 2 * parked >= len(feed.entries)


def _shared_entries(old: KnownFeed, new: ParsedFeed) -> int:
    keys = _keys(old.urls)
    homes = _keys(filter(None, (old.site_url, new.site_url)))
    shared = 0
    for entry in new.entries:
        is_known = len(entry.guid) >= LONG_GUID and entry.guid in old.guids
        # Entries that all link to the front page have nothing in common but that.
        is_linked = bool(_keys([entry.url or ""]) & (keys - homes))
        shared += is_known or is_linked
    return shared


def _keys(urls: Iterable[str]) -> frozenset[str]:
    return frozenset(url_key(url) for url in urls if is_address(url))


def _sites(*urls: str | None) -> frozenset[str]:
    """Return the domains that tell whose feed it is; feed hosts tell nothing."""
    hosts = {host_of(url) for url in urls if url} - FEED_HOSTS - {""}
    return frozenset(map(registrable_domain, hosts))


def _is_similar(one: str, other: str) -> bool:
    words, others = _words(one), _words(other)
    if not words or not others:
        return False
    # "Radio 1" and "Radio 4", "North" and "South": each says what the other does not.
    own = [word for word in words if word not in others]
    foreign = [word for word in others if word not in words]
    if own and foreign:
        has_numbers = any(map(str.isdecimal, "".join((*own, *foreign))))
        if has_numbers or _likeness(own, foreign) < SIMILAR:
            return False
    return _likeness(words, others) >= SIMILAR


def _likeness(words: list[str], others: list[str]) -> float:
    return SequenceMatcher(None, " ".join(words), " ".join(others), autojunk=False).ratio()


def _words(title: str) -> list[str]:
    return [word for word in words_of(title[:200]) if word not in _NOISE]


def _links_home(new_url: str, feed: ParsedFeed) -> bool:
    sites = _sites(new_url, feed.site_url)
    links = [entry.url for entry in feed.entries if entry.url]
    at_home = sum(bool(_sites(link) & sites) for link in links)
    return bool(links) and 2 * at_home > len(links)
