"""Pausing a feed for one person; polling stops when nobody else reads it."""

from feedloom.store.engine.scripts import Script
from feedloom.store.ingest.feeds import wake_feed
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import NOW, update
from feedloom.store.queues.unwanted import unschedule_if_unwanted
from feedloom.store.reader.change_url import seed_states
from feedloom.store.reader.subscription_rows import one_subscription


def pause(user_id: int, subscription_id: int) -> Script[None]:
    """Stop new articles; a feed that all its readers paused is not polled."""
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.paused_at is not None or subscription.feed_id is None:
        return
    yield update("subscriptions", subscription_id, paused_at=NOW)
    yield from unschedule_if_unwanted(subscription.feed_id, paused=True)


def resume(user_id: int, subscription_id: int) -> Script[None]:
    """Resume: the feed is fetched soon, and the newest stored articles are added."""
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.paused_at is None or subscription.feed_id is None:
        return
    # Everybody locks in this order: schedule, feed, person.
    yield from wake_feed(subscription.feed_id, alone=False)
    yield from lock_feeds([subscription.feed_id])
    yield from lock_users([user_id])
    yield update("subscriptions", subscription_id, paused_at=None, seeded=False)
    yield from seed_states(user_id, subscription.feed_id, subscription_id)
