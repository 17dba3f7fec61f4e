"""Adding a feed for a client: one address in, one subscription or an error out.

A person may be asked to come back or to choose; a program gets the best feed there is,
after as long as the search takes.
"""

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Subscription, User
from feedloom.serve.services import Services
from feedloom.serve.sync.tasks import WAIT_S, wait_until


async def add_feed(
    services: Services,
    user: User,
    text: str,
    *,
    title: str | None = None,
    folder_id: int | None = None,
) -> Subscription:
    """Subscribe somebody to what an address offers; ``Conflict`` when they have it.

    Programs list the articles right after, so a new feed is fetched before they hear.
    """
    added = None
    if text.strip():
        added = await services.subscribing.add(
            user, text, title=title, folder_id=folder_id, wait=True
        )
    if added is None or added.subscription is None:
        raise InvalidInput("A URL is required.", field="url")
    return await after_first_fetch(services, added.subscription)


async def after_first_fetch(services: Services, made: Subscription) -> Subscription:
    """Wait a while until a new feed was fetched; return it as it is then."""
    return made if made.last_attempt_at is not None else await after_next_fetch(services, made)


async def after_next_fetch(
    services: Services, feed: Subscription, *, most_s: float = WAIT_S
) -> Subscription:
    """Wait a while until a feed was fetched again; return it as it is then."""

    async def is_fetched() -> bool:
        found = await services.subscriptions.subscription(feed.user_id, feed.id)
        return found.last_attempt_at != feed.last_attempt_at

    await wait_until(is_fetched, most_s=most_s)
    return await services.subscriptions.subscription(feed.user_id, feed.id)
