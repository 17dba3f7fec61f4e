"""The read side of proxied feeds: stored documents and analyses.

Reads rows and nothing else: no network, no model. Only enabled proxies are known.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.flow.distill.proxies import read_domain
from feedloom.model.distilled.documents import Built
from feedloom.model.distilled.proxies import Deframed, Standing
from feedloom.model.errors import NotAllowed, NotFound
from feedloom.model.urls import (
    normalise,
    read_address,
    registrable_domain,
    strip_tracking,
    url_hash,
)
from feedloom.publish import filter_by_score, interleave, item_document

if TYPE_CHECKING:
    from feedloom.store import ProxyReader

MOST_ITEMS = 100
WORST_SCORE = 1.0
_SPARE = 2
"""Items read for each one wanted: some may be in another feed already."""


@dataclass(frozen=True, slots=True)
class Proxied:
    reader: ProxyReader

    async def standing(self, url: str) -> Standing:
        """Tell how a proxied feed stands.

        Raises ``NotFound`` when there is none or nothing is built yet, ``NotAllowed``
        when it is disabled.
        """
        found = await self.reader.standing(url)
        if found is None:
            raise NotFound("No proxied feed has this address.")
        if not found.enabled:
            raise NotAllowed("This feed is disabled.")
        if found.etag is None:
            raise NotFound("This feed hasn't been built yet.")
        return found

    async def document(self, feed_id: int, max_score: float | None) -> tuple[str, Built]:
        built = await self.reader.document(feed_id)
        if built is None:
            raise NotFound("This feed hasn't been built yet.")
        if max_score is None:
            return built.etag, built
        return built.etag, await asyncio.to_thread(filter_by_score, built, max_score)

    async def item(self, url: str, max_score: float | None) -> dict[str, object]:
        """Find an analysed article by its address; ``NotFound`` above the score."""
        most = WORST_SCORE if max_score is None else max_score
        found = await self.reader.deframed(address_hashes(url), most)
        if found is None:
            raise NotFound("Article not found.")
        return item_document(found.item, found.channel)

    async def site(self, root: str, limit: int, max_score: float | None) -> list[dict[str, object]]:
        """List a site's articles, its feeds taking turns; ``NotFound`` if unknown."""
        most = WORST_SCORE if max_score is None else max_score
        feeds = await self._feeds(root, limit * _SPARE, most)
        newest_first = dict(sorted(feeds.items(), key=_newest, reverse=True))
        chosen = interleave(newest_first, limit, address=lambda each: each.item.url)
        return [item_document(each.item, each.channel) for each in chosen]

    async def domains(self) -> list[str]:
        """List the root domains of what is served, for who asks about no other site."""
        return await self.reader.domains()

    async def _feeds(self, root: str, limit: int, most: float) -> dict[int, list[Deframed]]:
        host = read_domain(root)
        for domain in dict.fromkeys((host, registrable_domain(host))):
            found = await self.reader.site(domain, limit, most)
            if found is not None:
                return found
        raise NotFound("Site not found.")


def _newest(pair: tuple[int, list[Deframed]]) -> tuple[float, int]:
    feed_id, items = pair
    return (items[0].item.published_at.timestamp() if items else 0.0, -feed_id)


def address_hashes(url: str) -> list[str]:
    address = read_address(strip_tracking(normalise(url)))
    path = address.path.rstrip("/")
    bare = address.host.removeprefix("www.")
    spellings = [
        str(address._replace(scheme=scheme, host=host, path=each))
        for host in (address.host, bare, f"www.{bare}")
        for scheme in (address.scheme, "https", "http")
        for each in (address.path, path or "/", f"{path}/")
    ]
    return [url_hash(spelling) for spelling in dict.fromkeys(spellings)]
