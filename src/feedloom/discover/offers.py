"""All candidates of one page: a ``Page`` in, candidates out, the most trusted first."""

from dataclasses import replace

from feedloom.discover.anchors import anchor_candidates
from feedloom.discover.links import header_candidates, link_candidates
from feedloom.discover.pages import Page
from feedloom.model.stages import Candidate
from feedloom.model.urls import is_address, read_address


def page_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return the feeds a page names or links to, the most trusted sources first."""
    found = (*link_candidates(page), *header_candidates(page), *anchor_candidates(page))
    return tuple(_kept_secure(candidate, page) for candidate in found)


def _kept_secure(candidate: Candidate, page: Page) -> Candidate:
    """Ask for a page's own feed as securely as for the page, whatever the link says."""
    feed, own = read_address(candidate.url), read_address(page.url)
    if feed.scheme == "http" and own.scheme == "https" and feed.netloc == own.netloc:
        secure = str(feed._replace(scheme="https"))
        # The longest address there may be has no room for another letter.
        return replace(candidate, url=secure) if is_address(secure) else candidate
    return candidate
