"""States of articles: list, mark, star, hide, tag, count, and how far they were played.

Every mark updates ``last_modified``, by which other devices find changes. Unknown item
numbers are ignored.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.feed import CleanHTML
from feedloom.model.interests import Sign
from feedloom.model.reader import Article, Counts, DayCount, Marked, Wanted
from feedloom.model.stages import NewArticle
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Insert, Query, Script, sql
from feedloom.store.ingest.arrivals import STATE_COLUMNS, insert_articles, reserve_item_numbers
from feedloom.store.ingest.feeds import ensure_feed
from feedloom.store.locks import lock_users
from feedloom.store.queries import (
    NOW,
    check_quota,
    first,
    insert,
    now_us,
    number,
    numbers,
    one,
    upsert,
)
from feedloom.store.reader.article_lists import (
    articles_around,
    conditions_of,
    count_articles,
    find_article_id,
    list_articles,
    list_item_nos,
)
from feedloom.store.reader.interests import learn
from feedloom.store.reader.subscription_rows import one_subscription, unread_counts
from feedloom.store.search.search_index import queue_for_index
from feedloom.store.values import SECOND, from_us, to_us, value_of

_READ_AT, _STARRED_AT = "coalesce(read_at, unread_at, 0)", "coalesce(starred_at, unstarred_at, 0)"
_MARKS = {
    "read": ("unread = false, read_at = {at}", "unread", _READ_AT),
    "unread": ("unread = true, read_at = NULL, unread_at = {at}", "NOT unread", _READ_AT),
    "starred": ("starred = true, starred_at = {at}", "NOT starred", _STARRED_AT),
    "unstarred": (
        "starred = false, starred_at = NULL, unstarred_at = {at}",
        "starred",
        _STARRED_AT,
    ),
    "hidden": ("hidden_at = {at}, unread = false", "hidden_at IS NULL", "coalesce(hidden_at, 0)"),
    "shown": ("hidden_at = NULL", "hidden_at IS NOT NULL", "coalesce(hidden_at, 0)"),
}
"""What a mark sets, which rows it changes, and when they were last marked."""
_SIGNS = {
    "starred": (Sign.STARRED, 1),
    "unstarred": (Sign.STARRED, -1),
    "hidden": (Sign.DISMISSED, 1),
    "shown": (Sign.DISMISSED, -1),
}
MOST_TAGS = 5_000
"""Per person."""


def one_article(user_id: int, item_no: int) -> Script[Article]:
    page = yield from list_articles(
        user_id, Wanted(item_nos=(item_no,), include_hidden=True, with_content=True, limit=1)
    )
    if not page.articles:
        raise NotFound("Article not found")
    return page.articles[0]


def mark_wanted(
    user_id: int, wanted: Wanted, mark: str, done_at: datetime | None = None
) -> Script[Marked]:
    """Mark articles; with ``done_at``, only those not marked otherwise since."""
    if mark not in _MARKS:
        raise InvalidInput(f"There is no mark {mark!r}.", field="mark")
    change, differs, marked_at = _MARKS[mark]
    if done_at is not None:
        differs = f"{differs} AND {marked_at} < :at"
    at = "now_us()" if done_at is None else "LEAST(CAST(:at AS BIGINT), now_us())"
    given = {} if done_at is None else {"at": to_us(done_at)}
    conditions = yield from conditions_of(user_id, wanted)
    yield lock_users([user_id])
    text = f"""UPDATE article_states AS t SET {change.format(at=at)},
        last_modified = GREATEST(clock_us(), last_modified + 1)
        WHERE {conditions.where} AND {differs} RETURNING item_no"""
    item_nos = tuple((yield from numbers(conditions.sql(text, **given))))
    if done_at is not None:
        # Unchanged marks get the time, too, for what other devices send later.
        text = f"""UPDATE article_states AS t SET {change.format(at=at)}
            WHERE {conditions.where} AND {marked_at} < :at"""
        yield conditions.sql(text, **given)
    return Marked(item_nos, len(item_nos))


def person_tags(user_id: int) -> Script[list[tuple[str, int]]]:
    text = """SELECT g.name, count(t.article_id) AS n FROM tags g
        LEFT JOIN article_tags x ON x.tag_id = g.id
        LEFT JOIN article_states t ON t.article_id = x.article_id
          AND t.user_id = g.user_id AND t.unread AND t.hidden_at IS NULL
        WHERE g.user_id = :user GROUP BY g.name ORDER BY g.name"""
    rows = yield sql(text, user=user_id)
    return [(row["name"], row["n"]) for row in rows]


def _ensure_tag(user_id: int, name: str) -> Script[int]:
    name = " ".join(name.split())
    if not name or len(name) > 255:  # noqa: PLR2004 - as every name
        raise InvalidInput("A tag needs a name of up to 255 characters.", field="tag")
    yield lock_users([user_id])
    known = yield from first(_tag(user_id, name))
    if known:
        tag_id: int = known["id"]
        return tag_id
    yield from check_quota("tags", user_id, most=MOST_TAGS, noun="tags", field="tag")
    return (yield from number(insert("tags", "RETURNING id", user_id=user_id, name=name)))


def _tag(user_id: int, name: str) -> Query:
    text = "SELECT id FROM tags WHERE user_id = :user AND name = :name"
    return sql(text, user=user_id, name=name)


def _touch(user_id: int, item_nos: Sequence[int]) -> Script[list[int]]:
    """Tell clients that articles changed; answer with the articles' ids."""
    text = """UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)
        WHERE user_id = :user AND item_no = ANY(:items) RETURNING article_id"""
    return (yield from numbers(sql(text, user=user_id, items=list(item_nos))))


class ReadingStore(Store):
    articles = reads(as_user).of(list_articles)
    articles_around = reads(as_user).of(articles_around)
    item_nos = reads(as_user).of(list_item_nos)
    count = reads(as_user).of(count_articles)
    article = reads(as_user).of(one_article)

    @writes(as_user)
    def mark(
        self, user_id: int, item_nos: Sequence[int], mark: str, done_at: datetime | None = None
    ) -> Script[Marked]:
        wanted = Wanted(item_nos=tuple(item_nos), include_hidden=True)
        marked = yield from mark_wanted(user_id, wanted, mark, done_at)
        if mark in _SIGNS:
            yield from learn(user_id, marked.item_nos, *_SIGNS[mark])
        return marked

    mark_all = writes(as_user).of(mark_wanted)

    @writes(as_user)
    def edit(
        self, user_id: int, item_no: int, *, title: str | None, content: CleanHTML | None
    ) -> Script[None]:
        """Set a person's own title or text of an article; None leaves it unchanged."""
        yield from find_article_id(user_id, item_no)
        yield lock_users([user_id])
        text = """UPDATE article_states SET own_title = coalesce(:title, own_title),
            own_content = coalesce(:content, own_content),
            last_modified = GREATEST(clock_us(), last_modified + 1)
            WHERE user_id = :user AND item_no = :item"""
        yield sql(text, user=user_id, item=item_no, title=title, content=content)

    @writes(as_user)
    def import_article(
        self, user_id: int, subscription_id: int, article: NewArticle, *, tenant_id: int | None
    ) -> Script[tuple[int, bool]]:
        """Add an article to one person's feed; return its number and whether it is new."""
        subscription = yield from one_subscription(user_id, subscription_id)
        if subscription.feed_id is None:
            raise InvalidInput("This entry only holds starred articles.", field="url")
        feed_id = yield from ensure_feed(
            subscription.url,
            tenant_id=tenant_id,
            secret=f"own:{user_id}:{subscription_id}",
            due=False,
        )
        yield lock_users([user_id])
        text = """SELECT t.item_no FROM article_states t JOIN articles a ON a.id = t.article_id
            WHERE t.user_id = :user AND t.subscription_id = :subscription
            AND a.guid_hash = :hash ORDER BY t.item_no LIMIT 1"""
        query = sql(text, user=user_id, subscription=subscription_id, hash=article.guid_hash)
        if known := (yield from numbers(query)):
            return known[0], False
        yield from insert_articles(feed_id, [article], (yield from now_us()))
        # It counts as listed for as long as its owner has it; no publisher lists it.
        text = """UPDATE articles SET in_document = true WHERE feed_id = :feed
            AND guid_hash = :hash RETURNING id"""
        article_id = yield from number(sql(text, feed=feed_id, hash=article.guid_hash))
        item_nos, now = yield from reserve_item_numbers([user_id], 1)
        item_no, published_at = item_nos[user_id], to_us(article.published_at)
        state = (article_id, user_id, subscription_id, item_no, now, published_at, True, now)
        yield Insert("article_states", STATE_COLUMNS, [state])
        yield from queue_for_index("article", [article_id])
        return item_no, True

    @reads(as_user)
    def media_positions(
        self, user_id: int, article_ids: Sequence[int]
    ) -> Script[Mapping[tuple[int, str], int]]:
        """Return known positions in seconds, by article and address."""
        text = """SELECT article_id, url, seconds FROM media_positions
            WHERE user_id = :user AND article_id = ANY(:ids)"""
        rows = yield sql(text, user=user_id, ids=list(article_ids))
        return {(row["article_id"], row["url"]): row["seconds"] for row in rows}

    @writes(as_user)
    def set_media_position(
        self, user_id: int, item_no: int, url: str, seconds: int
    ) -> Script[None]:
        """Store how far somebody is in an enclosure of one of their articles."""
        if not 0 <= seconds <= 2**31 - 1:
            raise InvalidInput("A position must be a number of seconds.", field="seconds")
        article_id = yield from find_article_id(user_id, item_no)
        yield lock_users([user_id])
        key = {"user_id": user_id, "article_id": article_id, "url": url}
        yield upsert("media_positions", ", ".join(key), **key, seconds=seconds, changed_at=NOW)

    @reads(as_user)
    def counts(self, user_id: int) -> Script[Counts]:
        by_subscription = yield from unread_counts(user_id)
        text = """SELECT (SELECT count(*) FROM article_states WHERE user_id = :user AND starred)
            AS starred, (SELECT max(item_no) FROM article_states WHERE user_id = :user)
            AS newest_item, (SELECT count(*) FROM article_states WHERE user_id = :user) AS total"""
        [totals] = yield sql(text, user=user_id)
        return value_of(
            Counts, totals, unread=sum(by_subscription.values()), by_subscription=by_subscription
        )

    @writes(as_user)
    def tag(self, user_id: int, item_nos: Sequence[int], name: str) -> Script[None]:
        tag_id = yield from _ensure_tag(user_id, name)
        article_ids = yield from _touch(user_id, item_nos)
        columns = ("user_id", "article_id", "tag_id")
        rows = [(user_id, article_id, tag_id) for article_id in article_ids]
        yield Insert("article_tags", columns, rows, "ON CONFLICT DO NOTHING")

    @writes(as_user)
    def untag(self, user_id: int, item_nos: Sequence[int], name: str) -> Script[None]:
        yield lock_users([user_id])
        text = """DELETE FROM article_tags WHERE user_id = :user AND article_id = ANY(:ids)
            AND tag_id IN (SELECT id FROM tags WHERE user_id = :user AND name = :name)"""
        yield sql(text, user=user_id, ids=(yield from _touch(user_id, item_nos)), name=name)

    tags = reads(as_user).of(person_tags)
    create_tag = writes(as_user).of(_ensure_tag)

    @writes(as_user)
    def rename_tag(self, user_id: int, name: str, new_name: str) -> Script[None]:
        old_id = (yield from one(_tag(user_id, name), "Tag not found."))["id"]
        new_id = yield from _ensure_tag(user_id, new_name)
        if new_id == old_id:
            return
        text = """INSERT INTO article_tags (user_id, article_id, tag_id)
            SELECT user_id, article_id, CAST(:new AS INTEGER) FROM article_tags
            WHERE tag_id = :old ON CONFLICT DO NOTHING"""
        yield sql(text, new=new_id, old=old_id)
        yield sql("DELETE FROM tags WHERE id = :old", old=old_id)

    @writes(as_user)
    def delete_tag(self, user_id: int, name: str) -> Script[None]:
        text = "DELETE FROM tags WHERE user_id = :user AND name = :name RETURNING id"
        yield from one(sql(text, user=user_id, name=name), "Tag not found.")

    @reads(as_user)
    def arrivals_per_day(self, user_id: int, days: int) -> Script[list[DayCount]]:
        day = 86_400 * SECOND
        last = (yield from now_us()) // day
        # last_modified is never before arrived_at, and has an index.
        text = f"""SELECT arrived_at / {day} AS day, count(*) AS n
            FROM article_states WHERE user_id = :user AND last_modified >= :since
            AND arrived_at >= :since GROUP BY arrived_at / {day}"""
        rows = yield sql(text, user=user_id, since=(last - days + 1) * day)
        found = {row["day"]: row["n"] for row in rows}
        return [
            DayCount(from_us(number * day), found.get(number, 0))
            for number in range(last - days + 1, last + 1)
        ]
