"""The search indexes: what waits, writing words, and the engines' match conditions.

Articles and feeds are indexed after they were stored, by queue. All that differs
between FTS5 and tsvector is here.
"""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.searching import SearchQuery, Term
from feedloom.model.stages import IndexArticle, IndexFeed
from feedloom.store.engine.steps import WORKER, Database, Insert, Many, Steps, sql

_WEIGHTED = (
    "INSERT INTO article_index (article_id, words) VALUES (:id,"
    " setweight(to_tsvector('simple', :title), 'A')"
    " || setweight(to_tsvector('simple', :author), 'B')"
    " || to_tsvector('simple', :body)) ON CONFLICT (article_id)"
    " DO UPDATE SET words = excluded.words"
)


class IndexStore:
    """The indexes as rows. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pending_articles(self, limit: int) -> list[IndexArticle]:
        """Read articles that wait to be indexed."""
        return await self._database.read(WORKER, _pending_articles, limit)

    async def pending_feeds(self, limit: int) -> list[IndexFeed]:
        """Read feeds that wait to be indexed."""
        return await self._database.read(WORKER, _pending_feeds, limit)

    async def save_articles(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        """Index articles: id, and folded words of title, author and text."""
        await self._database.write(WORKER, _save_articles, self._database.kind, rows)

    async def save_feeds(self, rows: Sequence[tuple[int, str]]) -> None:
        """Index feeds: id and folded words."""
        await self._database.write(WORKER, _save_feeds, self._database.kind, rows)


def queue_for_index(kind: str, ids: Sequence[int]) -> Steps[None]:
    """Let rows be indexed soon, inside a caller's transaction."""
    yield Insert(
        "index_queue",
        ("kind", "id"),
        [(kind, id_) for id_ in ids],
        "ON CONFLICT DO NOTHING",
    )


def _pending_articles(limit: int) -> Steps[list[IndexArticle]]:
    rows = yield sql(
        "SELECT q.id, a.title, coalesce(a.author, '') AS author,"
        " coalesce(a.full_content, a.content) AS content"
        " FROM index_queue q LEFT JOIN articles a ON a.id = q.id"
        " WHERE q.kind = 'article' ORDER BY q.id LIMIT :limit",
        limit=limit,
    )
    return [
        IndexArticle(row["id"], row["title"] or "", row["author"], row["content"] or "")
        for row in rows
    ]


_FEED_WORDS = ("title", "site_title", "description", "language", "topic", "tags")


def _pending_feeds(limit: int) -> Steps[list[IndexFeed]]:
    rows = yield sql(
        "SELECT q.id, f.title, f.description, f.url, f.site_url, f.language, f.tags,"
        " CASE WHEN f.topic_status = 'approved' THEN f.topic END AS topic,"
        " s.title AS site_title FROM index_queue q LEFT JOIN feeds f ON f.id = q.id"
        " LEFT JOIN sites s ON s.id = f.site_id WHERE q.kind = 'feed'"
        " ORDER BY q.id LIMIT :limit",
        limit=limit,
    )
    recent = yield sql(
        "SELECT feed_id, title FROM recent_items WHERE feed_id = ANY(:ids)",
        ids=[row["id"] for row in rows],
    )
    titles: dict[int, list[str]] = {}
    for row in recent:
        titles.setdefault(row["feed_id"], []).append(row["title"])
    return [
        IndexFeed(
            row["id"],
            " ".join(str(row[name] or "") for name in _FEED_WORDS),
            row["site_url"] or row["url"] or "",
            tuple(titles.get(row["id"], ())),
        )
        for row in rows
    ]


def _save_articles(kind: str, rows: Sequence[tuple[int, str, str, str]]) -> Steps[None]:
    ids = [row[0] for row in rows]
    alive = yield from _alive("articles", ids)
    living = [row for row in rows if row[0] in alive]
    if kind == "sqlite":
        yield sql("DELETE FROM article_index WHERE rowid = ANY(:ids)", ids=ids)
        yield Insert("article_index", ("rowid", "title", "author", "body"), living)
    else:
        names = ("id", "title", "author", "body")
        yield Many(_WEIGHTED, [dict(zip(names, row, strict=True)) for row in living])
    yield from _unqueue("article", ids)


def _save_feeds(kind: str, rows: Sequence[tuple[int, str]]) -> Steps[None]:
    ids = [row[0] for row in rows]
    alive = yield from _alive("feeds", ids)
    living = [row for row in rows if row[0] in alive]
    if kind == "sqlite":
        yield sql("DELETE FROM feed_index WHERE rowid = ANY(:ids)", ids=ids)
        yield Insert("feed_index", ("rowid", "words"), living)
    else:
        yield Many(
            "INSERT INTO feed_index (feed_id, words)"
            " VALUES (:id, to_tsvector('simple', :words))"
            " ON CONFLICT (feed_id) DO UPDATE SET words = excluded.words",
            [{"id": id_, "words": words} for id_, words in living],
        )
    yield from _unqueue("feed", ids)


def _alive(table: str, ids: list[int]) -> Steps[set[int]]:
    """Tell which rows are still there: one may have gone since its words were read."""
    rows = yield sql(f"SELECT id FROM {table} WHERE id = ANY(:ids)", ids=ids)
    return {row["id"] for row in rows}


def _unqueue(kind: str, ids: list[int]) -> Steps[None]:
    yield sql(
        "DELETE FROM index_queue WHERE kind = :kind AND id = ANY(:ids)",
        kind=kind,
        ids=ids,
    )


_MATCH = "words @@ CAST(CAST(:match AS TEXT) AS TSQUERY)"
MATCHING_ARTICLES = f"SELECT article_id FROM article_index WHERE {_MATCH}"
"""All that hold the words, by the index."""
MATCHING_OF_THESE = (
    "SELECT article_id FROM article_index WHERE article_id = ANY(:ids)"
    " AND ts_match_vq(words, CAST(CAST(:match AS TEXT) AS TSQUERY))"
)
"""Those of some articles that hold the words, by looking at each. SQLite is told the
``lowest`` and ``highest`` of them, and looks at its index between."""
FEED_MATCH = f"f.id IN (SELECT feed_id FROM feed_index WHERE {_MATCH})"
"""Conditions with the parameters of ``match_params``; the dialect knows both forms."""


def word_condition(query: SearchQuery) -> str:
    """Demand words of ``article_states t``; words to be left out may stand alone."""
    negation = "" if query.wanted else "NOT "
    return f"t.article_id {negation}IN ({MATCHING_ARTICLES})"


def match_params(query: SearchQuery, *, any_of: bool = False) -> dict[str, object]:
    """Write a query for both engines; each takes its own.

    A query of nothing but unwanted words is written as what it does not want.
    """
    if not query.wanted:
        unwanted = tuple(replace(term, negated=False) for term in query.unwanted)
        query, any_of = SearchQuery(unwanted), True
    return {
        "match": _tsquery(query, any_of=any_of),
        "match_fts": _fts5_query(query, any_of=any_of),
    }


def _fts5_query(query: SearchQuery, *, any_of: bool) -> str:
    """Write terms in FTS5's language: quoted phrases only, so nothing is syntax."""
    joined = " OR " if any_of else " AND "
    text = joined.join(_fts5_term(term) for term in query.wanted)
    for term in query.unwanted:
        text = f"({text}) NOT {_fts5_term(term)}"
    return text


def _fts5_term(term: Term) -> str:
    return f'"{" ".join(term.words)}"{" *" if term.goes_on else ""}'


def _tsquery(query: SearchQuery, *, any_of: bool) -> str:
    """Write terms in tsquery's language; folded words hold nothing but letters."""
    joined = " | " if any_of else " & "
    text = joined.join(_tsquery_term(term) for term in query.wanted)
    for term in query.unwanted:
        text = f"({text}) & !{_tsquery_term(term)}"
    return text


def _tsquery_term(term: Term) -> str:
    words = " <-> ".join(f"'{word}'" for word in term.words)
    return f"({words}{':*' if term.goes_on else ''})"
