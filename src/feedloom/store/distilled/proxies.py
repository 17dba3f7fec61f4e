"""Proxies as operators manage them: add, change, delete, run now.

A disabled one keeps its feed's place in the schedule but takes it out of the queue, unless
somebody reads the feed. Deleting leaves the feed, its articles and its readers as they are.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict

from feedloom.model.distilled.documents import DeframedItem
from feedloom.model.distilled.proxies import NewProxy, Proxy
from feedloom.model.errors import Conflict
from feedloom.model.urls import url_key
from feedloom.store.distilled.proxied_feeds import ITEM_COLUMNS, read_document, read_item
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import NotifyWorkers, Query, Row, Script, sql
from feedloom.store.ingest.feeds import ensure_feed, fetch_now, read_number, set_pace
from feedloom.store.queries import NOW, audit, exists, one, upsert
from feedloom.store.queues.feed_queue import unschedule_if_unwanted
from feedloom.store.values import DAY_US, read_texts, value_of

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
_WEEK_US = 7 * DAY_US
_SELECT = """SELECT p.feed_id, f.url, f.title, p.root_domain, p.enabled, p.polling, p.interval_s,
      p.enforce_feed_domain, p.error_policy, p.max_items, p.prompt_key, p.created_at,
      p.last_error, q.next_run_at,
      q.lease_token IS NOT NULL AND q.locked_until > now_us() AS is_running,
      c.updated_at AS built_at, c.item_refs,
      (SELECT count(*) FROM subscriptions s WHERE s.feed_id = p.feed_id) AS readers,
      (SELECT count(*) FROM articles a JOIN analysis_attempts t ON t.article_id = a.id
        WHERE a.feed_id = p.feed_id AND t.next_try_at IS NOT NULL) AS failing,
      (SELECT count(*) FROM articles a JOIN analysis_attempts t ON t.article_id = a.id
        WHERE a.feed_id = p.feed_id AND t.next_try_at IS NULL) AS parked
    FROM proxies p JOIN feeds f ON f.id = p.feed_id
    LEFT JOIN feed_schedules q ON q.feed_id = p.feed_id
    LEFT JOIN cached_feeds c ON c.feed_id = p.feed_id
    WHERE p.deleted_at IS NULL"""
_ITEMS = f"""SELECT {ITEM_COLUMNS} FROM articles a LEFT JOIN analyses x ON x.article_id = a.id
    WHERE a.feed_id = :id AND a.url_hash = ANY(:hashes)
    ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""


def _proxy(feed: str) -> Script[Proxy]:
    feed_id = read_number(feed)
    if feed_id is not None:
        query = sql(f"{_SELECT} AND p.feed_id = :id", id=feed_id)
    else:
        text = f"""{_SELECT} AND f.tenant_id IS NULL
            AND (f.url_key = :key OR p.served_key = :key)
            ORDER BY CASE WHEN f.url_key = :key THEN 0 ELSE 1 END, p.feed_id"""
        query = sql(text, key=url_key(feed))
    return _read((yield from one(query, f"There is no proxy for {feed}.")))


class ProxyStore(Store):
    @writes(OPERATOR)
    def add(self, proxy: NewProxy, *, actor: str) -> Script[Proxy]:
        """Add a proxy, and its feed if needed; raise ``Conflict`` if there is one already."""
        feed_id = yield from ensure_feed(proxy.url, due=False)
        fields = {name: value for name, value in asdict(proxy).items() if name != "url"}
        added = upsert(
            "proxies",
            "feed_id",
            "WHERE proxies.deleted_at IS NOT NULL RETURNING feed_id",
            feed_id=feed_id,
            served_key=url_key(proxy.url),
            last_error=None,
            created_at=NOW,
            deleted_at=None,
            **fields,
        )
        if not (yield from exists(added)):
            raise Conflict("This feed already has a proxy.")
        yield from _set_enabled(feed_id, enabled=proxy.enabled)
        yield _note(actor, "proxy_added", feed_id, after=proxy.url)
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
            text = f"UPDATE proxies SET {name} = :value WHERE feed_id = :id"
            yield sql(text, value=value, id=before.feed_id)
            told, action = (_told(getattr(before, name)), _told(value)), f"proxy_{name}"
            yield _note(actor, action, before.feed_id, before=told[0], after=told[1])
        interval_s = values.get("interval_s", before.interval_s)
        if interval_s != before.interval_s and before.polling:
            yield from set_pace(before.feed_id, interval_s if isinstance(interval_s, int) else None)
        if "enabled" in values:
            yield from _set_enabled(before.feed_id, enabled=bool(values["enabled"]))
        return (yield from _proxy(str(before.feed_id)))

    @writes(OPERATOR)
    def delete(self, feed: str, *, actor: str) -> Script[Proxy]:
        proxy = yield from _proxy(feed)
        feed_id = proxy.feed_id
        text = "UPDATE proxies SET deleted_at = now_us(), enabled = false WHERE feed_id = :id"
        yield sql(text, id=feed_id)
        yield sql("DELETE FROM cached_feeds WHERE feed_id = :id", id=feed_id)
        # A feed that was paused for the proxy only is checked for the directory again.
        text = "UPDATE feeds SET state = 'unchecked' WHERE id = :id AND state = 'paused'"
        yield sql(text, id=feed_id)
        text = f"""UPDATE feed_schedules SET
            next_run_at = coalesce(next_run_at, now_us() + {_WEEK_US}),
            due_at = coalesce(next_run_at, now_us() + {_WEEK_US}), reason = :reason
            WHERE feed_id = :id AND lease_token IS NULL AND due_at IS NULL
            AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = :id AND f.in_directory)
            AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id)"""
        yield sql(text, id=feed_id, reason=json.dumps({"rule": "listed"}))
        yield from unschedule_if_unwanted(feed_id)
        yield _note(actor, "proxy_deleted", feed_id, before=proxy.url)
        return proxy

    @writes(OPERATOR)
    def sync(self, feed: str, *, actor: str) -> Script[Proxy]:
        """Refresh a feed now, whatever its state; raise ``Conflict`` if its proxy is disabled."""
        proxy = yield from _proxy(feed)
        if not proxy.enabled:
            raise Conflict("This proxy is disabled. Enable it first.")
        feed_id = proxy.feed_id
        # A worker that is refreshing it now loses its lease, so it writes nothing.
        text = "UPDATE feed_schedules SET lease_token = NULL, locked_until = NULL, locked_by = NULL"
        yield sql(f"{text} WHERE feed_id = :id", id=feed_id)
        yield from fetch_now(feed_id, afresh=True)
        yield sql("UPDATE proxies SET last_error = NULL WHERE feed_id = :id", id=feed_id)
        text = "DELETE FROM analysis_attempts WHERE article_id IN"
        yield sql(f"{text} (SELECT id FROM articles WHERE feed_id = :id)", id=feed_id)
        yield from _want_articles(feed_id)
        yield _note(actor, "proxy_synced", feed_id)
        return (yield from _proxy(str(feed_id)))

    @reads(OPERATOR)
    def root_domains(self) -> Script[dict[str, int]]:
        rows = yield sql("""SELECT root_domain, count(*) AS n FROM proxies WHERE deleted_at IS NULL
            AND root_domain IS NOT NULL GROUP BY root_domain ORDER BY root_domain""")
        return {row["root_domain"]: row["n"] for row in rows}

    @reads(OPERATOR)
    def items(self, feed: str, limit: int) -> Script[list[DeframedItem]]:
        proxy = yield from _proxy(feed)
        built = yield from read_document(proxy.feed_id)
        hashes = list(built.item_refs) if built else []
        rows = yield sql(_ITEMS, id=proxy.feed_id, hashes=hashes, limit=limit)
        return [read_item(row) for row in rows]


def _read(row: Row) -> Proxy:
    return value_of(Proxy, row, items=len(read_texts(row["item_refs"])))


def _set_enabled(feed_id: int, *, enabled: bool) -> Script[None]:
    """Put a feed back into the queue, or take it out unless somebody reads it."""
    if enabled:
        text = """UPDATE feed_schedules SET due_at = next_run_at WHERE feed_id = :id
            AND lease_token IS NULL AND due_at IS NULL AND next_run_at IS NOT NULL"""
        yield sql(text, id=feed_id)
        yield from _want_articles(feed_id)
        yield NotifyWorkers()
    else:
        text = """UPDATE feed_schedules SET due_at = NULL WHERE feed_id = :id
            AND lease_token IS NULL
            AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = :id)"""
        yield sql(text, id=feed_id)


def _want_articles(feed_id: int) -> Script[None]:
    """Make the next fetch return the whole document if no articles are stored."""
    text = """UPDATE feeds SET etag = NULL, last_modified = NULL, body_hash = NULL
        WHERE id = :id AND (NOT feed_is_read(:id) OR NOT EXISTS
        (SELECT 1 FROM articles a WHERE a.feed_id = :id))"""
    yield sql(text, id=feed_id)


def _note(
    actor: str, action: str, feed_id: int, *, before: str | None = None, after: str | None = None
) -> Query:
    why = "Changed by an operator."
    return audit(actor, action, f"feed:{feed_id}", before=before, after=after, why=why)


def _told(value: object) -> str | None:
    return None if value is None else str(value).lower()
