"""Miniflux's REST API: what its published clients call for reading and managing."""

from feedloom.serve.routes import Access, Route
from feedloom.serve.sync.calls import OPML_BODY, always, routes_of
from feedloom.serve.sync.feeds import export, unsubscribe
from feedloom.serve.sync.miniflux import calls, entries, feeds
from feedloom.serve.sync.miniflux.calls import ENDPOINTS, error_answer

_READS = {
    "GET /me": calls.me,
    "GET /version": calls.version,
    # Entries can be saved somewhere: among the bookmarks.
    "GET /integrations/status": always({"has_integrations": True}),
    "GET /export": export,
    "GET /feeds": feeds.list_feeds,
    "GET /feeds/counters": feeds.counters,
    "GET /feeds/{id}": feeds.show,
    "GET /feeds/{id}/icon": feeds.feed_icon,
    "GET /feeds/{id}/entries": entries.feed_entries,
    "GET /feeds/{id}/entries/{entry}": entries.one_entry,
    "GET /icons/{id}": feeds.icon_by_id,
    "GET /enclosures/{id}": entries.enclosure,
    "GET /categories": feeds.list_categories,
    "GET /categories/{id}/feeds": feeds.list_feeds,
    "GET /categories/{id}/entries": entries.category_entries,
    "GET /categories/{id}/entries/{entry}": entries.one_entry,
    "GET /entries": entries.all_entries,
    "GET /entries/ids": entries.entry_ids,
    "GET /entries/{entry}": entries.one_entry,
    "GET|POST|PUT|PATCH|DELETE /{rest:path}": calls.unknown,
}
_WRITES = {
    "GET /entries/{entry}/fetch-content": entries.fetch_content,
    "POST /discover": feeds.discover,
    "POST /feeds": feeds.create,
    "PUT /feeds/refresh": feeds.refresh_all,
    "PUT /feeds/{id}": feeds.update,
    "DELETE /feeds/{id}": unsubscribe,
    "PUT /feeds/{id}/refresh": feeds.refresh,
    "PUT /feeds/{id}/mark-all-as-read": feeds.mark_read,
    "POST /categories": feeds.create_category,
    "PUT /categories/{id}": feeds.update_category,
    "DELETE /categories/{id}": feeds.delete_category,
    "PUT /categories/{id}/mark-all-as-read": feeds.mark_category_read,
    "PUT /categories/{id}/refresh": feeds.refresh_category,
    "PUT /users/{id}/mark-all-as-read": calls.mark_all_read,
    "PUT /entries": entries.update_entries,
    "PUT /entries/{entry}": entries.update_entry,
    "POST /feeds/{id}/entries/import": entries.import_entry,
    "PUT /enclosures/{id}": entries.update_enclosure,
    "PUT /entries/{entry}/bookmark": entries.toggle_star,
    "PUT /entries/{entry}/star": entries.toggle_star,
    "POST /entries/{entry}/save": entries.save,
    "PUT|DELETE /flush-history": entries.flush_history,
}
_ROUTES = (
    *ENDPOINTS.routes(_READS, writes=False),
    *ENDPOINTS.routes(_WRITES, writes=True),
    *ENDPOINTS.routes({"POST /import": feeds.import_list}, writes=True, body_limit=OPML_BODY),
)
_PUBLIC = (
    Route("/healthcheck", calls.health, ("GET",), Access.ANYONE),
    Route("/version", calls.plain_version, ("GET",), Access.ANYONE),
)

ROUTES = (*routes_of(("/v1",), _ROUTES, error_answer), *routes_of(("",), _PUBLIC, error_answer))
