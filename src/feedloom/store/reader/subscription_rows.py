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
  f.title, f.url, f.site_url, f.favicon_id,
  f.description, f.language, f.is_mailing_list, f.direct, f.state, f.last_fetch_status,
  f.last_fetch_error, f.last_http_status, f.last_attempt_at, f.last_success_at,
  f.consecutive_failures, f.latest_item_published_at, f.avg_update_interval_s,
  q.next_run_at, q.reason
FROM subscriptions s JOIN folders d ON d.id = s.folder_id
LEFT JOIN feeds f ON f.id = s.feed_id LEFT JOIN feed_schedules q ON q.feed_id = s.feed_id
WHERE s.user_id = :user
"""


def unread_counts(user_id: int) -> Script[dict[int, int]]:
    rows = yield sql(
        "SELECT subscription_id, count(*) AS n FROM article_states WHERE user_id = :user"
        " AND unread AND hidden_at IS NULL GROUP BY subscription_id",
        user=user_id,
    )
    return {row["subscription_id"]: row["n"] for row in rows}


def one_subscription(user_id: int, subscription_id: int) -> Script[Subscription]:
    query = sql(f"{_SELECT} AND s.id = :id", user=user_id, id=subscription_id)
    row = yield from one(query, "Feed not found")
    unread = sql(
        "SELECT count(*) FROM article_states WHERE user_id = :user"
        " AND subscription_id = :id AND unread AND hidden_at IS NULL",
        user=user_id,
        id=subscription_id,
    )
    return _subscription(row, (yield from number(unread)))


def uncounted_subscriptions(
    user_id: int, subscription_ids: list[int] | None
) -> Script[list[Subscription]]:
    some = "" if subscription_ids is None else " AND s.id = ANY(:ids)"
    rows = yield sql(_SELECT + some, user=user_id, ids=subscription_ids)
    return _sorted([_subscription(row, 0) for row in rows])


def all_subscriptions(user_id: int) -> Script[list[Subscription]]:
    rows = yield sql(_SELECT, user=user_id)
    unread = yield from unread_counts(user_id)
    return _sorted([_subscription(row, unread.get(row["id"], 0)) for row in rows])


def _sorted(found: list[Subscription]) -> list[Subscription]:
    return sorted(found, key=lambda s: (s.title.casefold(), s.id))


def shown_title(row: Row) -> str:
    """Return the person's own title, else the publisher's, else the host's name."""
    return row["own_title"] or row["title"] or host_of(row["url"] or "")


def _subscription(row: Row, unread: int) -> Subscription:
    return value_of(
        Subscription,
        row,
        title=shown_title(row),
        url=row["url"] or "",
        unread=unread,
        description=row["description"] or "",
        state=row["state"] or "paused",
        consecutive_failures=row["consecutive_failures"] or 0,
        reason=_reason(row["reason"]),
    )


def _reason(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    found = read_object(text)
    return {"rule": "unreadable"} if found is None else found
