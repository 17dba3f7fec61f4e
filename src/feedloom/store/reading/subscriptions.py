"""Subscriptions: one person's relation to a feed, and what comes with it."""

import json
from collections.abc import Mapping, Sequence

from feedloom.model.reading import FeedPage, FeedWish, Retention, Subscription
from feedloom.model.urls import url_key
from feedloom.store.engine.steps import Database, Nudge, Scope, Steps, sql
from feedloom.store.ingest.arrivals import (
    take_turn,
)
from feedloom.store.ingest.feeds import (
    feed_audit,
    feed_candidates,
    feed_log,
    fetch_now,
    set_pace,
)
from feedloom.store.queues.unwanted import unschedule_if_unwanted
from feedloom.store.reading.folders import own_folder, root_folder
from feedloom.store.reading.joining import subscribe, subscribe_to_new
from feedloom.store.reading.moving import change_url, set_access
from feedloom.store.reading.subscription_rows import (
    all_subscriptions,
    one_subscription,
)
from feedloom.store.times import SECOND

UNSUBSCRIBED = "Unsubscribed"
_COOLDOWN_US = 300 * SECOND
_CHANGEABLE = (
    "title",
    "folder_id",
    "retention",
    "interval_s",
    "full_text",
    "pinned",
    "ordering",
)


class SubscriptionStore:
    """Subscriptions as rows. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def subscribe(  # noqa: PLR0913 - what may be said of a subscription
        self,
        user_id: int,
        url: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        tenant_id: int | None = None,
        alone: bool = False,
    ) -> Subscription:
        """Subscribe a person to a feed's address; ``Conflict`` when they are already."""
        return await self._database.write(
            Scope(user_id=user_id),
            subscribe,
            user_id,
            url,
            title=title,
            folder_id=folder_id,
            retention=retention,
            tenant_id=tenant_id,
            alone=alone,
        )

    async def subscribe_to_new(
        self, user_id: int, wishes: Sequence[FeedWish], *, tenant_id: int | None
    ) -> frozenset[str]:
        """Subscribe at once to all feeds that nobody has; answer their addresses."""
        return await self._database.write(
            Scope(user_id=user_id), subscribe_to_new, user_id, wishes, tenant_id
        )

    async def working_feed(self, url: str, *, tenant_id: int | None) -> str | None:
        """Return the address of a feed we fetch with success under this address."""
        return await self._database.read(Scope(), _working_feed, url, tenant_id)

    async def subscriptions(self, user_id: int) -> list[Subscription]:
        """List a person's subscriptions by title, with unread counts."""
        return await self._database.read(
            Scope(user_id=user_id), all_subscriptions, user_id
        )

    async def subscription(self, user_id: int, subscription_id: int) -> Subscription:
        """Find one; another person's is ``NotFound``."""
        return await self._database.read(
            Scope(user_id=user_id), one_subscription, user_id, subscription_id
        )

    async def page(self, user_id: int, subscription_id: int) -> FeedPage:
        """Gather what a feed's own page shows."""
        return await self._database.read(
            Scope(user_id=user_id), _page, user_id, subscription_id
        )

    async def change(
        self, user_id: int, subscription_id: int, changes: Mapping[str, object]
    ) -> Subscription:
        """Change title, folder_id, retention, interval_s, full_text, pinned and the like."""
        return await self._database.write(
            Scope(user_id=user_id), _change, user_id, subscription_id, changes
        )

    async def set_mailing_list(
        self, user_id: int, subscription_id: int, *, is_mailing_list: bool
    ) -> None:
        """Say that a feed is filled by mail and never polled."""
        await self._database.write(
            Scope(user_id=user_id),
            _set_mailing_list,
            user_id,
            subscription_id,
            is_mailing_list,
        )

    async def change_url(
        self,
        user_id: int,
        subscription_id: int,
        url: str,
        *,
        tenant_id: int | None = None,
    ) -> Subscription:
        """Move this person's subscription to another address, fetched now."""
        return await self._database.write(
            Scope(user_id=user_id),
            change_url,
            user_id,
            subscription_id,
            url,
            tenant_id,
        )

    async def set_access(
        self,
        user_id: int,
        subscription_id: int,
        *,
        cookie: str | None,
        user_agent: str | None,
        tenant_id: int | None = None,
    ) -> Subscription:
        """Say what is sent along when this person's feed is fetched; fetched now."""
        return await self._database.write(
            Scope(user_id=user_id),
            set_access,
            user_id,
            subscription_id,
            cookie=cookie,
            user_agent=user_agent,
            tenant_id=tenant_id,
        )

    async def unsubscribe(self, user_id: int, subscription_id: int) -> None:
        """End a subscription; starred articles stay, under "Unsubscribed"."""
        await self._database.write(
            Scope(user_id=user_id), unsubscribe, user_id, subscription_id
        )

    async def refresh(
        self, user_id: int, subscription_id: int, *, afresh: bool = True
    ) -> None:
        """Fetch a feed now because its reader asked."""
        await self._database.write(
            Scope(user_id=user_id), _refresh, user_id, subscription_id, afresh
        )

    async def refresh_all(self, user_id: int) -> int:
        """Fetch all of a person's healthy feeds now; answer how many."""
        return await self._database.write(Scope(user_id=user_id), _refresh_all, user_id)


def _working_feed(url: str, tenant_id: int | None) -> Steps[str | None]:
    rows = yield sql(
        "SELECT url FROM feeds WHERE coalesce(tenant_id, 0) = :tenant"
        " AND url_key = :key AND last_fetch_status = 'success'",
        tenant=tenant_id or 0,
        key=url_key(url),
    )
    return rows[0]["url"] if rows else None


def _page(user_id: int, subscription_id: int) -> Steps[FeedPage]:
    subscription = yield from one_subscription(user_id, subscription_id)
    feed_id = subscription.feed_id or 0
    log = yield from feed_log(feed_id, 50)
    trail = yield from feed_audit(feed_id)
    candidates = yield from feed_candidates(feed_id)
    return FeedPage(subscription, tuple(log), tuple(trail), tuple(candidates))


def _change(
    user_id: int, subscription_id: int, changes: Mapping[str, object]
) -> Steps[Subscription]:
    subscription = yield from one_subscription(user_id, subscription_id)
    values = {name: changes[name] for name in _CHANGEABLE if name in changes}
    if "folder_id" in values:
        wanted = values["folder_id"]
        values["folder_id"] = yield from own_folder(
            user_id, wanted if isinstance(wanted, int) else None
        )
    interval_s = values.get("interval_s", subscription.interval_s)
    if interval_s != subscription.interval_s and subscription.feed_id is not None:
        # Everybody locks in this order: schedule, feed, person.
        yield from set_pace(
            subscription.feed_id, interval_s if isinstance(interval_s, int) else None
        )
    if values:
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        yield sql(
            f"UPDATE subscriptions SET {assignments} WHERE id = :id",
            id=subscription.id,
            **values,
        )
    found = yield from one_subscription(user_id, subscription_id)
    return found


def _set_mailing_list(user_id: int, subscription_id: int, on: bool) -> Steps[None]:  # noqa: FBT001 - internal
    subscription = yield from one_subscription(user_id, subscription_id)
    yield sql(
        # Everybody locks in this order: schedule, feed. Whoever fetches it now has lost
        # its lease: it knows nothing of the change.
        "UPDATE feed_schedules SET next_run_at = CASE WHEN :on THEN NULL ELSE now_us() END,"
        " due_at = CASE WHEN :on THEN NULL ELSE now_us() END, reason = :reason,"
        " lease_token = NULL, locked_until = NULL, locked_by = NULL, attempts = 0,"
        " again = false WHERE feed_id = :id",
        on=on,
        id=subscription.feed_id,
        reason=json.dumps({"rule": "mailing_list" if on else "asked"}),
    )
    yield sql(
        "UPDATE feeds SET is_mailing_list = :on WHERE id = :id",
        on=on,
        id=subscription.feed_id,
    )


def unsubscribe(user_id: int, subscription_id: int) -> Steps[None]:
    """End a subscription inside a caller's transaction."""
    # Nothing may arrive for it, and nothing be starred, between looking and deleting.
    yield from take_turn([user_id])
    subscription = yield from one_subscription(user_id, subscription_id)
    starred = yield sql(
        "SELECT article_id FROM article_states WHERE subscription_id = :id AND starred",
        id=subscription_id,
    )
    if starred and subscription.feed_id is not None:
        shelter = yield from _shelter(user_id)
        yield sql(
            "UPDATE article_states SET subscription_id = :shelter, unread = false,"
            " last_modified = GREATEST(clock_us(), last_modified + 1)"
            " WHERE subscription_id = :id AND starred",
            shelter=shelter,
            id=subscription_id,
        )
    yield sql("DELETE FROM subscriptions WHERE id = :id", id=subscription_id)
    if subscription.feed_id is not None:
        yield from unschedule_if_unwanted(subscription.feed_id)


def _shelter(user_id: int) -> Steps[int]:
    """Find or make the place for starred articles of feeds a person left."""
    rows = yield sql(
        "SELECT id FROM subscriptions WHERE user_id = :user AND kept_for_stars",
        user=user_id,
    )
    if not rows:
        root = yield from root_folder(user_id)
        rows = yield sql(
            "INSERT INTO subscriptions (user_id, feed_id, folder_id, title, seeded,"
            " kept_for_stars, added_at)"
            " VALUES (:user, NULL, :root, :title, true, true, now_us()) RETURNING id",
            user=user_id,
            root=root,
            title=UNSUBSCRIBED,
        )
    id_: int = rows[0]["id"]
    return id_


def _refresh(user_id: int, subscription_id: int, afresh: bool) -> Steps[None]:  # noqa: FBT001 - internal
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.feed_id is not None:
        yield from fetch_now(subscription.feed_id, afresh=afresh)


def _refresh_all(user_id: int) -> Steps[int]:
    rows = yield sql(
        # Publishers that failed or asked for patience are left to their own schedule,
        # and nobody makes us ask the same ones every few seconds.
        "UPDATE feed_schedules SET due_at = now_us() WHERE lease_token IS NULL"
        " AND next_run_at IS NOT NULL AND feed_id IN (SELECT s.feed_id"
        "   FROM subscriptions s JOIN feeds f ON f.id = s.feed_id"
        "   WHERE s.user_id = :user AND f.state IN ('healthy', 'unchecked')"
        "   AND coalesce(f.last_attempt_at, 0) < now_us() - :cooldown)"
        " RETURNING feed_id",
        user=user_id,
        cooldown=_COOLDOWN_US,
    )
    yield Nudge()
    return len(rows)
