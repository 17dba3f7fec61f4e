"""Subscribing to one feed, or to many new ones at once."""

import json
from collections.abc import Iterable, Sequence

from feedloom.model.errors import Conflict, NotFound
from feedloom.model.reader import FeedWish, Retention, Subscription
from feedloom.model.urls import host_key, normalise, url_key
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import Insert, NotifyWorkers, Script, sql
from feedloom.store.identity.people import record_event
from feedloom.store.ingest.feeds import FALLBACK_US, ensure_feed, wake_feed
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import NOW, check_quota, insert, now_us, number
from feedloom.store.reader.change_url import holds, seed_states
from feedloom.store.reader.folders import own_folder
from feedloom.store.reader.subscription_rows import one_subscription

MOST_SUBSCRIPTIONS = 10_000
"""Per person, because the server is shared."""


def subscribe(  # noqa: PLR0913 - what may be said of a subscription
    user_id: int,
    url: str,
    *,
    title: str | None = None,
    folder_id: int | None = None,
    retention: Retention = Retention.ARCHIVE,
    tenant_id: int | None = None,
    alone: bool = False,
) -> Script[Subscription]:
    """Subscribe a person to a feed; raise ``Conflict`` if they have it already.

    ``alone`` means that they added this feed on its own and are waiting for it, so its
    first fetch need not wait for the requests that found it.
    """
    feed_id = yield from ensure_feed(url, tenant_id=tenant_id)
    # Everybody locks in this order: schedule, feed, person.
    yield from wake_feed(feed_id, alone=alone)
    yield from lock_feeds([feed_id])
    yield from lock_users([user_id])
    yield from _check_quota(user_id, more=1)
    folder = yield from own_folder(user_id, folder_id)
    if (yield from holds(user_id, url, tenant_id=tenant_id)):
        raise Conflict("You have already added this feed")
    added = insert(
        "subscriptions",
        "RETURNING id",
        user_id=user_id,
        feed_id=feed_id,
        folder_id=folder,
        title=title or None,
        retention=retention.value,
        added_at=NOW,
    )
    subscription_id = yield from number(added)
    yield from seed_states(user_id, feed_id, subscription_id)
    yield from record_event(user_id, "feed_added", {"feed_id": subscription_id})
    return (yield from one_subscription(user_id, subscription_id))


def subscribe_to_new(
    user_id: int, wishes: Sequence[FeedWish], *, tenant_id: int | None
) -> Script[frozenset[str]]:
    """Subscribe to those feeds of a list that are new to everybody; return their addresses.

    An existing feed may be due, being fetched, full of articles or subscribed to already,
    which ``subscribe`` handles. New feeds need none of that, so a few statements add all
    of them instead of a dozen for each.
    """
    wanted = {url_key(normalise(wish.url)): wish for wish in wishes}
    for key in (yield from _kept_apart(user_id)):
        wanted.pop(key, None)
    now = yield from now_us()
    feed_ids = yield from _new_feeds(wanted, tenant_id, now)
    new = [(feed_ids[key], wish) for key, wish in wanted.items() if key in feed_ids]
    if not new:
        return frozenset()
    yield from lock_users([user_id])
    yield from _check_quota(user_id, more=len(new))
    yield from _check_folders(user_id, wishes)
    added = yield Insert(
        "subscriptions",
        ("user_id", "feed_id", "folder_id", "title", "added_at"),
        [(user_id, feed_id, wish.folder_id, wish.title or None, now) for feed_id, wish in new],
        returning=("id",),
    )
    yield Insert(
        "events",
        ("user_id", "event_type", "metadata", "created_at"),
        [(user_id, "feed_added", json.dumps({"feed_id": row["id"]}), now) for row in added],
    )
    yield NotifyWorkers()
    return frozenset(wish.url for _, wish in new)


def _new_feeds(
    wanted: dict[str, FeedWish], tenant_id: int | None, now: int
) -> Script[dict[str, int]]:
    addresses = {key: normalise(wish.url) for key, wish in wanted.items()}
    feeds = yield Insert(
        "feeds",
        ("tenant_id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [
            (tenant_id, hide_passwords(url), key, host_key(url), now, now)
            # Sorted, so that two concurrent imports cannot deadlock.
            for key, url in sorted(addresses.items())
        ],
        tail="ON CONFLICT (coalesce(tenant_id, 0), url_key) DO NOTHING",
        returning=("id", "url_key", "host_key"),
        has_secrets=True,
    )
    reason = json.dumps({"rule": "new"})
    yield Insert(
        "feed_schedules",
        ("feed_id", "host_key", "next_run_at", "due_at", "reason", "urgency"),
        [(f["id"], f["host_key"], now + FALLBACK_US, now, reason, 1) for f in feeds],
    )
    return {feed["url_key"]: feed["id"] for feed in feeds}


def _kept_apart(user_id: int) -> Script[Iterable[str]]:
    rows = yield sql(
        "SELECT f.url_key FROM subscriptions s JOIN feeds f ON f.id = s.feed_id"
        " WHERE s.user_id = :user"
        " AND (s.cookie IS NOT NULL OR s.user_agent IS NOT NULL"
        "   OR s.content_selector IS NOT NULL)",
        user=user_id,
    )
    return [row["url_key"].rpartition("#")[0] for row in rows]


def _check_folders(user_id: int, wishes: Sequence[FeedWish]) -> Script[None]:
    named = {wish.folder_id for wish in wishes}
    own = yield sql(
        "SELECT id FROM folders WHERE user_id = :user AND id = ANY(:ids)",
        user=user_id,
        ids=sorted(named),
    )
    if len(own) < len(named):
        raise NotFound("Folder not found")


def _check_quota(user_id: int, *, more: int) -> Script[None]:
    most = MOST_SUBSCRIPTIONS
    yield from check_quota(
        "subscriptions", user_id, most=most, noun="feeds", field="url", more=more
    )
