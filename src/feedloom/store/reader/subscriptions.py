"""Subscriptions: which feeds a person reads, with their settings; subscribing, pausing, leaving."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from feedloom.model.errors import Conflict, NotFound
from feedloom.model.reader import (
    AuditLine,
    CandidateLine,
    FeedPage,
    FeedWish,
    LogLine,
    Retention,
    Subscription,
)
from feedloom.model.urls import host_key, normalise, url_key
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.encryption import hide_passwords
from feedloom.store.engine.scripts import Insert, NotifyWorkers, Scope, Script, sql
from feedloom.store.identity.credentials import record_event
from feedloom.store.ingest.feeds import FALLBACK_US, ensure_feed, fetch_now, set_pace, wake_feed
from feedloom.store.ingest.rules import queue_analyses
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import (
    NOW,
    check_quota,
    exists,
    first,
    insert,
    now_us,
    number,
    numbers,
    update,
    values,
)
from feedloom.store.queues.feed_queue import unschedule_if_unwanted
from feedloom.store.reader.change_url import (
    IS_APART,
    change_url,
    holds,
    seed_states,
    set_access,
    set_selector,
)
from feedloom.store.reader.folders import own_folder, root_folder
from feedloom.store.reader.subscription_rows import list_subscriptions, one_subscription
from feedloom.store.values import SECOND

MOST_SUBSCRIPTIONS = 10_000
"""Per person, because the server is shared."""
UNSUBSCRIBED = "Unsubscribed"
_COOLED = f"now_us() - {300 * SECOND}"
"""When a feed must have been fetched last to be fetched for everybody again."""
_FETCHED = """FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
    WHERE s.user_id = :user AND s.paused_at IS NULL AND f.state IN ('healthy', 'unchecked')"""
_LOG = """SELECT at, outcome, http_status, bytes, ms, new_articles, message
    FROM fetch_log WHERE feed_id = :id ORDER BY at DESC LIMIT 50"""
_TRAIL = """SELECT at, actor, action, before_value AS before, after_value AS after, why
    FROM audit_log WHERE subject = :subject ORDER BY at DESC, id DESC LIMIT 100"""
_FOUND = """
SELECT c.candidate_url AS url, c.discovered_from AS origin, c.score, c.score_reasons AS reasons,
  c.validation_status AS status, c.last_error AS error, c.title
FROM feed_candidates c JOIN feeds f ON f.site_id = c.site_id
WHERE f.id = :id ORDER BY c.score DESC, c.candidate_url
"""
_CHANGEABLE = {
    *("title", "folder_id", "retention", "interval_s", "full_text", "calm_titles", "pinned"),
    *("ordering", "ignores_cache", "hidden_globally", "list_settings", "read_after_days"),
}
_check_quota = partial(
    check_quota, "subscriptions", most=MOST_SUBSCRIPTIONS, noun="feeds", field="url"
)


def _new_feeds(
    wanted: dict[str, FeedWish], tenant_id: int | None, now: int
) -> Script[dict[str, int]]:
    # Sorted, so that two concurrent imports cannot deadlock.
    addresses = sorted((key, normalise(wish.url)) for key, wish in wanted.items())
    feeds = yield Insert(
        "feeds",
        ("tenant_id", "url", "url_key", "host_key", "created_at", "updated_at"),
        [(tenant_id, hide_passwords(url), key, host_key(url), now, now) for key, url in addresses],
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


def unsubscribe(user_id: int, subscription_id: int) -> Script[None]:
    # Nothing may arrive or be starred between reading and deleting.
    yield lock_users([user_id])
    subscription = yield from one_subscription(user_id, subscription_id)
    # Without a limit, for which PostgreSQL would expect a match soon and scan the whole table.
    text = "SELECT 1 FROM article_states WHERE subscription_id = :id AND starred"
    starred = yield from exists(sql(text, id=subscription_id))
    if starred and subscription.feed_id is not None:
        shelter = yield from _shelter(user_id)
        text = """UPDATE article_states SET subscription_id = :shelter, unread = false,
            last_modified = GREATEST(clock_us(), last_modified + 1)
            WHERE subscription_id = :id AND starred"""
        yield sql(text, shelter=shelter, id=subscription_id)
    yield sql("DELETE FROM subscriptions WHERE id = :id", id=subscription_id)
    if subscription.feed_id is not None:
        yield from unschedule_if_unwanted(subscription.feed_id)


class SubscriptionStore(Store):
    @writes(as_user)
    def subscribe(  # noqa: PLR0913 - what may be said of a subscription
        self,
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
        yield lock_feeds([feed_id])
        yield lock_users([user_id])
        yield from _check_quota(user_id)
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
        yield record_event(user_id, "feed_added", {"feed_id": subscription_id})
        return (yield from one_subscription(user_id, subscription_id))

    @writes(as_user)
    def subscribe_to_new(
        self, user_id: int, wishes: Sequence[FeedWish], *, tenant_id: int | None
    ) -> Script[frozenset[str]]:
        """Subscribe to those feeds of a list that are new to everybody; return their addresses.

        An existing feed may be due, being fetched, full of articles or subscribed to already,
        which ``subscribe`` handles. New feeds need none of that, so a few statements add all
        of them instead of a dozen for each.
        """
        wanted = {url_key(normalise(wish.url)): wish for wish in wishes}
        text = f"""SELECT f.url_key FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
            WHERE s.user_id = :user AND ({IS_APART})"""
        rows = yield sql(text, user=user_id)
        for row in rows:
            wanted.pop(row["url_key"].rpartition("#")[0], None)
        now = yield from now_us()
        feed_ids = yield from _new_feeds(wanted, tenant_id, now)
        new = [(feed_ids[key], wish) for key, wish in wanted.items() if key in feed_ids]
        if not new:
            return frozenset()
        yield lock_users([user_id])
        yield from _check_quota(user_id, more=len(new))
        named = {wish.folder_id for wish in wishes}
        text = "SELECT id FROM folders WHERE user_id = :user AND id = ANY(:ids)"
        if len((yield sql(text, user=user_id, ids=sorted(named)))) < len(named):
            raise NotFound("Folder not found")
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

    @reads(Scope())
    def working_feed(self, url: str, *, tenant_id: int | None) -> Script[str | None]:
        text = """SELECT url FROM feeds WHERE coalesce(tenant_id, 0) = :tenant
            AND url_key = :key AND last_fetch_status = 'success'"""
        row = yield from first(sql(text, tenant=tenant_id or 0, key=url_key(url)))
        return row["url"] if row else None

    subscriptions = reads(as_user).of(list_subscriptions)
    subscription = reads(as_user).of(one_subscription)

    @reads(as_user)
    def page(self, user_id: int, subscription_id: int) -> Script[FeedPage]:
        subscription = yield from one_subscription(user_id, subscription_id)
        feed_id = subscription.feed_id or 0
        log = yield from values(LogLine, sql(_LOG, id=feed_id))
        trail = yield from values(AuditLine, sql(_TRAIL, subject=f"feed:{feed_id}"))
        candidates = yield from values(CandidateLine, sql(_FOUND, id=feed_id))
        return FeedPage(subscription, tuple(log), tuple(trail), tuple(candidates))

    @writes(as_user)
    def change(
        self, user_id: int, subscription_id: int, changes: Mapping[str, object]
    ) -> Script[Subscription]:
        subscription = yield from one_subscription(user_id, subscription_id)
        new: dict[str, Any] = {name: changes[name] for name in changes if name in _CHANGEABLE}
        if "folder_id" in new:
            new["folder_id"] = yield from own_folder(user_id, new["folder_id"])
        interval_s = new.get("interval_s", subscription.interval_s)
        if interval_s != subscription.interval_s and subscription.feed_id is not None:
            # Everybody locks in this order: schedule, feed, person.
            yield from set_pace(subscription.feed_id, interval_s)
        if "list_settings" in new:
            new["list_settings"] = json.dumps(new["list_settings"])
        if new:
            yield update("subscriptions", subscription.id, **new)
        if new.get("calm_titles") and subscription.feed_id is not None:
            yield from queue_analyses(subscription.feed_id)
        return (yield from one_subscription(user_id, subscription_id))

    @writes(as_user)
    def set_mailing_list(
        self, user_id: int, subscription_id: int, *, is_mailing_list: bool
    ) -> Script[None]:
        """Set whether a feed is filled by email and never polled."""
        subscription = yield from one_subscription(user_id, subscription_id)
        # Everybody locks in this order: schedule, feed. Whoever fetches it now has lost
        # its lease: it knows nothing of the change.
        text = """UPDATE feed_schedules SET next_run_at = CASE WHEN :on THEN NULL ELSE now_us() END,
            due_at = CASE WHEN :on THEN NULL ELSE now_us() END, reason = :reason,
            lease_token = NULL, locked_until = NULL, locked_by = NULL, attempts = 0,
            again = false WHERE feed_id = :id"""
        reason = json.dumps({"rule": "mailing_list" if is_mailing_list else "asked"})
        yield sql(text, on=is_mailing_list, id=subscription.feed_id, reason=reason)
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

    @writes(as_user)
    def pause(self, user_id: int, subscription_id: int) -> Script[None]:
        """Stop new articles; a feed that all its readers paused is not polled."""
        subscription = yield from one_subscription(user_id, subscription_id)
        if subscription.paused_at is not None or subscription.feed_id is None:
            return
        yield update("subscriptions", subscription_id, paused_at=NOW)
        yield from unschedule_if_unwanted(subscription.feed_id, paused=True)

    @writes(as_user)
    def resume(self, user_id: int, subscription_id: int) -> Script[None]:
        """Resume: the feed is fetched soon, and the newest stored articles are added."""
        subscription = yield from one_subscription(user_id, subscription_id)
        if subscription.paused_at is None or subscription.feed_id is None:
            return
        # Everybody locks in this order: schedule, feed, person.
        yield from wake_feed(subscription.feed_id, alone=False)
        yield lock_feeds([subscription.feed_id])
        yield lock_users([user_id])
        yield update("subscriptions", subscription_id, paused_at=None, seeded=False)
        yield from seed_states(user_id, subscription.feed_id, subscription_id)

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
        # Publishers that failed or asked for patience are left to their own schedule,
        # and nobody makes us ask the same ones every few seconds.
        text = f"""UPDATE feed_schedules SET due_at = now_us(), urgency = LEAST(urgency, 1)
            WHERE lease_token IS NULL AND next_run_at IS NOT NULL AND feed_id IN
             (SELECT s.feed_id {_FETCHED} AND coalesce(f.last_attempt_at, 0) < {_COOLED})
            RETURNING feed_id"""
        rows = yield sql(text, user=user_id)
        yield NotifyWorkers()
        return len(rows)

    @reads(as_user)
    def refresh_pause_s(self, user_id: int) -> Script[int]:
        """Return the seconds until the next feed may be fetched again; 0 if none waits."""
        text = f"SELECT min(f.last_attempt_at) - ({_COOLED}) AS us {_FETCHED}"
        [row] = yield sql(f"{text} AND f.last_attempt_at > {_COOLED}", user=user_id)
        wait_us: int = row["us"] or 0
        return -(-wait_us // SECOND)


def _shelter(user_id: int) -> Script[int]:
    """Return the subscription that keeps starred articles of feeds a person left."""
    text = "SELECT id FROM subscriptions WHERE user_id = :user AND kept_for_stars"
    if found := (yield from numbers(sql(text, user=user_id))):
        return found[0]
    folder_id = yield from root_folder(user_id)
    new = {"user_id": user_id, "folder_id": folder_id, "title": UNSUBSCRIBED, "added_at": NOW}
    made = insert("subscriptions", "RETURNING id", seeded=True, kept_for_stars=True, **new)
    return (yield from number(made))
