"""Wallabag v2: the bookmarks in read-later apps.

Below an address of its own, which apps ask for: ``/api`` alone is our own interface. Each
address has a second spelling with ``.json`` at its end.
"""

from feedloom.serve.routes import STRANGER_BODY, Access
from feedloom.serve.sync.routes import SyncRoute, routes_of
from feedloom.serve.sync.wallabag import account, entries, entry_tags
from feedloom.serve.sync.wallabag.calls import BASE, error_answer, reading, writing

_PUBLIC = (
    ("GET", "/version", account.version),
    ("GET", "/info", account.info),
)
_READS = (
    ("GET", "/user", account.user),
    ("GET", "/tags", entry_tags.all_tags),
    ("GET", "/entries", entries.list_entries),
    ("GET", "/entries/exists", entries.exists),
    ("GET", "/entries/{id}/tags", entry_tags.entry_tags),
    ("GET", "/entries/{id}", entries.show),
)
_WRITES = (
    ("POST", "/entries", entries.create),
    ("POST", "/entries/{id}/tags", entry_tags.add),
    ("PATCH", "/entries/{id}/reload", entries.reload),
    ("DELETE", "/entries/{id}/tags/{tag}", entry_tags.remove),
    ("PATCH", "/entries/{id}", entries.change),
    ("DELETE", "/entries/{id}", entries.delete),
)


def _spellings(path: str) -> tuple[str, ...]:
    # An id takes the ending along; see Call.id.
    return (path,) if path.endswith("}") else (path, f"{path}.json")


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
    *routes_of(
        (f"{BASE}/api",),
        [SyncRoute((m,), path, e) for m, p, e in _PUBLIC for path in _spellings(p)],
        access=Access.ANYONE,
        errors=error_answer,
    ),
    *routes_of(
        (f"{BASE}/api",),
        (
            *(
                SyncRoute((method,), path, reading(handler), reads=True)
                for method, plain, handler in _READS
                for path in _spellings(plain)
            ),
            *(
                SyncRoute((method,), path, writing(handler))
                for method, plain, handler in _WRITES
                for path in _spellings(plain)
            ),
        ),
        access=Access.OWN,
        errors=error_answer,
    ),
)
