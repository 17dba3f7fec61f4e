"""Web pages searched for pointers to feeds: bytes in, a ``Page`` out.

Any bytes give a ``Page``; broken, huge or hostile ones give one with little in it.
Nothing here judges whether a link is a feed, and nothing here trusts the markup.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feedloom.model.stages import FetchResponse
from feedloom.model.urls import host_key, read_address, resolve

HEAD_BYTES = 1_000_000
TAIL_BYTES = 200_000
"""Of a huge page only its start and its end are read: links live in head and foot."""
MAX_ANCHORS = 4_000
MAX_LINKS = 500
MAX_WORDS = 200
MAX_TAG = 4_096
MAX_REFRESH_S = 15

_CHARSET = re.compile(rb"""(?i)charset\s*=\s*["']?\s*([\w.:-]+)""")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Python also knows codecs that are no page encodings (punycode, unicode_escape). UTF-16
# needs its mark: a declaration that can be read as ASCII is wrong about itself.
_PAGE_CODEC = re.compile(
    r"utf-8|iso8859|cp\d|koi8|mac-|gb|big5|euc|shift_jis|iso2022_(?:jp|kr)|hz|johab|tis"
)
# Whatever begins with "<", each read to its end or to that of the page, and only once:
# a comment, an element whose content is no markup, a tag, a declaration. One that closes
# itself has no content: that is how drawings within a page write theirs.
_ATTRIBUTES = r"""(?:[\s/]++|[^\s/>][^\s/>=]*+
    (?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])[^\s>]*+))?+)*+"""
_MARK = re.compile(
    rf"""<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))
    |<(?P<raw>title|script|style|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])
      (?P<said>{_ATTRIBUTES})(?<!/)(?:[^<]++|<(?!/(?P=raw)[\s/>]))*+
    |</?(?P<name>[a-z][^\s/>]*+){_ATTRIBUTES}(?:>|\Z)
    |<[!?/][^>]*+>?""",
    re.VERBOSE | re.IGNORECASE,
)
_WANTED = frozenset(
    {*("a", "area", "base", "frame", "frameset", "img", "link", "meta", "svg"), "title"}
)
_ICONS = frozenset({"i", "span", "use", "em", "b"})
_FEED_ICON = re.compile(r"(?i)\b(?:rss2?|icon-feed|feed-icon|fa-feed)\b")
_LANGUAGE = re.compile(
    r"""(?i)<html\s[^>]{0,1000}?\blang\s{0,4}=\s{0,4}["']?([a-z]{2,3}(?:[-_][a-z]{2,4})?)\b"""
)
# Page data (JSON in scripts, JSON-LD, the attributes of players) names a feed by a key.
# Quotes may be escaped, since data is often carried as text within data.
_DATA = re.compile(
    r"""(?ix)(?:["']|&quot;)(?:[a-z]{0,20}(?:feed|rss|atom)_?-?ur[il]|web_?feed|rss_?(?:feed|link|href)
    |(?:podcast_?)?rss|feed_?(?:link|href)|atom_?feed|xml_?url)\\{0,3}(?:["']|&quot;)
    \s{0,8}:\s{0,8}\\{0,3}(?:["']|&quot;)
    (?P<url>(?:https?:|\\{0,3}/)[^\s"'<>]{2,1000}?)
    \\{0,3}(?:["']|&quot;)"""
)
# Any other address in quotes, for what scripts and buttons hold; links are read as such.
_QUOTED = re.compile(
    r"""(?i)(?<![\s"'/]href=)(?<!src=)(?<!content=)"""
    r"""["']((?:https?:)?(?:\\{0,3}/|\\u002[Ff])[^\s"'<>]{2,300}+)["']"""
)
_FEED_WORD = re.compile(r"(?i)rss|atom|feed|rdf")
_LETTER = re.compile(r"[^\W\d_]")
_OUTLINE = re.compile(
    r"""(?i)<outline\s[^<>]{0,2000}?\bxmlUrl\s{0,4}=\s{0,4}["']([^"'<>]{4,1000})"""
)
_VALUE = re.compile(
    r"""(?i)(?:<input\s[^<>]{0,400}?\bvalue|\bdata-[a-z-]{0,20}(?:feed|rss)[a-z-]{0,10})"""
    r"""=["']((?:https?:/)?/[^\s"'<>]{4,1000})"""
)
_WRITTEN = re.compile(r"""(?i)(?<![\w"'=(/])https?://[^\s<>"'()\[\]]{4,1000}""")
_FRAME = re.compile(r"""(?i)<iframe\s[^<>]{0,1000}?\bsrc=["']([^"'\s<>]{1,1000})""")
_OPTION = re.compile(
    r"""(?i)<option\s[^<>]{0,200}?\bvalue=["']?([^"'\s<>]{4,500})["']?[^<>]{0,200}>([^<]{0,200})"""
)
_TWO_SCHEMES = re.compile(r"(?i)^https?:/{0,2}(?=https?://)")
_BARE_HOST = re.compile(r"(?i)((?:[\w-]{1,63}\.){1,5}[a-z]{2,20})/")
_SUBSCRIBE_LINK = re.compile(r"(?i)^feeds?:(?://)?(?P<web>https?:)?")
MAX_NAMED = 40
MAX_QUOTED = 4_000
MAX_BEFORE = 60
MAX_FRAMES = 10
MAX_OPTIONS = 200
MAX_SPLASH = 6
"""A page with no more links than this leads to the site, and is not it."""
MAX_LANGUAGE_AT = 50_000
_REFRESH = re.compile(r"""(?i)^\s*(\d+)(?:\.\d*)?\s*[;,]?\s*(?:url\s*=)?\s*["']?([^"']*)""")
# A page that is only a script which goes elsewhere at once.
_SIGNPOST = 2_000
_LOCATION = re.compile(
    r"""<script[^>]{0,200}>\s{0,200}(?:(?:window|document|top|self)\.)?location"""
    r"""(?:\.href)?(?:\s{0,4}=\s{0,4}|\.(?:replace|assign)\(\s{0,4})["']([^"'\s]{1,1000})"""
)
_JSON_TYPES = frozenset({"application/json", "application/jrd+json"})
_PROFILE_RELS = ("http://webfinger.net/rel/profile-page", "self")
_BLOG_WORD = re.compile(
    r"(?i)^(?:the |our |my |read the |visit our |latest )?(?:blog|weblog|news|journal|articles"
    r"|newsletter"
    r"|posts|writing|stories|newsroom|news ?(?:&|and) ?(?:events|media|press|updates|insights)"
    r"|press ?(?:room|releases?|cent(?:er|re))?|media ?cent(?:er|re)|announcements|insights"
    r"|updates|archives?|magazine|notizen|nachrichten|neuigkeiten|aktuelles|presse"
    r"|pressemitteilungen|pressemeldungen|magazin|actualit[ée]s|actus|noticias|novedades"
    r"|prensa|actualidad|not[ií]cias|imprensa|notizie|comunicati(?: stampa)?|nieuws|persberichten"
    r"|nyheter|aktuellt|nyheder|uutiset|ajankohtaista|aktualno[śs]ci|aktuality|hírek"
    r"|новости|новини|блог|haberler|duyurular|ブログ|ニュース|お知らせ|博客|新闻|新聞|블로그|뉴스|공지사항)$"
)
# "Engineering blog", "News & blog": what else it may be called, in few words.
_BLOG_MENTIONED = re.compile(
    r"(?i)\b(?:blogs?|weblog|newsroom|news|what.?s new|новости)\b|ブログ|博客"
)
_MOST_BLOG_WORDS = 4
_FEW = 2
_BLOG_ADDRESS = re.compile(
    r"(?i)^https?://(?:(?:blogs?|news|newsroom|press)\.[^/?#]+/?"
    r"|[^/?#]+(?:/[\w-]+)?/(?:(?:we)?blogs?|news|newsroom|journal|posts|articles|press|nachrichten"
    r"|aktuelles|actualites|noticias|notizie|nieuws|nyheter)(?:/|\.\w{3,5})?)$"
)
_SUBSCRIBE_WORD = re.compile(
    r"(?i)^(?:subscribe|follow(?: us)?|stay (?:connected|informed)|(?:e-?mail )?subscriptions?"
    r"|abonnieren|abonnements?|s['\u2019]abonner|suscr[ií]bete|suscripci[óo]n|assine|iscriviti"
    r"|abonneren|prenumerera|prenumerata|подписка|подписаться|購読|订阅|訂閱|구독)$"
)


@dataclass(frozen=True, slots=True)
class Link:
    """A ``<link>`` element, its address resolved."""

    rels: frozenset[str]
    type: str
    url: str
    title: str = ""
    language: str = ""
    """What ``hreflang`` says, in lower case."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An ``<a>`` element; ``href`` is as written, since it may be ``feed:``."""

    href: str
    base: str
    text: str
    hints: str
    """Title, label, class and image texts: what else it says of itself."""
    before: str = ""
    """The end of the text between the link before it and this one, or else that link's."""
    after: str = ""
    """The start of the text between it and the next link."""

    @property
    def url(self) -> str | None:
        """Resolve it; None when it is no web address."""
        return resolve(self.base, self.href)


@dataclass(frozen=True, slots=True)
class Page:
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    title: str = ""
    site_name: str = ""
    """Only what the page calls its site on purpose."""
    language: str = ""
    generator: str = ""
    canonical_url: str | None = None
    favicon_url: str | None = None
    refresh_url: str | None = None
    """Where the page sends its visitors."""
    links: tuple[Link, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    frames: tuple[Anchor, ...] = ()
    """Pages shown within this one."""
    options: tuple[Anchor, ...] = ()
    """Addresses to choose from in a menu."""
    data_urls: tuple[str, ...] = ()
    """Addresses that the page's data calls feeds."""
    written_urls: tuple[str, ...] = ()
    """Addresses in plain text, or in a field to copy them from."""

    @property
    def blogs(self) -> tuple[str, ...]:
        """Pages that its links call a blog or news, wherever they are; the surest first."""
        called = (anchor.url for anchor in self.anchors if _BLOG_WORD.match(anchor.text))
        mentioned = [
            anchor.url
            for anchor in self.anchors
            if len(anchor.text.split()) <= _MOST_BLOG_WORDS and _BLOG_MENTIONED.search(anchor.text)
        ]
        # "World news", "Sports news" and so on are the sections of a newspaper.
        few = mentioned if len(set(mentioned)) <= _FEW else ()
        linked = (anchor.url for anchor in self.anchors)
        placed = (url for url in linked if url and is_blog(url))
        return _unique((*called, *few, *placed))

    @property
    def ways_on(self) -> tuple[str, ...]:
        """Pages of the same site where its feeds may be told, the likeliest first."""
        told = (anchor.url for anchor in self.anchors if _SUBSCRIBE_WORD.match(anchor.text))
        linked = _unique(anchor.url for anchor in self.anchors)
        few = list(filter(self._is_ours, linked))
        splash = few[:1] if len(few) <= MAX_SPLASH else ()
        framed = (frame.url for frame in self.frames)
        likely = (*self.blogs[:4], *islice(told, 1), *framed, *splash)
        return _unique(url for url in likely if url and self._is_ours(url))

    def _is_ours(self, url: str) -> bool:
        return host_key(url) == host_key(self.url)


def is_blog(url: str) -> bool:
    """Tell whether an address is that of a blog or of news, by its last folder or host."""
    return _BLOG_ADDRESS.match(url) is not None


def read_page(fetched: FetchResponse) -> Page:
    url, text = fetched.url, _decode(fetched)
    if fetched.content_type in _JSON_TYPES:
        profile = _webfinger_profile(fetched.body)
        named = _data_urls(text, url)
        return Page(url, fetched.headers, refresh_url=profile, data_urls=named)
    if begins_like_outline(fetched.body):
        # The feeds of an OPML document that are the site's own, not its friends'.
        found = (_unescaped(match[1], url) for match in islice(_OUTLINE.finditer(text), 200))
        named = _unique(one for one in found if one and host_key(one) == host_key(url))
        return Page(url, fetched.headers, data_urls=named)
    # The parser is quadratic in depth and in attributes per tag. How deep a page is cannot be told
    # without parsing it, so it is made flat: what is not looked for goes, and with it what could
    # stand inside something else.
    tame = _MARK.sub(_flat, text)
    tree = LexborHTMLParser(tame)
    href = _said(tree.css_first("base[href]"), "href")
    base = (resolve(url, href) if href else None) or url
    links = tuple(_links(tree, base))
    metas = dict(_metas(tree))
    titled = tree.css_first("title")
    icons = [link.url for link in links if "icon" in link.rels]
    icons += [link.url for link in links if "apple-touch-icon" in link.rels]
    return Page(
        url=url,
        headers=fetched.headers,
        text=text,
        title=metas.get("og:site_name", "") or (_squeeze(titled.text()) if titled else ""),
        site_name=metas.get("og:site_name", ""),
        language=_language(text, metas),
        generator=metas.get("generator", ""),
        canonical_url=next((link.url for link in links if "canonical" in link.rels), None),
        favicon_url=icons[0] if icons else resolve(base, "/favicon.ico"),
        refresh_url=_refresh(metas.get("refresh", ""), base)
        or _only_frame(tree, base)
        or _script_refresh(text, base),
        links=links,
        anchors=tuple(_anchors(tree, base)),
        frames=tuple(
            Anchor(match[1].replace("&amp;", "&"), base, text="", hints="")
            for match in islice(_FRAME.finditer(text), MAX_FRAMES)
        ),
        options=tuple(
            Anchor(match[1].replace("&amp;", "&"), base, text=_squeeze(match[2]), hints="")
            for match in islice(_OPTION.finditer(text), MAX_OPTIONS)
        ),
        data_urls=_data_urls(text, base),
        written_urls=_written_urls(text, tame, base),
    )


def begins_like_outline(body: bytes) -> bool:
    return b"<opml" in body[:2_000].lower()


def _decode(fetched: FetchResponse) -> str:
    body = fetched.body
    if len(body) > HEAD_BYTES + TAIL_BYTES:
        body = body[:HEAD_BYTES] + b"\n" + body[-TAIL_BYTES:]
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = fetched.headers.get("content-type", "").encode("utf-8", "replace")
    return body.decode(_codec(declared) or _codec(body[:2048]) or "utf-8", "replace")


def _codec(place: bytes) -> str | None:
    match = _CHARSET.search(place)
    try:
        name = codecs.lookup(match[1].decode("ascii")).name if match else ""
    except (LookupError, ValueError):
        return None
    # Browsers read both as windows-1252, and so do the people who write such pages.
    name = "cp1252" if name in {"ascii", "iso8859-1"} else name
    return name if _PAGE_CODEC.match(name) else None


def _flat(mark: re.Match[str]) -> str:
    raw, said, name = (text or "" for text in mark.group("raw", "said", "name"))
    if raw:
        return mark[0] if raw.lower() == "title" and len(said) <= MAX_TAG else " "
    name = name.lower()
    if name in _ICONS:
        # An icon drawn by a style sheet: what it shows is all that its link says.
        is_icon = len(mark[0]) <= MAX_TAG and _FEED_ICON.search(mark[0])
        return '<img alt="rss">' if is_icon else " "
    is_empty_title = name == "title" and mark[0].endswith("/>")
    if name not in _WANTED or len(mark[0]) > MAX_TAG or is_empty_title:
        return " "
    # Only what it is called is looked for, and other rules hold inside.
    return f"{mark[0]}</svg>" if name == "svg" else mark[0]


def _links(tree: LexborHTMLParser, base: str) -> Iterator[Link]:
    for node in tree.css("link[href]")[:MAX_LINKS]:
        said = node.attributes
        href = _SUBSCRIBE_LINK.sub(_web_scheme, (said.get("href") or "").strip())
        url = resolve(base, _repaired(href, base))
        if url:
            yield Link(
                rels=frozenset((said.get("rel") or "").lower().split()),
                type=(said.get("type") or "").partition(";")[0].strip().lower(),
                url=url,
                title=_squeeze(said.get("title") or ""),
                language=(said.get("hreflang") or "").strip().lower(),
            )


def _anchors(tree: LexborHTMLParser, base: str) -> Iterator[Anchor]:
    nodes = tree.css("a[href], area[href]")
    if len(nodes) > MAX_ANCHORS:
        nodes = nodes[: MAX_ANCHORS // 2] + nodes[-MAX_ANCHORS // 2 :]
    for node in nodes:
        said = node.attributes
        href = (said.get("href") or "").strip()
        if href and not href.startswith("#"):
            hints = (said.get(name) or "" for name in _HINTS)
            yield Anchor(
                href=_repaired(href, base),
                base=base,
                text=_squeeze(node.text(separator=" ")),
                hints=_squeeze(" ".join((*hints, *_images(node)))),
                before=_before(node),
                after=_after(node),
            )


def _repaired(href: str, base: str) -> str:
    """Read an address as its author meant it: with two schemes, or a host without one."""
    href = _TWO_SCHEMES.sub("", href)
    host = _BARE_HOST.match(href)
    own = read_address(base).host.removeprefix("www.") if host else ""
    if host and host[1].lower().removeprefix("www.") == own:
        return f"//{href}"
    return href.replace("\\", "/")


def _web_scheme(scheme: re.Match[str]) -> str:
    return scheme["web"] or "//"


def _before(node: LexborNode) -> str:
    earlier = node.prev
    if earlier is not None and earlier.tag == "-text":
        said = " ".join(earlier.text()[-4 * MAX_BEFORE :].split())[-MAX_BEFORE:]
        if _LETTER.search(said):
            return said
        earlier = earlier.prev
    if earlier is None or earlier.tag != "a":
        return ""
    return _squeeze(earlier.text(separator=" "), limit=MAX_BEFORE)


def _after(node: LexborNode) -> str:
    later = node.next
    if later is None or later.tag != "-text":
        return ""
    said = " ".join(later.text()[: 4 * MAX_BEFORE].split())[:MAX_BEFORE]
    return said if _LETTER.search(said) else ""


_HINTS = ("title", "aria-label", "class", "type", "rel")


def _images(node: LexborNode) -> Iterator[str]:
    for image in node.css("img, svg")[:3]:
        for name in ("alt", "src", "class"):
            yield image.attributes.get(name) or ""


def _metas(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in reversed(tree.css("meta[content]")[:MAX_LINKS]):
        said = node.attributes
        name = said.get("name") or said.get("property") or said.get("http-equiv") or ""
        yield name.strip().lower(), _squeeze(said.get("content") or "", limit=2_000)


def _language(text: str, metas: Mapping[str, str]) -> str:
    said = _LANGUAGE.search(text, 0, MAX_LANGUAGE_AT)
    own = said[1] if said else metas.get("og:locale", "")
    return own.strip().lower().replace("_", "-")


def _data_urls(text: str, base: str) -> tuple[str, ...]:
    named = (match["url"] for match in islice(_DATA.finditer(text), MAX_NAMED))
    return _unique(_unescaped(url, base) for url in named)


def _unescaped(url: str, base: str) -> str | None:
    plain = url.replace("\\u002F", "/").replace("\\u002f", "/").replace("\\u0026", "&")
    return resolve(base, plain.replace("\\", "").replace("&amp;", "&"))


def _written_urls(text: str, tame: str, base: str) -> tuple[str, ...]:
    fields = (match[1] for match in islice(_VALUE.finditer(text), MAX_NAMED))
    written = (match[0] for match in islice(_WRITTEN.finditer(tame), 200))
    quoted = (match[1] for match in islice(_QUOTED.finditer(text), MAX_QUOTED))
    likely = islice(filter(_FEED_WORD.search, quoted), MAX_NAMED)
    urls = [_unescaped(url, base) for url in fields]
    urls += [_web_address(url.rstrip(".,;:!?")) for url in written]
    urls += [_unescaped(url, base) for url in likely]
    return _unique(urls)


def _refresh(content: str, base: str) -> str | None:
    match = _REFRESH.match(content)
    # A page that reloads itself after minutes is a page, not a signpost.
    if match is None or not match[2].strip() or int(match[1][:6]) > MAX_REFRESH_S:
        return None
    return resolve(base, match[2].strip())


def _script_refresh(text: str, base: str) -> str | None:
    match = _LOCATION.search(text) if len(text) < _SIGNPOST else None
    return resolve(base, match[1]) if match else None


def _only_frame(tree: LexborHTMLParser, base: str) -> str | None:
    if tree.css_first("frameset") is None:
        return None
    frames = tree.css("frame[src]")
    named = [one for one in frames if _said(one, "name").lower() in {"main", "content", "body"}]
    src = _said(next(iter(named or frames[-1:]), None), "src")
    return resolve(base, src) if src else None


def _webfinger_profile(body: bytes) -> str | None:
    try:
        links = json.loads(body[:65_536]).get("links", [])
        hrefs = {link.get("rel"): link.get("href") for link in links}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    found = (hrefs.get(rel) for rel in _PROFILE_RELS)
    return next((u for u in map(_web_address, found) if u), None)


def _said(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node else ""


def _unique(urls: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, urls)))


def _web_address(value: object) -> str | None:
    return resolve("", value) if isinstance(value, str) else None


def _squeeze(text: str, *, limit: int = MAX_WORDS) -> str:
    return " ".join(text[: 4 * limit].split())[:limit]
