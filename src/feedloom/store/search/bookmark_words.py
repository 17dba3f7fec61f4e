"""Word search in bookmarks: the words stored with each, and the condition to find them.

Folded words are stored in one column with a space on both sides, so that plain comparison
finds the same on both engines. That is fast enough for thousands of bookmarks.
"""

from feedloom.model.search_query import Term, read_search, whole_words
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.values import read_texts

_WORDS_OF_PAGE = 20_000
"""Only this much of a page's text is searched."""


def searchable(*texts: str) -> str:
    return f" {' '.join(whole_words(' '.join(texts)))} "


def write_words(bookmark_id: int) -> Script[None]:
    rows = yield sql(
        "SELECT title, url, description, summary, tags, content FROM bookmarks WHERE id = :id",
        id=bookmark_id,
    )
    for row in rows:
        texts = (row[name] for name in ("title", "url", "description", "summary"))
        words = searchable(*texts, *read_texts(row["tags"]), row["content"][:_WORDS_OF_PAGE])
        yield sql("UPDATE bookmarks SET words = :words WHERE id = :id", words=words, id=bookmark_id)


def words_condition(text: str) -> tuple[str, dict[str, object]]:
    """Turn a search into a condition; the last word of a term may be a prefix."""
    texts: list[str] = []
    params: dict[str, object] = {}
    query = read_search(text)
    tag = whole_words(query.tag or "")
    if query.tag and not tag:
        return "1 = 0", {}
    tagged = (Term(tag),) if tag else ()
    for place, term in enumerate((*query.terms, *tagged)):
        name = f"term{place}"
        texts.append(rf"words {'NOT ' if term.negated else ''}LIKE :{name} ESCAPE '\'")
        params[name] = _term_pattern(term)
    # A search without a single word finds nothing rather than everything.
    return " AND ".join(texts) or "1 = 0", params


def _term_pattern(term: Term) -> str:
    if term.text:
        return like_pattern(term.text)
    end = " " if term.negated and not term.goes_on else ""
    return like_pattern(f" {' '.join(term.words)}{end}")


def like_pattern(text: str) -> str:
    for special in ("\\", "%", "_"):
        text = text.replace(special, f"\\{special}")
    return f"%{text}%"
