"""Ranking of feeds: validated candidates in, an order out.

A score is a sum of named reasons, all from the one table ``WEIGHTS``, so that a choice
can be explained and repeated. The same candidates give the same order whatever order
they arrive in. Nothing here fetches, parses or knows the time by itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from feedloom.discover.labels import (
    Says,
    has_main_word,
    language_distance,
    read_label,
    read_path,
    words_in,
)
from feedloom.discover.looks import (
    Kind,
    asked_kind,
    depth_of,
    is_below,
    is_feed_host,
    is_within,
    kind_of,
)
from feedloom.model.feed import Format, ParsedEntry, ParsedFeed
from feedloom.model.stages import Candidate, Origin, ScoredCandidate
from feedloom.model.urls import host_key, is_address, read_address, url_key

WEIGHTS: Mapping[str, int] = MappingProxyType(
    {
        "pasted": 60,
        "html": 50,
        "platform": 45,
        "headers": 40,
        "anchor": 20,
        "guess": 10,
        "external": 5,
        "same_site": 15,
        "items_same_site": 10,
        "has_items": 10,
        "of_address": 25,
        "asked_section": 15,
        "whole_site": 10,
        "fresh": 5,
        "full_content": 3,
        "same_language": 3,
        "atom": 1,
        "json": 1,
        "deeper": -1,
        "other_language": -3,
        "later_choice": -6,
        "section": -20,
        "comments": -40,
    }
)
"""Every reason there is. ``deeper``, ``other_language`` and ``later_choice`` count once
per step."""

_NAMED = frozenset({Origin.HTML, Origin.HEADERS})
_LABELLED = _NAMED | {Origin.ANCHOR}
_BLOG = frozenset({"blog", "weblog"})
FRESH = timedelta(days=30)
FULL_CONTENT_CHARS = 600
MAX_DEEPER = 9
"""Most steps that count; below ``asked_section``, so that asking for it still wins."""
MAX_LATER = 3
SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Context:
    asked_url: str
    """What the person pasted."""
    site_url: str
    """The page that answered."""
    now: datetime
    own_words: frozenset[str] = frozenset()
    """What the site is called."""
    language: str = ""

    @property
    def asked_kind(self) -> Kind:
        return asked_kind(self.asked_url)

    @property
    def domains(self) -> frozenset[str]:
        return frozenset(host_key(url) for url in (self.asked_url, self.site_url))


@dataclass(frozen=True, slots=True)
class Validated:
    candidate: Candidate
    url: str
    """The address to subscribe to: after permanent redirects."""
    feed: ParsedFeed


def score(
    found: Validated, context: Context, *, shallowest: int | None = None, has_twin: bool = True
) -> tuple[int, Mapping[str, int]]:
    """Return the sum and the reasons; ``shallowest`` is the depth of the siblings.

    The format decides only between twins: feeds of one name in several formats.
    """
    named = _reasons(found, context, shallowest=shallowest, has_twin=has_twin)
    reasons = {name: WEIGHTS[name] * times for name, times in named if times}
    return sum(reasons.values()), MappingProxyType(reasons)


def _reasons(
    found: Validated, context: Context, *, shallowest: int | None, has_twin: bool
) -> Iterable[tuple[str, int]]:
    feed, origin = found.feed, found.candidate.origin
    yield origin.value, 1
    yield "of_address", found.candidate.is_of_address
    yield "same_site", feed.site_url is not None and _in(feed.site_url, context.domains)
    yield "items_same_site", _are_mostly_of(feed.entries, context.domains)
    yield "has_items", bool(feed.entries)
    latest = latest_at(feed, context.now)
    yield "fresh", latest is not None and context.now - latest <= FRESH
    full = sum(len(entry.content_html) >= FULL_CONTENT_CHARS for entry in feed.entries)
    yield "full_content", bool(feed.entries) and 2 * full >= len(feed.entries)
    yield from _kind_reasons(found, context)
    yield "whole_site", _is_whole(found, context, has_twin=has_twin)
    distance = language_distance(found.candidate.language, context.language)
    yield "same_language", bool(found.candidate.language and context.language) and not distance
    yield "other_language", distance
    # What a page names on purpose stands in an order that says more than its depth.
    if shallowest is not None and origin not in _NAMED:
        yield "deeper", min(depth_of(found.url) - shallowest, MAX_DEEPER)
    if origin is Origin.PLATFORM:
        yield "later_choice", min(found.candidate.rank, MAX_LATER)
    yield "atom", has_twin and feed.format is Format.ATOM
    yield "json", has_twin and feed.format is Format.JSON


def _kind_reasons(found: Validated, context: Context) -> Iterable[tuple[str, int]]:
    kind = _kind_of_found(found, context)
    if kind is Kind.MAIN:
        yield "asked_section", _is_of_asked_folder(found, context)
    elif kind is context.asked_kind:
        yield "asked_section", is_within(found.url, context.asked_url)
    elif not is_excused(found.candidate, kind):
        yield kind.value, 1


def is_excused(candidate: Candidate, kind: Kind) -> bool:
    """Tell whether a part of a site is what was asked for by the way it was asked."""
    if candidate.origin is Origin.PASTED:
        return True
    # Adapters only offer what belongs to the pasted page: a search there is no stray.
    return candidate.origin is Origin.PLATFORM and kind is Kind.SECTION


def _kind_of_found(found: Validated, context: Context) -> Kind:
    return _kind_of(found.candidate, context, found.url, found.feed.title)


def _kind_of(candidate: Candidate, context: Context, url: str, *titles: str) -> Kind:
    kind = kind_of(url, candidate.title, *titles)
    if kind is Kind.SECTION and read_label(candidate.title, context.own_words) is Says.ALL:
        # "All news" at /rss.php?cat=0 is no category.
        return kind_of(str(read_address(url)._replace(query="")), *titles)
    return kind


def _is_of_asked_folder(found: Validated, context: Context) -> bool:
    """Tell whether a feed is of the pasted folder, and not of one article in it."""
    if found.candidate.origin not in _NAMED or not is_below(found.url, context.asked_url):
        return False
    own = url_key(context.asked_url)
    links = (entry.url for entry in found.feed.entries if entry.url and "#" not in entry.url)
    return any(is_address(link) and url_key(link) != own for link in links)


def is_foreign(found: Validated, context: Context) -> bool:
    """Tell whether a page links to the feed of another site: of a friend, mostly."""
    feed, host = found.feed, read_address(found.url).host
    if found.candidate.origin is not Origin.ANCHOR or is_feed_host(host) or feed.site_url is None:
        return False
    is_ours = _in(found.url, context.domains) or _in(feed.site_url, context.domains)
    return not (is_ours or _are_mostly_of(feed.entries, context.domains))


def is_main(found: Validated, context: Context) -> bool:
    """Tell whether a feed needs no better one: it is what was asked for."""
    if is_foreign(found, context):
        return False
    kind = _kind_of_found(found, context)
    return kind in {Kind.MAIN, context.asked_kind} or is_excused(found.candidate, kind)


def may_be_whole(candidate: Candidate, context: Context) -> bool:
    """Tell whether a feed is called by the whole of its site, not by a topic."""
    if candidate.origin not in _LABELLED or context.asked_kind is not Kind.MAIN:
        return False
    says = read_label(candidate.title, context.own_words)
    path = read_path(candidate.url, context.site_url)
    if candidate.origin is Origin.ANCHOR and says is Says.NOTHING:
        # In a list of feeds a blog is one part among others.
        return path is not Says.TOPIC and _BLOG.isdisjoint(words_in(candidate.title))
    if says is Says.TOPIC:
        # "News from the University" at /rss/news.xml
        return path is Says.ALL and has_main_word(candidate.title)
    return says is Says.ALL or path is not Says.TOPIC


def _is_whole(found: Validated, context: Context, *, has_twin: bool) -> bool:
    candidate, title = found.candidate, found.feed.title
    if may_be_whole(candidate, context):
        return True
    is_asked = context.asked_kind is Kind.MAIN
    if candidate.origin not in _LABELLED or not (title and is_asked):
        return False
    if has_twin and read_path(found.url, context.site_url) is Says.TOPIC:
        # Sections that all bear the name of their site.
        return False
    # The address may be a number; then the feed says whose it is.
    own = context.own_words
    says_nothing = read_label(candidate.title, own) is Says.NOTHING
    is_named = not own.isdisjoint(words_in(title))
    return says_nothing and is_named and read_label(title, own) is not Says.TOPIC


def promise_of(candidate: Candidate, context: Context) -> int:
    """Return what a candidate may be worth, judged before it is fetched."""
    kind = _kind_of(candidate, context, candidate.url)
    worth = WEIGHTS[candidate.origin.value]
    worth += WEIGHTS["whole_site"] * may_be_whole(candidate, context)
    worth += WEIGHTS["other_language"] * language_distance(candidate.language, context.language)
    if kind is Kind.MAIN or is_excused(candidate, kind):
        return worth
    return worth + (0 if kind is context.asked_kind else WEIGHTS[kind.value])


def rank_all(found: Sequence[Validated], context: Context) -> list[ScoredCandidate]:
    """Score validated candidates and put the best first.

    A feed that the person pasted stays first whatever its score: it was asked for.
    """
    shallowest = min((depth_of(one.url) for one in found), default=0)
    names = Counter(one.feed.title.casefold() for one in found)
    scored: list[ScoredCandidate] = []
    for one in found:
        feed, candidate = one.feed, one.candidate
        has_twin = names[feed.title.casefold()] > 1
        total, reasons = score(one, context, shallowest=shallowest, has_twin=has_twin)
        sample = ((e.title, e.url, e.published_at or e.updated_at) for e in feed.entries[:SAMPLE])
        scored.append(
            ScoredCandidate(
                url=one.url,
                origin=candidate.origin,
                score=total,
                reasons=reasons,
                valid=True,
                rank=candidate.rank if candidate.origin in _LABELLED else 0,
                title=feed.title or candidate.title,
                link_title=candidate.title,
                format=feed.format.value,
                site_url=feed.site_url,
                description=feed.description,
                language=feed.language,
                latest_at=latest_at(feed, context.now),
                sample=tuple(sample),
            )
        )
    return sorted(scored, key=order_key)


def order_key(one: ScoredCandidate) -> tuple[bool, int, int, int, str]:
    """Sort by: pasted, score, the order of the page, the shorter address, the alphabet."""
    is_other = one.origin is not Origin.PASTED
    return (is_other, -one.score, one.rank, len(one.url), one.url)


def latest_at(feed: ParsedFeed, now: datetime) -> datetime | None:
    """Return the newest date of a feed; dates beyond tomorrow are no dates."""
    dates = (entry.published_at or entry.updated_at for entry in feed.entries)
    horizon = now + timedelta(days=1)
    return max((at for at in dates if at is not None and at <= horizon), default=None)


def _are_mostly_of(entries: Sequence[ParsedEntry], domains: frozenset[str]) -> bool:
    links = [entry.url for entry in entries if entry.url]
    return bool(links) and 2 * sum(_in(link, domains) for link in links) > len(links)


def _in(url: str, domains: frozenset[str]) -> bool:
    return is_address(url) and host_key(url) in domains
