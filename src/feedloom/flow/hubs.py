"""WebSub: hubs notify us of new articles; polling continues as a safety net.

A hub is asked when a feed declares one and this installation has a public address. Its
deliveries are proved by HMAC and then only say *that* there is something new: the feed
is fetched from its own address, so a hub can never put words into a publisher's mouth.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from feedloom.model.errors import FetchError, NotFound
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, Purpose
from feedloom.model.work import HubSubscription, NewTask, Task, TaskKind

if TYPE_CHECKING:
    from feedloom.store import HubStore, TaskQueue

LEASE_S = 10 * 86_400
_SHORTEST_LEASE_S = 300
_LONGEST_LEASE_S = 90 * 86_400
_ACCEPTED = range(200, 300)
_STRONG = ("sha256", "sha384", "sha512")


@dataclass(frozen=True, slots=True)
class Hubs:
    fetcher: Fetcher
    store: HubStore
    tasks: TaskQueue
    base_url: str
    """Empty when nobody outside can reach us: then hubs are left alone."""

    async def run(self, task: Task) -> Mapping[str, object]:
        feed_id = int(str(task.payload["feed_id"]))
        declared = await self.store.declared(feed_id)
        if declared is None or not self.base_url.startswith("http"):
            return {"asked": False}
        hub, topic = declared
        drafted = HubSubscription(
            feed_id, hub, topic, secrets.token_urlsafe(24), secrets.token_urlsafe(32)
        )
        subscription = await self.store.save(drafted)
        problem = await self._ask(subscription)
        if problem is not None:
            await self.store.drop(feed_id, problem)
        return {"asked": True, "accepted": problem is None}

    async def confirm(self, token: str, query: Mapping[str, str]) -> str:
        """Answer a hub's question whether we asked; ``NotFound`` when we did not."""
        subscription = await self.store.by_token(token)
        if subscription is None or query.get("hub.topic") != subscription.topic:
            raise NotFound
        mode = query.get("hub.mode")
        if mode == "denied":
            await self.store.drop(subscription.feed_id, "The hub denied the subscription.")
            return ""
        challenge = query.get("hub.challenge", "")
        if mode != "subscribe" or not challenge:
            raise NotFound
        text = query.get("hub.lease_seconds", "")
        asked_s = int(text[:12]) if text.isdecimal() else LEASE_S
        lease_s = min(max(asked_s, _SHORTEST_LEASE_S), _LONGEST_LEASE_S)
        await self.store.activate(subscription.feed_id, lease_s)
        return challenge

    async def expect(self, token: str, signature: str) -> Delivery:
        """Make ready for a delivery; ``NotFound`` when nobody asked for it."""
        subscription = await self.store.by_token(token)
        if subscription is None:
            raise NotFound
        return Delivery(subscription, signature)

    async def hear(self, delivery: Delivery) -> None:
        """Hear a hub; what is not proved to come from it is dropped without a word."""
        if delivery.is_signed():
            await self.store.announce(delivery.feed_id)

    async def renew(self) -> None:
        """Ask again where a lease is about to end, and where nobody asked yet."""
        if not self.base_url.startswith("http"):
            return
        for feed_id in await self.store.ending():
            task = NewTask(TaskKind.WEBSUB, {"feed_id": feed_id}, f"websub:{feed_id}")
            await self.tasks.add(task)

    async def _ask(self, subscription: HubSubscription) -> str | None:
        """Ask a hub for notices; return what went wrong."""
        form = {
            "hub.mode": "subscribe",
            "hub.topic": subscription.topic,
            "hub.callback": f"{self.base_url}/websub/{subscription.callback_token}",
            "hub.secret": subscription.secret,
            "hub.lease_seconds": str(LEASE_S),
        }
        ask = FetchRequest(
            subscription.hub,
            Purpose.HUB,
            method="POST",
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            body=urlencode(form).encode(),
            max_bytes=10_000,
            timeout_s=15,
        )
        try:
            answer = await self.fetcher.fetch(ask)
        except FetchError as error:
            return str(error)
        if answer.status not in _ACCEPTED:
            return f"The hub rejected the request (HTTP {answer.status})."
        return None


class Delivery:
    def __init__(self, subscription: HubSubscription, signature: str) -> None:
        self.feed_id = subscription.feed_id
        method, _, given = signature.partition("=")
        self._given = given.strip().lower().encode()
        # Algorithms that are broken count as none, and a lost secret proves nothing.
        self._hmac = (
            hmac.new(subscription.secret.encode(), digestmod=method)
            if method in _STRONG and subscription.secret
            else None
        )

    def read(self, part: bytes) -> None:
        if self._hmac is not None:
            self._hmac.update(part)

    def is_signed(self) -> bool:
        if self._hmac is None:
            return False
        return hmac.compare_digest(self._hmac.hexdigest().encode(), self._given)
