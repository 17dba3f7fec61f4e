"""Wallabag v2: the bookmarks in read-later apps.

Below an address of its own, which apps ask for: ``/api`` alone is our own interface. Each
address has a second spelling with ``.json`` at its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from feedloom.serve.routes import STRANGER_BODY, Access, Route
from feedloom.serve.sync.calls import routes_of
from feedloom.serve.sync.wallabag import calls, entries


def _spelled(routes: Iterable[Route]) -> Iterator[Route]:
    for route in routes:
        yield route
        # An id takes the ending along; see Call.id.
        if not route.path.endswith("}"):
            yield replace(route, path=f"{route.path}.json")


_TOKEN = Route(
    "/oauth/v2/token",
    calls.token,
    ("GET", "POST"),
    Access.OWN,
    reads=True,
    body_limit=STRANGER_BODY,
)
_ROUTES = (
    Route("/version", calls.version, ("GET",), Access.ANYONE),
    Route("/info", calls.info, ("GET",), Access.ANYONE),
    *calls.ENDPOINTS.routes(
        {
            "GET /user": calls.user,
            "GET /tags": entries.all_tags,
            "GET /entries": entries.list_entries,
            "GET /entries/exists": entries.exists,
            "GET /entries/{id}/tags": entries.entry_tags,
            "GET /entries/{id}": entries.show,
        },
        writes=False,
    ),
    *calls.ENDPOINTS.routes(
        {
            "POST /entries": entries.create,
            "POST /entries/{id}/tags": entries.add_tags,
            "PATCH /entries/{id}/reload": entries.reload,
            "DELETE /entries/{id}/tags/{tag}": entries.remove_tag,
            "PATCH /entries/{id}": entries.change,
            "DELETE /entries/{id}": entries.delete,
        },
        writes=True,
    ),
)

ROUTES = (
    *routes_of((calls.BASE,), [_TOKEN], calls.token_error),
    *routes_of((f"{calls.BASE}/api",), _spelled(_ROUTES), calls.error_answer),
)
