"""Subscribing: pasted text becomes a subscription, or a clear answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.flow.discovery.choices import Choice, choices_of
from feedloom.flow.discovery.search import Discoverer, as_result, require_found
from feedloom.model.errors import BadAddress, FeedloomError
from feedloom.model.reader import Retention, Subscription, User
from feedloom.model.stages import Discovered, ScoredCandidate
from feedloom.model.urls import normalise
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import AccountStore, SubscriptionStore


@dataclass(frozen=True, slots=True)
class Added:
    subscription: Subscription | None
    task_id: int | None = None
    candidates: tuple[ScoredCandidate, ...] = ()
    choices: tuple[Choice, ...] = ()
    """Several feeds that are about as good; nothing was subscribed to yet."""


@dataclass(frozen=True, slots=True)
class Subscribing:
    subscriptions: SubscriptionStore
    accounts: AccountStore
    discoverer: Discoverer

    async def add(  # noqa: PLR0913 - what a person may say of a subscription
        self,
        user: User,
        text: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        exact: bool = False,
        wait: bool = False,
        choose: bool = False,
    ) -> Added:
        """Subscribe a person to what an address offers.

        ``exact`` takes the address as it is, without looking; ``wait`` does not answer
        before the search is over; with ``choose`` the person decides between several
        good feeds. Raises ``BadAddress``, ``Conflict``, ``NoFeed`` or ``Throttled``.
        """
        wish = {
            "title": title,
            "folder_id": folder_id,
            "retention": retention.value,
            "choose": choose,
        }
        known = await self._known(user, text)
        if exact or known is not None:
            return Added(await self._subscribe(user, normalise(text), wish))
        if wait:
            found: Discovered | int = await self.discoverer.discover(text, user_id=user.id)
        else:
            found = await self.discoverer.ask(text, user_id=user.id, payload={"wish": wish})
        if isinstance(found, int):
            return Added(None, found)
        url = require_found(found)
        if choose and (choices := choices_of(as_result(found))):
            return Added(None, candidates=found.candidates, choices=choices)
        subscription = await self._subscribe(user, url, wish)
        return Added(subscription, candidates=found.candidates)

    async def run(self, task: Task) -> Mapping[str, object]:
        result = dict(await self.discoverer.run(task))
        wish = task.payload.get("wish")
        discovered = result.get("discovered")
        if not isinstance(wish, Mapping) or not isinstance(discovered, Mapping):
            return result
        user = await self.accounts.by_id(task.user_id or 0)
        if user is None or not discovered.get("canonical"):
            return result
        if wish.get("choose") and choices_of(discovered):
            return result
        try:
            made = await self._subscribe(user, str(discovered["canonical"]), wish)
        except FeedloomError as error:
            return result | {"error": str(error), "error_key": error.key}
        return result | {"subscription_id": made.id}

    async def _known(self, user: User, text: str) -> str | None:
        """Return the address of a feed we fetch already: there is nothing to find out."""
        try:
            url = normalise(text)
        except BadAddress:
            return None
        return await self.subscriptions.working_feed(url, tenant_id=user.tenant_id)

    async def _subscribe(self, user: User, url: str, wish: Mapping[str, object]) -> Subscription:
        title, folder_id = wish.get("title"), wish.get("folder_id")
        return await self.subscriptions.subscribe(
            user.id,
            url,
            title=title if isinstance(title, str) else None,
            folder_id=folder_id if isinstance(folder_id, int) else None,
            retention=Retention(str(wish.get("retention", "archive"))),
            tenant_id=user.tenant_id,
            alone=True,
        )
