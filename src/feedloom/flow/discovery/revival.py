"""Feeds whose address changed: the revival of dead feeds, and the move from http to https."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

from feedloom.discover import KnownFeed, is_parked, is_replacement, looks_parked
from feedloom.flow.discovery.search import Discoverer
from feedloom.flow.refresh.health import outcome_of, outcome_of_error
from feedloom.flow.refresh.parse_pool import parse_beside
from feedloom.flow.refresh.schedule import skips
from feedloom.flow.worker.rate_limit import HostBusy
from feedloom.model.errors import BadAddress, BadTLS, FetchError, NotFound, ParseError, Unreachable
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Clock, Fetcher, Parser
from feedloom.model.reasons import after_skips
from feedloom.model.stages import (
    DeadFeed,
    Discovered,
    FetchRequest,
    FetchResponse,
    Outcome,
    PlainFeed,
    Purpose,
)
from feedloom.model.urls import has_credentials, over_https, read_address, url_key
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import HTTPSStore, RevivalStore

_TRIES = 3
_LATER = {Outcome.TEMPORARY, Outcome.RATE_LIMITED}
_PARKED_BYTES = 100_000
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_DAILY_FOR = timedelta(days=14)
_MOST_TRIED = 5
_PRIVATE = "It needs a password, so we didn't look for another address."


@dataclass(frozen=True, slots=True)
class Look:
    feed: ParsedFeed | None = None
    is_final: bool = False
    """It is gone for good (410), or for sale: one search for it is enough."""


@dataclass(frozen=True, slots=True)
class Reviver:
    """Looks at dead feeds again, searches their sites, switches to the feed that continues.

    A feed of the same site that has the old one's entries, or its name, takes its place;
    subscriptions, stars and read marks stay. A parked domain does not qualify. Whatever
    happens is written down where the reader sees it.
    """

    fetcher: Fetcher
    parser: Parser
    clock: Clock
    store: RevivalStore
    discoverer: Discoverer

    async def run(self, task: Task) -> Mapping[str, object]:
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
            await self.store.look_again(feed_id, next_look(dead, self.clock.now()))
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
        if refusals:
            why = "Feeds were found, but none continues this one. " + " ".join(refusals)
        else:
            tried = ", ".join(one.url for one in found.tried[:_MOST_TRIED])
            why = f"No feed was found at {homepage}. Tried: {tried}."
        await self.store.note_failure(feed_id, why)
        return {"revived": False, "why": why}

    async def _look(self, url: str) -> Look:
        try:
            answer = await self.fetcher.fetch(FetchRequest(url, Purpose.DISCOVERY))
        except FetchError:
            return Look()
        if answer.status != HTTPStatus.OK:
            return Look(is_final=answer.status == HTTPStatus.GONE)
        try:
            return Look(await parse_beside(self.parser, answer, self.clock.now()))
        except ParseError:
            text = answer.body[:_PARKED_BYTES].decode(errors="replace")
            return Look(is_final=looks_parked(text))


def _objection(dead: DeadFeed, planned: object) -> str | None:
    if dead.is_healthy:
        return "The feed is healthy again."
    if not dead.is_wanted:
        return "Nobody needs it polled."
    if planned is not None and planned != dead.look_again_at:
        return "Another attempt is scheduled."
    return None


def next_look(dead: DeadFeed, now: datetime) -> datetime:
    """Look once a day for two weeks, then once a week; listed feeds once a week."""
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


@dataclass(frozen=True, slots=True)
class HTTPSCheck:
    """Moves a feed from http to https when the same feed is available there.

    Each is looked at once, and again when somebody names its https address. It stays where
    it is when https fails, leads back to http, or brings something else.
    """

    fetcher: Fetcher
    parser: Parser
    clock: Clock
    store: HTTPSStore

    async def run(self, task: Task) -> Mapping[str, object]:
        feed_id = int(str(task.payload["feed_id"]))
        feed = await self.store.plain_feed(feed_id)
        url = over_https(feed.url) if feed is not None else None
        if feed is None or url is None:
            return _stays("The feed doesn't use http.")
        sent = {"User-Agent": feed.user_agent, "Cookie": feed.cookie}
        headers = {name: value for name, value in sent.items() if value}
        may_wait = task.attempts < _TRIES
        try:
            answer = await self.fetcher.fetch(FetchRequest(url, Purpose.FEED, headers=headers))
        except HostBusy:
            raise
        except FetchError as error:
            is_final = isinstance(error, BadTLS)
            if not is_final and may_wait and outcome_of_error(error) in _LATER:
                raise
            return _stays(str(error))
        outcome, why = outcome_of(answer)
        if may_wait and outcome in _LATER:
            raise Unreachable(why or "")
        if outcome is not Outcome.NEW:
            return _stays(why)
        return await self._judge(feed_id, feed, url, answer)

    async def _judge(
        self, feed_id: int, feed: PlainFeed, url: str, answer: FetchResponse
    ) -> Mapping[str, object]:
        if not answer.url.startswith("https:"):
            return _stays("It redirects back to http.")
        try:
            found = await parse_beside(self.parser, answer, self.clock.now())
        except ParseError as error:
            return _stays(str(error))
        if not is_same(feed, url, answer, found):
            return _stays("The https address is a different feed.")
        guids = [entry.guid for entry in found.entries]
        return {"https": await self.store.upgrade(feed_id, feed.url, url, guids)}


def _stays(why: str | None) -> Mapping[str, object]:
    return {"https": False, "why": why}


def is_same(known: PlainFeed, url: str, answer: FetchResponse, found: ParsedFeed) -> bool:
    if not known.ever_worked or hashlib.sha256(answer.body).hexdigest() == known.body_hash:
        return True
    if known.title == found.title:
        if not known.guids and not known.urls:
            return True
        if any(entry.guid in known.guids for entry in found.entries):
            return True
    remembered = KnownFeed(known.url, known.title, known.site_url, known.guids, known.urls)
    return is_replacement(remembered, url, found).is_replacement
