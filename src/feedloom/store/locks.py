"""Locks that every transaction takes in one order: schedules, feeds, people; each by id."""

from feedloom.store.engine.scripts import Query, sql


def lock_schedules(feed_ids: list[int]) -> Query:
    return sql(
        "SELECT feed_id FROM feed_schedules WHERE feed_id = ANY(:ids) ORDER BY feed_id FOR UPDATE",
        ids=feed_ids,
    )


def lock_feeds(feed_ids: list[int]) -> Query:
    return sql("SELECT id FROM feeds WHERE id = ANY(:ids) ORDER BY id FOR UPDATE", ids=feed_ids)


def lock_users(user_ids: list[int]) -> Query:
    """Lock people until this transaction ends.

    Sync clients ask for everything since the newest time they have seen, so the times of
    one person's rows must be committed in order: lock the person before you read
    ``clock_us()`` and stamp a row.
    """
    text = "SELECT id FROM users WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"
    return sql(text, ids=user_ids)
