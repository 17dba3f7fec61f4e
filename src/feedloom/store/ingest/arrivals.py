"""New articles and their recipients: insert, update in place, fan out states.

Runs in the transaction of a refresh, which has locked the feeds and their subscribers.
Each subscriber gets one state row per new article, numbered in order of arrival. Articles
that were deleted for others but are still listed return for new subscribers only.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from feedloom.model.feed import Enclosure, ParsedFeed
from feedloom.model.stages import NewArticle, Refreshed, Stored
from feedloom.model.urls import guid_hash
from feedloom.store.engine.scripts import Insert, Many, Script, by_name, sql
from feedloom.store.ingest.diff import sort_articles
from feedloom.store.ingest.revisions import keep_revisions
from feedloom.store.ingest.rules import queue_rules
from feedloom.store.ingest.story_articles import let_arrive, queue_for_stories
from feedloom.store.ingest.wanted import queue_analyses
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import exists, number, numbers
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.times import SECOND, maybe_us, to_us

FRESH_UNREAD = 10
"""How many articles are unread for a new subscriber."""
_FAN_OUT_CHUNK = 5_000
MOST_A_DAY = 2_000
"""New articles of one feed per 24 hours; further ones are skipped until there is room."""
_FEW = 5
"""This few at once cannot be a flood, so they are not counted."""
_DAY_US = 86_400 * SECOND
_COLUMNS = ("feed_id", "fetched_at", *NewArticle._fields)
_UPDATE = """
UPDATE articles SET url = :url, url_hash = :url_hash, title = :title, author = :author,
  content = :content, summary = :summary, enclosures = :enclosures,
  thumbnail_url = :thumbnail_url, comments_url = :comments_url, categories = :categories,
  language = :language, rtl = :rtl, updated_at = :updated_at, content_hash = :content_hash,
  fingerprint = :fingerprint, cluster_key = :cluster_key,
  full_content = CASE WHEN EXISTS (SELECT 1 FROM subscriptions s
    WHERE s.feed_id = articles.feed_id AND s.full_text) THEN full_content END
WHERE id = :id
"""
"""A wanted full text stays until the page has been read again."""
STATE_COLUMNS = (
    "article_id",
    "user_id",
    "subscription_id",
    "item_no",
    "arrived_at",
    "published_at",
    "unread",
    "last_modified",
)


class Arrived(NamedTuple):
    id: int
    published_at: int


@dataclass(frozen=True, slots=True)
class Subscriber:
    subscription_id: int
    user_id: int
    seeded: bool
    """False until the first document after subscribing has been stored."""
    full_text: bool = False


def lock_readers(feed_ids: list[int]) -> Script[dict[int, list[Subscriber]]]:
    """Lock feeds and all their readers, each in one order; return who reads what.

    Nobody can subscribe while the feed is locked, or unsubscribe while they are.
    """
    if not feed_ids:
        return {}
    yield from lock_feeds(feed_ids)
    yield sql(
        "SELECT id FROM users WHERE id IN (SELECT user_id FROM subscriptions"
        " WHERE feed_id = ANY(:ids)) ORDER BY id FOR NO KEY UPDATE",
        ids=feed_ids,
    )
    rows = yield sql(
        "SELECT id, user_id, feed_id, seeded, full_text FROM subscriptions"
        " WHERE feed_id = ANY(:ids) AND paused_at IS NULL ORDER BY user_id",
        ids=feed_ids,
    )
    readers: dict[int, list[Subscriber]] = {}
    for row in rows:
        one = Subscriber(row["id"], row["user_id"], bool(row["seeded"]), bool(row["full_text"]))
        readers.setdefault(row["feed_id"], []).append(one)
    return readers


def store_articles(
    item: Refreshed, parsed: ParsedFeed, readers: Sequence[Subscriber], *, asked_again: bool
) -> Script[Stored]:
    """Store new and changed articles of one feed and give them to its subscribers.

    ``asked_again`` means that somebody subscribed while this document was read. They get
    what they miss of it with the next fetch.
    """
    feed_id = item.feed.feed_id
    found = yield from sort_articles(item, parsed)
    new = yield from _within_a_day(feed_id, found.new)
    arrived = yield from insert_articles(feed_id, new, to_us(item.at))
    newcomers = [one for one in readers if not one.seeded]
    yield from carry_over_states([one.subscription_id for one in newcomers], feed_id)
    yield from fan_out(readers, arrived)
    if asked_again:
        newcomers = []
    if newcomers:
        yield from _welcome(feed_id, newcomers, found.buried, item)
    yield from keep_revisions(
        {
            id_: item.revisions[article.guid_hash]
            for id_, article in found.changed.items()
            if article.guid_hash in item.revisions
        },
        to_us(item.at),
    )
    yield from _change(found.changed)
    yield from queue_rules(feed_id, [article.id for article in arrived])
    if arrived or found.changed:
        yield from queue_analyses(feed_id)
    yield from queue_for_index("article", [*(a.id for a in arrived), *found.changed])
    if parsed.listed_guids and item.feed.last_success_at is not None:
        yield from _mark_listed(feed_id, parsed)
    wants_full_text = any(one.full_text for one in readers)
    return Stored(feed_id, len(arrived), tuple(found.changed), wants_full_text)


def _welcome(
    feed_id: int, newcomers: Sequence[Subscriber], buried: Sequence[NewArticle], item: Refreshed
) -> Script[None]:
    if buried:
        back = yield from insert_articles(feed_id, buried, to_us(item.at))
        yield from fan_out(newcomers, back)
        yield from queue_for_index("article", [article.id for article in back])
        yield sql(
            "DELETE FROM article_tombstones WHERE feed_id = :feed AND guid_hash = ANY(:hashes)",
            feed=feed_id,
            hashes=[article.guid_hash for article in buried],
        )
    yield sql(
        "UPDATE subscriptions SET seeded = true WHERE id = ANY(:ids)",
        ids=[one.subscription_id for one in newcomers],
    )


def _within_a_day(feed_id: int, new: list[NewArticle]) -> Script[list[NewArticle]]:
    """Return the newest articles that fit into the daily limit; changing GUIDs cause floods."""
    if len(new) <= _FEW:
        return new
    text = "SELECT count(*) FROM articles WHERE feed_id = :feed AND fetched_at > now_us() - :day"
    room = max(0, MOST_A_DAY - (yield from number(sql(text, feed=feed_id, day=_DAY_US))))
    return new[-room:] if room else []


def insert_articles(feed_id: int, new: Sequence[NewArticle], at_us: int) -> Script[list[Arrived]]:
    if not new:
        return []
    rows = [(feed_id, at_us, *_values(article).values()) for article in new]
    yield from let_arrive()
    inserted = yield Insert(
        "articles", _COLUMNS, rows, "ON CONFLICT DO NOTHING", ("id", "guid_hash")
    )
    ids = {row["guid_hash"]: row["id"] for row in inserted}
    arrived = [
        Arrived(ids[article.guid_hash], to_us(article.published_at))
        for article in new
        if article.guid_hash in ids
    ]
    yield from queue_for_stories(arrived, at_us)
    return arrived


def _values(article: NewArticle) -> dict[str, object]:
    """Return the column values, in the order of the article's fields."""
    return article._asdict() | {
        "enclosures": _enclosures(article) if article.enclosures else "[]",
        "categories": _list(article.categories) if article.categories else "[]",
        "published_at": to_us(article.published_at),
        "updated_at": maybe_us(article.updated_at),
    }


@lru_cache(maxsize=1_000)
def _list(words: tuple[str, ...]) -> str:
    """Encode a list as JSON, cached: a feed repeats its few categories."""
    return json.dumps(words)


def _enclosures(article: NewArticle) -> str:
    return json.dumps([_file(each) for each in article.enclosures])


def _file(file: Enclosure) -> dict[str, object]:
    told: dict[str, object] = {"url": file.url, "mime": file.mime, "length": file.length}
    if file.chapters:
        told["chapters"] = [(each.start_s, each.title) for each in file.chapters]
    if file.chapters_url:
        told["chapters_url"] = file.chapters_url
    if file.duration_s:
        told["duration_s"] = file.duration_s
    return told


def _change(changed: dict[int, NewArticle]) -> Script[None]:
    if not changed:
        return
    yield Many(_UPDATE, [_values(article) | {"id": id_} for id_, article in changed.items()])
    yield from tell_holders(list(changed))


def tell_holders(article_ids: list[int]) -> Script[None]:
    text = "SELECT DISTINCT user_id FROM article_states WHERE article_id = ANY(:ids)"
    yield from lock_users((yield from numbers(sql(text, ids=article_ids))))
    yield sql(
        "UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE article_id = ANY(:ids)",
        ids=article_ids,
    )


def _mark_listed(feed_id: int, parsed: ParsedFeed) -> Script[None]:
    listed = [guid_hash(guid) for guid in parsed.listed_guids]
    yield sql(
        "UPDATE articles SET in_document = false WHERE feed_id = :feed AND in_document"
        " AND guid_hash <> ALL(:listed)",
        feed=feed_id,
        listed=listed,
    )
    yield sql(
        "UPDATE articles SET in_document = true WHERE feed_id = :feed"
        " AND NOT in_document AND guid_hash = ANY(:listed)",
        feed=feed_id,
        listed=listed,
    )
    yield sql(
        "DELETE FROM article_tombstones WHERE feed_id = :feed AND guid_hash <> ALL(:listed)",
        feed=feed_id,
        listed=listed,
    )


def carry_over_states(subscription_ids: list[int], feed_id: int) -> Script[None]:
    """Keep people's item numbers and marks when their articles get other rows.

    A new address or a cookie makes a subscription point to another feed. An article that
    both feeds publish stays the same one for its reader.
    """
    held = sql(
        # Without an order, PostgreSQL expects a match soon and scans the whole table.
        "SELECT subscription_id FROM article_states WHERE subscription_id = ANY(:ids)"
        " ORDER BY subscription_id, published_at LIMIT 1",
        ids=subscription_ids,
    )
    if not subscription_ids or not (yield from exists(held)):
        return
    pairs = yield sql(
        "SELECT t.user_id AS user, n.id AS new, n.published_at AS at,"
        " min(t.article_id) AS old FROM article_states t"
        " JOIN articles o ON o.id = t.article_id AND o.feed_id <> :feed"
        " JOIN articles n ON n.feed_id = :feed AND n.guid_hash = o.guid_hash"
        " AND (n.url_hash = o.url_hash OR n.title = o.title)"
        " WHERE t.subscription_id = ANY(:ids) AND NOT EXISTS (SELECT 1"
        " FROM article_states h WHERE h.article_id = n.id AND h.user_id = t.user_id)"
        " GROUP BY t.user_id, n.id, n.published_at",
        feed=feed_id,
        ids=subscription_ids,
    )
    if not pairs:
        return
    moves = [by_name(pair) for pair in pairs]
    yield Many(
        "UPDATE article_states SET article_id = :new, published_at = :at,"
        " last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE article_id = :old AND user_id = :user",
        moves,
    )
    moves = [{name: move[name] for name in ("user", "old", "new")} for move in moves]
    yield Many(
        "INSERT INTO article_tags (user_id, article_id, tag_id)"
        " SELECT user_id, CAST(:new AS BIGINT), tag_id FROM article_tags"
        " WHERE article_id = :old AND user_id = :user ON CONFLICT DO NOTHING",
        moves,
    )
    yield Many(
        "UPDATE media_positions SET article_id = :new WHERE article_id = :old AND user_id = :user",
        moves,
    )
    yield Many(
        "UPDATE bookmarks SET source_article_id = :new"
        " WHERE source_article_id = :old AND user_id = :user",
        moves,
    )
    yield Many(
        "DELETE FROM article_tags WHERE article_id = :old AND user_id = :user",
        [{"user": move["user"], "old": move["old"]} for move in moves],
    )


def fan_out(readers: Sequence[Subscriber], arrived: Sequence[Arrived]) -> Script[None]:
    if not arrived or not readers:
        return
    step = max(1, _FAN_OUT_CHUNK // len(arrived))
    for start in range(0, len(readers), step):
        yield from _give(readers[start : start + step], arrived)


def _give(readers: Sequence[Subscriber], arrived: Sequence[Arrived]) -> Script[None]:
    numbers, at = yield from reserve_item_numbers([one.user_id for one in readers], len(arrived))
    newcomers = [one.subscription_id for one in readers if not one.seeded]
    unread_from = yield from _unread_from(newcomers, arrived)
    states = [
        (
            article.id,
            one.user_id,
            one.subscription_id,
            numbers[one.user_id] + place,
            at,
            article.published_at,
            one.seeded or (article.published_at, article.id) >= unread_from[one.subscription_id],
            at,
        )
        for one in readers
        for place, article in enumerate(arrived)
    ]
    yield Insert("article_states", STATE_COLUMNS, states, "ON CONFLICT DO NOTHING")


def _unread_from(
    newcomers: list[int], arrived: Sequence[Arrived]
) -> Script[dict[int, tuple[int, int]]]:
    """Return the oldest unread article of each subscription: its ten newest are unread."""
    if not newcomers:
        return {}
    rows = yield sql(
        # A subscription whose address was changed also has articles of its old feed.
        "SELECT t.subscription_id, t.article_id, t.published_at FROM article_states t"
        " JOIN subscriptions s ON s.id = t.subscription_id"
        " JOIN articles a ON a.id = t.article_id AND a.feed_id = s.feed_id"
        " WHERE t.subscription_id = ANY(:ids)",
        ids=newcomers,
    )
    dates: dict[int, list[tuple[int, int]]] = {
        id_: [(article.published_at, article.id) for article in arrived] for id_ in newcomers
    }
    for row in rows:
        dates[row["subscription_id"]].append((row["published_at"], row["article_id"]))
    return {
        id_: sorted(set(found), reverse=True)[:FRESH_UNREAD][-1] for id_, found in dates.items()
    }


def reserve_item_numbers(user_ids: list[int], count: int) -> Script[tuple[dict[int, int], int]]:
    """Reserve ``count`` item numbers per person; return the first of each, and the time."""
    yield from lock_users(user_ids)
    rows = yield sql(
        "UPDATE users SET next_item_no = next_item_no + :count WHERE id = ANY(:ids)"
        " RETURNING id, next_item_no, clock_us() AS at",
        ids=user_ids,
        count=count,
    )
    at: int = max(row["at"] for row in rows)
    return {row["id"]: row["next_item_no"] - count for row in rows}, at
