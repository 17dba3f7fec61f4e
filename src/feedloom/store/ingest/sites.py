"""Sites and every candidate that discovery found on them."""

import json

from feedloom.model.stages import Discovered, ScoredCandidate
from feedloom.model.urls import has_credentials, url_key
from feedloom.store.engine.decorators import Store, writes
from feedloom.store.engine.scripts import Insert, Scope, Script, sql
from feedloom.store.ingest.feeds import ensure_feed
from feedloom.store.times import maybe_us


class SiteStore(Store):
    @writes(Scope())
    def save(self, found: Discovered, *, tenant_id: int | None = None) -> Script[int]:
        """Store a site, all its candidates and its canonical feed.

        Answer its id; 0 for one that is private.
        """
        site = found.site
        if has_credentials(site.canonical_url) or has_credentials(site.input_url):
            # What somebody's password showed is nobody else's to see.
            return 0
        rows = yield sql(
            "INSERT INTO sites (tenant_id, input_url, url_key, canonical_url, domain, title,"
            " last_discovered_at) VALUES (:tenant, :input, :key, :url, :domain, :title,"
            " now_us()) ON CONFLICT (coalesce(tenant_id, 0), url_key) DO UPDATE SET"
            " input_url = excluded.input_url, canonical_url = excluded.canonical_url,"
            " title = excluded.title, last_discovered_at = excluded.last_discovered_at"
            " RETURNING id, last_discovered_at",
            tenant=tenant_id,
            input=site.input_url,
            key=url_key(site.canonical_url),
            url=site.canonical_url,
            domain=site.domain,
            title=site.title,
        )
        site_id, now = rows[0]["id"], rows[0]["last_discovered_at"]
        yield Insert(
            "feed_candidates",
            (
                "site_id",
                "candidate_url",
                "discovered_from",
                "score",
                "score_reasons",
                "validation_status",
                "last_error",
                "title",
                "format",
                "seen_at",
            ),
            [_row(site_id, one, now) for one in found.candidates if not has_credentials(one.url)],
            "ON CONFLICT (site_id, candidate_url) DO UPDATE SET"
            " discovered_from = excluded.discovered_from, score = excluded.score,"
            " score_reasons = excluded.score_reasons,"
            " validation_status = excluded.validation_status,"
            " last_error = excluded.last_error, title = excluded.title,"
            " format = excluded.format, seen_at = excluded.seen_at",
        )
        if found.canonical is not None and not has_credentials(found.canonical.url):
            yield from _save_canonical(found.canonical, site_id, tenant_id)
        id_: int = site_id
        return id_


def _row(site_id: int, one: ScoredCandidate, now: int) -> tuple[object, ...]:
    return (
        site_id,
        one.url,
        one.origin.value,
        one.score,
        json.dumps(dict(one.reasons)),
        "valid" if one.valid else "invalid",
        one.error,
        one.title,
        one.format,
        now,
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
