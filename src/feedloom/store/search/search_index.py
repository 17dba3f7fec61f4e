"""The search indexes: their queue, writing to them, and each engine's match conditions.

Everything that differs between FTS5 and tsvector is here.
"""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.search_query import SearchQuery, Term
from feedloom.model.stages import IndexArticle, IndexFeed
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Insert, Many, PerEngine, Script, sql
from feedloom.store.queries import numbers, values

_WEIGHTED = """INSERT INTO article_index (article_id, words) VALUES (:id,
    setweight(to_tsvector('simple', :title), 'A')
    || setweight(to_tsvector('simple', :author), 'B')
    || to_tsvector('simple', :body)) ON CONFLICT (article_id)
    DO UPDATE SET words = excluded.words"""


class IndexStore(Store):
    @reads(WORKER)
    def pending_articles(self, limit: int) -> Script[list[IndexArticle]]:
        text = """SELECT q.id, coalesce(a.title, '') AS title, coalesce(a.author, '') AS author,
            coalesce(a.full_content, a.content, '') AS content
            FROM index_queue q LEFT JOIN articles a ON a.id = q.id
            WHERE q.kind = 'article' ORDER BY q.id LIMIT :limit"""
        return (yield from values(IndexArticle, sql(text, limit=limit)))

    @reads(WORKER)
    def pending_feeds(self, limit: int) -> Script[list[IndexFeed]]:
        text = """SELECT q.id, f.title, f.description, f.url, f.site_url, f.language, f.tags,
            CASE WHEN f.topic_status = 'approved' THEN f.topic END AS topic,
            s.title AS site_title FROM index_queue q LEFT JOIN feeds f ON f.id = q.id
            LEFT JOIN sites s ON s.id = f.site_id WHERE q.kind = 'feed'
            ORDER BY q.id LIMIT :limit"""
        rows = yield sql(text, limit=limit)
        titles = yield from recent_titles([row["id"] for row in rows])
        return [
            IndexFeed(
                row["id"],
                " ".join(str(row[name] or "") for name in _FEED_WORDS),
                row["site_url"] or row["url"] or "",
                titles.get(row["id"], ()),
            )
            for row in rows
        ]

    @writes(WORKER)
    def save_articles(self, rows: Sequence[tuple[int, str, str, str]]) -> Script[None]:
        ids = [row[0] for row in rows]
        alive = yield from _alive("articles", ids)
        living = [row for row in rows if row[0] in alive]
        if self.database.kind == "sqlite":
            yield sql("DELETE FROM article_index WHERE rowid = ANY(:ids)", ids=ids)
            yield Insert("article_index", ("rowid", "title", "author", "body"), living)
        else:
            names = ("id", "title", "author", "body")
            yield Many(_WEIGHTED, [dict(zip(names, row, strict=True)) for row in living])
        yield from _unqueue("article", ids)

    @writes(WORKER)
    def save_feeds(self, rows: Sequence[tuple[int, str]]) -> Script[None]:
        ids = [row[0] for row in rows]
        alive = yield from _alive("feeds", ids)
        living = [row for row in rows if row[0] in alive]
        if self.database.kind == "sqlite":
            yield sql("DELETE FROM feed_index WHERE rowid = ANY(:ids)", ids=ids)
            yield Insert("feed_index", ("rowid", "words"), living)
        else:
            text = """INSERT INTO feed_index (feed_id, words)
                VALUES (:id, to_tsvector('simple', :words))
                ON CONFLICT (feed_id) DO UPDATE SET words = excluded.words"""
            yield Many(text, [{"id": id_, "words": words} for id_, words in living])
        yield from _unqueue("feed", ids)


def recent_titles(feed_ids: list[int]) -> Script[dict[int, tuple[str, ...]]]:
    """Return the titles of feeds' newest entries, newest first."""
    text = "SELECT feed_id, title FROM recent_items WHERE feed_id = ANY(:ids)"
    rows = yield sql(f"{text} ORDER BY feed_id, place", ids=feed_ids)
    titles: dict[int, tuple[str, ...]] = {}
    for row in rows:
        titles[row["feed_id"]] = (*titles.get(row["feed_id"], ()), row["title"])
    return titles


def queue_for_index(kind: str, ids: Sequence[int]) -> Script[None]:
    rows = [(kind, id_) for id_ in ids]
    yield Insert("index_queue", ("kind", "id"), rows, "ON CONFLICT DO NOTHING")


_FEED_WORDS = ("title", "site_title", "description", "language", "topic", "tags")


def _alive(table: str, ids: list[int]) -> Script[set[int]]:
    """Return which rows still exist; some may be gone since their words were read."""
    return set((yield from numbers(sql(f"SELECT id FROM {table} WHERE id = ANY(:ids)", ids=ids))))


def _unqueue(kind: str, ids: list[int]) -> Script[None]:
    yield sql("DELETE FROM index_queue WHERE kind = :kind AND id = ANY(:ids)", kind=kind, ids=ids)


_TSQUERY = "CAST(CAST(:match AS TEXT) AS TSQUERY)"
MATCHING_ARTICLES = PerEngine(
    "SELECT rowid FROM article_index WHERE article_index MATCH :match_fts",
    f"SELECT article_id FROM article_index WHERE words @@ {_TSQUERY}",
)
"""Articles that contain the words; takes the parameters of ``match_params``."""
RANKED_ARTICLES = PerEngine(
    "SELECT rowid, bm25(article_index, 10.0, 4.0, 1.0) FROM article_index"
    " WHERE article_index MATCH :match_fts",
    f"SELECT article_id, -ts_rank(words, {_TSQUERY}) FROM article_index WHERE words @@ {_TSQUERY}",
)
"""As above, each with a rank; lower is better."""
MATCHING_OF_THESE = PerEngine(
    "SELECT value AS article_id FROM json_each(:ids) WHERE value IN (SELECT rowid"
    " FROM article_index WHERE article_index MATCH :match_fts"
    " AND rowid BETWEEN :lowest AND :highest)",
    "SELECT article_id FROM article_index WHERE article_id = ANY(:ids)"
    f" AND ts_match_vq(words, {_TSQUERY})",
)
"""Those of some articles that hold the words, by looking at each. SQLite is told the
``lowest`` and ``highest`` of them, and looks at its index between."""
MATCHING_FEEDS = PerEngine(
    "SELECT rowid FROM feed_index WHERE feed_index MATCH :match_fts",
    f"SELECT feed_id FROM feed_index WHERE words @@ {_TSQUERY}",
)


def word_condition(query: SearchQuery) -> str:
    """Return the condition on ``article_states t`` for ``MATCHING_ARTICLES``."""
    negation = "" if query.wanted else "NOT "
    return f"t.article_id {negation}IN ({{match}})"


def match_params(query: SearchQuery, *, any_of: bool = False) -> dict[str, object]:
    """Write a query for both engines; each uses its own.

    A query of unwanted words only is written as the words it does not want.
    """
    if not query.wanted:
        unwanted = tuple(replace(term, negated=False) for term in query.unwanted)
        query, any_of = SearchQuery(unwanted), True
    return {"match": _tsquery(query, any_of=any_of), "match_fts": _fts5_query(query, any_of=any_of)}


def _fts5_query(query: SearchQuery, *, any_of: bool) -> str:
    """Write terms in FTS5's language: quoted phrases only, so nothing is syntax."""

    def quoted(term: Term) -> str:
        return f'"{" ".join(term.words)}"{" *" if term.goes_on else ""}'

    text = (" OR " if any_of else " AND ").join(map(quoted, query.wanted))
    for term in query.unwanted:
        text = f"({text}) NOT {quoted(term)}"
    return text


def _tsquery(query: SearchQuery, *, any_of: bool) -> str:
    """Write terms in tsquery's language; folded words hold nothing but letters."""

    def phrase(term: Term) -> str:
        words = " <-> ".join(f"'{word}'" for word in term.words)
        return f"({words}{':*' if term.goes_on else ''})"

    text = (" | " if any_of else " & ").join(map(phrase, query.wanted))
    for term in query.unwanted:
        text = f"({text}) & !{phrase(term)}"
    return text
