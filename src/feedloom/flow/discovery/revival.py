"""Dead feeds heal themselves: look again, search the site, swap what carries on.

A feed of the same site that has the old one's entries, or its name, takes its place;
subscriptions, stars and read marks stay. A parked domain does not qualify. Whatever
happens is written down where the reader sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.discover import KnownFeed, is_replacement
from feedloom.flow.discovery.search import Discoverer
from feedloom.flow.refresh.parse_pool import parse_beside
from feedloom.model.errors import BadAddress, FetchError, NotFound, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Clock, Fetcher, Parser
from feedloom.model.stages import DeadFeed, Discovered, FetchRequest, Purpose
from feedloom.model.urls import has_credentials, read_address, url_key
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import RevivalStore

_OK = 200
_MOST_TRIED = 5
_PRIVATE = "It needs a password, so we didn't look for another address."


@dataclass(frozen=True, slots=True)
class Reviver:
    """Looks for the new address of dead feeds."""

    fetcher: Fetcher
    parser: Parser
    clock: Clock
    store: RevivalStore
    discoverer: Discoverer

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do a ``revive`` task."""
        feed_id = int(str(task.payload["feed_id"]))
        try:
            dead = await self.store.dead_feed(feed_id)
        except NotFound:
            return {"revived": False, "why": "The feed is gone."}
        if dead.is_healthy:
            return {"revived": False, "why": "The feed is healthy again."}
        if await self._read(dead.url) is not None:
            await self.store.wake(feed_id)
            return {"revived": True, "why": "Its own address works again."}
        if dead.is_apart or has_credentials(dead.url):
            # What a password unlocked must not end up under an address without one.
            await self.store.note_failure(feed_id, _PRIVATE)
            return {"revived": False, "why": _PRIVATE}
        return await self._search(feed_id, dead)

    async def _search(self, feed_id: int, dead: DeadFeed) -> Mapping[str, object]:
        homepage = dead.site_url or f"{read_address(dead.url).origin}/"
        try:
            found = await self.discoverer.discover(homepage)
        except BadAddress:
            return {"revived": False, "why": "Its site has no usable address."}
        known = KnownFeed(dead.url, dead.title, dead.site_url, dead.guids, dead.urls)
        refusals = []
        for url in _offers(found, dead.url):
            feed = await self._read(url)
            if feed is None:
                continue
            judgement = is_replacement(known, url, feed)
            if judgement.is_replacement:
                kept = await self.store.swap(feed_id, url, judgement.why)
                return {
                    "revived": True,
                    "url": url,
                    "feed_id": kept,
                    "why": judgement.why,
                }
            refusals.append(f"{url}: {judgement.why}")
        why = _told(homepage, found, refusals)
        await self.store.note_failure(feed_id, why)
        return {"revived": False, "why": why}

    async def _read(self, url: str) -> ParsedFeed | None:
        try:
            answer = await self.fetcher.fetch(FetchRequest(url, Purpose.DISCOVERY))
            if answer.status != _OK:
                return None
            return await parse_beside(self.parser, answer, self.clock.now())
        except (FetchError, ParseError):
            return None


def _offers(found: Discovered, dead_url: str) -> list[str]:
    dead_key = url_key(dead_url)
    offers = [one.url for one in found.candidates if one.valid]
    if dead_url.startswith("https:"):
        # Whoever can keep https from us must not get the feed over http instead.
        offers = [url for url in offers if url.startswith("https:")]
    return [url for url in offers if url_key(url) != dead_key][:_MOST_TRIED]


def _told(homepage: str, found: Discovered, refusals: list[str]) -> str:
    if refusals:
        return "Feeds were found, but none continues this one. " + " ".join(refusals)
    tried = ", ".join(one.url for one in found.tried[:_MOST_TRIED])
    return f"No feed was found at {homepage}. Tried: {tried}."
