"""Merging feeds that turn out to be the same: everything people have moves to one of them.

Articles that are the same become one row with the marks of both. Readers of each feed get the
current articles that only the other one had.
"""

from collections.abc import Iterable, Sequence

from feedloom.model.feed import MAX_ENTRIES
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.ingest.arrivals import Arrived, fan_out, home_hashes, lock_readers
from feedloom.store.ingest.rules import queue_rules
from feedloom.store.locks import lock_users
from feedloom.store.queries import numbers

_JOIN_MARKS = """UPDATE article_states SET
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
      (SELECT user_id FROM article_states WHERE article_id = :old)"""
"""A person who has both copies of an article keeps the marks of both."""
_JOIN = (
    """UPDATE article_states SET article_id = :new WHERE article_id = :old AND user_id NOT IN
    (SELECT user_id FROM article_states WHERE article_id = :new)""",
    _JOIN_MARKS,
    "UPDATE bookmarks SET source_article_id = :new WHERE source_article_id = :old",
    """INSERT INTO article_tags (user_id, article_id, tag_id)
    SELECT user_id, CAST(:new AS BIGINT), tag_id FROM article_tags
    WHERE article_id = :old ON CONFLICT DO NOTHING""",
    "UPDATE revisions SET article_id = :new WHERE article_id = :old",
    "DELETE FROM articles WHERE id = :old",
)
"""What happens to two copies of an article."""
_MOVE = (
    "UPDATE articles SET feed_id = :new WHERE feed_id = :old",
    # People subscribed to both keep the subscription of the feed that stays.
    """UPDATE article_states SET subscription_id = (SELECT k.id FROM subscriptions k
      WHERE k.user_id = article_states.user_id AND k.feed_id = :new)
    WHERE subscription_id IN (SELECT o.id FROM subscriptions o
      JOIN subscriptions k ON k.user_id = o.user_id AND k.feed_id = :new
      WHERE o.feed_id = :old)""",
    """DELETE FROM subscriptions WHERE feed_id = :old AND user_id IN
    (SELECT user_id FROM subscriptions WHERE feed_id = :new)""",
    "UPDATE subscriptions SET feed_id = :new WHERE feed_id = :old",
)
"""What moves from one feed to the other."""
_LET_GO = (
    """UPDATE proxies SET feed_id = :new WHERE feed_id = :old
    AND NOT EXISTS (SELECT 1 FROM proxies WHERE feed_id = :new)""",
    """UPDATE feeds SET in_directory = true WHERE id = :new AND EXISTS
    (SELECT 1 FROM feeds WHERE id = :old AND in_directory)""",
    "DELETE FROM feeds WHERE id = :old",
    """UPDATE feed_schedules SET next_run_at = now_us(), due_at = now_us()
    WHERE feed_id = :new AND lease_token IS NULL""",
)


def merge_feeds(old_id: int, new_id: int) -> Script[None]:
    # With these locks nothing arrives in either feed, and nobody marks what moves.
    readers = yield from lock_readers([old_id, new_id])
    kept = readers.get(new_id, [])
    stay = {one.user_id for one in kept}
    moved = [one for one in readers.get(old_id, []) if one.user_id not in stay]
    text = """SELECT DISTINCT t.user_id FROM article_states t JOIN articles a
        ON a.id = t.article_id WHERE a.feed_id = :old"""
    yield lock_users((yield from numbers(sql(text, old=old_id))))
    # Sync clients must learn that these articles belong to another feed now.
    text = """UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)
        WHERE article_id IN (SELECT id FROM articles WHERE feed_id = :old)"""
    yield sql(text, old=old_id)
    pairs = yield from _same_articles(old_id, new_id)
    for_moved = yield from _listed_only_by(new_id, old_id, pairs.values())
    for_kept = yield from _listed_only_by(old_id, new_id, pairs)
    for old, new in pairs.items():
        for text in _JOIN:
            yield sql(text, new=new, old=old)
    for text in _MOVE:
        yield sql(text, new=new_id, old=old_id)
    yield from fan_out(moved, for_moved)
    yield from fan_out(kept, for_kept)
    yield from queue_rules(new_id, [article.id for article in (*for_moved, *for_kept)])
    for text in _LET_GO:
        yield sql(text, new=new_id, old=old_id)


def _same_articles(old_id: int, new_id: int) -> Script[dict[int, int]]:
    """Pair articles by GUID, or by an address that is unique in both feeds."""
    text = """SELECT o.id AS old_id, n.id AS new_id FROM articles o
        JOIN articles n ON n.feed_id = :new AND n.guid_hash = o.guid_hash WHERE o.feed_id = :old"""
    by_guid = yield sql(text, new=new_id, old=old_id)
    by_address = yield from _by_address(old_id, new_id)
    pairs = {row["old_id"]: row["new_id"] for row in by_guid}
    taken = set(pairs.values())
    for row in by_address:
        if row["old_id"] not in pairs and row["new_id"] not in taken:
            pairs[row["old_id"]] = row["new_id"]
    return pairs


def _by_address(old_id: int, new_id: int) -> Script[Sequence[Row]]:
    feeds = yield sql("SELECT url, site_url FROM feeds WHERE id = ANY(:ids)", ids=[old_id, new_id])
    homes = home_hashes(url for row in feeds for url in (row["url"], row["site_url"]))
    text = """SELECT min(o.id) AS old_id, min(n.id) AS new_id FROM articles o
        JOIN articles n ON n.feed_id = :new AND n.url_hash = o.url_hash
        WHERE o.feed_id = :old AND o.url_hash <> ALL(:homes)
        GROUP BY o.url_hash HAVING count(*) = 1"""
    rows = yield sql(text, new=new_id, old=old_id, homes=sorted(homes))
    return rows


def _listed_only_by(feed_id: int, other_id: int, paired: Iterable[int]) -> Script[list[Arrived]]:
    """List articles that one feed lists now and the other never had, oldest first."""
    text = """SELECT id, published_at FROM articles WHERE feed_id = :feed AND in_document
        AND id <> ALL(:paired) AND guid_hash NOT IN (SELECT guid_hash
          FROM article_tombstones WHERE feed_id = :other)
        ORDER BY published_at DESC, id DESC LIMIT :limit"""
    rows = yield sql(text, feed=feed_id, other=other_id, paired=list(paired), limit=MAX_ENTRIES)
    return [Arrived(row["id"], row["published_at"]) for row in reversed(rows)]
