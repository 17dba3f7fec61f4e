"""Wallabag v2: the bookmarks in read-later apps.

Below an address of its own, which apps ask for: ``/api`` alone is our own interface. Each
address has a second spelling with ``.json`` at its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.routes import SyncRoute, routes_of
from feedloom.serve.sync.wallabag import account, entries
from feedloom.serve.sync.wallabag.calls import BASE, ENDPOINTS, error_answer

_PUBLIC = (
    SyncRoute(("GET",), "/version", account.version),
    SyncRoute(("GET",), "/info", account.info),
)
_READS = (
    (("GET",), "/user", account.user),
    (("GET",), "/tags", entries.all_tags),
    (("GET",), "/entries", entries.list_entries),
    (("GET",), "/entries/exists", entries.exists),
    (("GET",), "/entries/{id}/tags", entries.entry_tags),
    (("GET",), "/entries/{id}", entries.show),
)
_WRITES = (
    (("POST",), "/entries", entries.create),
    (("POST",), "/entries/{id}/tags", entries.add_tags),
    (("PATCH",), "/entries/{id}/reload", entries.reload),
    (("DELETE",), "/entries/{id}/tags/{tag}", entries.remove_tag),
    (("PATCH",), "/entries/{id}", entries.change),
    (("DELETE",), "/entries/{id}", entries.delete),
)


def _spelled(routes: Iterable[SyncRoute]) -> Iterator[SyncRoute]:
    for route in routes:
        yield route
        # An id takes the ending along; see Call.id.
        if not route.path.endswith("}"):
            yield replace(route, path=f"{route.path}.json")


ROUTES = (
    *routes_of(
        (BASE,),
        [
            SyncRoute(
                ("GET", "POST"),
                "/oauth/v2/token",
                account.token,
                reads=True,
                body_limit=STRANGER_BODY,
            )
        ],
        access=Access.OWN,
        errors=account.token_error,
    ),
    *routes_of((f"{BASE}/api",), [*_spelled(_PUBLIC)], access=Access.ANYONE, errors=error_answer),
    *routes_of(
        (f"{BASE}/api",),
        [*_spelled((*ENDPOINTS.reads(_READS), *ENDPOINTS.writes(_WRITES)))],
        access=Access.OWN,
        errors=error_answer,
    ),
)
