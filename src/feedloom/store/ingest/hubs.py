"""WebSub subscriptions: which hub notifies us about which feed, and until when."""

from dataclasses import replace

from feedloom.model.urls import looks_private
from feedloom.model.work import HubSubscription
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.encryption import hide
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.feeds import fetch_now
from feedloom.store.queries import first, numbers, value
from feedloom.store.values import SECOND

_RENEW_US = 86_400 * SECOND
_REFUSED_US = 7 * _RENEW_US
"""A hub that refused is asked again after this long."""
_AT_ONCE = 500
_SPARED_US = 60 * SECOND
"""The shortest time between fetches that a hub can cause."""
_SAME = "websub.hub = excluded.hub AND websub.topic = excluded.topic"
_COLUMNS = "w.feed_id, w.hub, w.topic, w.callback_token, w.secret, w.lease_until, w.state"


class HubStore(Store):
    @reads(WORKER)
    def declared(self, feed_id: int) -> Script[tuple[str, str] | None]:
        text = "SELECT url, hub_url FROM feeds WHERE id = :id AND hub_url IS NOT NULL"
        row = yield from first(sql(text, id=feed_id))
        if row is None or looks_private(row["url"]):
            # A hub is a third party and must not learn a secret address.
            return None
        return row["hub_url"], row["url"]

    @writes(WORKER)
    def save(self, subscription: HubSubscription) -> Script[HubSubscription]:
        """Store a subscription and return it as it must be requested.

        A renewal keeps callback and secret, because the hub goes on delivering meanwhile.
        """
        text = f"""INSERT INTO websub (feed_id, hub, topic, callback_token, secret, state,
            lease_until) VALUES (:feed, :hub, :topic, :token, :secret, 'pending',
            now_us() + {_RENEW_US}) ON CONFLICT (feed_id) DO UPDATE SET
            hub = excluded.hub, topic = excluded.topic,
            callback_token = CASE WHEN {_SAME} THEN websub.callback_token
              ELSE excluded.callback_token END,
            secret = CASE WHEN {_SAME} THEN websub.secret ELSE excluded.secret END,
            last_error = NULL, lease_until = CASE WHEN websub.state = 'active'
              THEN websub.lease_until ELSE excluded.lease_until END
            RETURNING callback_token, secret"""
        feed, hub, topic = subscription.feed_id, subscription.hub, subscription.topic
        token, secret = subscription.callback_token, hide(subscription.secret)
        [kept] = yield sql(text, feed=feed, hub=hub, topic=topic, token=token, secret=secret)
        return replace(subscription, callback_token=kept["callback_token"], secret=kept["secret"])

    @reads(WORKER)
    def by_token(self, token: str) -> Script[HubSubscription | None]:
        text = f"SELECT {_COLUMNS} FROM websub w WHERE callback_token = :token"
        return (yield from value(HubSubscription, sql(text, token=token)))

    @writes(WORKER)
    def activate(self, feed_id: int, lease_s: int) -> Script[None]:
        text = "UPDATE websub SET state = 'active', lease_until = now_us() + :us"
        yield sql(f"{text} WHERE feed_id = :id", id=feed_id, us=lease_s * SECOND)

    @writes(WORKER)
    def drop(self, feed_id: int, error: str) -> Script[None]:
        """Store that the hub refused; the feed is polled instead."""
        text = f"""UPDATE websub SET state = 'refused', last_error = :error,
            lease_until = now_us() + {_REFUSED_US} WHERE feed_id = :id"""
        yield sql(text, id=feed_id, error=error)

    @writes(WORKER)
    def announce(self, feed_id: int) -> Script[None]:
        # Only an operator may restart a proxy that runs once or was stopped by an error.
        text = """SELECT f.last_attempt_at AS at, now_us() AS now FROM feed_schedules q
            JOIN feeds f ON f.id = q.feed_id WHERE q.feed_id = :id
            AND (q.next_run_at IS NOT NULL OR EXISTS
            (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id))"""
        row = yield from first(sql(text, id=feed_id))
        if row is None:
            return
        free_at = (row["at"] or 0) + _SPARED_US
        if free_at <= row["now"]:
            yield from fetch_now(feed_id, afresh=False, by_hand=False)
            return
        # Repeated announcements must not make us flood a publisher with requests.
        text = """UPDATE feed_schedules SET next_run_at = LEAST(coalesce(next_run_at, :at), :at),
            due_at = LEAST(coalesce(due_at, :at), :at)
            WHERE feed_id = :id AND lease_token IS NULL"""
        yield sql(text, id=feed_id, at=free_at)

    @reads(WORKER)
    def ending(self) -> Script[list[int]]:
        """List feeds whose hub must be asked: the lease is ending, or there is none yet."""
        query = sql(f"""SELECT feed_id FROM websub WHERE state = 'active'
            AND lease_until < now_us() + {_RENEW_US} UNION ALL
            SELECT feed_id FROM websub WHERE state <> 'active'
            AND coalesce(lease_until, 0) < now_us() UNION ALL
            SELECT f.id FROM feeds f WHERE f.hub_url IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM websub w WHERE w.feed_id = f.id)
            AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id) LIMIT {_AT_ONCE}""")
        return (yield from numbers(query))
