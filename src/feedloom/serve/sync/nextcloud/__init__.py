"""Nextcloud News, API v1-2 and v1-3, and the little of Nextcloud that clients probe.

Both levels answer to all methods and bodies of either: v1-2 marks with PUT and names
``items``, v1-3 with POST and ``itemIds``, and clients mix them.
"""

from feedloom.serve.routes import Access
from feedloom.serve.sync.nextcloud import account, feeds, filters, folders, items
from feedloom.serve.sync.nextcloud.calls import ENDPOINTS, error_answer
from feedloom.serve.sync.routes import SyncRoute, routes_of

BASES = ("/index.php/apps/news/api", "/apps/news/api")
_GET = ("GET",)
_EITHER = ("PUT", "POST")
_MARKS = {"read": "read", "unread": "unread", "star": "starred", "unstar": "unstarred"}
_READS = (
    (_GET, "/version", account.version),
    (_GET, "/status", account.status),
    (_GET, "/user", account.user),
    (_GET, "/folders", folders.list_folders),
    (_GET, "/feeds", feeds.list_feeds),
    (_GET, "/feeds/all", feeds.all_feeds),
    (_GET, "/feeds/{id}/filter", filters.show),
    (_GET, "/favicon/{hash}", feeds.favicon),
    (_GET, "/cleanup/before-update", feeds.cleanup),
    (_GET, "/cleanup/after-update", feeds.cleanup),
    (_GET, "/items", items.list_items),
    (_GET, "/items/updated", items.updated),
)
_WRITES = (
    (("POST",), "/folders", folders.create),
    (_EITHER, "/folders/{id}/read", folders.mark_read),
    (_EITHER, "/folders/{id}", folders.rename),
    (("DELETE",), "/folders/{id}", folders.delete),
    (("POST",), "/feeds", feeds.add),
    (_GET, "/feeds/update", feeds.update),
    (_EITHER, "/feeds/{id}/move", feeds.move),
    (_EITHER, "/feeds/{id}/rename", feeds.rename),
    (_EITHER, "/feeds/{id}/read", feeds.mark_read),
    (("DELETE",), "/feeds/{id}", feeds.delete),
    (_EITHER, "/feeds/{id}/filter", filters.save),
    (("DELETE",), "/feeds/{id}/filter", filters.drop),
    (_EITHER, "/items/read", items.all_read),
    *(
        (_EITHER, f"/items/{word}/multiple", items.mark_many(mark))
        for word, mark in (_MARKS | {"starred": "starred", "unstarred": "unstarred"}).items()
    ),
    *((_EITHER, f"/items/{{id}}/{word}", items.mark_one(mark)) for word, mark in _MARKS.items()),
    (_EITHER, "/items/{id}/{rest:path}", items.mark_by_guid),
)
_PUBLIC = tuple(SyncRoute(_GET, path, account.levels) for path in ("", "/"))
_CLOUD = ENDPOINTS.reads(
    (_GET, f"/ocs/{version}.php/cloud{path}", handler)
    for version in ("v1", "v2")
    for path, handler in (
        ("/user", account.ocs_user),
        ("/users/{login}", account.ocs_user),
        ("/capabilities", account.ocs_capabilities),
    )
)
_STATUS = SyncRoute(_GET, "/status.php", account.cloud_status, access=Access.ANYONE)

ROUTES = (
    *routes_of(BASES, _PUBLIC, access=Access.ANYONE, errors=error_answer),
    *routes_of(
        [f"{base}/{level}" for base in BASES for level in account.LEVELS],
        (*ENDPOINTS.reads(_READS), *ENDPOINTS.writes(_WRITES)),
        access=Access.PROGRAM,
        errors=error_answer,
    ),
    *routes_of(("", "/index.php"), (*_CLOUD, _STATUS), access=Access.PROGRAM, errors=error_answer),
)
