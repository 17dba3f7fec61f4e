"""A web page, read for what points at feeds: bytes in, a ``Page`` out.

Any bytes give a ``Page``; broken, huge or hostile ones give one with little in it.
Nothing here judges whether a link is a feed, and nothing here trusts the markup.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feedloom.model.stages import FetchResponse
from feedloom.model.urls import read_address, registrable_domain, resolve

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
    {"a", "area", "base", "frame", "frameset", "img", "link", "meta", "svg", "title"}
)
_REFRESH = re.compile(
    r"""(?i)^\s*(\d+)(?:\.\d*)?\s*[;,]?\s*(?:url\s*=)?\s*["']?([^"']*)"""
)
_JSON_TYPES = frozenset({"application/json", "application/jrd+json"})
_PROFILE_RELS = ("http://webfinger.net/rel/profile-page", "self")
_BLOG_WORD = re.compile(
    r"(?i)^(?:the |our |my )?(?:blog|weblog|news|journal|articles|posts|writing|stories"
    r"|notizen|nachrichten|aktuelles|actualit[ée]s|noticias|not[ií]cias|notizie|nieuws"
    r"|nyheter|nyheder|uutiset|aktualno[śs]ci|новости|блог|ブログ|ニュース|博客|新闻)$"
)


@dataclass(frozen=True, slots=True)
class Link:
    """A ``<link>`` element, its address resolved."""

    rels: frozenset[str]
    type: str
    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An ``<a>`` element; ``href`` is as written, since it may be ``feed:``."""

    href: str
    base: str
    text: str
    hints: str
    """Title, label, class and image texts: what else it says of itself."""

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
    generator: str = ""
    canonical_url: str | None = None
    favicon_url: str | None = None
    refresh_url: str | None = None
    """Where the page sends its visitors."""
    links: tuple[Link, ...] = ()
    anchors: tuple[Anchor, ...] = ()

    @property
    def blogs(self) -> tuple[str, ...]:
        """Pages of the same site that its links call a blog or news."""
        domain = registrable_domain(read_address(self.url).host)
        found = (anchor.url for anchor in self.anchors if _BLOG_WORD.match(anchor.text))
        ours = (
            u for u in found if u and registrable_domain(read_address(u).host) == domain
        )
        return tuple(dict.fromkeys(ours))


def read_page(fetched: FetchResponse) -> Page:
    if fetched.content_type in _JSON_TYPES:
        profile = _webfinger_profile(fetched.body)
        return Page(url=fetched.url, headers=fetched.headers, refresh_url=profile)
    text = _decode(fetched)
    tree = LexborHTMLParser(_tame(text))
    base = _base(tree, fetched.url)
    links = tuple(_links(tree, base))
    metas = dict(_metas(tree))
    canonical = [link.url for link in links if "canonical" in link.rels]
    refresh = _refresh(metas.get("refresh", ""), base) or _only_frame(tree, base)
    return Page(
        url=fetched.url,
        headers=fetched.headers,
        text=text,
        title=metas.get("og:site_name", "") or _title(tree),
        generator=metas.get("generator", ""),
        canonical_url=canonical[0] if canonical else None,
        favicon_url=_favicon(links, base),
        refresh_url=refresh,
        links=links,
        anchors=tuple(_anchors(tree, base)),
    )


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


def _tame(text: str) -> str:
    """Keep the parser linear: it is quadratic in depth and in attributes per tag.

    How deep a page is cannot be told without parsing it, so it is made flat: what is not
    looked for goes, and with it what could stand inside something else.
    """
    return _MARK.sub(_flat, text)


def _flat(mark: re.Match[str]) -> str:
    raw, said, name = (text or "" for text in mark.group("raw", "said", "name"))
    if raw:
        return mark[0] if raw.lower() == "title" and len(said) <= MAX_TAG else " "
    name = name.lower()
    is_empty_title = name == "title" and mark[0].endswith("/>")
    if name not in _WANTED or len(mark[0]) > MAX_TAG or is_empty_title:
        return " "
    # Only what it is called is looked for, and other rules hold inside.
    return f"{mark[0]}</svg>" if name == "svg" else mark[0]


def _base(tree: LexborHTMLParser, url: str) -> str:
    node = tree.css_first("base[href]")
    href = node.attributes.get("href") if node else None
    return resolve(url, href) or url if href else url


def _links(tree: LexborHTMLParser, base: str) -> Iterator[Link]:
    for node in tree.css("link[href]")[:MAX_LINKS]:
        said = node.attributes
        url = resolve(base, said.get("href") or "")
        if url:
            yield Link(
                rels=frozenset((said.get("rel") or "").lower().split()),
                type=(said.get("type") or "").partition(";")[0].strip().lower(),
                url=url,
                title=_squeeze(said.get("title") or ""),
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
                href=href,
                base=base,
                text=_squeeze(node.text(separator=" ")),
                hints=_squeeze(" ".join((*hints, *_images(node)))),
            )


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


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return _squeeze(node.text()) if node else ""


def _favicon(links: tuple[Link, ...], base: str) -> str | None:
    icons = [link.url for link in links if "icon" in link.rels]
    touch = [link.url for link in links if "apple-touch-icon" in link.rels]
    return next(iter(icons + touch), None) or resolve(base, "/favicon.ico")


def _refresh(content: str, base: str) -> str | None:
    match = _REFRESH.match(content)
    # A page that reloads itself after minutes is a page, not a signpost.
    if match is None or not match[2].strip() or int(match[1][:6]) > MAX_REFRESH_S:
        return None
    return resolve(base, match[2].strip())


def _only_frame(tree: LexborHTMLParser, base: str) -> str | None:
    if tree.css_first("frameset") is None:
        return None
    frames = [node.attributes.get("src") or "" for node in tree.css("frame[src]")]
    named = [
        node.attributes.get("src") or ""
        for node in tree.css("frame[src]")
        if (node.attributes.get("name") or "").lower() in {"main", "content", "body"}
    ]
    chosen = (named or frames[-1:]) or [""]
    return resolve(base, chosen[0]) if chosen[0] else None


def _webfinger_profile(body: bytes) -> str | None:
    try:
        links = json.loads(body[:65_536]).get("links", [])
        hrefs = {link.get("rel"): link.get("href") for link in links}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    found = (hrefs.get(rel) for rel in _PROFILE_RELS)
    return next((u for u in map(_web_address, found) if u), None)


def _web_address(value: object) -> str | None:
    return resolve("", value) if isinstance(value, str) else None


def _squeeze(text: str, *, limit: int = MAX_WORDS) -> str:
    return " ".join(text[: 4 * limit].split())[:limit]
