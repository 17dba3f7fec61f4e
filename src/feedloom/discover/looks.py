"""What an address or a title looks like, before and after it is fetched.

Addresses and titles go in, a ``Kind`` or a yes/no comes out. These are looks only:
nothing here proves that something is a feed.
"""

import re
from enum import StrEnum
from urllib.parse import parse_qsl

from feedloom.model.urls import read_address

_FEED_SERVICES = """
    feeds.feedburner.com feedpress.me feeds.feedblitz.com rss.art19.com feeds.megaphone.fm
    feeds.simplecast.com feeds.buzzsprout.com feeds.transistor.fm feeds.acast.com feeds.libsyn.com
    feeds.soundcloud.com anchor.fm rss.beehiiv.com kill-the-newsletter.com feeds2.feedburner.com
    feedproxy.google.com feeds.fireside.fm feed.podbean.com feeds.podcastmirror.com rss.libsyn.com
    rss.app fetchrss.com feeds.captivate.fm feedx.net pinecast.com www.omnycontent.com
    feeds.redcircle.com rss.buzzsprout.com feeds.blubrry.com media.rss.com politepol.com
"""
FEED_HOSTS = frozenset(_FEED_SERVICES.split())
"""Hosts that publish other people's feeds."""
_FEED_LABEL = re.compile(r"(?:news)?(?:feeds?|rss)(?:feeds?)?\d?(?=\..*\.)")

_FEED_FILE = re.compile(r"(?i)\.(?:rss|atom|rdf|xml|rss2)$")
_FEED_STEMS = frozenset(
    {
        *("feed", "feeds", "rss", "rss2", "atom", "rdf", "xml", "rss20", "feed1"),
        *("rssfeed", "rss-feed", "rss_feed", "atomfeed", "newsfeed", "jsonfeed"),
        *("feed-rss", "feed-atom", "syndication", "backend", "rss1", "podcast-feed"),
        *("rss-feeds", "rssfeeds", "newsfeeds", "feed2", "rss091", "rss092", "rss10"),
    }
)
_NOT_FEED_STEMS = re.compile(
    r"(?i)^(?:sitemap.*|.*sitemap|opensearch.*|osd|wlwmanifest|rsd|xmlrpc|crossdomain"
    r"|browserconfig|manifest|pom|config|clientaccesspolicy)$"
)
_FEED_QUERY = re.compile(
    r"(?i)^(?:(?:feed|format|type|output|view|mode|alt|tipo|out)"
    r"=(?:rss\d?|atom|feed|rdf|xml|rss2|jsonfeed|json-feed|rss-feed)"
    r"|(?:feed|rss|atom|xml)(?:=1|=true|=)?)$"
)
_COMMENT_WORD = re.compile(
    r"(?i)\b(?:comments|comment (?:feed|on|for)|replies|kommentar\w*|commentaires?"
    r"|comentarios?|coment[aá]rios?|comentaris|comentarii|commenti|reactie\w*"
    r"|kommentaar\w*|komentār\w*|iruzkin\w*|komentar\w*|koment[aá][rř]\w*|kommentti\w*|kommenttien|yorum(?:lar|u)?"
    r"|hozzászólás\w*|комментари\w*|коментар\w*|σχόλι\w*|σχολίων)\b"
    r"|评论|評論|留言|回响|コメント|댓글|تعليقات|التعليقات|תגובות|دیدگاه|bình luận|ความเห็น"
)
_COMMENT_SEGMENT = re.compile(
    r"(?i)^(?:comments?|replies|kommentare?|commentaires|comentarios|commenti|reacties"
    r"|comments?[-_.]?(?:feed|rss|atom|rss2)|wp-commentsrss2|allcomments"
    r"|recent-comments)$"
)
_COMMENT_QUERY = re.compile(r"(?i)^(?:feed=comments-\w+|withcomments=1|type=comments)$")
_SECTION_SEGMENT = re.compile(
    r"(?i)^(?:category|categories|cat|kategorie|kategori|kategoria|kategorier|categorie"
    r"|categoria|categor[ií]a|rubrik|rubrique|rubriques|section|sections|tag|tags"
    r"|tagged|schlagwort|etiqueta|etiquetas|etiquette|label|labels|keyword|keywords"
    r"|topic|topics|thema|themen|taxonomy|product[-_]tag|product[-_]category|author|authors|autor|auteur|autore|by-author|search"
    r"|suche|recherche|buscar|archive-by-tag)$"
)
_SECTION_KEYS = frozenset({"cat", "tag", "author", "s", "q", "category", "label", "tid"})
_SECTION_WORD = re.compile(
    r"(?i)\b(?:(?:category|tag|author|search(?: results)?) feed"
    r"|(?:kategorie|schlagwort|autor)-feed"
    r"|flux (?:de la cat[ée]gorie|de l.[ée]tiquette|pour l.auteur)"
    r"|(?:posts|articles) (?:by|tagged|in category)|search results for)\b"
)


# Words for "feed" as sites put them on buttons, many languages, in lower case.
# "Subscribe" alone is not among them: it mostly means a newsletter.
_FEED_WORD = re.compile(
    r"\b(?:rss[ _]feed|rss2?|atom|rdf|xml|web ?feed|news ?feed|json ?feed|feeds?|syndicat\w*"
    r"|syndizier\w*|flux|fil (?:rss|d.actualit[ée]s)|fuente|canal rss|sindicaci[óo]n"
    r"|sindica[cç][ãa]o|fluxo|fonte rss|nieuwsfeed|fl[öo]de|nyhetsfl[öo]de|sy[öo]te"
    r"|strumie[ńn]|kana[łl] rss|hírcsatorna|besleme|ak\u0131ş|ροή|лента|rss-лента|стрічка"
    r"|емисия|kanál|zdroj rss|umpan)\b"
    r"|フィード|更新情報の配信|订阅源|訂閱源|聚合|피드|구독 rss|خلاصات|تلقيمات|הזנה|ฟีด|फ़ीड"
)


class Kind(StrEnum):
    MAIN = "main"
    COMMENTS = "comments"
    SECTION = "section"
    """A category, tag, author or search."""


def kind_of(url: str, *titles: str) -> Kind:
    address = read_address(url)
    stems = [_stem(segment) for segment in address.path.split("/") if segment]
    pairs = [pair for pair in address.query.split("&") if pair]
    if (
        any(_COMMENT_SEGMENT.match(stem) for stem in stems)
        or any(_COMMENT_QUERY.match(pair) for pair in pairs)
        or any(_COMMENT_WORD.search(title) for title in titles)
    ):
        return Kind.COMMENTS
    # The last segment names the document itself: "/tags.atom" lists all tags, while
    # "/tags/python.atom" is about one.
    if (
        any(_SECTION_SEGMENT.match(segment) for segment in _folders(address.path))
        or _stem(address.path.rpartition("/")[2]).lower() == "search"
        or any(key.lower() in _SECTION_KEYS for key, _ in parse_qsl(address.query))
        or any(_SECTION_WORD.search(title) for title in titles)
    ):
        return Kind.SECTION
    return Kind.MAIN


def is_feed_host(host: str) -> bool:
    """Tell whether a host is there for feeds: a service, or ``feeds.`` of some site."""
    return host in FEED_HOSTS or _FEED_LABEL.match(host) is not None


def says_feed(label: str) -> bool:
    return _FEED_WORD.search(label.lower()) is not None


def asked_kind(url: str) -> Kind:
    """Tell which part of a site a person asks for by pasting one of its pages."""
    kind = kind_of(url)
    last = read_address(url).path.rstrip("/").rpartition("/")[2]
    if kind is Kind.COMMENTS and not _COMMENT_SEGMENT.match(_stem(last)):
        # "/r/books/comments/1abc/title" is an article that happens to be discussed.
        return Kind.MAIN
    return kind


def looks_like_feed(url: str) -> bool:
    address = read_address(url)
    if any(_FEED_QUERY.match(pair) for pair in address.query.split("&")):
        return True
    segments = [segment for segment in address.path.lower().split("/") if segment]
    if not segments:
        return False
    last = segments[-1]
    if _NOT_FEED_STEMS.match(_stem(last)):
        return False
    if _FEED_FILE.search(last) or last in {"feed.json", "rss.json", "feed.php"}:
        return True
    return _stem(last) in _FEED_STEMS or any(s in _FEED_STEMS for s in segments[-3:])


def depth_of(url: str) -> int:
    return sum(1 for segment in read_address(url).path.split("/") if segment)


def is_within(url: str, section_url: str) -> bool:
    """Tell whether a feed belongs to the category, tag, author or search page given."""
    feed, section = read_address(url), read_address(section_url)
    if feed.host != section.host:
        return False
    has = {segment for segment in feed.path.split("/") if segment}
    has |= {_stem(segment) for segment in has}
    has |= {value for _, value in parse_qsl(feed.query)}
    last = section.path.rstrip("/").rpartition("/")[2]
    wanted = {value for key, value in parse_qsl(section.query) if key in _SECTION_KEYS}
    if not wanted and not last:
        return False
    return wanted <= has and (not last or last in has or _stem(last) in has)


def is_below(url: str, page_url: str) -> bool:
    """Tell whether a feed lies in the folder that a page is, but for the root."""
    feed, page = read_address(url), read_address(page_url)
    folder = page.path.rstrip("/")
    if feed.host != page.host or not folder:
        return False
    return feed.path.startswith((f"{folder}/", f"{_stem(folder)}."))


def _stem(segment: str) -> str:
    name, dot, suffix = segment.rpartition(".")
    return name if dot and name and suffix.isalnum() else segment


def _folders(path: str) -> list[str]:
    segments = path.split("/")
    return [segment for segment in segments[:-1] if segment]
