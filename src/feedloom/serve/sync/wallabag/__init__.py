"""Wallabag v2: the bookmarks in read-later apps.

Below an address of its own, which apps ask for: ``/api`` alone is our own interface. Each
address has a second spelling with ``.json`` at its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.calls import SyncRoute, routes_of
from feedloom.serve.sync.wallabag import calls, entries


def _spelled(routes: Iterable[SyncRoute]) -> Iterator[SyncRoute]:
    for route in routes:
        yield route
        # An id takes the ending along; see Call.id.
        if not route.path.endswith("}"):
            yield replace(route, path=f"{route.path}.json")


_TOKEN = SyncRoute(
    ("GET", "POST"), "/oauth/v2/token", calls.token, reads=True, body_limit=STRANGER_BODY
)
_ROUTES = (
    SyncRoute(("GET",), "/version", calls.version, access=Access.ANYONE),
    SyncRoute(("GET",), "/info", calls.info, access=Access.ANYONE),
    *calls.ENDPOINTS.reads(
        {
            "GET /user": calls.user,
            "GET /tags": entries.all_tags,
            "GET /entries": entries.list_entries,
            "GET /entries/exists": entries.exists,
            "GET /entries/{id}/tags": entries.entry_tags,
            "GET /entries/{id}": entries.show,
        }
    ),
    *calls.ENDPOINTS.writes(
        {
            "POST /entries": entries.create,
            "POST /entries/{id}/tags": entries.add_tags,
            "PATCH /entries/{id}/reload": entries.reload,
            "DELETE /entries/{id}/tags/{tag}": entries.remove_tag,
            "PATCH /entries/{id}": entries.change,
            "DELETE /entries/{id}": entries.delete,
        }
    ),
)

ROUTES = (
    *routes_of((calls.BASE,), [_TOKEN], access=Access.OWN, errors=calls.token_error),
    *routes_of(
        (f"{calls.BASE}/api",), _spelled(_ROUTES), access=Access.OWN, errors=calls.error_answer
    ),
)
