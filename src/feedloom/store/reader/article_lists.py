"""Lists of a person's articles: conditions in, one indexed query, a page out.

Pages follow each other by key, not by offset: a page starts after the last row of the one
before, whatever was marked or arrived meanwhile.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Article, ArticlePage, Order, Wanted
from feedloom.model.search_query import SearchQuery, fold, read_search
from feedloom.model.urls import host_of
from feedloom.store.engine.scripts import Query, Row, Script, Search, search, sql
from feedloom.store.queries import number, numbers, one
from feedloom.store.reader.folders import subtree
from feedloom.store.reader.word_search import Lists, find_page
from feedloom.store.search.search_index import (
    MATCHING_ARTICLES,
    RANKED_ARTICLES,
    match_params,
    word_condition,
)
from feedloom.store.values import from_us, maybe_time, read_enclosures, read_texts, to_us

_COLUMNS = """t.item_no, t.article_id, t.subscription_id, a.feed_id, a.guid, a.guid_hash, a.url,
    coalesce(t.own_title, a.title) AS title, a.author, a.summary, t.published_at, a.updated_at,
    t.arrived_at, t.last_modified, t.unread, t.starred, t.saved_bookmark_id, a.enclosures,
    a.thumbnail_url, a.comments_url, a.categories, a.language, a.rtl, a.fingerprint,
    a.content_hash, a.cluster_key, {content}, coalesce(s.title, nullif(f.title, '')) AS feed_title,
    f.favicon_id, NULL AS tags, t.hidden_at IS NOT NULL AS hidden,
    CASE WHEN coalesce(s.calm_titles, (SELECT u.calm_titles FROM users u WHERE u.id = :user))
      THEN x.calm_title END AS calm_title, x.clickbait, x.slant, x.score, {analysis} AS analysis,
    x.article_id IS NOT NULL AS is_analysed,
    (SELECT max(v.changed_at) FROM revisions v WHERE v.article_id = a.id) AS changed_at,
    f.url AS feed_url"""
"""In the order of an ``Article``'s fields."""
_CONTENT = """coalesce(t.own_content, a.content) AS content,
    CASE WHEN t.own_content IS NULL THEN a.full_content END AS full_content"""
_WITH_CONTENT = _COLUMNS.format(content=_CONTENT, analysis="x.analyzer_result")
_NO_CONTENT = _COLUMNS.format(content="'' AS content, NULL AS full_content", analysis="NULL")
_JOINS = """JOIN articles a ON a.id = t.article_id
    JOIN subscriptions s ON s.id = t.subscription_id JOIN feeds f ON f.id = a.feed_id
    LEFT JOIN analyses x ON x.article_id = a.id AND x.content_hash = a.content_hash"""
_FOLDER_NAME = "(SELECT d.name FROM folders d WHERE d.id = s.folder_id)"
_SORT = {
    Order.NEWEST: "t.published_at DESC, t.item_no DESC",
    Order.OLDEST: "t.published_at, t.item_no",
    Order.ITEM_DESC: "t.item_no DESC",
    Order.ITEM_ASC: "t.item_no",
    Order.CHANGED_DESC: "t.last_modified DESC, t.item_no DESC",
    Order.CHANGED_ASC: "t.last_modified, t.item_no",
    Order.TITLE_DESC: "a.title DESC, t.item_no DESC",
    Order.TITLE_ASC: "a.title, t.item_no",
    Order.AUTHOR_DESC: "coalesce(a.author, '') DESC, t.item_no DESC",
    Order.AUTHOR_ASC: "coalesce(a.author, ''), t.item_no",
    Order.FOLDER_DESC: f"{_FOLDER_NAME} DESC, t.item_no DESC",
    Order.FOLDER_ASC: f"{_FOLDER_NAME}, t.item_no",
    Order.STATUS_DESC: "t.unread DESC, t.item_no DESC",
    Order.STATUS_ASC: "t.unread, t.item_no",
}
_REVERSED = {
    Order.NEWEST: Order.OLDEST,
    Order.OLDEST: Order.NEWEST,
    Order.ITEM_DESC: Order.ITEM_ASC,
    Order.ITEM_ASC: Order.ITEM_DESC,
}
_BY_OTHER_TABLES = {
    *(Order.TITLE_ASC, Order.TITLE_DESC, Order.AUTHOR_ASC, Order.AUTHOR_DESC),
    *(Order.FOLDER_ASC, Order.FOLDER_DESC),
}
_BEFORE = 10
"""Articles that are listed before the one that was asked for."""
_LARGEST_ITEM = 2**31 - 1
_OLD_LINK = "This page link is no longer valid."
_FEW_FEEDS = 20
_GLOBALLY_VISIBLE = """t.subscription_id NOT IN (SELECT s.id FROM subscriptions s
      JOIN folders d ON d.id = s.folder_id
      WHERE s.user_id = :user AND (s.hidden_globally OR d.hidden_globally))"""
_HAS_ANY_TAG = """EXISTS (SELECT 1 FROM article_tags x WHERE x.article_id = t.article_id
    AND x.user_id = :user AND x.tag_id = ANY(:tags_named))"""
_HAS_TAG = """EXISTS (SELECT 1 FROM article_tags x JOIN tags g ON g.id = x.tag_id
    WHERE x.article_id = t.article_id AND x.user_id = :user AND g.name = :{})"""
_IN_CATEGORY = """EXISTS (SELECT 1 FROM articles c WHERE c.id = t.article_id
    AND lower(CAST(c.categories AS TEXT)) LIKE :{} ESCAPE '!')"""
_BY_FEED = "+t.user_id = :user"
_FEW_CHANGES = 1_000


class Conditions:
    def __init__(self, user_id: int, *, few_feeds: bool) -> None:
        # With few feeds their own index is the way; the plus keeps a planner that has
        # no statistics from walking through all of a person's articles instead.
        self.texts = [_BY_FEED if few_feeds else "t.user_id = :user"]
        self.params: dict[str, object] = {"user": user_id}
        self.query: SearchQuery | None = None
        """Words that articles must contain."""
        self.names_items = False

    def add(self, text: str, **params: object) -> None:
        self.texts.append(text)
        self.params |= params

    def sql(self, text: str, **params: object) -> Query | Search:
        """Build a statement that contains ``where``."""
        params |= self.params
        if self.query is None:
            return sql(text, **params)
        return search(MATCHING_ARTICLES, text, **params)

    @property
    def where(self) -> str:
        words = [] if self.query is None else [word_condition(self.query)]
        return " AND ".join((*self.texts, *words))

    @property
    def where_but_words(self) -> str:
        return " AND ".join(self.texts)


def list_articles(user_id: int, wanted: Wanted) -> Script[ArticlePage]:
    if wanted.order is Order.RELEVANCE:
        if wanted.text and read_search(wanted.text).wanted:
            return (yield from _by_relevance(user_id, wanted))
        wanted = replace(wanted, order=Order.NEWEST)
    conditions = yield from _page_conditions(user_id, wanted)
    text = _page_query(conditions, wanted)
    rows = yield conditions.sql(text, limit=wanted.limit + 1, skip=wanted.skip)
    shown = rows[: wanted.limit]
    tags = yield from _tags(user_id, shown)
    articles = tuple(_article(row, tags.get(row["article_id"], ())) for row in shown)
    more = len(rows) > wanted.limit
    return ArticlePage(articles, _cursor(articles[-1], wanted) if more else None)


def _by_relevance(user_id: int, wanted: Wanted) -> Script[ArticlePage]:
    [skip] = _read_cursor(wanted.cursor) if wanted.cursor else [wanted.skip]
    conditions = yield from conditions_of(user_id, wanted)
    text = f"""WITH found (article_id, fit) AS MATERIALIZED ({{match}})
        SELECT t.item_no FROM found CROSS JOIN article_states t
        WHERE t.article_id = found.article_id AND {conditions.where_but_words}
        ORDER BY found.fit, t.published_at DESC, t.item_no DESC LIMIT :limit OFFSET :skip"""
    page = {"limit": wanted.limit + 1, "skip": skip}
    rows = yield search(RANKED_ARTICLES, text, **page, **conditions.params)
    limit, content = wanted.limit, wanted.with_content
    places = {row["item_no"]: place for place, row in enumerate(rows[:limit])}
    named = Wanted(item_nos=tuple(places), include_hidden=True, limit=limit, with_content=content)
    found = (yield from list_articles(user_id, named)).articles
    articles = tuple(sorted(found, key=lambda article: places[article.item_no]))
    return ArticlePage(articles, str(skip + limit) if len(rows) > limit else None)


def articles_around(user_id: int, wanted: Wanted, item_no: int) -> Script[ArticlePage]:
    """List the page that contains an article, if it is in the list, and a few before it."""
    alone = replace(wanted, unread=None, item_nos=(item_no,), cursor=None, limit=1)
    found = (yield from list_articles(user_id, alone)).articles
    if not found or wanted.order not in _REVERSED:
        return (yield from list_articles(user_id, wanted))
    cursor = _cursor(found[0], wanted)
    back = replace(wanted, order=_REVERSED[wanted.order], cursor=cursor, limit=_BEFORE)
    before = yield from list_articles(user_id, back)
    after = yield from list_articles(user_id, replace(wanted, cursor=cursor))
    return ArticlePage(
        (*reversed(before.articles), *found, *after.articles),
        after.next_cursor,
        has_earlier=before.next_cursor is not None,
    )


def _page_conditions(user_id: int, wanted: Wanted) -> Script[Conditions]:
    wanted = _bounded(wanted)
    conditions = yield from conditions_of(user_id, wanted)
    _add_cursor(conditions, wanted)
    if conditions.query is None or wanted.order in _BY_OTHER_TABLES:
        return conditions
    # Starred articles have their own index and are sorted afterwards.
    plus = "+" if "t.starred" in conditions.texts else ""
    walk = Lists(conditions.where_but_words, conditions.params, f"{plus}{_SORT[wanted.order]}")
    found = yield from find_page(walk, conditions.query, wanted.skip + wanted.limit + 1)
    few = Conditions(user_id, few_feeds=True)
    few.add("t.article_id = ANY(:found)", found=found)
    return few


def _bounded(wanted: Wanted) -> Wanted:
    """Combine a number and a cursor into one bound; of two, engines may use the wider."""
    if wanted.order not in {Order.ITEM_ASC, Order.ITEM_DESC} or not wanted.cursor:
        return wanted
    last, *more = _read_cursor(wanted.cursor)
    if more:
        raise InvalidInput(_OLD_LINK, field="cursor")
    if wanted.order is Order.ITEM_DESC:
        bound = last if wanted.before_item is None else min(last, wanted.before_item)
        return replace(wanted, before_item=bound, cursor=None)
    bound = last if wanted.after_item is None else max(last, wanted.after_item)
    return replace(wanted, after_item=bound, cursor=None)


def _page_query(conditions: Conditions, wanted: Wanted) -> str:
    columns = _WITH_CONTENT if wanted.with_content else _NO_CONTENT
    sort = _sort(conditions, wanted)
    page = f"WHERE {conditions.where} ORDER BY {sort} LIMIT :limit OFFSET :skip"
    if wanted.order in _BY_OTHER_TABLES:
        return f"SELECT {columns} FROM article_states t {_JOINS} {page}"
    # The page is chosen first: a planner without statistics, as on the first day,
    # would look up every article of a person to keep fifty.
    return (
        f"SELECT {columns} FROM (SELECT t.* FROM article_states t {page}) t"
        f" {_JOINS} ORDER BY {sort}"
    )


def _sort(conditions: Conditions, wanted: Wanted) -> str:
    """Return the order; named items are few and need no index."""
    order = _SORT[wanted.order]
    return f"+{order}" if conditions.names_items else order


def find_article_id(user_id: int, item_no: int) -> Script[int]:
    text = "SELECT article_id FROM article_states WHERE user_id = :user AND item_no = :item"
    row = yield from one(sql(text, user=user_id, item=item_no), "Article not found")
    article_id: int = row["article_id"]
    return article_id


def list_item_nos(user_id: int, wanted: Wanted) -> Script[list[int]]:
    conditions = yield from _page_conditions(user_id, wanted)
    joins = _JOINS if wanted.order in _BY_OTHER_TABLES else ""
    text = f"""SELECT t.item_no FROM article_states t {joins} WHERE {conditions.where}
        ORDER BY {_sort(conditions, wanted)} LIMIT :limit OFFSET :skip"""
    query = conditions.sql(text, limit=wanted.limit, skip=wanted.skip)
    return (yield from numbers(query))


def count_articles(user_id: int, wanted: Wanted) -> Script[int]:
    conditions = yield from conditions_of(user_id, wanted)
    text = f"SELECT count(*) FROM article_states t WHERE {conditions.where}"
    return (yield from number(conditions.sql(text)))


def conditions_of(user_id: int, wanted: Wanted) -> Script[Conditions]:
    feeds = wanted.subscription_ids
    conditions = Conditions(
        user_id,
        few_feeds=wanted.subscription_id is not None
        or (feeds is not None and len(feeds) <= _FEW_FEEDS),
    )
    starred = wanted.starred or (wanted.text and read_search(wanted.text).starred)
    if wanted.hidden:
        conditions.add("t.hidden_at IS NOT NULL AND NOT t.starred")
    elif not (wanted.include_hidden or starred):
        # Stars outlive dismissal, so a list of stars includes dismissed articles.
        conditions.add("t.hidden_at IS NULL")
    if wanted.globally_visible:
        conditions.add(_GLOBALLY_VISIBLE)
    yield from _add_places(conditions, user_id, wanted)
    if wanted.text:
        yield from _add_search(conditions, user_id, wanted.text)
    _add_marks(conditions, wanted)
    _add_ranges(conditions, wanted)
    times = [at for at in (wanted.modified_since, wanted.arrived_since) if at]
    if times:
        # Whatever arrived since has also changed since, and only the change has an index. Few
        # items are named; otherwise a list by number reads all of them.
        text = """SELECT item_no FROM article_states WHERE user_id = :user
            AND last_modified >= :since ORDER BY last_modified LIMIT :most"""
        since, most = to_us(max(times)), _FEW_CHANGES + 1
        changed = yield from numbers(sql(text, user=user_id, since=since, most=most))
        if len(changed) <= _FEW_CHANGES:
            conditions.add("t.item_no = ANY(:changed)", changed=changed)
            conditions.names_items = True
    return conditions


def _add_places(conditions: Conditions, user_id: int, wanted: Wanted) -> Script[None]:
    if wanted.subscription_id is not None:
        conditions.add("t.subscription_id = :subscription", subscription=wanted.subscription_id)
    if wanted.folder_id is not None:
        folders = [wanted.folder_id]
        if not wanted.folder_only:
            folders = yield from subtree(user_id, wanted.folder_id)
        text = "SELECT id FROM subscriptions WHERE user_id = :user AND folder_id = ANY(:folders)"
        if wanted.text is None:
            conditions.add(f"t.subscription_id IN ({text})", folders=folders)
        else:
            # A search skips many rows, which is quicker with a list.
            feeds = yield from numbers(sql(text, user=user_id, folders=folders))
            conditions.add("t.subscription_id = ANY(:in_folders)", in_folders=feeds)
    if wanted.subscription_ids is not None:
        ids = list(wanted.subscription_ids)
        conditions.add("t.subscription_id = ANY(:subscriptions)", subscriptions=ids)
    if wanted.not_subscription_ids:
        ids = list(wanted.not_subscription_ids)
        conditions.add("t.subscription_id <> ALL(:not_subscriptions)", not_subscriptions=ids)
    _add_tags(conditions, wanted)
    if wanted.story_id is not None:
        text = "t.article_id IN (SELECT article_id FROM story_articles WHERE story_id = :story)"
        conditions.add(text, story=wanted.story_id)
    if wanted.cluster_key is not None:
        text = """t.article_id IN (SELECT id FROM articles
            WHERE substr(cluster_key, 1, 12) = substr(:cluster, 1, 12))"""
        conditions.add(text, cluster=wanted.cluster_key)


def _add_tags(conditions: Conditions, wanted: Wanted) -> None:
    needed = wanted.tags if wanted.tag is None else (wanted.tag, *wanted.tags)
    for place, tag in enumerate(needed):
        name = f"tag_{place}"
        conditions.add(_HAS_TAG.format(name), **{name: tag})
    for place, tag in enumerate(wanted.not_tags):
        name = f"not_tag_{place}"
        conditions.add(f"NOT {_HAS_TAG.format(name)}", **{name: tag})
    for place, label in enumerate(wanted.labels):
        name, category = f"label_{place}", f"category_{place}"
        # A category is found in the stored list, ignoring case.
        said = re.sub("[!%_]", r"!\g<0>", json.dumps(label).lower())
        text = f"({_HAS_TAG.format(name)} OR {_IN_CATEGORY.format(category)})"
        conditions.add(text, **{name: label, category: f"%{said}%"})


def _add_search(conditions: Conditions, user_id: int, text: str) -> Script[None]:
    query = read_search(text)
    if query.terms:
        conditions.query = query
        conditions.params |= match_params(query)
    elif not query.has_conditions:
        # Nothing to search for: find nothing rather than everything.
        conditions.add("1 = 0")
    if query.feed is not None:
        text = """SELECT s.id, coalesce(s.title, f.title, '') AS title FROM subscriptions s
            LEFT JOIN feeds f ON f.id = s.feed_id WHERE s.user_id = :user"""
        rows = yield sql(text, user=user_id)
        named = [row["id"] for row in rows if query.feed in fold(row["title"])]
        conditions.add("t.subscription_id = ANY(:named)", named=named)
        if len(named) <= _FEW_FEEDS:
            conditions.texts[0] = _BY_FEED
    if query.tag is not None:
        rows = yield sql("SELECT id, name FROM tags WHERE user_id = :user", user=user_id)
        tags = [row["id"] for row in rows if fold(row["name"]) == query.tag]
        conditions.add(_HAS_ANY_TAG, tags_named=tags)
    for place, (name, is_above, limit) in enumerate(query.scores):
        conditions.add(
            "EXISTS (SELECT 1 FROM analyses x WHERE x.article_id = t.article_id"
            f" AND x.{name} {'>' if is_above else '<'} :score_{place})",
            **{f"score_{place}": limit},
        )
    more = Wanted(unread=query.unread, starred=query.starred, changed=query.changed)
    more = replace(more, published_since=query.after, published_before=query.before)
    _add_marks(conditions, more)
    _add_ranges(conditions, more)


def _add_marks(conditions: Conditions, wanted: Wanted) -> None:
    for name, value in (("unread", wanted.unread), ("starred", wanted.starred)):
        if value is not None:
            conditions.add(f"t.{name}" if value else f"NOT t.{name}")
    if wanted.saved is not None:
        negation = "NOT" if wanted.saved else ""
        conditions.add(f"t.saved_bookmark_id IS {negation} NULL")
    if wanted.changed is not None:
        negation = "" if wanted.changed else "NOT "
        conditions.add(f"t.article_id {negation}IN (SELECT v.article_id FROM revisions v)")


def _add_ranges(conditions: Conditions, wanted: Wanted) -> None:
    if wanted.item_nos is not None:
        conditions.add("t.item_no = ANY(:item_nos)", item_nos=list(wanted.item_nos))
        conditions.names_items = True
    if wanted.after_item is not None:
        conditions.add("t.item_no > :after_item", after_item=wanted.after_item)
    if wanted.before_item is not None:
        # The successor of the largest number does not fit into the column.
        conditions.add("t.item_no <= :up_to", up_to=wanted.before_item - 1)
    times = (
        ("t.last_modified >=", "modified_since", wanted.modified_since),
        ("t.last_modified <=", "modified_until", wanted.modified_until),
        ("t.arrived_at >=", "arrived_since", wanted.arrived_since),
        ("t.arrived_at <=", "arrived_until", wanted.arrived_until),
        ("t.published_at >=", "published_since", wanted.published_since),
        ("t.published_at <", "published_before", wanted.published_before),
    )
    for text, name, at in times:
        if at is not None:
            conditions.add(f"{text} :{name}", **{name: to_us(at)})


def _add_cursor(conditions: Conditions, wanted: Wanted) -> None:
    if wanted.cursor is None:
        return
    signs = {Order.NEWEST: "<", Order.OLDEST: ">"}
    parts = _read_cursor(wanted.cursor)
    if wanted.order not in signs or len(parts) != 2:  # noqa: PLR2004 - time and number
        raise InvalidInput(_OLD_LINK, field="cursor")
    text = f"(t.published_at, t.item_no) {signs[wanted.order]} (:cursor_at, :cursor)"
    conditions.add(text, cursor_at=parts[0], cursor=parts[1])


def _read_cursor(cursor: str) -> list[int]:
    parts = cursor.split("-")
    is_number = all(part.isdecimal() and len(part) < 19 for part in parts)  # noqa: PLR2004 - 64 bits
    if not is_number or int(parts[-1]) > _LARGEST_ITEM:
        raise InvalidInput(_OLD_LINK, field="cursor")
    return [int(part) for part in parts]


def _cursor(last: Article, wanted: Wanted) -> str | None:
    match wanted.order:
        case Order.ITEM_ASC | Order.ITEM_DESC:
            return str(last.item_no)
        case Order.NEWEST | Order.OLDEST:
            return f"{to_us(last.published_at)}-{last.item_no}"
        case _:
            return None


def _tags(user_id: int, rows: Sequence[Row]) -> Script[dict[int, tuple[str, ...]]]:
    if not rows:
        return {}
    text = """SELECT x.article_id, g.name FROM article_tags x JOIN tags g ON g.id = x.tag_id
        WHERE x.user_id = :user AND x.article_id = ANY(:ids) ORDER BY g.name"""
    found = yield sql(text, user=user_id, ids=[row["article_id"] for row in rows])
    tags: dict[int, tuple[str, ...]] = {}
    for row in found:
        tags[row["article_id"]] = (*tags.get(row["article_id"], ()), row["name"])
    return tags


_TAGS, _FEED_TITLE = map(Article._fields.index, ("tags", "feed_title"))
_READERS: list[tuple[int, Callable[[Any], object]]] = [
    (Article._fields.index(name), read)
    for names, read in (
        (("published_at", "arrived_at", "last_modified"), from_us),
        (("updated_at", "changed_at"), maybe_time),
        (("unread", "starred", "rtl", "hidden", "is_analysed"), bool),
        (("enclosures",), read_enclosures),
        (("categories",), read_texts),
        (("full_content",), lambda text: text or None),
    )
    for name in names
]


def _article(found: Row, tags: tuple[str, ...]) -> Article:
    # By place: forty names to look up took as long as all the rest, and there are many
    # rows at a time.
    *values, feed_url = cast("tuple[Any, ...]", found)
    for place, read in _READERS:
        values[place] = read(values[place])
    values[_TAGS] = tags
    # Never the address itself, which may contain a password.
    values[_FEED_TITLE] = values[_FEED_TITLE] or host_of(feed_url)
    return Article(*values)
