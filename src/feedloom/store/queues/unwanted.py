"""Removing feeds that nobody wants from the queue."""

import json

from feedloom.store.engine.scripts import Script, sql


def unschedule_if_unwanted(feed_id: int, *, paused: bool = False) -> Script[None]:
    """Stop polling a feed without readers that no proxy and no directory needs.

    A feed that its readers ``paused`` is not polled for the directory either.
    """
    yield sql(
        "UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL, reason = :reason"
        " WHERE feed_id = :id AND lease_token IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM proxies p WHERE p.feed_id = :id"
        "   AND p.deleted_at IS NULL)"
        " AND NOT feed_is_read(:id)"
        " AND (:paused OR NOT EXISTS"
        "   (SELECT 1 FROM feeds f WHERE f.id = :id AND f.in_directory))",
        id=feed_id,
        paused=paused,
        reason=json.dumps({"rule": "unwanted"}),
    )
