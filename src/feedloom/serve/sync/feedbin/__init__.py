"""Feedbin's API, version 2: subscriptions, entries, marks, taggings, imports."""

from feedloom.serve.sync.calls import OPML_BODY, always, routes_of
from feedloom.serve.sync.feedbin import entries, subscriptions
from feedloom.serve.sync.feedbin.calls import ENDPOINTS, error_answer
from feedloom.serve.sync.feeds import unsubscribe

_NONE = always([])
"""What is not kept here, or has no such lists."""
_READS = {
    "GET /authentication.json": always({}),
    "GET /subscriptions.json": subscriptions.list_subscriptions,
    "GET /subscriptions/{id}.json": subscriptions.one,
    "GET /feeds/{id}.json": subscriptions.feed,
    "GET /feeds/{id}/entries.json": entries.of_feed,
    "GET /icons.json": subscriptions.icons,
    "GET /entries.json": entries.list_entries,
    "GET /entries/{entry}.json": entries.one,
    "GET /unread_entries.json": entries.unread,
    "GET /starred_entries.json": entries.starred,
    "GET /updated_entries.json": _NONE,
    "GET /recently_read_entries.json": _NONE,
    "GET /saved_searches.json": entries.list_searches,
    "GET /saved_searches/{id}.json": entries.found,
    "GET /taggings.json": subscriptions.list_taggings,
    "GET /taggings/{id}.json": subscriptions.one_tagging,
    "GET /imports.json": subscriptions.list_imports,
    "GET /imports/{id}.json": subscriptions.one_import,
}
_WRITES = {
    "POST /subscriptions.json": subscriptions.create,
    "PATCH /subscriptions/{id}.json": subscriptions.update,
    "POST /subscriptions/{id}/update.json": subscriptions.update,
    "DELETE /subscriptions/{id}.json": unsubscribe,
    "POST /unread_entries.json": entries.mark_unread,
    "DELETE /unread_entries.json": entries.mark_read,
    "POST /unread_entries/delete.json": entries.mark_read,
    "POST /starred_entries.json": entries.star,
    "DELETE /starred_entries.json": entries.unstar,
    "POST /starred_entries/delete.json": entries.unstar,
    "DELETE /updated_entries.json": _NONE,
    "POST /updated_entries/delete.json": _NONE,
    "POST /recently_read_entries.json": _NONE,
    "POST /taggings.json": subscriptions.create_tagging,
    "DELETE /taggings/{id}.json": subscriptions.delete_tagging,
    "POST /saved_searches.json": entries.create_search,
    "PATCH /saved_searches/{id}.json": entries.change_search,
    "POST /saved_searches/{id}/update.json": entries.change_search,
    "DELETE /saved_searches/{id}.json": entries.delete_search,
    "POST /tags.json": subscriptions.rename_tag,
    "DELETE /tags.json": subscriptions.delete_tag,
}
_IMPORT = {"POST /imports.json": subscriptions.import_list}
_ROUTES = (
    *ENDPOINTS.routes(_READS, writes=False),
    *ENDPOINTS.routes(_WRITES, writes=True),
    *ENDPOINTS.routes(_IMPORT, writes=True, body_limit=OPML_BODY),
)

ROUTES = tuple(routes_of(("/v2", "/feedbin/v2"), _ROUTES, error_answer))
