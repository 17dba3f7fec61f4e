"""Subscriptions: one person's relation to a feed, and what comes with it."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.reading import FeedPage, Retention, Subscription
from feedloom.model.urls import read_address, url_key
from feedloom.store.engine.steps import Database, Insert, Nudge, Row, Scope, Steps, sql
from feedloom.store.identity.accounts import record_event
from feedloom.store.ingest.arrivals import (
    FRESH_UNREAD,
    STATE_COLUMNS,
    take_numbers,
    take_turn,
)
from feedloom.store.ingest.feeds import (
    ensure_feed,
    feed_audit,
    feed_candidates,
    feed_log,
    fetch_now,
    forget_validators,
    lock_feed,
    unschedule_if_unwanted,
    wake_feed,
)
from feedloom.store.reading.folders import own_folder, root_folder
from feedloom.store.times import SECOND, from_us, maybe_time

SEEDED = 50
"""How many stored articles somebody gets who subscribes to a known feed."""
MOST_SUBSCRIPTIONS = 10_000
"""Of one person: a machine is shared."""
UNSUBSCRIBED = "Unsubscribed"
_COOLDOWN_US = 300 * SECOND
_SELECT = """
SELECT s.id, s.user_id, s.feed_id, s.folder_id, d.is_root AS in_root, s.title AS own_title,
  s.retention, s.interval_s, s.full_text, s.pinned, s.ordering, s.added_at, s.seeded,
  s.user_agent, s.cookie, f.title, f.url, f.site_url, f.favicon_id, f.description, f.language,
  f.is_mailing_list, f.state, f.last_fetch_status, f.last_fetch_error,
  f.last_http_status, f.last_attempt_at, f.last_success_at, f.consecutive_failures,
  f.latest_item_published_at, f.avg_update_interval_s, q.next_run_at, q.reason
FROM subscriptions s JOIN folders d ON d.id = s.folder_id
LEFT JOIN feeds f ON f.id = s.feed_id LEFT JOIN feed_schedules q ON q.feed_id = s.feed_id
WHERE s.user_id = :user
"""
_UNREAD = (
    "SELECT subscription_id, count(*) AS n FROM article_states WHERE user_id = :user"
    " AND unread AND hidden_at IS NULL GROUP BY subscription_id"
)
_CHANGEABLE = (
    "title",
    "folder_id",
    "retention",
    "interval_s",
    "full_text",
    "pinned",
    "ordering",
    "user_agent",
)


class SubscriptionStore:
    """Subscriptions as rows. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def subscribe(
        self,
        user_id: int,
        url: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        tenant_id: int | None = None,
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
        )

    async def working_feed(self, url: str, *, tenant_id: int | None) -> str | None:
        """Return the address of a feed we fetch with success under this address."""
        return await self._database.read(Scope(), _working_feed, url, tenant_id)

    async def subscriptions(self, user_id: int) -> list[Subscription]:
        """List a person's subscriptions by title, with unread counts."""
        return await self._database.read(Scope(user_id=user_id), _all, user_id)

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
            _change_url,
            user_id,
            subscription_id,
            url,
            tenant_id,
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


def subscribe(
    user_id: int,
    url: str,
    *,
    title: str | None,
    folder_id: int | None,
    retention: Retention,
    tenant_id: int | None,
) -> Steps[Subscription]:
    """Subscribe inside a caller's transaction."""
    feed_id = yield from ensure_feed(url, tenant_id=tenant_id)
    # Everybody locks in this order: schedule, feed, person.
    yield from wake_feed(feed_id)
    yield from lock_feed(feed_id)
    yield from take_turn([user_id])
    yield from _check_quota(user_id)
    folder = yield from own_folder(user_id, folder_id)
    rows = yield sql(
        "INSERT INTO subscriptions (user_id, feed_id, folder_id, title, retention,"
        " added_at) VALUES (:user, :feed, :folder, :title, :retention, now_us())"
        " ON CONFLICT DO NOTHING RETURNING id",
        user=user_id,
        feed=feed_id,
        folder=folder,
        title=title or None,
        retention=retention.value,
    )
    if not rows:
        raise Conflict("You have already added this feed")
    subscription_id: int = rows[0]["id"]
    yield from _seed(user_id, feed_id, subscription_id)
    yield from record_event(user_id, "feed_added", {"feed_id": subscription_id})
    found = yield from one_subscription(user_id, subscription_id)
    return found


def _check_quota(user_id: int) -> Steps[None]:
    rows = yield sql(
        "SELECT count(*) AS n FROM subscriptions WHERE user_id = :user", user=user_id
    )
    if rows[0]["n"] >= MOST_SUBSCRIPTIONS:
        raise InvalidInput(
            f"You have {MOST_SUBSCRIPTIONS} feeds, which is the most there can be.",
            field="url",
        )


def _seed(user_id: int, feed_id: int, subscription_id: int) -> Steps[None]:
    """Give a new subscriber the newest stored articles, the freshest unread.

    What else the publisher lists (deleted for others since, or never stored because
    nobody read the feed) comes with the next fetch, which must bring the document.
    """
    rows = yield sql(
        "SELECT a.id, a.published_at FROM articles a"
        " WHERE a.feed_id = :feed AND NOT EXISTS (SELECT 1 FROM article_states s"
        "   WHERE s.article_id = a.id AND s.user_id = :user)"
        " ORDER BY a.published_at DESC, a.id DESC LIMIT :limit",
        feed=feed_id,
        user=user_id,
        limit=SEEDED,
    )
    if rows:
        yield from _give_stored(user_id, subscription_id, rows)
    buried = yield sql(
        "SELECT 1 AS x FROM article_tombstones WHERE feed_id = :feed LIMIT 1",
        feed=feed_id,
    )
    if rows and not buried:
        yield sql(
            "UPDATE subscriptions SET seeded = true WHERE id = :id", id=subscription_id
        )
        return
    yield from forget_validators(feed_id)


def _give_stored(
    user_id: int, subscription_id: int, rows: Sequence[Row]
) -> Steps[None]:
    numbers, now = yield from take_numbers([user_id], len(rows))
    states = [
        (
            row["id"],
            user_id,
            subscription_id,
            numbers[user_id] + len(rows) - 1 - place,
            now,
            row["published_at"],
            place < FRESH_UNREAD,
            now,
        )
        for place, row in enumerate(rows)
    ]
    yield Insert("article_states", STATE_COLUMNS, states)


def _working_feed(url: str, tenant_id: int | None) -> Steps[str | None]:
    rows = yield sql(
        "SELECT url FROM feeds WHERE coalesce(tenant_id, 0) = :tenant"
        " AND url_key = :key AND last_fetch_status = 'success'",
        tenant=tenant_id or 0,
        key=url_key(url),
    )
    return rows[0]["url"] if rows else None


def one_subscription(user_id: int, subscription_id: int) -> Steps[Subscription]:
    """Find one of a person's subscriptions inside a caller's transaction."""
    rows = yield sql(f"{_SELECT} AND s.id = :id", user=user_id, id=subscription_id)
    if not rows:
        raise NotFound("Feed not found")
    counts = yield sql(
        "SELECT count(*) AS n FROM article_states WHERE user_id = :user"
        " AND subscription_id = :id AND unread AND hidden_at IS NULL",
        user=user_id,
        id=subscription_id,
    )
    return _subscription(rows[0], counts[0]["n"])


def uncounted_subscriptions(
    user_id: int, subscription_ids: list[int] | None
) -> Steps[list[Subscription]]:
    """Find all or some without counting what is unread, inside a caller's transaction."""
    some = "" if subscription_ids is None else " AND s.id = ANY(:ids)"
    rows = yield sql(_SELECT + some, user=user_id, ids=subscription_ids)
    return _sorted([_subscription(row, 0) for row in rows])


def _all(user_id: int) -> Steps[list[Subscription]]:
    rows = yield sql(_SELECT, user=user_id)
    counts = yield sql(_UNREAD, user=user_id)
    unread = {row["subscription_id"]: row["n"] for row in counts}
    return _sorted([_subscription(row, unread.get(row["id"], 0)) for row in rows])


def _sorted(found: list[Subscription]) -> list[Subscription]:
    return sorted(found, key=lambda s: (s.title.casefold(), s.id))


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
        "UPDATE feeds SET is_mailing_list = :on WHERE id = :id",
        on=on,
        id=subscription.feed_id,
    )
    yield sql(
        "UPDATE feed_schedules SET next_run_at = CASE WHEN :on THEN NULL ELSE now_us() END,"
        " due_at = CASE WHEN :on THEN NULL ELSE now_us() END, reason = :reason"
        " WHERE feed_id = :id AND lease_token IS NULL",
        on=on,
        id=subscription.feed_id,
        reason=json.dumps({"rule": "mailing_list" if on else "asked"}),
    )


def _change_url(
    user_id: int, subscription_id: int, url: str, tenant_id: int | None
) -> Steps[Subscription]:
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.feed_id is None:
        raise InvalidInput("This place holds starred articles only.", field="url")
    feed_id = yield from ensure_feed(
        url, tenant_id=tenant_id, secret=_secret(subscription.cookie)
    )
    if feed_id == subscription.feed_id:
        return subscription
    yield from forget_validators(feed_id)
    yield from fetch_now(feed_id, afresh=True)
    yield from lock_feed(feed_id)
    yield from take_turn([user_id])
    taken = yield sql(
        "SELECT id FROM subscriptions WHERE user_id = :user AND feed_id = :feed",
        user=user_id,
        feed=feed_id,
    )
    if taken:
        raise Conflict("A feed with this URL already exists")
    yield sql(
        "UPDATE subscriptions SET feed_id = :feed, seeded = false WHERE id = :id",
        feed=feed_id,
        id=subscription_id,
    )
    yield from _seed(user_id, feed_id, subscription_id)
    yield from unschedule_if_unwanted(subscription.feed_id)
    found = yield from one_subscription(user_id, subscription_id)
    return found


def _secret(cookie: str | None) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()[:16] if cookie else ""


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


def _subscription(row: Row, unread: int) -> Subscription:
    url = row["url"] or ""
    return Subscription(
        id=row["id"],
        user_id=row["user_id"],
        feed_id=row["feed_id"],
        title=row["own_title"]
        or row["title"]
        or (read_address(url).host if url else ""),
        own_title=row["own_title"],
        url=url,
        site_url=row["site_url"],
        folder_id=row["folder_id"],
        in_root=bool(row["in_root"]),
        retention=Retention(row["retention"]),
        interval_s=row["interval_s"],
        full_text=bool(row["full_text"]),
        pinned=bool(row["pinned"]),
        ordering=row["ordering"],
        added_at=from_us(row["added_at"]),
        unread=unread,
        favicon_id=row["favicon_id"],
        description=row["description"] or "",
        language=row["language"],
        is_mailing_list=bool(row["is_mailing_list"]),
        state=row["state"] or "paused",
        last_fetch_status=row["last_fetch_status"],
        last_fetch_error=row["last_fetch_error"],
        last_http_status=row["last_http_status"],
        last_attempt_at=maybe_time(row["last_attempt_at"]),
        last_success_at=maybe_time(row["last_success_at"]),
        consecutive_failures=row["consecutive_failures"] or 0,
        latest_item_published_at=maybe_time(row["latest_item_published_at"]),
        avg_update_interval_s=row["avg_update_interval_s"],
        next_run_at=maybe_time(row["next_run_at"]),
        reason=json.loads(row["reason"]) if row["reason"] else {},
        user_agent=row["user_agent"],
        cookie=row["cookie"],
        seeded=bool(row["seeded"]),
    )
