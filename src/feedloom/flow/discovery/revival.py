"""Revival of dead feeds: look again, search the site, switch to the feed that continues.

A feed of the same site that has the old one's entries, or its name, takes its place;
subscriptions, stars and read marks stay. A parked domain does not qualify. Whatever
happens is written down where the reader sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedloom.discover import KnownFeed, is_parked, is_replacement, looks_parked
from feedloom.flow.discovery.search import Discoverer
from feedloom.flow.refresh.cadence import skips
from feedloom.flow.refresh.parse_pool import parse_beside
from feedloom.model.errors import BadAddress, FetchError, NotFound, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Clock, Fetcher, Parser
from feedloom.model.reasons import after_skips
from feedloom.model.stages import DeadFeed, Discovered, FetchRequest, Purpose
from feedloom.model.urls import has_credentials, read_address, url_key
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import RevivalStore

_OK = 200
_GONE = 410
_PARKED_BYTES = 100_000
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_DAILY_FOR = timedelta(days=14)
_MOST_TRIED = 5
_PRIVATE = "It needs a password, so we didn't look for another address."


@dataclass(frozen=True, slots=True)
class Look:
    """What an address shows."""

    feed: ParsedFeed | None = None
    is_final: bool = False
    """It is gone for good (410), or for sale: one search for it is enough."""


@dataclass(frozen=True, slots=True)
class Reviver:
    fetcher: Fetcher
    parser: Parser
    clock: Clock
    store: RevivalStore
    discoverer: Discoverer

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do a ``revive`` task: the first look at a dead feed, or a later one."""
        feed_id = int(str(task.payload["feed_id"]))
        try:
            dead = await self.store.dead_feed(feed_id)
        except NotFound:
            return {"revived": False, "why": "The feed is gone."}
        objection = _objection(dead, task.payload.get("at"))
        if objection:
            return {"revived": False, "why": objection}
        look = await self._look(dead.url)
        if look.feed is not None:
            await self.store.wake(feed_id)
            return {"revived": True, "why": "Its own address works again."}
        if dead.is_apart or has_credentials(dead.url):
            # What a password unlocked must not end up under an address without one.
            await self.store.note_failure(feed_id, _PRIVATE)
            result: Mapping[str, object] = {"revived": False, "why": _PRIVATE}
        else:
            result = await self._search(feed_id, dead)
        is_over = look.is_final or is_parked(str(result["why"]))
        if not (result["revived"] or dead.is_polled or is_over):
            next_at = next_look(dead, self.clock.now())
            await self.store.look_again(feed_id, next_at)
        return result

    async def _search(self, feed_id: int, dead: DeadFeed) -> Mapping[str, object]:
        homepage = dead.site_url or f"{read_address(dead.url).origin}/"
        try:
            found = await self.discoverer.discover(homepage)
        except BadAddress:
            return {"revived": False, "why": "Its site has no usable address."}
        known = KnownFeed(dead.url, dead.title, dead.site_url, dead.guids, dead.urls)
        refusals = []
        for url in _offers(found, dead.url):
            feed = (await self._look(url)).feed
            if feed is None:
                continue
            judgement = is_replacement(known, url, feed)
            if judgement.is_replacement:
                kept = await self.store.swap(feed_id, url, judgement.why)
                return {"revived": True, "url": url, "feed_id": kept, "why": judgement.why}
            refusals.append(f"{url}: {judgement.why}")
        why = _told(homepage, found, refusals)
        await self.store.note_failure(feed_id, why)
        return {"revived": False, "why": why}

    async def _look(self, url: str) -> Look:
        try:
            answer = await self.fetcher.fetch(FetchRequest(url, Purpose.DISCOVERY))
        except FetchError:
            return Look()
        if answer.status != _OK:
            return Look(is_final=answer.status == _GONE)
        try:
            return Look(await parse_beside(self.parser, answer, self.clock.now()))
        except ParseError:
            text = answer.body[:_PARKED_BYTES].decode(errors="replace")
            return Look(is_final=looks_parked(text))


def _objection(dead: DeadFeed, planned: object) -> str | None:
    """Say why a feed is not looked at."""
    if dead.is_healthy:
        return "The feed is healthy again."
    if not dead.is_wanted:
        return "Nobody needs it polled."
    if planned is not None and planned != dead.look_again_at:
        return "Another attempt is scheduled."
    return None


def next_look(dead: DeadFeed, now: datetime) -> datetime:
    """Look once a day for two weeks, then once a week; listed feeds once a week.

    Hours and days that the publisher asked to skip are skipped.
    """
    since = dead.failing_since or now
    is_rare = now - since >= _DAILY_FOR or not dead.is_read
    return after_skips(now + (_WEEK if is_rare else _DAY), skips(dead.asked))


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
