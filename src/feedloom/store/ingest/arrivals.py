"""New articles and their recipients: sort, insert, update in place, fan out states.

Runs in the transaction of a refresh, which has locked the feeds and their subscribers. An
entry is new if neither a row nor a tombstone has its GUID; one whose GUID changed is recognised
by its title and an address of its own. Each subscriber gets one state row per new article.
Articles that were deleted for others but are still listed return for new subscribers only.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from feedloom.model.feed import Enclosure, ParsedFeed
from feedloom.model.stages import NewArticle, Refreshed, Stored
from feedloom.model.urls import guid_hash, url_hash
from feedloom.store.engine.scripts import Insert, Many, Row, Script, by_name, sql
from feedloom.store.ingest.rules import queue_analyses, queue_rules
from feedloom.store.ingest.story_articles import let_arrive, queue_for_stories
from feedloom.store.locks import lock_feeds, lock_users
from feedloom.store.queries import exists, number, numbers
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.values import DAY_US, maybe_us, to_us

FRESH_UNREAD = 10
"""How many articles are unread for a new subscriber."""
_FAN_OUT_CHUNK = 5_000
MOST_A_DAY = 2_000
"""New articles of one feed per 24 hours; further ones are skipped until there is room."""
_FEW = 5
"""This few at once cannot be a flood, so they are not counted."""
MOST_REVISIONS = 20
"""Per article; the oldest are deleted."""
_COLUMNS = ("feed_id", "fetched_at", *NewArticle._fields)
_UPDATE = """UPDATE articles SET url = :url, url_hash = :url_hash, title = :title, author = :author,
      content = :content, summary = :summary, enclosures = :enclosures,
      thumbnail_url = :thumbnail_url, comments_url = :comments_url, categories = :categories,
      language = :language, rtl = :rtl, updated_at = :updated_at, content_hash = :content_hash,
      fingerprint = :fingerprint, cluster_key = :cluster_key,
      full_content = CASE WHEN EXISTS (SELECT 1 FROM subscriptions s
        WHERE s.feed_id = articles.feed_id AND s.full_text) THEN full_content END
    WHERE id = :id"""
"""A wanted full text stays until the page has been read again."""
STATE_COLUMNS = (
    *("article_id", "user_id", "subscription_id", "item_no", "arrived_at", "published_at"),
    *("unread", "last_modified"),
)


_MOVES = (
    """UPDATE article_states SET article_id = :new, published_at = :at,
    last_modified = GREATEST(clock_us(), last_modified + 1)
    WHERE article_id = :old AND user_id = :user""",
    """INSERT INTO article_tags (user_id, article_id, tag_id)
    SELECT user_id, CAST(:new AS BIGINT), tag_id FROM article_tags
    WHERE article_id = :old AND user_id = :user ON CONFLICT DO NOTHING""",
    "UPDATE media_positions SET article_id = :new WHERE article_id = :old AND user_id = :user",
    """UPDATE bookmarks SET source_article_id = :new
    WHERE source_article_id = :old AND user_id = :user""",
    "DELETE FROM article_tags WHERE article_id = :old AND user_id = :user",
)
"""What one person has of an ``old`` article moves to the ``new`` one."""


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


def _sorted(
    item: Refreshed, parsed: ParsedFeed
) -> Script[tuple[list[NewArticle], dict[int, NewArticle], list[NewArticle]]]:
    """Return new articles, changed ones by row id, and those deleted before but still listed."""
    feed_id, articles = item.feed.feed_id, item.articles
    if not articles:
        return [], {}, []
    if item.feed.last_success_at is None:
        text = """SELECT 1 FROM articles WHERE feed_id = :feed
            UNION ALL SELECT 1 FROM article_tombstones WHERE feed_id = :feed LIMIT 1"""
        if not (yield from exists(sql(text, feed=feed_id))):
            return list(articles), {}, []
    hashes = [article.guid_hash for article in articles]
    text = "SELECT id, guid_hash FROM articles WHERE feed_id = :feed AND guid_hash = ANY(:hashes)"
    rows = yield sql(text, feed=feed_id, hashes=hashes)
    text = """SELECT guid_hash FROM article_tombstones WHERE feed_id = :feed
        AND guid_hash = ANY(:hashes)"""
    gone = yield sql(text, feed=feed_id, hashes=hashes)
    ids = {row["guid_hash"]: row["id"] for row in rows}
    dead = {row["guid_hash"] for row in gone}
    changed = {ids[a.guid_hash]: a for a in articles if a.guid_hash in ids}
    missing = [a for a in articles if a.guid_hash not in ids]
    buried = [a for a in missing if a.guid_hash in dead]
    new = [a for a in missing if a.guid_hash not in dead]
    own = _with_own_address(new, item, parsed)
    renamed = (yield from _recognise(feed_id, own, parsed)) if own else []
    if renamed:
        yield Many(
            "UPDATE articles SET guid = :guid, guid_hash = :hash WHERE id = :id",
            [{"id": row["id"], "guid": one.guid, "hash": one.guid_hash} for one, row in renamed],
        )
    known = {article.guid_hash for article, _ in renamed}
    changed |= {row["id"]: one for one, row in renamed if row["content_hash"] != one.content_hash}
    return [a for a in new if a.guid_hash not in known], changed, buried


def _with_own_address(
    new: Sequence[NewArticle], item: Refreshed, parsed: ParsedFeed
) -> list[NewArticle]:
    homes = home_hashes((item.feed.url, item.feed.site_url, parsed.site_url))
    seen = Counter(article.url_hash for article in item.articles)
    linkless = {entry.guid for entry in parsed.entries if entry.url is None}
    return [
        article
        for article in new
        if seen[article.url_hash] == 1
        and article.url_hash not in homes
        and article.guid not in linkless
    ]


def home_hashes(homes: Iterable[str | None]) -> set[str]:
    """Hash the addresses of feeds and sites, with and without a trailing slash."""
    bare = {home.rstrip("/") for home in homes if home}
    return {url_hash(spelling) for home in bare for spelling in (home, f"{home}/")}


def _recognise(
    feed_id: int, own: Sequence[NewArticle], parsed: ParsedFeed
) -> Script[list[tuple[NewArticle, Row]]]:
    """Find stored articles whose GUID the publisher has replaced."""
    text = """SELECT id, url_hash, title, guid_hash, content_hash FROM articles
        WHERE feed_id = :feed AND url_hash = ANY(:hashes)"""
    rows = yield sql(text, feed=feed_id, hashes=[article.url_hash for article in own])
    if not rows:
        return []
    still_listed = {guid_hash(guid) for guid in parsed.listed_guids}
    times = Counter(row["url_hash"] for row in rows)
    by_link = {
        (row["url_hash"], row["title"]): row
        for row in rows
        if times[row["url_hash"]] == 1 and row["guid_hash"] not in still_listed
    }
    found = [(one, by_link.get((one.url_hash, one.title))) for one in own]
    return [(article, row) for article, row in found if row is not None]


def lock_readers(feed_ids: list[int]) -> Script[dict[int, list[Subscriber]]]:
    """Lock feeds, then all their readers, so that nobody joins or leaves; return who reads what."""
    if not feed_ids:
        return {}
    yield lock_feeds(feed_ids)
    text = """SELECT id FROM users WHERE id IN (SELECT user_id FROM subscriptions
        WHERE feed_id = ANY(:ids)) ORDER BY id FOR NO KEY UPDATE"""
    yield sql(text, ids=feed_ids)
    text = """SELECT id, user_id, feed_id, seeded, full_text FROM subscriptions
        WHERE feed_id = ANY(:ids) AND paused_at IS NULL ORDER BY user_id"""
    rows = yield sql(text, ids=feed_ids)
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
    new, changed, buried = yield from _sorted(item, parsed)
    if len(new) > _FEW:
        # The newest that fit into the daily limit; changing GUIDs cause floods.
        text = f"""SELECT count(*) FROM articles WHERE feed_id = :feed
            AND fetched_at > now_us() - {DAY_US}"""
        room = max(0, MOST_A_DAY - (yield from number(sql(text, feed=feed_id))))
        new = new[-room:] if room else []
    arrived = yield from insert_articles(feed_id, new, to_us(item.at))
    newcomers = [one for one in readers if not one.seeded]
    yield from carry_over_states([one.subscription_id for one in newcomers], feed_id)
    yield from fan_out(readers, arrived)
    if newcomers and not asked_again:
        yield from _welcome(feed_id, newcomers, buried, item)
    if changed:
        yield from _keep_revisions(changed, item)
        yield Many(_UPDATE, [_values(one) | {"id": id_} for id_, one in changed.items()])
        yield from tell_holders(list(changed))
    yield from queue_rules(feed_id, [article.id for article in arrived])
    if arrived or changed:
        yield from queue_analyses(feed_id)
    yield from queue_for_index("article", [*(a.id for a in arrived), *changed])
    if parsed.listed_guids and item.feed.last_success_at is not None:
        yield from _mark_listed(feed_id, parsed)
    wants_full_text = any(one.full_text for one in readers)
    return Stored(feed_id, len(arrived), tuple(changed), wants_full_text)


def _welcome(
    feed_id: int, newcomers: Sequence[Subscriber], buried: Sequence[NewArticle], item: Refreshed
) -> Script[None]:
    if buried:
        back = yield from insert_articles(feed_id, buried, to_us(item.at))
        yield from fan_out(newcomers, back)
        yield from queue_for_index("article", [article.id for article in back])
        text = "DELETE FROM article_tombstones WHERE feed_id = :feed AND guid_hash = ANY(:hashes)"
        yield sql(text, feed=feed_id, hashes=[article.guid_hash for article in buried])
    text = "UPDATE subscriptions SET seeded = true WHERE id = ANY(:ids)"
    yield sql(text, ids=[one.subscription_id for one in newcomers])


def insert_articles(feed_id: int, new: Sequence[NewArticle], at_us: int) -> Script[list[Arrived]]:
    if not new:
        return []
    rows = [(feed_id, at_us, *_values(article).values()) for article in new]
    yield from let_arrive()
    tail, returning = "ON CONFLICT DO NOTHING", ("id", "guid_hash")
    inserted = yield Insert("articles", _COLUMNS, rows, tail, returning)
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
        "enclosures": json.dumps([*map(_file, article.enclosures)]) if article.enclosures else "[]",
        "categories": _list(article.categories) if article.categories else "[]",
        "published_at": to_us(article.published_at),
        "updated_at": maybe_us(article.updated_at),
    }


@lru_cache(maxsize=1_000)
def _list(words: tuple[str, ...]) -> str:
    """Encode a list as JSON, cached: a feed repeats its few categories."""
    return json.dumps(words)


def _file(file: Enclosure) -> dict[str, object]:
    told: dict[str, object] = {"url": file.url, "mime": file.mime, "length": file.length}
    if file.chapters:
        told["chapters"] = [(each.start_s, each.title) for each in file.chapters]
    if file.chapters_url:
        told["chapters_url"] = file.chapters_url
    if file.duration_s:
        told["duration_s"] = file.duration_s
    return told


def _keep_revisions(changed: Mapping[int, NewArticle], item: Refreshed) -> Script[None]:
    """Store the earlier wording of articles whose text changed."""
    old = {id_: item.revisions.get(article.guid_hash) for id_, article in changed.items()}
    rows = [(id_, to_us(item.at), each.title, each.text) for id_, each in old.items() if each]
    if rows:
        yield Insert("revisions", ("article_id", "changed_at", "title", "text"), rows)
        text = f"""DELETE FROM revisions WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER
            (PARTITION BY article_id ORDER BY id DESC) AS place FROM revisions
            WHERE article_id = ANY(:ids)) ranked WHERE place > {MOST_REVISIONS})"""
        yield sql(text, ids=[row[0] for row in rows])


def tell_holders(article_ids: list[int]) -> Script[None]:
    text = "SELECT DISTINCT user_id FROM article_states WHERE article_id = ANY(:ids)"
    yield lock_users((yield from numbers(sql(text, ids=article_ids))))
    text = """UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)
        WHERE article_id = ANY(:ids)"""
    yield sql(text, ids=article_ids)


def _mark_listed(feed_id: int, parsed: ParsedFeed) -> Script[None]:
    listed = [guid_hash(guid) for guid in parsed.listed_guids]
    text = "UPDATE articles SET in_document = false WHERE feed_id = :feed AND in_document"
    yield sql(f"{text} AND guid_hash <> ALL(:listed)", feed=feed_id, listed=listed)
    text = "UPDATE articles SET in_document = true WHERE feed_id = :feed AND NOT in_document"
    yield sql(f"{text} AND guid_hash = ANY(:listed)", feed=feed_id, listed=listed)
    text = "DELETE FROM article_tombstones WHERE feed_id = :feed AND guid_hash <> ALL(:listed)"
    yield sql(text, feed=feed_id, listed=listed)


def carry_over_states(subscription_ids: list[int], feed_id: int) -> Script[None]:
    """Keep people's item numbers and marks when their articles get other rows.

    A new address or a cookie makes a subscription point to another feed. An article that
    both feeds publish stays the same one for its reader.
    """
    # Without an order, PostgreSQL expects a match soon and scans the whole table.
    text = """SELECT subscription_id FROM article_states WHERE subscription_id = ANY(:ids)
        ORDER BY subscription_id, published_at LIMIT 1"""
    if not subscription_ids or not (yield from exists(sql(text, ids=subscription_ids))):
        return
    text = """SELECT t.user_id AS user, n.id AS new, n.published_at AS at,
        min(t.article_id) AS old FROM article_states t
        JOIN articles o ON o.id = t.article_id AND o.feed_id <> :feed
        JOIN articles n ON n.feed_id = :feed AND n.guid_hash = o.guid_hash
        AND (n.url_hash = o.url_hash OR n.title = o.title)
        WHERE t.subscription_id = ANY(:ids) AND NOT EXISTS (SELECT 1
        FROM article_states h WHERE h.article_id = n.id AND h.user_id = t.user_id)
        GROUP BY t.user_id, n.id, n.published_at"""
    pairs = yield sql(text, feed=feed_id, ids=subscription_ids)
    if pairs:
        for text in _MOVES:
            yield Many(text, [by_name(pair) for pair in pairs])


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
    # A subscription whose address was changed also has articles of its old feed.
    text = """SELECT t.subscription_id, t.article_id, t.published_at FROM article_states t
        JOIN subscriptions s ON s.id = t.subscription_id
        JOIN articles a ON a.id = t.article_id AND a.feed_id = s.feed_id
        WHERE t.subscription_id = ANY(:ids)"""
    rows = yield sql(text, ids=newcomers)
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
    yield lock_users(user_ids)
    text = """UPDATE users SET next_item_no = next_item_no + :count WHERE id = ANY(:ids)
        RETURNING id, next_item_no, clock_us() AS at"""
    rows = yield sql(text, ids=user_ids, count=count)
    at: int = max(row["at"] for row in rows)
    return {row["id"]: row["next_item_no"] - count for row in rows}, at
