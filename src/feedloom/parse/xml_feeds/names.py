"""Names of XML elements, made short and comparable.

``{http://purl.org/dc/elements/1.1/}Creator`` becomes ``dc:creator``. Publishers write
namespaces in many ways (https, other case, without the last slash, or under a known
prefix with an address of their own), so the address is compared loosely. Names of RSS
itself, with or without one of its namespaces, have no prefix.
"""

from collections.abc import Mapping

_SPACES = {
    "": "",
    "backend.userland.com/rss": "",
    "backend.userland.com/rss091": "",
    "backend.userland.com/rss2": "",
    "blogs.law.harvard.edu/tech/rss": "",
    "channel.netscape.com/rdf/simple/0.9": "",
    "my.netscape.com/rdf/simple/0.9": "",
    "purl.org/net/rss1.1": "",
    "purl.org/rss/1.0": "",
    "purl.org/rss/2.0": "",
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
    "podcastindex.org/namespace/1.0": "podcast",
    "podlove.org/simple-chapters": "psc",
    "purl.org/atom/ns": "atom",
    "www.w3.org/2005/atom": "atom",
    "purl.org/dc/elements/1.0": "dc",
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/terms": "dcterms",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/rss/1.0/modules/slash": "slash",
    "purl.org/rss/1.0/modules/syndication": "sy",
    "purl.org/syndication/thread/1.0": "thr",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "search.yahoo.com/mrss": "media",
    "video.search.yahoo.com/mrss": "media",
    "wellformedweb.org/commentapi": "wfw",
    "www.google.com/schemas/play-podcasts/1.0": "googleplay",
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "www.w3.org/1999/02/22-rdf-syntax-ns": "rdf",
    "www.w3.org/1999/xhtml": "xhtml",
}
_PREFIXES = frozenset(_SPACES.values()) - {""}
UNKNOWN = "?"
"""The name of everything in a namespace we know nothing about."""


def short_name(tag: str, spaces: Mapping[str, str] = _SPACES) -> str:
    """Return the short name of an element, or ``UNKNOWN``."""
    if tag[0] != "{":
        prefix, colon, local = tag.lower().rpartition(":")
        # A prefix that nobody declared is taken at its word.
        return f"{prefix}:{local}" if colon and prefix in _PREFIXES else local
    space, _, local = tag[1:].rpartition("}")
    prefix_of_space = spaces.get(_loose(space))
    if prefix_of_space is None:
        return UNKNOWN
    return f"{prefix_of_space}:{local.lower()}" if prefix_of_space else local.lower()


def own_spaces(declared: Mapping[str | None, str]) -> Mapping[str, str] | None:
    """Return all namespaces of a document that declares known prefixes in its own way.

    None stands for a document that needs nothing but the namespaces everybody knows.
    """
    own = {
        _loose(space): prefix
        for prefix, space in declared.items()
        if prefix in _PREFIXES and _loose(space) not in _SPACES
    }
    return _SPACES | own if own else None


def _loose(space: str) -> str:
    bare = space.strip().lower()
    return bare.removeprefix("http://").removeprefix("https://").rstrip("/#")
