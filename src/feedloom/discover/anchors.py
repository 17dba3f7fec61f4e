"""Feeds that a page merely links to: anchors in, candidates out, the most likely first.

An anchor is taken when its address is spelled like a feed, when its words say that it
is one, or when it hands a feed to a reader ("add to …"), in which case the address is
taken out of that link. Links that share, log in or explain feeds are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

from feedloom.discover.labels import (
    Says,
    language_named,
    language_of,
    name_words,
    read_label,
    shared_words,
)
from feedloom.discover.looks import depth_of, is_feed_host, looks_like_feed, says_feed
from feedloom.discover.pages import Anchor, Page
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import (
    host_key,
    is_address,
    normalise,
    read_address,
    registrable_domain,
    url_key,
)

MAX_ANCHOR_CANDIDATES = 12
MAX_LABEL = 40
_SPELLED = 2
_MANY = 4
"""A page with so many feeds of its site is a list of them, whatever it is called."""

# Of thousands of anchors most are neither spelled nor worded like a feed; this tells
# them apart before anything is resolved.
_MAY_LEAD_TO_FEED = re.compile(
    r"rss|atom|feed|rdf|xml|json|syndication|backend|pcast|itpc|podcast|anchor\.fm"
    r"|kill-the-newsletter|reader|newsblur|yahoo|netvibes|bloglines|fusion"
    r"|subscribeonandroid|bazqux|w3\.org"
)
_FEED_HINT = re.compile(r"(?:^|[\s_/.-])(?:rss|atom|feed|feed-icon|fa-rss)(?:$|[\s_/.+-])")
_SHARE = re.compile(
    r"(?i)(?:^|[/?&._-])(?:share|sharer|intent|login|signin|signup|register"
    r"|submit|logout|print|mailto|wiki)(?:$|[/?&=._-])"
)
_BY_MAIL = re.compile(r"(?i)(?:^|[/?&._-])(?:subscribe|newsletter)(?:$|[/?&=._-])")
_RSS = re.compile(r"(?i)\b(?:rss|atom)\b")
_FEED_KEYS = frozenset({"feed", "feedurl", "feed_url", "rss", "rssurl", "rss_url", "xmlurl"})
_READER_HOSTS = """
    feedly.com www.feedly.com cloud.feedly.com www.inoreader.com inoreader.com www.newsblur.com
    newsblur.com add.my.yahoo.com theoldreader.com www.netvibes.com www.bloglines.com
    fusion.google.com validator.w3.org www.feedvalidator.org subscribeonandroid.com
    www.subscribeonandroid.com www.rssboard.org reader.miniflux.app bazqux.com feedbin.com
    feedbin.me
"""
_READERS = frozenset(_READER_HOSTS.split())
_INNER = re.compile(r"(?i)(?:feed/)?(https?:/{1,2}[^\s\"'<>]+)")
_SUBSCRIBE_SCHEME = re.compile(r"(?i)^(?:feeds?|pcast|itpc|podcast|rss):(?://)?")


def anchor_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return the feeds a page links to or writes down, at most a dozen.

    Of more than a dozen the surest are kept; what is kept stands in the page's order.
    """
    own_key, lists_feeds = url_key(page.url), _lists_feeds(page)
    own_words = name_words(page.site_name, page.title, page.url)
    likely: list[tuple[int, Anchor, str, int]] = []
    for place, anchor in enumerate((*page.anchors, *page.frames, *page.options)):
        url, sureness = _judge(anchor, page.url, own_words, in_list=lists_feeds)
        if url is not None and sureness and url_key(url) != own_key:
            likely.append((place, anchor, url, sureness))
    spelled = frozenset(one.text for _, one, _, sureness in likely if sureness >= _SPELLED)
    anchors = [anchor for _, anchor, *_ in likely]
    labels = _Labels(anchors, own_words, spelled) if lists_feeds else None
    found: dict[str, _Found] = {}
    for place, anchor, url, sureness in likely:
        key = url_key(url)
        first = found.get(key)
        if first is None:
            title = labels.title_of(anchor) if labels else _own_title(anchor)
            is_ours = host_key(url) == host_key(page.url)
            found[key] = _Found(url, title, sureness, place, is_ours=is_ours)
        elif sureness > first.sureness:
            found[key] = first._replace(url=url, sureness=sureness)
    own_words |= shared_words(one.title for one in found.values())
    kept = sorted(found.values(), key=lambda one: _choice(one, own_words))[:MAX_ANCHOR_CANDIDATES]
    in_order = [(one.url, one.title) for one in sorted(kept, key=_place)]
    written = (url for url in page.written_urls if looks_like_feed(url))
    for url in (*page.data_urls, *written):
        if url_key(url) not in found and url_key(url) != own_key:
            found[url_key(url)] = _Found(url, "", 0, 0)
            in_order.append((url, ""))
    return tuple(
        Candidate(
            url, Origin.ANCHOR, title, rank=rank, language=language_named(title) or language_of(url)
        )
        for rank, (url, title) in enumerate(in_order[:MAX_ANCHOR_CANDIDATES])
    )


class _Labels:
    """What feeds are called in a list of them.

    A link may say "RSS", "Copy" or its own address, and the row what it is about.
    """

    def __init__(
        self, anchors: Sequence[Anchor], own_words: frozenset[str], taken: frozenset[str]
    ) -> None:
        self._own_words = own_words
        self._taken = taken
        """Labels that belong to feeds themselves."""
        counts = Counter(text for text, _ in {(one.text, one.href) for one in anchors})
        text, count = counts.most_common(1)[0] if counts else ("", 0)
        self._common = text if count > 1 and 2 * count > counts.total() else ""
        bare = [anchor for anchor in anchors if self._is_bare(anchor)]
        # Before the first of them stands its label, or nothing but a heading.
        is_headed = bool(bare) and read_label(bare[0].before, own_words) is Says.NOTHING
        self._are_behind = is_headed and all(one.after for one in bare)

    def title_of(self, anchor: Anchor) -> str:
        beside = anchor.after if self._are_behind else anchor.before
        is_label = beside and beside not in self._taken and self._is_bare(anchor)
        return beside if is_label else _own_title(anchor)

    def _is_bare(self, anchor: Anchor) -> bool:
        says_nothing = read_label(anchor.text, self._own_words) is Says.NOTHING
        if says_nothing and language_named(anchor.text):
            return False
        return says_nothing or anchor.text == self._common or "://" in _own_title(anchor)


def _own_title(anchor: Anchor) -> str:
    return anchor.text or anchor.hints[:80]


class _Found(NamedTuple):
    url: str
    title: str
    sureness: int
    place: int
    is_ours: bool = True


def _choice(one: _Found, own_words: frozenset[str]) -> tuple[bool, bool, bool, int, int]:
    is_all = read_label(one.title, own_words) is Says.ALL
    is_spelled = one.sureness >= _SPELLED
    return (not is_spelled, not one.is_ours, not is_all, depth_of(one.url), one.place)


def _place(one: _Found) -> tuple[bool, bool, int]:
    return (one.sureness < _SPELLED, not one.is_ours, one.place)


def _lists_feeds(page: Page) -> bool:
    """Tell whether a page is there to list the feeds of its site."""
    if looks_like_feed(page.url) or (len(page.title) <= MAX_LABEL and says_feed(page.title)):
        return True
    may_be = (anchor for anchor in page.anchors if _MAY_LEAD_TO_FEED.search(anchor.href.lower()))
    spelled = {url for one in may_be if (url := one.url) is not None and looks_like_feed(url)}
    ours = sum(host_key(url) == host_key(page.url) for url in spelled)
    return ours >= _MANY or (ours > 1 and says_feed(page.title))


def _judge(
    anchor: Anchor, page_url: str, own_words: frozenset[str], *, in_list: bool
) -> tuple[str | None, int]:
    """Return the feed address an anchor may lead to, and how sure that is."""
    is_listed = in_list and read_label(anchor.text, own_words) is Says.ALL
    is_worded = _says_feed(anchor) or is_listed
    if not (is_worded or _MAY_LEAD_TO_FEED.search(anchor.href.lower())):
        return None, 0
    handed = _handed_over(anchor, page_url)
    if handed:
        return handed, 4
    url = anchor.url
    if url is None:
        return None, 0
    address = read_address(url)
    # Only what stands below such a host is a feed; its front page tells of them.
    is_spelled = looks_like_feed(url) or (is_feed_host(address.host) and address.path != "/")
    is_ours = registrable_domain(address.host) == host_key(page_url)
    if not (is_ours or (in_list and is_spelled) or _is_foreign_feed(url)):
        return None, 0
    is_mail = _BY_MAIL.search(anchor.href) and not _RSS.search(
        f"{anchor.text} {anchor.hints} {anchor.href}"
    )
    if not is_spelled and (is_mail or _SHARE.search(anchor.href)):
        return None, 0
    return url, _SPELLED * is_spelled + is_worded


def _says_feed(anchor: Anchor) -> bool:
    # A button is short; a headline with "feed" in it is not a button.
    is_label = len(anchor.text) <= MAX_LABEL
    if is_label and says_feed(anchor.text):
        return True
    return _FEED_HINT.search(anchor.hints.lower()) is not None


def _is_foreign_feed(url: str) -> bool:
    address = read_address(url)
    return is_feed_host(address.host) or bool(
        re.search(r"(?i)\.(?:rss|atom|rdf)$|/(?:rss|atom|feed|index)\.xml$", address.path)
    )


def _handed_over(anchor: Anchor, page_url: str) -> str | None:
    """Take the feed out of a ``feed:`` link or a link that adds it to a reader."""
    if _SUBSCRIBE_SCHEME.match(anchor.href):
        rest = _SUBSCRIBE_SCHEME.sub("", anchor.href)
        if not re.match(r"(?i)https?:", rest):
            rest = f"{read_address(page_url).scheme}://{rest}"
        return normalise(rest) if is_address(rest) else None
    if anchor.url is None:
        return None
    is_reader = read_address(anchor.url).host in _READERS
    inner = _inner_addresses(anchor, keys=None if is_reader else _FEED_KEYS)
    return next((normalise(url) for url in inner if is_address(url)), None)


def _inner_addresses(anchor: Anchor, *, keys: frozenset[str] | None) -> Iterator[str]:
    """Yield the addresses within a link: of a reader all, elsewhere what is called a feed."""
    address = read_address(anchor.url or "")
    for key, value in parse_qsl(address.query):
        match = _INNER.match(value)
        if match and (keys is None or key.lower() in keys):
            yield match[1]
    if keys is not None:
        return
    for place in (address.path, anchor.href.partition("#")[2]):
        match = _INNER.search(unquote(place))
        if match:
            query = f"?{address.query}" if address.query else ""
            yield re.sub(r"^(https?:)/+", r"\1//", match[1]) + query
