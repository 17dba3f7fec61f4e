"""Which articles of a document are new, changed, or were deleted before.

An entry is new if neither a row nor a tombstone has its GUID. An entry whose GUID changed
is recognised by address and title, if its address is its own: many feeds give all their
entries the address of the site.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from feedloom.model.feed import ParsedFeed
from feedloom.model.stages import NewArticle, Refreshed
from feedloom.model.urls import guid_hash, url_hash
from feedloom.store.engine.scripts import Many, Row, Script, sql
from feedloom.store.queries import exists


@dataclass(frozen=True, slots=True)
class Sorted:
    new: list[NewArticle]
    changed: dict[int, NewArticle]
    """By row id."""
    buried: list[NewArticle]
    """Deleted before, but still listed."""


def sort_articles(item: Refreshed, parsed: ParsedFeed) -> Script[Sorted]:
    feed_id, articles = item.feed.feed_id, item.articles
    if not articles:
        return Sorted([], {}, [])
    if item.feed.last_success_at is None and not (yield from _has_something(feed_id)):
        return Sorted(list(articles), {}, [])
    hashes = [article.guid_hash for article in articles]
    rows = yield sql(
        "SELECT id, guid_hash FROM articles WHERE feed_id = :feed AND guid_hash = ANY(:hashes)",
        feed=feed_id,
        hashes=hashes,
    )
    gone = yield sql(
        "SELECT guid_hash FROM article_tombstones WHERE feed_id = :feed"
        " AND guid_hash = ANY(:hashes)",
        feed=feed_id,
        hashes=hashes,
    )
    ids = {row["guid_hash"]: row["id"] for row in rows}
    dead = {row["guid_hash"] for row in gone}
    changed = {ids[a.guid_hash]: a for a in articles if a.guid_hash in ids}
    missing = [a for a in articles if a.guid_hash not in ids]
    buried = [a for a in missing if a.guid_hash in dead]
    new = [a for a in missing if a.guid_hash not in dead]
    own = _with_own_address(new, item, parsed)
    renamed = yield from _rename(feed_id, own, parsed)
    known = {article.guid_hash for article, _ in renamed}
    changed |= {
        row["id"]: article
        for article, row in renamed
        if row["content_hash"] != article.content_hash
    }
    return Sorted([a for a in new if a.guid_hash not in known], changed, buried)


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


def _has_something(feed_id: int) -> Script[bool]:
    query = sql(
        "SELECT 1 FROM articles WHERE feed_id = :feed"
        " UNION ALL SELECT 1 FROM article_tombstones WHERE feed_id = :feed LIMIT 1",
        feed=feed_id,
    )
    return (yield from exists(query))


def _rename(
    feed_id: int, own: Sequence[NewArticle], parsed: ParsedFeed
) -> Script[list[tuple[NewArticle, Row]]]:
    """Give stored articles the new GUIDs that the publisher uses for them."""
    if not own:
        return []
    renamed = yield from _recognise(feed_id, own, parsed)
    yield Many(
        "UPDATE articles SET guid = :guid, guid_hash = :hash WHERE id = :id",
        [
            {"id": row["id"], "guid": article.guid, "hash": article.guid_hash}
            for article, row in renamed
        ],
    )
    return renamed


def _recognise(
    feed_id: int, own: Sequence[NewArticle], parsed: ParsedFeed
) -> Script[list[tuple[NewArticle, Row]]]:
    """Find stored articles whose GUID the publisher has replaced."""
    rows = yield sql(
        "SELECT id, url_hash, title, guid_hash, content_hash FROM articles"
        " WHERE feed_id = :feed AND url_hash = ANY(:hashes)",
        feed=feed_id,
        hashes=[article.url_hash for article in own],
    )
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
