"""Proxies as operators manage them: add, change, delete, run now.

A proxy that is disabled keeps its feed's place in the schedule but takes it out of the
queue, unless somebody reads the feed; enabling puts it back. Deleting leaves the feed,
its articles and its readers as they are.
"""

import json
from collections.abc import Mapping

from feedloom.model.distilled.documents import DeframedItem
from feedloom.model.distilled.proxies import NewProxy, Proxy
from feedloom.model.errors import Conflict
from feedloom.model.urls import url_key
from feedloom.store.audit import audit
from feedloom.store.distilled.deframed_rows import ITEM_COLUMNS, read_document, read_item
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import NotifyWorkers, Row, Script, sql
from feedloom.store.ingest.feeds import ensure_feed, fetch_now, read_number, set_pace
from feedloom.store.queries import NOW, exists, one, upsert
from feedloom.store.queues.unwanted import unschedule_if_unwanted
from feedloom.store.times import SECOND
from feedloom.store.values import read_texts, value_of

CHANGEABLE = (
    "enabled",
    "polling",
    "interval_s",
    "root_domain",
    "enforce_feed_domain",
    "prompt_key",
    "max_items",
    "error_policy",
)
_WEEK_US = 7 * 86_400 * SECOND
_SELECT = """
SELECT p.feed_id, f.url, f.title, p.root_domain, p.enabled, p.polling, p.interval_s,
  p.enforce_feed_domain, p.error_policy, p.max_items, p.prompt_key, p.created_at,
  p.last_error,
  q.next_run_at, q.lease_token IS NOT NULL AND q.locked_until > now_us() AS running,
  c.updated_at AS built_at, c.item_refs,
  (SELECT count(*) FROM subscriptions s WHERE s.feed_id = p.feed_id) AS readers,
  (SELECT count(*) FROM articles a JOIN analysis_attempts t ON t.article_id = a.id
    WHERE a.feed_id = p.feed_id AND t.next_try_at IS NOT NULL) AS failing,
  (SELECT count(*) FROM articles a JOIN analysis_attempts t ON t.article_id = a.id
    WHERE a.feed_id = p.feed_id AND t.next_try_at IS NULL) AS parked
FROM proxies p JOIN feeds f ON f.id = p.feed_id
LEFT JOIN feed_schedules q ON q.feed_id = p.feed_id
LEFT JOIN cached_feeds c ON c.feed_id = p.feed_id
WHERE p.deleted_at IS NULL
"""
_ITEMS = f"""
SELECT {ITEM_COLUMNS} FROM articles a LEFT JOIN analyses x ON x.article_id = a.id
WHERE a.feed_id = :id AND a.url_hash = ANY(:hashes)
ORDER BY a.published_at DESC, a.id DESC LIMIT :limit
"""


def _proxy(feed: str) -> Script[Proxy]:
    feed_id = read_number(feed)
    if feed_id is not None:
        query = sql(f"{_SELECT} AND p.feed_id = :id", id=feed_id)
    else:
        query = sql(
            f"{_SELECT} AND f.tenant_id IS NULL"
            " AND (f.url_key = :key OR p.served_key = :key)"
            " ORDER BY CASE WHEN f.url_key = :key THEN 0 ELSE 1 END, p.feed_id",
            key=url_key(feed),
        )
    return _read((yield from one(query, f"There is no proxy for {feed}.")))


class ProxyStore(Store):
    @writes(OPERATOR)
    def add(self, proxy: NewProxy, *, actor: str) -> Script[Proxy]:
        """Add a proxy, and its feed if needed; raise ``Conflict`` if there is one already."""
        feed_id = yield from ensure_feed(proxy.url, due=False)
        added = upsert(
            "proxies",
            "feed_id",
            "WHERE proxies.deleted_at IS NOT NULL RETURNING feed_id",
            feed_id=feed_id,
            served_key=url_key(proxy.url),
            root_domain=proxy.root_domain,
            enabled=proxy.enabled,
            polling=proxy.polling,
            interval_s=proxy.interval_s,
            enforce_feed_domain=proxy.enforce_feed_domain,
            prompt_key=proxy.prompt_key,
            last_error=None,
            created_at=NOW,
            deleted_at=None,
        )
        if not (yield from exists(added)):
            raise Conflict("This feed already has a proxy.")
        yield from (_arm if proxy.enabled else _disarm)(feed_id)
        yield from _note(actor, "proxy_added", feed_id, after=proxy.url)
        return (yield from _proxy(str(feed_id)))

    proxy = reads(OPERATOR).of(_proxy)

    @reads(OPERATOR)
    def proxies(self) -> Script[list[Proxy]]:
        rows = yield sql(f"{_SELECT} ORDER BY p.feed_id")
        return [_read(row) for row in rows]

    @writes(OPERATOR)
    def change(self, feed: str, changes: Mapping[str, object], *, actor: str) -> Script[Proxy]:
        """Change the fields in ``CHANGEABLE``; other names are ignored."""
        before = yield from _proxy(feed)
        values = {name: changes[name] for name in CHANGEABLE if name in changes}
        for name, value in values.items():
            yield sql(
                f"UPDATE proxies SET {name} = :value WHERE feed_id = :id",
                value=value,
                id=before.feed_id,
            )
            yield from _note(
                actor,
                f"proxy_{name}",
                before.feed_id,
                before=_told(getattr(before, name)),
                after=_told(value),
            )
        interval_s = values.get("interval_s", before.interval_s)
        if interval_s != before.interval_s and before.polling:
            yield from set_pace(before.feed_id, interval_s if isinstance(interval_s, int) else None)
        if "enabled" in values:
            step = _arm if values["enabled"] else _disarm
            yield from step(before.feed_id)
        return (yield from _proxy(str(before.feed_id)))

    @writes(OPERATOR)
    def delete(self, feed: str, *, actor: str) -> Script[Proxy]:
        proxy = yield from _proxy(feed)
        feed_id = proxy.feed_id
        yield sql(
            "UPDATE proxies SET deleted_at = now_us(), enabled = false WHERE feed_id = :id",
            id=feed_id,
        )
        yield sql("DELETE FROM cached_feeds WHERE feed_id = :id", id=feed_id)
        yield from _give_back(feed_id)
        yield from unschedule_if_unwanted(feed_id)
        yield from _note(actor, "proxy_deleted", feed_id, before=proxy.url)
        return proxy

    @writes(OPERATOR)
    def sync(self, feed: str, *, actor: str) -> Script[Proxy]:
        """Refresh a feed now, whatever its state; raise ``Conflict`` if its proxy is disabled."""
        proxy = yield from _proxy(feed)
        if not proxy.enabled:
            raise Conflict("This proxy is disabled. Enable it first.")
        feed_id = proxy.feed_id
        # A worker that is refreshing it now loses its lease, so it writes nothing.
        yield sql(
            "UPDATE feed_schedules SET lease_token = NULL, locked_until = NULL,"
            " locked_by = NULL WHERE feed_id = :id",
            id=feed_id,
        )
        yield from fetch_now(feed_id, afresh=True)
        yield sql("UPDATE proxies SET last_error = NULL WHERE feed_id = :id", id=feed_id)
        yield sql(
            "DELETE FROM analysis_attempts WHERE article_id IN"
            " (SELECT id FROM articles WHERE feed_id = :id)",
            id=feed_id,
        )
        yield from _want_articles(feed_id)
        yield from _note(actor, "proxy_synced", feed_id)
        return (yield from _proxy(str(feed_id)))

    @reads(OPERATOR)
    def root_domains(self) -> Script[dict[str, int]]:
        rows = yield sql(
            "SELECT root_domain, count(*) AS n FROM proxies WHERE deleted_at IS NULL"
            " AND root_domain IS NOT NULL GROUP BY root_domain ORDER BY root_domain"
        )
        return {row["root_domain"]: row["n"] for row in rows}

    @reads(OPERATOR)
    def items(self, feed: str, limit: int) -> Script[list[DeframedItem]]:
        proxy = yield from _proxy(feed)
        built = yield from read_document(proxy.feed_id)
        hashes = list(built.item_refs) if built else []
        rows = yield sql(_ITEMS, id=proxy.feed_id, hashes=hashes, limit=limit)
        return [read_item(row) for row in rows]


def _read(row: Row) -> Proxy:
    return value_of(
        Proxy, row, is_running=bool(row["running"]), items=len(read_texts(row["item_refs"]))
    )


def _arm(feed_id: int) -> Script[None]:
    yield sql(
        "UPDATE feed_schedules SET due_at = next_run_at WHERE feed_id = :id"
        " AND lease_token IS NULL AND due_at IS NULL AND next_run_at IS NOT NULL",
        id=feed_id,
    )
    yield from _want_articles(feed_id)
    yield NotifyWorkers()


def _disarm(feed_id: int) -> Script[None]:
    yield sql(
        "UPDATE feed_schedules SET due_at = NULL WHERE feed_id = :id"
        " AND lease_token IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id)",
        id=feed_id,
    )


def _want_articles(feed_id: int) -> Script[None]:
    """Make the next fetch return the whole document if no articles are stored."""
    yield sql(
        "UPDATE feeds SET etag = NULL, last_modified = NULL, body_hash = NULL"
        " WHERE id = :id AND (NOT feed_is_read(:id) OR NOT EXISTS"
        " (SELECT 1 FROM articles a WHERE a.feed_id = :id))",
        id=feed_id,
    )


def _give_back(feed_id: int) -> Script[None]:
    """Let the directory check a feed again that was paused for the proxy only."""
    yield sql(
        "UPDATE feeds SET state = 'unchecked' WHERE id = :id AND state = 'paused'", id=feed_id
    )
    yield sql(
        "UPDATE feed_schedules SET next_run_at = coalesce(next_run_at, now_us() + :week),"
        " due_at = coalesce(next_run_at, now_us() + :week), reason = :reason"
        " WHERE feed_id = :id AND lease_token IS NULL AND due_at IS NULL"
        " AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = :id AND f.in_directory)"
        " AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id)",
        id=feed_id,
        week=_WEEK_US,
        reason=json.dumps({"rule": "listed"}),
    )


def _note(
    actor: str, action: str, feed_id: int, *, before: str | None = None, after: str | None = None
) -> Script[None]:
    yield from audit(
        actor=actor,
        action=action,
        subject=f"feed:{feed_id}",
        before=before,
        after=after,
        why="Changed by an operator.",
    )


def _told(value: object) -> str | None:
    return None if value is None else str(value).lower()
