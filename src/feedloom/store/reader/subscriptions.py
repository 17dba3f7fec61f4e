"""Subscriptions: which feeds a person reads, with their settings."""

import json
from collections.abc import Mapping

from feedloom.model.errors import Conflict
from feedloom.model.reader import FeedPage, Subscription
from feedloom.model.urls import url_key
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import NotifyWorkers, Scope, Script, sql
from feedloom.store.ingest.feeds import feed_audit, feed_candidates, feed_log, fetch_now, set_pace
from feedloom.store.ingest.wanted import queue_analyses
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, first, insert, number, numbers, update
from feedloom.store.queues.unwanted import unschedule_if_unwanted
from feedloom.store.reader.change_url import change_url, set_access, set_selector
from feedloom.store.reader.folders import own_folder, root_folder
from feedloom.store.reader.pauses import pause, resume
from feedloom.store.reader.subscribe import subscribe, subscribe_to_new
from feedloom.store.reader.subscription_rows import all_subscriptions, one_subscription
from feedloom.store.times import SECOND

UNSUBSCRIBED = "Unsubscribed"
_COOLDOWN_US = 300 * SECOND
_CHANGEABLE = (
    "title",
    "folder_id",
    "retention",
    "interval_s",
    "full_text",
    "calm_titles",
    "pinned",
    "ordering",
    "ignores_cache",
    "hidden_globally",
    "list_settings",
    "read_after_days",
)


def unsubscribe(user_id: int, subscription_id: int) -> Script[None]:
    # Nothing may arrive or be starred between reading and deleting.
    yield from lock_users([user_id])
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


class SubscriptionStore(Store):
    subscribe = writes(as_user).of(subscribe)
    subscribe_to_new = writes(as_user).of(subscribe_to_new)

    @reads(Scope())
    def working_feed(self, url: str, *, tenant_id: int | None) -> Script[str | None]:
        query = sql(
            "SELECT url FROM feeds WHERE coalesce(tenant_id, 0) = :tenant"
            " AND url_key = :key AND last_fetch_status = 'success'",
            tenant=tenant_id or 0,
            key=url_key(url),
        )
        row = yield from first(query)
        return row["url"] if row else None

    subscriptions = reads(as_user).of(all_subscriptions)
    subscription = reads(as_user).of(one_subscription)

    @reads(as_user)
    def page(self, user_id: int, subscription_id: int) -> Script[FeedPage]:
        subscription = yield from one_subscription(user_id, subscription_id)
        feed_id = subscription.feed_id or 0
        log = yield from feed_log(feed_id, 50)
        trail = yield from feed_audit(feed_id)
        candidates = yield from feed_candidates(feed_id)
        return FeedPage(subscription, tuple(log), tuple(trail), tuple(candidates))

    @writes(as_user)
    def change(
        self, user_id: int, subscription_id: int, changes: Mapping[str, object]
    ) -> Script[Subscription]:
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
        if "list_settings" in values:
            values["list_settings"] = json.dumps(values["list_settings"])
        if values:
            yield update("subscriptions", subscription.id, **values)
        if values.get("calm_titles") and subscription.feed_id is not None:
            yield from queue_analyses(subscription.feed_id)
        return (yield from one_subscription(user_id, subscription_id))

    @writes(as_user)
    def set_mailing_list(
        self, user_id: int, subscription_id: int, *, is_mailing_list: bool
    ) -> Script[None]:
        """Set whether a feed is filled by email and never polled."""
        subscription = yield from one_subscription(user_id, subscription_id)
        yield sql(
            # Everybody locks in this order: schedule, feed. Whoever fetches it now has lost
            # its lease: it knows nothing of the change.
            "UPDATE feed_schedules SET next_run_at = CASE WHEN :on THEN NULL ELSE now_us() END,"
            " due_at = CASE WHEN :on THEN NULL ELSE now_us() END, reason = :reason,"
            " lease_token = NULL, locked_until = NULL, locked_by = NULL, attempts = 0,"
            " again = false WHERE feed_id = :id",
            on=is_mailing_list,
            id=subscription.feed_id,
            reason=json.dumps({"rule": "mailing_list" if is_mailing_list else "asked"}),
        )
        if subscription.feed_id is not None:
            yield update("feeds", subscription.feed_id, is_mailing_list=is_mailing_list)

    @writes(as_user)
    def set_direct(self, user_id: int, subscription_id: int, *, direct: bool) -> Script[None]:
        """Set whether a feed bypasses the outbound proxy, for all its readers."""
        subscription = yield from one_subscription(user_id, subscription_id)
        if subscription.feed_id is not None:
            yield update("feeds", subscription.feed_id, direct=direct)

    change_url = writes(as_user).of(change_url)
    set_access = writes(as_user).of(set_access)
    set_selector = writes(as_user).of(set_selector)
    pause = writes(as_user).of(pause)
    resume = writes(as_user).of(resume)
    unsubscribe = writes(as_user).of(unsubscribe)

    @writes(as_user)
    def refresh(self, user_id: int, subscription_id: int, *, afresh: bool = True) -> Script[None]:
        subscription = yield from one_subscription(user_id, subscription_id)
        if subscription.paused_at is not None:
            raise Conflict("You paused this feed. Resume it first.")
        if subscription.feed_id is not None:
            yield from fetch_now(subscription.feed_id, afresh=afresh)

    @writes(as_user)
    def refresh_all(self, user_id: int) -> Script[int]:
        rows = yield sql(
            # Publishers that failed or asked for patience are left to their own schedule,
            # and nobody makes us ask the same ones every few seconds.
            "UPDATE feed_schedules SET due_at = now_us(), urgency = LEAST(urgency, 1)"
            " WHERE lease_token IS NULL"
            " AND next_run_at IS NOT NULL AND feed_id IN (SELECT s.feed_id"
            "   FROM subscriptions s JOIN feeds f ON f.id = s.feed_id"
            "   WHERE s.user_id = :user AND s.paused_at IS NULL"
            "   AND f.state IN ('healthy', 'unchecked')"
            "   AND coalesce(f.last_attempt_at, 0) < now_us() - :cooldown)"
            " RETURNING feed_id",
            user=user_id,
            cooldown=_COOLDOWN_US,
        )
        yield NotifyWorkers()
        return len(rows)

    @reads(as_user)
    def refresh_pause_s(self, user_id: int) -> Script[int]:
        """Return the seconds until the next feed may be fetched again; 0 if none waits."""
        [row] = yield sql(
            "SELECT min(f.last_attempt_at) + :cooldown - now_us() AS us"
            " FROM subscriptions s JOIN feeds f ON f.id = s.feed_id"
            " WHERE s.user_id = :user AND s.paused_at IS NULL"
            " AND f.state IN ('healthy', 'unchecked') AND f.last_attempt_at > now_us() - :cooldown",
            user=user_id,
            cooldown=_COOLDOWN_US,
        )
        wait_us: int = row["us"] or 0
        return -(-wait_us // SECOND)


def _shelter(user_id: int) -> Script[int]:
    """Return the subscription that keeps starred articles of feeds a person left."""
    text = "SELECT id FROM subscriptions WHERE user_id = :user AND kept_for_stars"
    if found := (yield from numbers(sql(text, user=user_id))):
        return found[0]
    made = insert(
        "subscriptions",
        "RETURNING id",
        user_id=user_id,
        folder_id=(yield from root_folder(user_id)),
        title=UNSUBSCRIBED,
        seeded=True,
        kept_for_stars=True,
        added_at=NOW,
    )
    return (yield from number(made))
