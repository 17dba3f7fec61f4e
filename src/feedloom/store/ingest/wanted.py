"""Whether anybody wants a feed's articles analysed, and the task that does it."""

from feedloom.model.rules import SCORE_FIELDS
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.queries import exists
from feedloom.store.queues.task_queue import add_task

ON_SCORES = ", ".join(f"'{field}'" for field in SCORE_FIELDS)
WANTING = f"""
FROM subscriptions s JOIN users u ON u.id = s.user_id
WHERE {{which}} AND (coalesce(s.calm_titles, u.calm_titles) OR EXISTS (SELECT 1
  FROM rules r WHERE r.user_id = s.user_id AND r.enabled AND r.field IN ({ON_SCORES})
  AND (r.subscription_id IS NULL OR r.subscription_id = s.id)))
"""


def queue_analyses(feed_id: int) -> Script[None]:
    """Queue an analysis of new articles if anybody wants it."""
    text = "SELECT 1" + WANTING.format(which="s.feed_id = :feed") + " LIMIT 1"
    if (yield from exists(sql(text, feed=feed_id))):
        yield from _queue(feed_id)


def queue_wanted(user_id: int) -> Script[None]:
    """Queue an analysis of the feeds for which a person wants it."""
    rows = yield sql(
        "SELECT DISTINCT s.feed_id" + WANTING.format(which="s.user_id = :user"), user=user_id
    )
    for row in rows:
        if row["feed_id"] is not None:
            yield from _queue(row["feed_id"])


def _queue(feed_id: int) -> Script[None]:
    yield from add_task(
        NewTask(TaskKind.ANALYSE, {"feed_id": feed_id}, unique_key=f"analyse:{feed_id}")
    )
