"""Rows of articles with their analyses, for building and reading deframed feeds."""

from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.proxies import StoredAnalysis
from feedloom.model.distilled.requests import AnalyzerResult
from feedloom.model.urls import shown_address
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.queries import first
from feedloom.store.times import from_us
from feedloom.store.values import read_enclosures, read_object, read_texts, value_of

ITEM_COLUMNS = """
a.id, a.feed_id, a.guid, a.url, a.url_hash, a.title, a.summary, a.author,
a.published_at, a.enclosures, a.thumbnail_url, a.categories, a.comments_url,
a.content_hash, x.analyzer_result, x.model, x.prompt_version,
x.content_hash AS analysed_hash
"""
"""What ``read_item`` needs of articles ``a`` and analyses ``x``."""
CHANNEL_COLUMNS = """
f.url AS feed_url, f.title AS feed_title, f.description AS feed_description,
f.site_url AS feed_site, f.language AS feed_language
"""
"""What ``read_channel`` needs of feeds ``f``."""


def read_channel(row: Row) -> Channel:
    """Return what the feed says about itself, without passwords in addresses."""
    url = shown_address(row["feed_url"])
    return Channel(
        title=row["feed_title"] or url,
        url=row["feed_site"] or url,
        description=row["feed_description"],
        language=row["feed_language"],
        feed_url=url,
    )


def read_item(row: Row) -> DeframedItem:
    found = read_analysis(row)
    return value_of(
        DeframedItem,
        row,
        description=row["summary"],
        published_at=from_us(row["published_at"]),
        analysis=found.result if found and _still_fits(row, found) else None,
        enclosures=read_enclosures(row["enclosures"]),
        categories=read_texts(row["categories"]),
    )


def read_analysis(row: Row) -> StoredAnalysis | None:
    result = AnalyzerResult.from_json(read_object(row["analyzer_result"]))
    if result is None:
        return None
    return value_of(StoredAnalysis, row, result=result, content_hash=row["analysed_hash"])


def _still_fits(row: Row, found: StoredAnalysis) -> bool:
    """Return whether an analysis may be served for an article that has changed since.

    Small changes to the text leave the corrected title true; a new title does not.
    """
    same_title = found.result.title_original == row["title"]
    return same_title or bool(found.content_hash == row["content_hash"])


def read_document(feed_id: int) -> Script[Built | None]:
    row = yield from first(sql("SELECT * FROM cached_feeds WHERE feed_id = :id", id=feed_id))
    if row is None:
        return None
    return Built(
        xml_header=row["xml_header"].encode(),
        xml_content=row["xml_content"].encode(),
        xml_gzip=bytes(row["xml_gzip"]),
        etag=row["etag"],
        gzip_etag=row["etag"].removesuffix('"') + '-gz"',
        item_refs=read_texts(row["item_refs"]),
        updated_at=from_us(row["updated_at"]),
    )
