"""Feeds a page only links to: its anchors in, candidates out, the surest first.

An anchor is taken when its address is spelled like a feed, when its words say that it
is one, or when it hands a feed to a reader ("add to …"), in which case the address is
taken out of that link. Links that share, log in or explain feeds are left out.
"""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote

from feedloom.discover.looks import FEED_HOSTS, looks_like_feed
from feedloom.discover.pages import Anchor, Page
from feedloom.model.errors import BadAddress
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import normalise, read_address, registrable_domain, url_key

MAX_ANCHOR_CANDIDATES = 12
MAX_LABEL = 40

# Words for "feed" as sites put them on buttons, many languages, in lower case.
# "Subscribe" alone is not among them: it mostly means a newsletter.
_FEED_WORD = re.compile(
    r"\b(?:rss|atom|rdf|xml|web ?feed|news ?feed|json ?feed|feeds?|syndicat\w*"
    r"|syndizier\w*|flux|fil (?:rss|d.actualit[ée]s)|fuente|canal rss|sindicaci[óo]n"
    r"|sindica[cç][ãa]o|fluxo|fonte rss|nieuwsfeed|fl[öo]de|nyhetsfl[öo]de|sy[öo]te"
    r"|strumie[ńn]|kana[łl] rss|hírcsatorna|besleme|ak\u0131ş|ροή|лента|rss-лента|стрічка"
    r"|емисия|kanál|zdroj rss|umpan)\b"
    r"|フィード|更新情報の配信|订阅源|訂閱源|聚合|피드|구독 rss|خلاصات|تلقيمات|הזנה|ฟีด|फ़ीड"
)
# Of thousands of anchors most are neither spelled nor worded like a feed; this tells
# them apart before anything is resolved.
_MAY_LEAD_TO_FEED = re.compile(
    r"rss|atom|feed|rdf|xml|json|syndication|backend|pcast|itpc|podcast|anchor\.fm"
    r"|kill-the-newsletter|reader|newsblur|yahoo|netvibes|bloglines|fusion"
    r"|subscribeonandroid|bazqux|w3\.org"
)
_FEED_HINT = re.compile(
    r"(?:^|[\s_/.-])(?:rss|atom|feed|feed-icon|fa-rss)(?:$|[\s_/.-])"
)
_SHARE = re.compile(
    r"(?i)(?:^|[/?&._-])(?:share|sharer|intent|login|signin|signup|register|subscribe"
    r"|newsletter|submit|logout|print|mailto|wiki)(?:$|[/?&=._-])"
)
_READERS = frozenset(
    {
        *("feedly.com", "www.feedly.com", "cloud.feedly.com", "www.inoreader.com"),
        *("inoreader.com", "www.newsblur.com", "newsblur.com", "add.my.yahoo.com"),
        *("theoldreader.com", "www.netvibes.com", "www.bloglines.com"),
        *("fusion.google.com", "validator.w3.org", "www.feedvalidator.org"),
        *("subscribeonandroid.com", "www.subscribeonandroid.com", "www.rssboard.org"),
        *("reader.miniflux.app", "bazqux.com", "feedbin.com", "feedbin.me"),
    }
)
_INNER = re.compile(r"(?i)(?:feed/)?(https?:/{1,2}[^\s\"'<>]+)")
_SUBSCRIBE_SCHEME = re.compile(r"(?i)^(?:feeds?|pcast|itpc|podcast|rss):(?://)?")


def anchor_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return the feeds a page links to, the surest first, at most a dozen."""
    own_key = url_key(page.url)
    found: dict[str, tuple[int, Candidate]] = {}
    for anchor in page.anchors:
        url, sureness = _judge(anchor, page.url)
        if url is None or not sureness:
            continue
        key = url_key(url)
        if key != own_key and sureness > found.get(key, (0,))[0]:
            title = anchor.text or anchor.hints[:80]
            found[key] = (sureness, Candidate(url, Origin.ANCHOR, title))
    surest = sorted(found.values(), key=lambda pair: -pair[0])[:MAX_ANCHOR_CANDIDATES]
    return tuple(_with_rank(place, one) for place, (_, one) in enumerate(surest))


def _with_rank(place: int, one: Candidate) -> Candidate:
    return Candidate(one.url, one.origin, one.title, one.type, rank=place)


def _judge(anchor: Anchor, page_url: str) -> tuple[str | None, int]:
    is_worded = _says_feed(anchor)
    if not (is_worded or _MAY_LEAD_TO_FEED.search(anchor.href.lower())):
        return None, 0
    handed = _handed_over(anchor, page_url)
    if handed:
        return handed, 4
    url = anchor.url
    if url is None:
        return None, 0
    address = read_address(url)
    is_spelled = looks_like_feed(url) or address.host in FEED_HOSTS
    is_ours = registrable_domain(address.host) == _domain(page_url)
    if not (is_ours or _is_foreign_feed(url)):
        return None, 0
    if _SHARE.search(anchor.href) and not is_spelled:
        return None, 0
    return url, 2 * is_spelled + is_worded


def _says_feed(anchor: Anchor) -> bool:
    # A button is short; a headline with "feed" in it is not a button.
    is_label = len(anchor.text) <= MAX_LABEL
    if is_label and _FEED_WORD.search(anchor.text.lower()):
        return True
    return _FEED_HINT.search(anchor.hints.lower()) is not None


def _is_foreign_feed(url: str) -> bool:
    address = read_address(url)
    if address.host in FEED_HOSTS:
        return True
    label = address.host.partition(".")[0]
    return label in {"feeds", "feed", "rss"} or bool(
        re.search(
            r"(?i)\.(?:rss|atom|rdf)$|/(?:rss|atom|feed|index)\.xml$", address.path
        )
    )


def _handed_over(anchor: Anchor, page_url: str) -> str | None:
    """Take the feed out of a ``feed:`` link or a link that adds it to a reader."""
    if _SUBSCRIBE_SCHEME.match(anchor.href):
        rest = _SUBSCRIBE_SCHEME.sub("", anchor.href)
        scheme = read_address(page_url).scheme
        return _address(
            rest if re.match(r"(?i)https?:", rest) else f"{scheme}://{rest}"
        )
    if anchor.url is None or read_address(anchor.url).host not in _READERS:
        return None
    return next(filter(None, map(_address, _inner_addresses(anchor.url))), None)


def _inner_addresses(url: str) -> Iterator[str]:
    address = read_address(url)
    for _, value in parse_qsl(address.query):
        match = _INNER.match(value)
        if match:
            yield match[1]
    match = _INNER.search(unquote(address.path))
    if match:
        query = f"?{address.query}" if address.query else ""
        yield re.sub(r"^(https?:)/+", r"\1//", match[1]) + query


def _address(text: str) -> str | None:
    try:
        return normalise(text)
    except BadAddress:
        return None


def _domain(url: str) -> str:
    return registrable_domain(read_address(url).host)
