"""Subscribing: whatever a person pasted becomes a subscription, or a clear answer."""

from dataclasses import dataclass

from feedloom.model.ports import SubscriptionStore
from feedloom.model.reading import Retention, Subscription, User
from feedloom.model.stages import ScoredCandidate
from feedloom.model.urls import normalise


@dataclass(frozen=True, slots=True)
class Added:
    """What became of an address: a subscription, or a task that goes on looking."""

    subscription: Subscription | None
    task_id: int | None = None
    candidates: tuple[ScoredCandidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscribing:
    """Adds feeds for people."""

    subscriptions: SubscriptionStore

    async def add(  # noqa: PLR0913 - what a person may say of a subscription
        self,
        user: User,
        text: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        exact: bool = False,  # noqa: ARG002 - until discovery is joined, always exact
        wait: bool = False,  # noqa: ARG002 - as above
    ) -> Added:
        """Subscribe a person to what an address offers."""
        subscription = await self.subscriptions.subscribe(
            user.id,
            normalise(text),
            title=title,
            folder_id=folder_id,
            retention=retention,
            tenant_id=user.tenant_id,
        )
        return Added(subscription)
