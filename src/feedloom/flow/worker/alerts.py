"""Alerts: what is logged as critical is also posted to the address an operator set.

An event is told once in a quarter of an hour, however often it happens. Posting never
stands in the way of anything: it is tried a few times beside everything else and then
given up. The post carries the event and its sentence, never a traceback.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog

from feedloom.model.errors import FetchError
from feedloom.model.ports import Clock, Fetcher
from feedloom.model.stages import FetchRequest, Purpose

log = structlog.get_logger()

_QUIET = timedelta(minutes=15)
_MOST_WAITING = 20
_TRIES = 4
_RETRY_S = 20.0
_LAST_WORDS_S = 5.0
_ACCEPTED = range(200, 300)

_listening: set["Alerts"] = set()


def hear_critical(
    _logger: object, method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Pass log lines on unchanged, showing critical ones to whoever alerts."""
    if method == "critical":
        for alerts in _listening:
            alerts.note(str(event.get("event", "")), str(event.get("why", "")))
    return event


@dataclass(slots=True, eq=False)
class Alerts:
    fetcher: Fetcher
    url: str
    clock: Clock
    who: str
    """Which process of which machine speaks."""
    retry_s: float = _RETRY_S
    _waiting: deque[tuple[str, bytes]] = field(default_factory=lambda: deque(maxlen=_MOST_WAITING))
    _told_at: dict[str, datetime] = field(default_factory=dict)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop | None = None

    def note(self, event: str, why: str) -> None:
        """Have an event posted soon; may be called from any thread."""
        now = self.clock.now()
        told_at = self._told_at.get(event)
        if told_at is not None and now - told_at < _QUIET:
            return
        self._told_at[event] = now
        sentence = why or "See the log for details."
        told = {
            "text": f"Feedloom ({self.who}): {event}. {sentence}",
            "event": event,
            "why": sentence,
            "from": self.who,
            "at": now.isoformat(),
        }
        self._waiting.append((event, json.dumps(told).encode()))
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake.set)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Post what is logged as critical until the end, last words included."""
        self._loop = asyncio.get_running_loop()
        _listening.add(self)
        posting = asyncio.create_task(self._run())
        try:
            yield
        finally:
            _listening.discard(self)
            posting.cancel()
            await asyncio.gather(posting, return_exceptions=True)
            try:
                async with asyncio.timeout(_LAST_WORDS_S):
                    while self._waiting:
                        await self._post(self._waiting.popleft()[1])
            except TimeoutError:
                log.warning("alerts_not_posted", waiting=len(self._waiting))

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                event, body = self._waiting[0]
                for _ in range(_TRIES):
                    if await self._post(body):
                        break
                    await asyncio.sleep(self.retry_s)
                else:
                    log.warning("alert_not_posted", alert=event)
                self._waiting.popleft()

    async def _post(self, body: bytes) -> bool:
        ask = FetchRequest(
            self.url,
            Purpose.ALERT,
            method="POST",
            headers={"Content-Type": "application/json"},
            body=body,
            max_bytes=10_000,
            timeout_s=10.0,
            max_redirects=0,
        )
        try:
            answer = await self.fetcher.fetch(ask)
        except FetchError:
            return False
        return answer.status in _ACCEPTED
