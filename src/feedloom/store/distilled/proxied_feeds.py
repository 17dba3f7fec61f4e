"""The read side of proxied feeds: documents as they were built, articles by address.

Knows enabled proxies of public feeds only, and reads nothing that belongs to a person.
"""

from collections.abc import Sequence

from feedloom.model.distilled.proxies import Deframed, Standing
from feedloom.model.urls import url_key
from feedloom.store.distilled.deframed_rows import (
    CHANNEL_COLUMNS,
    ITEM_COLUMNS,
    read_channel,
    read_document,
    read_item,
)
from feedloom.store.engine.decorators import Store, reads
from feedloom.store.engine.scripts import Row, Scope, Script, sql
from feedloom.store.queries import numbers, value

_LIVING = "p.deleted_at IS NULL AND f.tenant_id IS NULL"
_STANDING = f"""
SELECT p.feed_id, p.enabled, c.etag
FROM proxies p JOIN feeds f ON f.id = p.feed_id
LEFT JOIN cached_feeds c ON c.feed_id = p.feed_id
WHERE {_LIVING} AND p.feed_id IN (
  SELECT id FROM feeds WHERE coalesce(tenant_id, 0) = 0 AND url_key = :key
  UNION SELECT feed_id FROM proxies WHERE served_key = :key)
ORDER BY CASE WHEN f.url_key = :key THEN 0 ELSE 1 END, p.feed_id LIMIT 1
"""
_DEFRAMED = f"""
SELECT {ITEM_COLUMNS}, {CHANNEL_COLUMNS}
FROM proxies p
JOIN feeds f ON f.id = p.feed_id
CROSS JOIN articles a
JOIN analyses x ON x.article_id = a.id
WHERE a.feed_id = p.feed_id AND a.url_hash = ANY(:hashes) AND p.enabled AND {_LIVING}
  AND (x.score IS NULL OR x.score <= :most)
ORDER BY x.created_at DESC, a.id DESC LIMIT 10
"""
_SITE_FEEDS = f"""
SELECT p.feed_id FROM proxies p JOIN feeds f ON f.id = p.feed_id
WHERE p.root_domain = :root AND p.enabled AND {_LIVING} ORDER BY p.feed_id
"""
_NEWEST = f"""
SELECT {ITEM_COLUMNS}, {CHANNEL_COLUMNS}
FROM articles a
JOIN analyses x ON x.article_id = a.id
JOIN feeds f ON f.id = a.feed_id
WHERE a.feed_id = :feed AND (x.score IS NULL OR x.score <= :most)
ORDER BY a.published_at DESC, a.id DESC LIMIT :limit
"""


class ProxyReader(Store):
    @reads(Scope())
    def standing(self, url: str) -> Script[Standing | None]:
        return (yield from value(Standing, sql(_STANDING, key=url_key(url))))

    document = reads(Scope()).of(read_document)

    @reads(Scope())
    def deframed(self, url_hashes: Sequence[str], max_score: float) -> Script[Deframed | None]:
        """Find an analysed article by hashes of its address; the newest analysis wins."""
        return (yield from _deframed(list(url_hashes), max_score))

    @reads(Scope())
    def domains(self) -> Script[list[str]]:
        """List the root domains of enabled proxies."""
        rows = yield sql(
            "SELECT DISTINCT p.root_domain FROM proxies p JOIN feeds f ON f.id = p.feed_id"
            f" WHERE p.root_domain IS NOT NULL AND p.enabled AND {_LIVING}"
            " ORDER BY p.root_domain"
        )
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


def _deframed(hashes: list[str], max_score: float) -> Script[Deframed | None]:
    rows = yield sql(_DEFRAMED, hashes=hashes, most=max_score)
    found = (_read(row) for row in rows)
    return next((each for each in found if each.item.analysis is not None), None)


def _read(row: Row) -> Deframed:
    return Deframed(row["feed_id"], read_channel(row), read_item(row))
