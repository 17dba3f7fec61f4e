"""Miniflux's REST API: what its published clients call for reading and managing."""

from feedloom.serve.routes import Access
from feedloom.serve.sync.miniflux import account, categories, entries, entry_changes, feeds
from feedloom.serve.sync.miniflux.calls import ENDPOINTS, error_answer
from feedloom.serve.sync.routes import OPML_BODY, SyncRoute, routes_of

_READS = (
    (("GET",), "/me", account.me),
    (("GET",), "/version", account.version),
    (("GET",), "/integrations/status", account.integrations),
    (("GET",), "/export", feeds.export),
    (("GET",), "/feeds", feeds.list_feeds),
    (("GET",), "/feeds/counters", feeds.counters),
    (("GET",), "/feeds/{id}", feeds.one_feed),
    (("GET",), "/feeds/{id}/icon", feeds.feed_icon),
    (("GET",), "/feeds/{id}/entries", entries.feed_entries),
    (("GET",), "/feeds/{id}/entries/{entry}", entries.one_entry),
    (("GET",), "/icons/{id}", feeds.icon_by_id),
    (("GET",), "/enclosures/{id}", entry_changes.enclosure),
    (("GET",), "/categories", categories.list_categories),
    (("GET",), "/categories/{id}/feeds", feeds.list_feeds),
    (("GET",), "/categories/{id}/entries", entries.category_entries),
    (("GET",), "/categories/{id}/entries/{entry}", entries.one_entry),
    (("GET",), "/entries", entries.all_entries),
    (("GET",), "/entries/ids", entries.entry_ids),
    (("GET",), "/entries/{entry}", entries.one_entry),
)
_ALL_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_WRITES = (
    (("GET",), "/entries/{entry}/fetch-content", entries.fetch_content),
    (("POST",), "/discover", feeds.discover),
    (("POST",), "/feeds", feeds.create),
    (("PUT",), "/feeds/refresh", feeds.refresh_all),
    (("PUT",), "/feeds/{id}", feeds.update),
    (("DELETE",), "/feeds/{id}", feeds.delete),
    (("PUT",), "/feeds/{id}/refresh", feeds.refresh),
    (("PUT",), "/feeds/{id}/mark-all-as-read", feeds.mark_read),
    (("POST",), "/categories", categories.create),
    (("PUT",), "/categories/{id}", categories.update),
    (("DELETE",), "/categories/{id}", categories.delete),
    (("PUT",), "/categories/{id}/mark-all-as-read", categories.mark_read),
    (("PUT",), "/categories/{id}/refresh", categories.refresh),
    (("PUT",), "/users/{id}/mark-all-as-read", account.mark_all_read),
    (("PUT",), "/entries", entries.update_entries),
    (("PUT",), "/entries/{entry}", entry_changes.update_entry),
    (("POST",), "/feeds/{id}/entries/import", entry_changes.import_entry),
    (("PUT",), "/enclosures/{id}", entry_changes.update_enclosure),
    (("PUT",), "/entries/{entry}/bookmark", entries.toggle_star),
    (("PUT",), "/entries/{entry}/star", entries.toggle_star),
    (("POST",), "/entries/{entry}/save", entries.save),
    (("PUT",), "/flush-history", entries.flush_history),
    (("DELETE",), "/flush-history", entries.flush_history),
)
# Literal paths first: /feeds/counters is not the feed named "counters".
_ROUTES = sorted(
    (
        *ENDPOINTS.reads(_READS),
        *ENDPOINTS.writes(_WRITES),
        *ENDPOINTS.writes([(("POST",), "/import", feeds.import_list)], body_limit=OPML_BODY),
        SyncRoute(_ALL_METHODS, "/{rest:path}", ENDPOINTS.reading(account.unknown), reads=True),
    ),
    key=lambda route: "{" in route.path,
)
_PUBLIC = (
    SyncRoute(("GET",), "/healthcheck", account.health),
    SyncRoute(("GET",), "/version", account.plain_version),
)

ROUTES = (
    *routes_of(("/v1",), _ROUTES, access=Access.OWN, errors=error_answer),
    *routes_of(("",), _PUBLIC, access=Access.ANYONE, errors=error_answer),
)
