"""Changing the feed behind a subscription.

A feed is fetched once for everybody. A subscription with a cookie, user agent or selector has a
feed row of its own, shared only with those who send exactly the same.
"""

import hashlib
from dataclasses import replace

from feedloom.model.errors import Conflict, InvalidInput
from feedloom.model.reader import Subscription
from feedloom.model.urls import normalise, over_https, read_address, url_key, without_credentials
from feedloom.store.engine.encryption import hide
from feedloom.store.engine.scripts import Insert, Script, sql
from feedloom.store.ingest.arrivals import (
    FRESH_UNREAD,
    STATE_COLUMNS,
    carry_over_states,
    reserve_item_numbers,
)
from feedloom.store.ingest.feeds import ensure_feed, fetch_now, forget_validators
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import exists, update
from feedloom.store.queues.feed_queue import unschedule_if_unwanted
from feedloom.store.reader.subscription_rows import one_subscription

SEEDED = 50
"""How many stored articles a new subscriber of a known feed gets."""
IS_APART = "s.cookie IS NOT NULL OR s.user_agent IS NOT NULL OR s.content_selector IS NOT NULL"
"""Subscriptions that have a feed row of their own."""


def seed_states(
    user_id: int, feed_id: int, subscription_id: int, *, moved: bool = False
) -> Script[None]:
    """Give a new subscriber the newest stored articles, the freshest unread.

    Everything else that the publisher lists comes with the next fetch, which must return
    the whole document. So do articles that somebody who ``moved`` here has in other rows.
    """
    text = """SELECT a.id, a.published_at FROM articles a
        WHERE a.feed_id = :feed AND NOT EXISTS (SELECT 1 FROM article_states s
          WHERE s.article_id = a.id AND s.user_id = :user)
        ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""
    rows = yield sql(text, feed=feed_id, user=user_id, limit=SEEDED)
    if rows:
        numbers, now = yield from reserve_item_numbers([user_id], len(rows))
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
    buried = sql("SELECT 1 FROM article_tombstones WHERE feed_id = :feed LIMIT 1", feed=feed_id)
    if rows and not moved and not (yield from exists(buried)):
        yield update("subscriptions", subscription_id, seeded=True)
    else:
        yield from forget_validators(feed_id)


def change_url(
    user_id: int, subscription_id: int, url: str, *, tenant_id: int | None = None
) -> Script[Subscription]:
    """Move a subscription to another address; credentials stay with their site.

    Passwords are never shown, so an address of the same site without one keeps it.
    """
    subscription = yield from _movable(user_id, subscription_id)
    if _is_only_less_secure(url, subscription.url):
        return subscription
    new, old = read_address(url), read_address(subscription.url)
    is_as_safe = new.origin == old.origin or (new.scheme == "https" and new.netloc == old.netloc)
    if is_as_safe and not new.userinfo:
        new = new._replace(userinfo=old.userinfo)
    if str(new) == normalise(subscription.url):
        return subscription
    cookie = subscription.cookie if is_as_safe else None
    wanted = replace(subscription, url=str(new), cookie=cookie)
    if (yield from _keep_apart(wanted, tenant_id)):
        yield update("subscriptions", subscription_id, cookie=hide(cookie))
    return (yield from one_subscription(user_id, subscription_id))


def _is_only_less_secure(url: str, old_url: str) -> bool:
    """Return whether an address is the http form of another; nobody switches back to it."""
    old = without_credentials(old_url)
    return (
        over_https(url) is not None
        and old.startswith("https:")
        and (url_key(url) in {url_key(old), url_key(old_url)})
    )


def set_access(
    user_id: int,
    subscription_id: int,
    *,
    cookie: str | None,
    user_agent: str | None,
    tenant_id: int | None = None,
) -> Script[Subscription]:
    """Set what is sent along when this person's feed is fetched, and fetch it now.

    Such a feed is kept apart: nobody else's fetch sends it, and nobody else can read what
    it gives access to.
    """
    subscription = yield from _movable(user_id, subscription_id)
    yield from _keep_apart(replace(subscription, cookie=cookie, user_agent=user_agent), tenant_id)
    yield update("subscriptions", subscription_id, cookie=hide(cookie), user_agent=user_agent)
    return (yield from one_subscription(user_id, subscription_id))


def set_selector(
    user_id: int, subscription_id: int, selector: str | None, *, tenant_id: int | None = None
) -> Script[None]:
    """Set which part of a page is the text; texts are stored, so the feed is kept apart."""
    subscription = yield from _movable(user_id, subscription_id)
    if selector == subscription.content_selector:
        return
    yield from _keep_apart(replace(subscription, content_selector=selector), tenant_id)
    yield update("subscriptions", subscription_id, content_selector=selector)


def _keep_apart(wanted: Subscription, tenant_id: int | None) -> Script[bool]:
    """Move a subscription to the feed that matches its settings; False if it is there."""
    cookie, user_agent, selector = wanted.cookie, wanted.user_agent, wanted.content_selector
    secret = ""
    if cookie or user_agent or selector:
        sent = f"{cookie or ''}\n{user_agent or ''}" + (f"\n{selector}" if selector else "")
        secret = hashlib.sha256(sent.encode()).hexdigest()[:32]
    feed_id = yield from ensure_feed(wanted.url, tenant_id=tenant_id, secret=secret)
    if feed_id == wanted.feed_id:
        return False
    yield from _move(wanted, feed_id)
    return True


def _movable(user_id: int, subscription_id: int) -> Script[Subscription]:
    subscription = yield from one_subscription(user_id, subscription_id)
    if subscription.feed_id is None:
        raise InvalidInput("This entry only holds starred articles.", field="url")
    return subscription


def _move(subscription: Subscription, feed_id: int) -> Script[None]:
    yield from forget_validators(feed_id)
    yield from fetch_now(feed_id, afresh=True)
    yield lock_feeds([feed_id])
    yield lock_users([subscription.user_id])
    [feed] = yield sql("SELECT url, tenant_id FROM feeds WHERE id = :id", id=feed_id)
    where = {"tenant_id": feed["tenant_id"], "but": subscription.id}
    if (yield from holds(subscription.user_id, feed["url"], **where)):
        raise Conflict("A feed with this URL already exists")
    yield update("subscriptions", subscription.id, feed_id=feed_id, seeded=False)
    yield from carry_over_states([subscription.id], feed_id)
    yield from seed_states(subscription.user_id, feed_id, subscription.id, moved=True)
    if subscription.feed_id is not None:
        yield from unschedule_if_unwanted(subscription.feed_id)


def holds(user_id: int, url: str, *, tenant_id: int | None, but: int = 0) -> Script[bool]:
    """Return whether somebody subscribes to an address, with or without a cookie."""
    key = url_key(normalise(url))
    text = f"""SELECT s.id FROM feeds f JOIN subscriptions s ON s.feed_id = f.id
        WHERE s.user_id = :user AND s.id <> :but
        AND coalesce(f.tenant_id, 0) = :tenant AND f.url_key = :key
        UNION ALL SELECT s.id FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
        WHERE s.user_id = :user AND s.id <> :but AND ({IS_APART})
        AND substr(f.url_key, 1, length(CAST(:apart AS TEXT))) = :apart"""
    whose = {"user": user_id, "but": but, "tenant": tenant_id or 0}
    return (yield from exists(sql(text, key=key, apart=f"{key}#", **whose)))
