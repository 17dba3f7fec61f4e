"""Sites, every candidate that discovery found on them, and their icons."""

import json

from feedloom.model.reader import Icon
from feedloom.model.stages import Discovered, ScoredCandidate
from feedloom.model.urls import has_credentials, url_key
from feedloom.model.work import TaskKind
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Scope, Script, sql
from feedloom.store.ingest.feeds import ensure_feed, feed_task
from feedloom.store.queries import NOW, exists, insert, number, one, update, upsert
from feedloom.store.values import maybe_us, value_of


class SiteStore(Store):
    @writes(Scope())
    def save(self, found: Discovered, *, tenant_id: int | None = None) -> Script[int]:
        """Store a site, its candidates and canonical feed; return its id, or 0 if it is private."""
        site = found.site
        if has_credentials(site.canonical_url) or has_credentials(site.input_url):
            # Others must not see what somebody's password gave access to.
            return 0
        [row] = yield insert(
            "sites",
            "ON CONFLICT (coalesce(tenant_id, 0), url_key) DO UPDATE SET"
            " input_url = excluded.input_url, canonical_url = excluded.canonical_url,"
            " title = excluded.title, last_discovered_at = excluded.last_discovered_at"
            " RETURNING id, last_discovered_at",
            tenant_id=tenant_id,
            input_url=site.input_url,
            url_key=url_key(site.canonical_url),
            canonical_url=site.canonical_url,
            domain=site.domain,
            title=site.title,
            last_discovered_at=NOW,
        )
        site_id: int = row["id"]
        for candidate in found.candidates:
            if not has_credentials(candidate.url):
                yield upsert(
                    "feed_candidates",
                    "site_id, candidate_url",
                    site_id=site_id,
                    candidate_url=candidate.url,
                    discovered_from=candidate.origin.value,
                    score=candidate.score,
                    score_reasons=json.dumps(dict(candidate.reasons)),
                    validation_status="valid" if candidate.valid else "invalid",
                    last_error=candidate.error,
                    title=candidate.title,
                    format=candidate.format,
                    seen_at=NOW,
                )
        if found.canonical is not None and not has_credentials(found.canonical.url):
            yield from _save_canonical(found.canonical, site_id, tenant_id)
        return site_id


def _save_canonical(one: ScoredCandidate, site_id: int, tenant_id: int | None) -> Script[None]:
    feed_id = yield from ensure_feed(one.url, tenant_id=tenant_id, due=False)
    text = "UPDATE feeds SET is_canonical = false WHERE site_id = :site AND id <> :id"
    yield sql(text, site=site_id, id=feed_id)
    text = """UPDATE feeds SET site_id = :site, is_canonical = true, canonical_score = :score,
        title = CASE WHEN title = '' THEN :title ELSE title END,
        description = CASE WHEN description = '' THEN :description ELSE description END,
        site_url = coalesce(site_url, :site_url),
        language = coalesce(language, :language), format = coalesce(format, :format),
        latest_item_published_at = coalesce(latest_item_published_at, :latest)
        WHERE id = :id"""
    names = ("score", "title", "description", "site_url", "language", "format")
    told = {name: getattr(one, name) for name in names}
    yield sql(text, id=feed_id, site=site_id, latest=maybe_us(one.latest_at), **told)


class IconStore(Store):
    @reads(Scope())
    def icon(self, icon_id: int) -> Script[Icon]:
        text = "SELECT source_url, mime, bytes AS data FROM favicons WHERE id = :id"
        return value_of(Icon, (yield from one(sql(text, id=icon_id), "Icon not found.")))

    @reads(Scope())
    def is_awaited(self, feed_id: int) -> Script[bool]:
        text = """SELECT 1 FROM tasks WHERE unique_key = :key AND done_at IS NULL
            AND user_id IS NULL AND last_error IS NULL"""
        return (yield from exists(sql(text, key=feed_task(TaskKind.FAVICON, feed_id).unique_key)))

    @writes(WORKER)
    def save(self, feed_id: int, icon: Icon) -> Script[None]:
        new = {"source_url": icon.source_url, "mime": icon.mime, "bytes": icon.data}
        saved = upsert("favicons", "source_url", "RETURNING id", fetched_at=NOW, **new)
        yield update("feeds", feed_id, favicon_id=(yield from number(saved)))

    @reads(WORKER)
    def feed_addresses(self, feed_id: int) -> Script[tuple[str, str | None]]:
        text = "SELECT url, site_url FROM feeds WHERE id = :id"
        row = yield from one(sql(text, id=feed_id), "Feed not found.")
        return row["url"], row["site_url"]
