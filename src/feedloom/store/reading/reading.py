"""What people do with articles: list, mark, star, hide, tag; and the counts of it.

Every mark bumps ``last_modified``, single and bulk alike: other devices find what
changed by it. Unknown item numbers are passed over.
"""

from collections.abc import Sequence

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reading import (
    Article,
    ArticlePage,
    Counts,
    DayCount,
    Marked,
    Wanted,
)
from feedloom.store.engine.steps import Database, Insert, Scope, Steps, sql
from feedloom.store.ingest.arrivals import take_turn
from feedloom.store.reading.article_lists import (
    conditions_of,
    count_articles,
    list_articles,
    list_item_nos,
)
from feedloom.store.times import SECOND, from_us

_MARKS = {
    "read": ("unread = false, read_at = now_us()", "unread"),
    "unread": ("unread = true, read_at = NULL", "NOT unread"),
    "starred": ("starred = true, starred_at = now_us()", "NOT starred"),
    "unstarred": ("starred = false, starred_at = NULL", "starred"),
    "hidden": ("hidden_at = now_us(), unread = false", "hidden_at IS NULL"),
    "shown": ("hidden_at = NULL", "hidden_at IS NOT NULL"),
}
"""What a mark sets, and which rows it changes at all."""
MOST_TAGS = 5_000
"""Of one person."""


class ReadingStore:
    """A person's articles. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def articles(self, user_id: int, wanted: Wanted) -> ArticlePage:
        """List articles."""
        return await self._database.read(
            Scope(user_id=user_id), list_articles, user_id, wanted
        )

    async def item_nos(self, user_id: int, wanted: Wanted) -> list[int]:
        """List only item numbers, up to ``wanted.limit``."""
        return await self._database.read(
            Scope(user_id=user_id), list_item_nos, user_id, wanted
        )

    async def count(self, user_id: int, wanted: Wanted) -> int:
        """Count all that is wanted, on whatever page."""
        return await self._database.read(
            Scope(user_id=user_id), count_articles, user_id, wanted
        )

    async def article(self, user_id: int, item_no: int) -> Article:
        """Find one with its content; another person's is ``NotFound``."""
        return await self._database.read(
            Scope(user_id=user_id), one_article, user_id, item_no
        )

    async def mark(self, user_id: int, item_nos: Sequence[int], mark: str) -> Marked:
        """Set one of read, unread, starred, unstarred, hidden, shown."""
        wanted = Wanted(item_nos=tuple(item_nos), include_hidden=True)
        return await self._database.write(
            Scope(user_id=user_id), mark_wanted, user_id, wanted, mark
        )

    async def mark_all(self, user_id: int, wanted: Wanted, mark: str) -> Marked:
        """Set a mark on everything that is wanted, however much it is."""
        return await self._database.write(
            Scope(user_id=user_id), mark_wanted, user_id, wanted, mark
        )

    async def mark_cluster_read(self, user_id: int, item_nos: Sequence[int]) -> Marked:
        """Mark what tells the same story as these items."""
        return await self._database.write(
            Scope(user_id=user_id), _mark_cluster_read, user_id, list(item_nos)
        )

    async def counts(self, user_id: int) -> Counts:
        """Count unread, starred and all."""
        return await self._database.read(Scope(user_id=user_id), _counts, user_id)

    async def tag(self, user_id: int, item_nos: Sequence[int], name: str) -> None:
        """Put a tag on items, making the tag when it is new."""
        await self._database.write(
            Scope(user_id=user_id), tag_items, user_id, list(item_nos), name
        )

    async def untag(self, user_id: int, item_nos: Sequence[int], name: str) -> None:
        """Take a tag off items."""
        await self._database.write(
            Scope(user_id=user_id), _untag, user_id, list(item_nos), name
        )

    async def tags(self, user_id: int) -> list[tuple[str, int]]:
        """List a person's tags with unread counts."""
        return await self._database.read(Scope(user_id=user_id), person_tags, user_id)

    async def create_tag(self, user_id: int, name: str) -> None:
        """Make a tag that nothing carries yet."""
        await self._database.write(Scope(user_id=user_id), _ensure_tag, user_id, name)

    async def rename_tag(self, user_id: int, name: str, new_name: str) -> None:
        """Rename a tag, joining one that has that name already."""
        await self._database.write(
            Scope(user_id=user_id), _rename_tag, user_id, name, new_name
        )

    async def delete_tag(self, user_id: int, name: str) -> None:
        """Delete a tag; articles stay."""
        await self._database.write(Scope(user_id=user_id), _delete_tag, user_id, name)

    async def arrivals_per_day(self, user_id: int, days: int) -> list[DayCount]:
        """Count arrivals on each of the last days, oldest first."""
        return await self._database.read(
            Scope(user_id=user_id), _arrivals_per_day, user_id, days
        )


def one_article(user_id: int, item_no: int) -> Steps[Article]:
    """Find one article with its content inside a caller's transaction."""
    page = yield from list_articles(
        user_id,
        Wanted(item_nos=(item_no,), include_hidden=True, with_content=True, limit=1),
    )
    if not page.articles:
        raise NotFound("Article not found")
    return page.articles[0]


def mark_wanted(user_id: int, wanted: Wanted, mark: str) -> Steps[Marked]:
    """Set a mark on what is wanted; answer with what it changed."""
    if mark not in _MARKS:
        raise InvalidInput(f"There is no mark {mark!r}.", field="mark")
    change, differs = _MARKS[mark]
    conditions = yield from conditions_of(user_id, wanted)
    yield from take_turn([user_id])
    rows = yield sql(
        f"UPDATE article_states AS t SET {change},"
        f" last_modified = GREATEST(clock_us(), last_modified + 1)"
        f" WHERE {conditions.where} AND {differs} RETURNING item_no",
        **conditions.params,
    )
    item_nos = tuple(row["item_no"] for row in rows)
    return Marked(item_nos, len(item_nos))


def _mark_cluster_read(user_id: int, item_nos: list[int]) -> Steps[Marked]:
    yield from take_turn([user_id])
    rows = yield sql(
        "UPDATE article_states SET unread = false, read_at = now_us(),"
        " last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE user_id = :user AND unread AND article_id IN (SELECT o.id"
        " FROM article_states t JOIN articles a ON a.id = t.article_id"
        " JOIN articles o ON substr(o.cluster_key, 1, 12) = substr(a.cluster_key, 1, 12)"
        " WHERE t.user_id = :user AND t.item_no = ANY(:items)) RETURNING item_no",
        user=user_id,
        items=item_nos,
    )
    found = tuple(row["item_no"] for row in rows)
    return Marked(found, len(found))


def _counts(user_id: int) -> Steps[Counts]:
    rows = yield sql(
        "SELECT subscription_id, count(*) AS n FROM article_states"
        " WHERE user_id = :user AND unread AND hidden_at IS NULL"
        " GROUP BY subscription_id",
        user=user_id,
    )
    by_subscription = {row["subscription_id"]: row["n"] for row in rows}
    totals = yield sql(
        "SELECT (SELECT count(*) FROM article_states WHERE user_id = :user AND starred)"
        " AS starred, (SELECT max(item_no) FROM article_states WHERE user_id = :user)"
        " AS newest, (SELECT count(*) FROM article_states WHERE user_id = :user) AS total",
        user=user_id,
    )
    return Counts(
        unread=sum(by_subscription.values()),
        starred=totals[0]["starred"],
        newest_item=totals[0]["newest"],
        total=totals[0]["total"],
        by_subscription=by_subscription,
    )


def _ensure_tag(user_id: int, name: str) -> Steps[int]:
    name = " ".join(name.split())
    if not name or len(name) > 255:  # noqa: PLR2004 - as every name
        raise InvalidInput("A tag needs a name of up to 255 characters.", field="tag")
    yield from take_turn([user_id])
    rows = yield sql(
        "SELECT id FROM tags WHERE user_id = :user AND name = :name",
        user=user_id,
        name=name,
    )
    if not rows:
        yield from _check_tag_quota(user_id)
        rows = yield sql(
            "INSERT INTO tags (user_id, name) VALUES (:user, :name)"
            " ON CONFLICT (user_id, name) DO UPDATE SET name = excluded.name"
            " RETURNING id",
            user=user_id,
            name=name,
        )
    id_: int = rows[0]["id"]
    return id_


def _check_tag_quota(user_id: int) -> Steps[None]:
    rows = yield sql(
        "SELECT count(*) AS n FROM tags WHERE user_id = :user", user=user_id
    )
    if rows[0]["n"] >= MOST_TAGS:
        raise InvalidInput(
            f"You have {MOST_TAGS} tags, which is the most there can be.", field="tag"
        )


def tag_items(user_id: int, item_nos: list[int], name: str) -> Steps[None]:
    """Tag items inside a caller's transaction."""
    tag_id = yield from _ensure_tag(user_id, name)
    rows = yield sql(
        "UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE user_id = :user AND item_no = ANY(:items) RETURNING article_id",
        user=user_id,
        items=item_nos,
    )
    yield Insert(
        "article_tags",
        ("user_id", "article_id", "tag_id"),
        [(user_id, row["article_id"], tag_id) for row in rows],
        "ON CONFLICT DO NOTHING",
    )


def _untag(user_id: int, item_nos: list[int], name: str) -> Steps[None]:
    yield from take_turn([user_id])
    rows = yield sql(
        "UPDATE article_states SET last_modified = GREATEST(clock_us(), last_modified + 1)"
        " WHERE user_id = :user AND item_no = ANY(:items) RETURNING article_id",
        user=user_id,
        items=item_nos,
    )
    yield sql(
        "DELETE FROM article_tags WHERE user_id = :user AND article_id = ANY(:ids)"
        " AND tag_id IN (SELECT id FROM tags WHERE user_id = :user AND name = :name)",
        user=user_id,
        ids=[row["article_id"] for row in rows],
        name=name,
    )


def person_tags(user_id: int) -> Steps[list[tuple[str, int]]]:
    """List a person's tags with unread counts inside a caller's transaction."""
    rows = yield sql(
        "SELECT g.name, count(t.article_id) AS n FROM tags g"
        " LEFT JOIN article_tags x ON x.tag_id = g.id"
        " LEFT JOIN article_states t ON t.article_id = x.article_id"
        "   AND t.user_id = g.user_id AND t.unread AND t.hidden_at IS NULL"
        " WHERE g.user_id = :user GROUP BY g.name ORDER BY g.name",
        user=user_id,
    )
    return [(row["name"], row["n"]) for row in rows]


def _rename_tag(user_id: int, name: str, new_name: str) -> Steps[None]:
    old = yield sql(
        "SELECT id FROM tags WHERE user_id = :user AND name = :name",
        user=user_id,
        name=name,
    )
    if not old:
        raise NotFound("There is no such tag.")
    new_id = yield from _ensure_tag(user_id, new_name)
    old_id = old[0]["id"]
    if new_id == old_id:
        return
    yield sql(
        "INSERT INTO article_tags (user_id, article_id, tag_id)"
        " SELECT user_id, article_id, CAST(:new AS INTEGER) FROM article_tags"
        " WHERE tag_id = :old ON CONFLICT DO NOTHING",
        new=new_id,
        old=old_id,
    )
    yield sql("DELETE FROM tags WHERE id = :old", old=old_id)


def _delete_tag(user_id: int, name: str) -> Steps[None]:
    rows = yield sql(
        "DELETE FROM tags WHERE user_id = :user AND name = :name RETURNING id",
        user=user_id,
        name=name,
    )
    if not rows:
        raise NotFound("There is no such tag.")


def _arrivals_per_day(user_id: int, days: int) -> Steps[list[DayCount]]:
    day = 86_400 * SECOND
    today = yield sql("SELECT now_us() AS now")
    last: int = today[0]["now"] // day
    rows = yield sql(
        # last_modified is never before arrived_at and has the index.
        f"SELECT arrived_at / {day} AS day, count(*) AS n"
        " FROM article_states WHERE user_id = :user AND last_modified >= :since"
        f" AND arrived_at >= :since GROUP BY arrived_at / {day}",
        user=user_id,
        since=(last - days + 1) * day,
    )
    found = {row["day"]: row["n"] for row in rows}
    return [
        DayCount(from_us(number * day), found.get(number, 0))
        for number in range(last - days + 1, last + 1)
    ]
