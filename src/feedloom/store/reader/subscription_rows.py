"""Reading subscriptions: rows in, ``Subscription`` values out."""

from feedloom.model.reader import Subscription
from feedloom.model.urls import host_of
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.queries import number, one
from feedloom.store.values import read_object, value_of

_SELECT = """
SELECT s.id, s.user_id, s.feed_id, s.folder_id, d.is_root AS in_root, s.title AS own_title,
  s.retention, s.interval_s, s.full_text, s.pinned, s.ordering, s.added_at, s.seeded,
  s.user_agent, s.cookie, s.calm_titles, s.paused_at, s.ignores_cache,
  s.content_selector, s.hidden_globally, s.list_settings, s.read_after_days,
  f.title, coalesce(f.url, '') AS url, f.site_url, f.favicon_id,
  coalesce(f.description, '') AS description, f.language, f.is_mailing_list, f.direct,
  coalesce(f.state, 'paused') AS state, f.last_fetch_status, f.last_fetch_error,
  f.last_http_status, f.last_attempt_at, f.last_success_at,
  coalesce(f.consecutive_failures, 0) AS consecutive_failures, f.latest_item_published_at,
  f.avg_update_interval_s, q.next_run_at, q.reason
FROM subscriptions s JOIN folders d ON d.id = s.folder_id
LEFT JOIN feeds f ON f.id = s.feed_id LEFT JOIN feed_schedules q ON q.feed_id = s.feed_id
WHERE s.user_id = :user
"""


def unread_counts(user_id: int) -> Script[dict[int, int]]:
    text = """SELECT subscription_id, count(*) AS n FROM article_states WHERE user_id = :user
        AND unread AND hidden_at IS NULL GROUP BY subscription_id"""
    rows = yield sql(text, user=user_id)
    return {row["subscription_id"]: row["n"] for row in rows}


def one_subscription(user_id: int, subscription_id: int) -> Script[Subscription]:
    query = sql(f"{_SELECT} AND s.id = :id", user=user_id, id=subscription_id)
    row = yield from one(query, "Feed not found")
    text = """SELECT count(*) FROM article_states WHERE user_id = :user
        AND subscription_id = :id AND unread AND hidden_at IS NULL"""
    return _subscription(row, (yield from number(sql(text, user=user_id, id=subscription_id))))


def list_subscriptions(
    user_id: int, subscription_ids: list[int] | None = None, *, counted: bool = True
) -> Script[list[Subscription]]:
    """List all or some subscriptions by title; counting what is unread is optional."""
    some = "" if subscription_ids is None else " AND s.id = ANY(:ids)"
    rows = yield sql(_SELECT + some, user=user_id, ids=subscription_ids)
    unread = (yield from unread_counts(user_id)) if counted else {}
    found = [_subscription(row, unread.get(row["id"], 0)) for row in rows]
    return sorted(found, key=lambda s: (s.title.casefold(), s.id))


def shown_title(row: Row) -> str:
    """Return the person's own title, else the publisher's, else the host's name."""
    return row["own_title"] or row["title"] or host_of(row["url"] or "")


def _subscription(row: Row, unread: int) -> Subscription:
    reason = {} if row["reason"] is None else read_object(row["reason"])
    if reason is None:
        reason = {"rule": "unreadable"}
    return value_of(Subscription, row, title=shown_title(row), unread=unread, reason=reason)
