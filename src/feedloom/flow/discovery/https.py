"""Move a feed from http to https when the same feed is available there.

Each is looked at once, and again when somebody names its https address. It stays where
it is when https fails, leads back to http, or brings something else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.discover import KnownFeed, is_replacement
from feedloom.flow.refresh.outcomes import outcome_of, outcome_of_error
from feedloom.flow.refresh.parse_pool import parse_beside
from feedloom.flow.worker.rate_limit import HostBusy
from feedloom.model.errors import BadTLS, FetchError, ParseError, Unreachable
from feedloom.model.feed import ParsedFeed
from feedloom.model.ports import Clock, Fetcher, Parser
from feedloom.model.stages import FetchRequest, FetchResponse, Outcome, PlainFeed, Purpose
from feedloom.model.urls import over_https
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import HTTPSStore

_TRIES = 3
_LATER = {Outcome.TEMPORARY, Outcome.RATE_LIMITED}


@dataclass(frozen=True, slots=True)
class HTTPSCheck:
    fetcher: Fetcher
    parser: Parser
    clock: Clock
    store: HTTPSStore

    async def run(self, task: Task) -> Mapping[str, object]:
        feed_id = int(str(task.payload["feed_id"]))
        feed = await self.store.plain_feed(feed_id)
        url = over_https(feed.url) if feed is not None else None
        if feed is None or url is None:
            return {"https": False, "why": "The feed doesn't use http."}
        try:
            answer = await self._fetch(feed, url)
        except HostBusy:
            raise
        except FetchError as error:
            is_final = isinstance(error, BadTLS)
            if not is_final and _is_for_later(outcome_of_error(error), task):
                raise
            return {"https": False, "why": str(error)}
        outcome, why = outcome_of(answer)
        if _is_for_later(outcome, task):
            raise Unreachable(why or "")
        if outcome is not Outcome.NEW:
            return {"https": False, "why": why}
        return await self._judge(feed_id, feed, url, answer)

    async def _fetch(self, feed: PlainFeed, url: str) -> FetchResponse:
        sent = {"User-Agent": feed.user_agent, "Cookie": feed.cookie}
        headers = {name: value for name, value in sent.items() if value}
        return await self.fetcher.fetch(FetchRequest(url, Purpose.FEED, headers=headers))

    async def _judge(
        self, feed_id: int, feed: PlainFeed, url: str, answer: FetchResponse
    ) -> Mapping[str, object]:
        if not answer.url.startswith("https:"):
            return {"https": False, "why": "It redirects back to http."}
        try:
            found = await parse_beside(self.parser, answer, self.clock.now())
        except ParseError as error:
            return {"https": False, "why": str(error)}
        if not is_same(feed, url, answer, found):
            return {"https": False, "why": "The https address is a different feed."}
        guids = [entry.guid for entry in found.entries]
        done = await self.store.upgrade(feed_id, feed.url, url, guids)
        return {"https": done}


def _is_for_later(outcome: Outcome, task: Task) -> bool:
    return outcome in _LATER and task.attempts < _TRIES


def is_same(known: PlainFeed, url: str, answer: FetchResponse, found: ParsedFeed) -> bool:
    if not known.ever_worked:
        return True
    if hashlib.sha256(answer.body).hexdigest() == known.body_hash:
        return True
    if known.title == found.title:
        if not known.guids and not known.urls:
            return True
        if any(entry.guid in known.guids for entry in found.entries):
            return True
    remembered = KnownFeed(known.url, known.title, known.site_url, known.guids, known.urls)
    return is_replacement(remembered, url, found).is_replacement
