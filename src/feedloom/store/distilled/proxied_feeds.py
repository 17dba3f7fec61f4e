"""Rows of articles with their analyses, and the read side of enabled proxies of public feeds."""

from collections.abc import Sequence

from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.proxies import Deframed, Standing, StoredAnalysis
from feedloom.model.distilled.requests import AnalyzerResult
from feedloom.model.urls import shown_address, url_key
from feedloom.store.engine.decorators import Store, reads
from feedloom.store.engine.scripts import Row, Scope, Script, sql
from feedloom.store.queries import first, numbers, value
from feedloom.store.values import read_object, value_of

ITEM_COLUMNS = """
a.id, a.feed_id, a.guid, a.url, a.url_hash, a.title, a.summary AS description, a.author,
a.published_at, a.enclosures, a.thumbnail_url, a.categories, a.comments_url, a.content_hash,
x.analyzer_result, x.model, x.prompt_version, x.content_hash AS analysed_hash
"""
"""What ``read_item`` needs of articles ``a`` and analyses ``x``."""
CHANNEL_COLUMNS = """f.url AS feed_url, f.title AS feed_title, f.description AS feed_description,
    f.site_url AS feed_site, f.language AS feed_language"""
"""What ``read_channel`` needs of feeds ``f``."""
_LIVING = "p.deleted_at IS NULL AND f.tenant_id IS NULL"
_STANDING = f"""SELECT p.feed_id, p.enabled, c.etag
    FROM proxies p JOIN feeds f ON f.id = p.feed_id
    LEFT JOIN cached_feeds c ON c.feed_id = p.feed_id
    WHERE {_LIVING} AND p.feed_id IN (
      SELECT id FROM feeds WHERE coalesce(tenant_id, 0) = 0 AND url_key = :key
      UNION SELECT feed_id FROM proxies WHERE served_key = :key)
    ORDER BY CASE WHEN f.url_key = :key THEN 0 ELSE 1 END, p.feed_id LIMIT 1"""
_DEFRAMED = f"""SELECT {ITEM_COLUMNS}, {CHANNEL_COLUMNS}
    FROM proxies p JOIN feeds f ON f.id = p.feed_id
    CROSS JOIN articles a JOIN analyses x ON x.article_id = a.id
    WHERE a.feed_id = p.feed_id AND a.url_hash = ANY(:hashes) AND p.enabled AND {_LIVING}
      AND (x.score IS NULL OR x.score <= :most)
    ORDER BY x.created_at DESC, a.id DESC LIMIT 10"""
_SITE_FEEDS = f"""SELECT p.feed_id FROM proxies p JOIN feeds f ON f.id = p.feed_id
    WHERE p.root_domain = :root AND p.enabled AND {_LIVING} ORDER BY p.feed_id"""
_NEWEST = f"""SELECT {ITEM_COLUMNS}, {CHANNEL_COLUMNS}
    FROM articles a JOIN analyses x ON x.article_id = a.id JOIN feeds f ON f.id = a.feed_id
    WHERE a.feed_id = :feed AND (x.score IS NULL OR x.score <= :most)
    ORDER BY a.published_at DESC, a.id DESC LIMIT :limit"""


def read_channel(row: Row) -> Channel:
    """Return what the feed says about itself, without passwords in addresses."""
    url = shown_address(row["feed_url"])
    title, site = row["feed_title"] or url, row["feed_site"] or url
    return Channel(title, site, row["feed_description"], row["feed_language"], url)


def read_item(row: Row) -> DeframedItem:
    """Read an article; its analysis may be served if only the text changed a little since.

    Then the corrected title is still true; a new title needs a new analysis.
    """
    found = read_analysis(row)
    fits = found is not None and (
        found.result.title_original == row["title"] or found.content_hash == row["content_hash"]
    )
    return value_of(DeframedItem, row, analysis=found.result if found and fits else None)


def read_analysis(row: Row) -> StoredAnalysis | None:
    result = AnalyzerResult.from_json(read_object(row["analyzer_result"]))
    if result is None:
        return None
    return value_of(StoredAnalysis, row, result=result, content_hash=row["analysed_hash"])


def read_document(feed_id: int) -> Script[Built | None]:
    row = yield from first(sql("SELECT * FROM cached_feeds WHERE feed_id = :id", id=feed_id))
    if row is None:
        return None
    return value_of(
        Built,
        row,
        xml_header=row["xml_header"].encode(),
        xml_content=row["xml_content"].encode(),
        xml_gzip=bytes(row["xml_gzip"]),
        gzip_etag=row["etag"].removesuffix('"') + '-gz"',
    )


class ProxyReader(Store):
    @reads(Scope())
    def standing(self, url: str) -> Script[Standing | None]:
        return (yield from value(Standing, sql(_STANDING, key=url_key(url))))

    document = reads(Scope()).of(read_document)

    @reads(Scope())
    def deframed(self, url_hashes: Sequence[str], max_score: float) -> Script[Deframed | None]:
        """Find an analysed article by hashes of its address; the newest analysis wins."""
        rows = yield sql(_DEFRAMED, hashes=list(url_hashes), most=max_score)
        return next((each for each in map(_read, rows) if each.item.analysis is not None), None)

    @reads(Scope())
    def domains(self) -> Script[list[str]]:
        """List the root domains of enabled proxies."""
        rows = yield sql(f"""SELECT DISTINCT p.root_domain
            FROM proxies p JOIN feeds f ON f.id = p.feed_id
            WHERE p.root_domain IS NOT NULL AND p.enabled AND {_LIVING} ORDER BY p.root_domain""")
        return [row["root_domain"] for row in rows]

    @reads(Scope())
    def site(
        self, root_domain: str, limit: int, max_score: float
    ) -> Script[dict[int, list[Deframed]] | None]:
        """List a site's newest analysed articles by feed; None if the site is unknown."""
        found: dict[int, list[Deframed]] = {}
        for feed_id in (yield from numbers(sql(_SITE_FEEDS, root=root_domain))):
            rows = yield sql(_NEWEST, feed=feed_id, most=max_score, limit=limit)
            found[feed_id] = [each for each in map(_read, rows) if each.item.analysis]
        return found or None


def _read(row: Row) -> Deframed:
    return Deframed(row["feed_id"], read_channel(row), read_item(row))
