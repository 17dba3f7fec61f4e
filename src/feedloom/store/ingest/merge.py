"""Merging feeds that turn out to be the same: everything people have moves to one of them.

Runs in the caller's transaction. Articles that are the same become one row; read marks,
stars, tags and saved bookmarks survive. Readers of each feed get the current articles that
only the other one had.
"""

from collections.abc import Iterable, Sequence

from feedloom.model.feed import MAX_ENTRIES
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.ingest.arrivals import Arrived, fan_out, lock_readers
from feedloom.store.ingest.diff import home_hashes
from feedloom.store.ingest.rules import queue_rules
from feedloom.store.locks import lock_users
from feedloom.store.queries import numbers

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
"""A person who has both copies of an article keeps the marks of both."""


def merge_feeds(old_id: int, new_id: int) -> Script[None]:
    # With these locks nothing arrives in either feed, and nobody marks what moves.
    readers = yield from lock_readers([old_id, new_id])
    kept = readers.get(new_id, [])
    stay = {one.user_id for one in kept}
    moved = [one for one in readers.get(old_id, []) if one.user_id not in stay]
    holders = sql(
        "SELECT DISTINCT t.user_id FROM article_states t JOIN articles a"
        " ON a.id = t.article_id WHERE a.feed_id = :old",
        old=old_id,
    )
    yield from lock_users((yield from numbers(holders)))
    yield sql(
        # Sync clients must learn that these articles belong to another feed now.
        "UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE article_id IN (SELECT id FROM articles WHERE feed_id = :old)",
        old=old_id,
    )
    pairs = yield from _same_articles(old_id, new_id)
    for_moved = yield from _listed_only_by(new_id, old_id, pairs.values())
    for_kept = yield from _listed_only_by(old_id, new_id, pairs)
    for old, new in pairs.items():
        yield from _join(old, new)
    yield sql("UPDATE articles SET feed_id = :new WHERE feed_id = :old", new=new_id, old=old_id)
    yield from _move_readers(old_id, new_id)
    yield from fan_out(moved, for_moved)
    yield from fan_out(kept, for_kept)
    yield from queue_rules(new_id, [article.id for article in (*for_moved, *for_kept)])
    yield from _let_go(old_id, new_id)


def _move_readers(old_id: int, new_id: int) -> Script[None]:
    # People subscribed to both keep the subscription of the feed that stays.
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
        "UPDATE subscriptions SET feed_id = :new WHERE feed_id = :old", new=new_id, old=old_id
    )


def _let_go(old_id: int, new_id: int) -> Script[None]:
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


def _same_articles(old_id: int, new_id: int) -> Script[dict[int, int]]:
    """Pair articles by GUID, or by an address that is unique in both feeds."""
    by_guid = yield sql(
        "SELECT o.id AS old_id, n.id AS new_id FROM articles o"
        " JOIN articles n ON n.feed_id = :new AND n.guid_hash = o.guid_hash"
        " WHERE o.feed_id = :old",
        new=new_id,
        old=old_id,
    )
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
    rows = yield sql(
        "SELECT min(o.id) AS old_id, min(n.id) AS new_id FROM articles o"
        " JOIN articles n ON n.feed_id = :new AND n.url_hash = o.url_hash"
        " WHERE o.feed_id = :old AND o.url_hash <> ALL(:homes)"
        " GROUP BY o.url_hash HAVING count(*) = 1",
        new=new_id,
        old=old_id,
        homes=sorted(homes),
    )
    return rows


def _listed_only_by(feed_id: int, other_id: int, paired: Iterable[int]) -> Script[list[Arrived]]:
    """List articles that one feed lists now and the other never had, oldest first."""
    rows = yield sql(
        "SELECT id, published_at FROM articles WHERE feed_id = :feed AND in_document"
        " AND id <> ALL(:paired) AND guid_hash NOT IN (SELECT guid_hash"
        "   FROM article_tombstones WHERE feed_id = :other)"
        " ORDER BY published_at DESC, id DESC LIMIT :limit",
        feed=feed_id,
        other=other_id,
        paired=list(paired),
        limit=MAX_ENTRIES,
    )
    return [Arrived(row["id"], row["published_at"]) for row in reversed(rows)]


def _join(old: int, new: int) -> Script[None]:
    yield sql(
        "UPDATE article_states SET article_id = :new WHERE article_id = :old"
        " AND user_id NOT IN"
        " (SELECT user_id FROM article_states WHERE article_id = :new)",
        new=new,
        old=old,
    )
    yield sql(_JOIN_MARKS, new=new, old=old)
    yield sql(
        "UPDATE bookmarks SET source_article_id = :new WHERE source_article_id = :old",
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
    yield sql("UPDATE revisions SET article_id = :new WHERE article_id = :old", new=new, old=old)
    yield sql("DELETE FROM articles WHERE id = :old", old=old)
