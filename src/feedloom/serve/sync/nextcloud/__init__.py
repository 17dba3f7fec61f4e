"""Nextcloud News, API v1-2 and v1-3, and the little of Nextcloud that clients probe.

Both levels answer to all methods and bodies of either: v1-2 marks with PUT and names
``items``, v1-3 with POST and ``itemIds``, and clients mix them.
"""

from feedloom.serve.routes import Access
from feedloom.serve.sync.nextcloud import account, feeds, filters, folders, items
from feedloom.serve.sync.nextcloud.error_responses import error_answer
from feedloom.serve.sync.routes import SyncRoute, routes_of

BASES = ("/index.php/apps/news/api", "/apps/news/api")
_CLOUD = (
    *(
        SyncRoute(("GET",), f"/ocs/{version}.php/cloud{path}", endpoint)
        for version in ("v1", "v2")
        for path, endpoint in (
            ("/user", account.ocs_user),
            ("/users/{login}", account.ocs_user),
            ("/capabilities", account.ocs_capabilities),
        )
    ),
    SyncRoute(("GET",), "/status.php", account.cloud_status, access=Access.ANYONE),
)

ROUTES = (
    *routes_of(
        BASES,
        [
            SyncRoute(("GET",), "", account.levels, access=Access.ANYONE),
            SyncRoute(("GET",), "/", account.levels, access=Access.ANYONE),
        ],
        access=Access.ANYONE,
        errors=error_answer,
    ),
    *routes_of(
        [f"{base}/{level}" for base in BASES for level in account.LEVELS],
        (*account.ROUTES, *folders.ROUTES, *feeds.ROUTES, *filters.ROUTES, *items.ROUTES),
        access=Access.PROGRAM,
        errors=error_answer,
    ),
    *routes_of(("", "/index.php"), _CLOUD, access=Access.PROGRAM, errors=error_answer),
)
