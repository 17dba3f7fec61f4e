"""Platforms we know: addresses (and pages) in, candidates out.

``PROVIDERS`` publish feeds themselves; ``external.ROUTES`` are made by an RSSHub.
"""

from collections.abc import Iterator

from feedloom.discover.pages import Page
from feedloom.discover.platforms import (
    blogs,
    code,
    external,
    forums,
    journals,
    libraries,
    matcher,
    media,
    packages,
    podcasts,
    social,
    software,
    video,
)
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import read_address

PROVIDERS = (
    *video.PROVIDERS,
    *code.PROVIDERS,
    *forums.PROVIDERS,
    *podcasts.PROVIDERS,
    *media.PROVIDERS,
    *packages.PROVIDERS,
    *libraries.PROVIDERS,
    *journals.PROVIDERS,
    *blogs.PROVIDERS,
    *social.PROVIDERS,
    *software.PROVIDERS,
)


MAX_ELSEWHERE = 2


def platform_candidates(url: str, page: Page | None = None) -> tuple[Candidate, ...]:
    """Return the feeds that platforms keep for this address, the most meant first."""
    found = matcher.candidates_from(PROVIDERS, url, page=page, origin=Origin.PLATFORM)
    return tuple(found)


def hosted_candidates(url: str, page: Page | None = None) -> tuple[Candidate, ...]:
    """Return those that the host alone tells, whatever software its pages name."""
    host = read_address(url).host
    known = (one for one in PROVIDERS if matcher.has_host(one, host))
    found = matcher.candidates_from(known, url, page=page, origin=Origin.PLATFORM)
    return tuple(found)


def elsewhere_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what a site keeps on platforms: its blog there, or its only podcast."""
    ours = read_address(page.url).host
    others = (url for url in page.blogs if read_address(url).host != ours)
    blogs = [one for url in others for one in hosted_candidates(url)]
    linked = dict.fromkeys(filter(None, (anchor.url for anchor in page.anchors)))
    shows = {one.url: one for url in linked for one in _shows(url)}
    return (*blogs[:MAX_ELSEWHERE], *(shows.values() if len(shows) == 1 else ()))


def _shows(url: str) -> Iterator[Candidate]:
    return matcher.candidates_from(podcasts.PROVIDERS, url, page=None, origin=Origin.PLATFORM)


def account_candidates(url: str) -> tuple[Candidate, ...]:
    # The handle says what the page's marks would say, so the page need not answer.
    page = Page(url=url, generator="account")
    accounts = (social.ACCOUNTS,)
    found = matcher.candidates_from(accounts, url, page=page, origin=Origin.PLATFORM)
    return tuple(found)


def external_candidates(url: str, hub: str | None) -> tuple[Candidate, ...]:
    """Return what an RSSHub at ``hub`` would make for this address; none without."""
    if not hub:
        return ()
    found = matcher.candidates_from(
        external.ROUTES, url, page=None, origin=Origin.EXTERNAL, hub=hub.rstrip("/")
    )
    return tuple(found)


def is_shared_host(url: str) -> bool:
    """Tell whether the host's root is nobody's site, so that guessing there misleads."""
    host = read_address(url).host
    return matcher.is_shared_host((*PROVIDERS, *external.ROUTES), host)
