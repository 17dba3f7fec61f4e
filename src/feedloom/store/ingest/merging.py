"""Two feeds that turn out to be one: move everything people hold to the one kept.

Runs inside a caller's transaction. Articles that are the same (GUID or address) become
one row; read and star marks, tags and saved bookmarks survive.
"""

from feedloom.store.engine.steps import Steps, sql
from feedloom.store.ingest.arrivals import take_turn

_JOIN_MARKS = """
UPDATE article_states SET
  starred = starred OR EXISTS (SELECT 1 FROM article_states o WHERE o.article_id = :old
    AND o.user_id = article_states.user_id AND o.starred),
  starred_at = coalesce(starred_at, (SELECT o.starred_at FROM article_states o
    WHERE o.article_id = :old AND o.user_id = article_states.user_id)),
  unread = unread AND NOT EXISTS (SELECT 1 FROM article_states o
    WHERE o.article_id = :old AND o.user_id = article_states.user_id AND NOT o.unread),
  hidden_at = coalesce(hidden_at, (SELECT o.hidden_at FROM article_states o
    WHERE o.article_id = :old AND o.user_id = article_states.user_id)),
  saved_bookmark_id = coalesce(saved_bookmark_id, (SELECT o.saved_bookmark_id
    FROM article_states o WHERE o.article_id = :old
    AND o.user_id = article_states.user_id)),
  last_modified = GREATEST(clock_us(), last_modified + 1)
WHERE article_id = :new AND user_id IN
  (SELECT user_id FROM article_states WHERE article_id = :old)
"""
"""Who holds both rows of one article keeps every mark of either."""


def merge_feeds(old_id: int, new_id: int) -> Steps[None]:
    """Merge ``old_id`` into ``new_id`` and let the old one go."""
    # Nothing arrives in either meanwhile, and nobody marks what moves.
    yield sql(
        "SELECT id FROM feeds WHERE id = ANY(:ids) ORDER BY id FOR UPDATE",
        ids=[old_id, new_id],
    )
    holders = yield sql(
        "SELECT DISTINCT t.user_id FROM article_states t JOIN articles a"
        " ON a.id = t.article_id WHERE a.feed_id = :old",
        old=old_id,
    )
    yield from take_turn([row["user_id"] for row in holders])
    yield sql(
        # Sync clients must hear that these belong elsewhere now.
        "UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE article_id IN (SELECT id FROM articles WHERE feed_id = :old)",
        old=old_id,
    )
    yield from _move_same_articles(old_id, new_id)
    yield sql(
        "UPDATE articles SET feed_id = :new WHERE feed_id = :old AND guid_hash NOT IN"
        " (SELECT guid_hash FROM articles WHERE feed_id = :new)",
        new=new_id,
        old=old_id,
    )
    # People who hold both keep the subscription of the feed that stays.
    yield sql(
        "UPDATE article_states SET subscription_id = (SELECT k.id FROM subscriptions k"
        " WHERE k.user_id = article_states.user_id AND k.feed_id = :new)"
        " WHERE subscription_id IN (SELECT o.id FROM subscriptions o"
        " JOIN subscriptions k ON k.user_id = o.user_id AND k.feed_id = :new"
        " WHERE o.feed_id = :old)",
        new=new_id,
        old=old_id,
    )
    yield sql(
        "DELETE FROM subscriptions WHERE feed_id = :old AND user_id IN"
        " (SELECT user_id FROM subscriptions WHERE feed_id = :new)",
        new=new_id,
        old=old_id,
    )
    yield sql(
        "UPDATE subscriptions SET feed_id = :new WHERE feed_id = :old",
        new=new_id,
        old=old_id,
    )
    yield sql(
        "UPDATE proxies SET feed_id = :new WHERE feed_id = :old"
        " AND NOT EXISTS (SELECT 1 FROM proxies WHERE feed_id = :new)",
        new=new_id,
        old=old_id,
    )
    yield sql(
        "UPDATE feeds SET in_directory = true WHERE id = :new AND EXISTS"
        " (SELECT 1 FROM feeds WHERE id = :old AND in_directory)",
        new=new_id,
        old=old_id,
    )
    yield sql("DELETE FROM feeds WHERE id = :old", old=old_id)
    yield sql(
        "UPDATE feed_schedules SET next_run_at = now_us(), due_at = now_us()"
        " WHERE feed_id = :new AND lease_token IS NULL",
        new=new_id,
    )


def _move_same_articles(old_id: int, new_id: int) -> Steps[None]:
    pairs = yield sql(
        "SELECT old_id, min(new_id) AS new_id FROM ("
        " SELECT o.id AS old_id, n.id AS new_id FROM articles o"
        " JOIN articles n ON n.feed_id = :new AND n.guid_hash = o.guid_hash"
        " WHERE o.feed_id = :old UNION ALL"
        " SELECT o.id AS old_id, n.id AS new_id FROM articles o"
        " JOIN articles n ON n.feed_id = :new AND n.url_hash = o.url_hash"
        " WHERE o.feed_id = :old) AS pairs GROUP BY old_id",
        new=new_id,
        old=old_id,
    )
    for pair in pairs:
        old, new = pair["old_id"], pair["new_id"]
        yield sql(
            "UPDATE article_states SET article_id = :new WHERE article_id = :old"
            " AND user_id NOT IN"
            " (SELECT user_id FROM article_states WHERE article_id = :new)",
            new=new,
            old=old,
        )
        yield sql(_JOIN_MARKS, new=new, old=old)
        yield sql(
            "UPDATE bookmarks SET source_article_id = :new"
            " WHERE source_article_id = :old",
            new=new,
            old=old,
        )
        yield sql(
            "INSERT INTO article_tags (user_id, article_id, tag_id)"
            " SELECT user_id, CAST(:new AS BIGINT), tag_id FROM article_tags"
            " WHERE article_id = :old ON CONFLICT DO NOTHING",
            new=new,
            old=old,
        )
        yield sql("DELETE FROM articles WHERE id = :old", old=old)
