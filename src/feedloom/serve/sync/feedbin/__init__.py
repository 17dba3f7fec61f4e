"""Feedbin's API, version 2: subscriptions, entries, marks, taggings, imports."""

from feedloom.serve.routes import Access
from feedloom.serve.sync.feedbin import entry_lists, saved_searches, subscriptions, taggings
from feedloom.serve.sync.feedbin.calls import ENDPOINTS, error_answer
from feedloom.serve.sync.routes import OPML_BODY, routes_of

_READS = (
    (("GET",), "/authentication.json", subscriptions.authentication),
    (("GET",), "/subscriptions.json", subscriptions.list_subscriptions),
    (("GET",), "/subscriptions/{id}.json", subscriptions.one),
    (("GET",), "/feeds/{id}.json", subscriptions.feed),
    (("GET",), "/feeds/{id}/entries.json", entry_lists.of_feed),
    (("GET",), "/icons.json", subscriptions.icons),
    (("GET",), "/entries.json", entry_lists.list_entries),
    (("GET",), "/entries/{entry}.json", entry_lists.one),
    (("GET",), "/unread_entries.json", entry_lists.unread),
    (("GET",), "/starred_entries.json", entry_lists.starred),
    (("GET",), "/updated_entries.json", entry_lists.none),
    (("GET",), "/recently_read_entries.json", entry_lists.none),
    (("GET",), "/saved_searches.json", saved_searches.list_searches),
    (("GET",), "/saved_searches/{id}.json", saved_searches.entries),
    (("GET",), "/taggings.json", taggings.list_taggings),
    (("GET",), "/taggings/{id}.json", taggings.one),
    (("GET",), "/imports.json", subscriptions.list_imports),
    (("GET",), "/imports/{id}.json", subscriptions.one_import),
)
_WRITES = (
    (("POST",), "/subscriptions.json", subscriptions.create),
    (("PATCH",), "/subscriptions/{id}.json", subscriptions.update),
    (("POST",), "/subscriptions/{id}/update.json", subscriptions.update),
    (("DELETE",), "/subscriptions/{id}.json", subscriptions.delete),
    (("POST",), "/unread_entries.json", entry_lists.mark_unread),
    (("DELETE",), "/unread_entries.json", entry_lists.mark_read),
    (("POST",), "/unread_entries/delete.json", entry_lists.mark_read),
    (("POST",), "/starred_entries.json", entry_lists.star),
    (("DELETE",), "/starred_entries.json", entry_lists.unstar),
    (("POST",), "/starred_entries/delete.json", entry_lists.unstar),
    (("DELETE",), "/updated_entries.json", entry_lists.none),
    (("POST",), "/updated_entries/delete.json", entry_lists.none),
    (("POST",), "/recently_read_entries.json", entry_lists.none),
    (("POST",), "/taggings.json", taggings.create),
    (("DELETE",), "/taggings/{id}.json", taggings.delete),
    (("POST",), "/saved_searches.json", saved_searches.create),
    (("PATCH",), "/saved_searches/{id}.json", saved_searches.change),
    (("POST",), "/saved_searches/{id}/update.json", saved_searches.change),
    (("DELETE",), "/saved_searches/{id}.json", saved_searches.delete),
    (("POST",), "/tags.json", taggings.rename_tag),
    (("DELETE",), "/tags.json", taggings.delete_tag),
)
_IMPORT = ((("POST",), "/imports.json", subscriptions.import_list),)
_ROUTES = (
    *ENDPOINTS.reads(_READS),
    *ENDPOINTS.writes(_WRITES),
    *ENDPOINTS.writes(_IMPORT, body_limit=OPML_BODY),
)

ROUTES = tuple(routes_of(("/v2", "/feedbin/v2"), _ROUTES, access=Access.OWN, errors=error_answer))
