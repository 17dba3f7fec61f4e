"""Common feed addresses to try when a page names none: a page's address in, candidates out.

The names stand in the order in which real feeds bear them (counted over the shipped
directory), first beside the page, then at the folder of its section, then at the root.
"""

from collections.abc import Iterable, Iterator

from feedloom.discover.looks import Kind, kind_of
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import MAX_URL, Address, read_address, url_key

MAX_GUESSES = 11
_SITE_DEPTH = 2
"""Deeper folders are articles more often than sites."""

AT_ROOT = (
    "feed",
    "rss",
    "rss.xml",
    "feed.xml",
    "index.xml",
    "atom.xml",
    "blog/feed",
    "feed.json",
    "?feed=rss2",
    "index.rss",
    "blog/rss.xml",
)
BESIDE = ("feed", "rss.xml", "feed.xml", "index.xml", "atom.xml")


def guesses(url: str) -> tuple[Candidate, ...]:
    """Return where to look, the likeliest first, at most ``MAX_GUESSES``."""
    page = read_address(url)
    at_root = (_join(page, "/", name) for name in AT_ROOT)
    return _candidates(url, (*_beside(page), *at_root))


def guesses_beside(url: str) -> tuple[Candidate, ...]:
    """Return only those guesses that stay in the page's own folder."""
    return _candidates(url, _beside(read_address(url)))


def _candidates(url: str, places: Iterable[str]) -> tuple[Candidate, ...]:
    found: dict[str, str] = {}
    for place in places:
        if len(place) <= MAX_URL:
            found.setdefault(url_key(place), place)
    found.pop(url_key(url), None)
    return tuple(
        Candidate(guess, Origin.GUESS, rank=rank)
        for rank, guess in enumerate(list(found.values())[:MAX_GUESSES])
    )


def folders_above(url: str) -> tuple[str, ...]:
    """Return the pages above a page that may be its site's: nearest, section, root."""
    address = read_address(url)
    tops = [f for f in _folders(address) if f != address.path or address.query]
    return tuple(str(address._replace(path=f, query="")) for f in (*tops, "/"))


def _beside(page: Address) -> Iterator[str]:
    for folder in _folders(page):
        for name in BESIDE:
            yield _join(page, folder, name)


def _folders(page: Address) -> tuple[str, ...]:
    """Name the folder a page's site may live in, and its first one; never the root."""
    segments = page.path.strip("/").split("/")
    own = segments if _is_folder(page, segments) else segments[:-1]
    while own and own[-1].isdigit():
        # /blog/2024/05/ is an archive of /blog/.
        own = own[:-1]
    both = dict.fromkeys(("/".join(own), segments[0] if len(own) > 1 else ""))
    return tuple(f"/{folder}/" for folder in both if folder)


def _is_folder(page: Address, segments: list[str]) -> bool:
    """Tell a site's own folder (/~ann/, /blog) from one of its articles."""
    if kind_of(str(page)) is Kind.SECTION:
        return True
    if "." in segments[-1]:
        return False
    is_shallow = len(segments) <= _SITE_DEPTH
    return len(segments) == 1 or (is_shallow and page.path.endswith("/"))


def _join(page: Address, folder: str, name: str) -> str:
    path, _, query = name.partition("?")
    return str(page._replace(path=folder + path, query=query))
