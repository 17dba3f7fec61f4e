"""Sites and every candidate that discovery found on them."""

import json

from feedloom.model.stages import Discovered, ScoredCandidate
from feedloom.model.urls import has_credentials, url_key
from feedloom.store.engine.decorators import Store, writes
from feedloom.store.engine.scripts import Query, Scope, Script, sql
from feedloom.store.ingest.feeds import ensure_feed
from feedloom.store.queries import NOW, insert, upsert
from feedloom.store.times import maybe_us


class SiteStore(Store):
    @writes(Scope())
    def save(self, found: Discovered, *, tenant_id: int | None = None) -> Script[int]:
        """Store a site, all its candidates and its canonical feed.

        Return its id, or 0 for a private site.
        """
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
                yield _save_candidate(site_id, candidate)
        if found.canonical is not None and not has_credentials(found.canonical.url):
            yield from _save_canonical(found.canonical, site_id, tenant_id)
        return site_id


def _save_candidate(site_id: int, one: ScoredCandidate) -> Query:
    return upsert(
        "feed_candidates",
        "site_id, candidate_url",
        site_id=site_id,
        candidate_url=one.url,
        discovered_from=one.origin.value,
        score=one.score,
        score_reasons=json.dumps(dict(one.reasons)),
        validation_status="valid" if one.valid else "invalid",
        last_error=one.error,
        title=one.title,
        format=one.format,
        seen_at=NOW,
    )


def _save_canonical(one: ScoredCandidate, site_id: int, tenant_id: int | None) -> Script[None]:
    feed_id = yield from ensure_feed(one.url, tenant_id=tenant_id, due=False)
    yield sql(
        "UPDATE feeds SET is_canonical = false WHERE site_id = :site AND id <> :id",
        site=site_id,
        id=feed_id,
    )
    yield sql(
        "UPDATE feeds SET site_id = :site, is_canonical = true, canonical_score = :score,"
        " title = CASE WHEN title = '' THEN :title ELSE title END,"
        " description = CASE WHEN description = '' THEN :text ELSE description END,"
        " site_url = coalesce(site_url, :site_url),"
        " language = coalesce(language, :language), format = coalesce(format, :format),"
        " latest_item_published_at = coalesce(latest_item_published_at, :latest)"
        " WHERE id = :id",
        id=feed_id,
        site=site_id,
        score=one.score,
        title=one.title,
        text=one.description,
        site_url=one.site_url,
        language=one.language,
        format=one.format,
        latest=maybe_us(one.latest_at),
    )
