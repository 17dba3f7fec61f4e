"""Nextcloud News, API v1-2 and v1-3, and the little of Nextcloud that clients probe.

Both levels answer to all methods and bodies of either: v1-2 marks with PUT and names
``items``, v1-3 with POST and ``itemIds``, and clients mix them.
"""

from feedloom.serve.routes import Access, Route
from feedloom.serve.sync.calls import routes_of
from feedloom.serve.sync.feeds import unsubscribe
from feedloom.serve.sync.nextcloud import calls, feeds, filters, items
from feedloom.serve.sync.nextcloud.calls import ENDPOINTS, error_answer

_BASES = ("/index.php/apps/news/api", "/apps/news/api")
_MARKS = {"read": "read", "unread": "unread", "star": "starred", "unstar": "unstarred"}
_READS = {
    "GET /version": calls.version,
    "GET /status": calls.status,
    "GET /user": calls.user,
    "GET /folders": feeds.list_folders,
    "GET /feeds": feeds.list_feeds,
    "GET /feeds/all": feeds.all_feeds,
    "GET /feeds/{id}/filter": filters.show,
    "GET /favicon/{hash}": feeds.favicon,
    "GET /cleanup/before-update": feeds.cleanup,
    "GET /cleanup/after-update": feeds.cleanup,
    "GET /items": items.list_items,
    "GET /items/updated": items.updated,
}
_WRITES = {
    "POST /folders": feeds.create_folder,
    "PUT|POST /folders/{id}/read": feeds.mark_folder_read,
    "PUT|POST /folders/{id}": feeds.rename_folder,
    "DELETE /folders/{id}": feeds.delete_folder,
    "POST /feeds": feeds.add,
    "GET /feeds/update": feeds.update,
    "PUT|POST /feeds/{id}/move": feeds.move,
    "PUT|POST /feeds/{id}/rename": feeds.rename,
    "PUT|POST /feeds/{id}/read": feeds.mark_read,
    "DELETE /feeds/{id}": unsubscribe,
    "PUT|POST /feeds/{id}/filter": filters.save,
    "DELETE /feeds/{id}/filter": filters.drop,
    "PUT|POST /items/read": items.all_read,
    **{
        f"PUT|POST /items/{word}/multiple": items.mark_many(mark)
        for word, mark in (_MARKS | {"starred": "starred", "unstarred": "unstarred"}).items()
    },
    **{f"PUT|POST /items/{{id}}/{word}": items.mark_one(mark) for word, mark in _MARKS.items()},
    "PUT|POST /items/{id}/{rest:path}": items.mark_by_guid,
}
_CLOUD = {
    f"GET /ocs/{version}.php/cloud{path}": handler
    for version in ("v1", "v2")
    for path, handler in (
        ("/user", calls.ocs_user),
        ("/users/{login}", calls.ocs_user),
        ("/capabilities", calls.ocs_capabilities),
    )
}
_LEVELS = [Route(path, calls.levels, ("GET",), Access.ANYONE) for path in ("", "/")]
_STATUS = Route("/status.php", calls.cloud_status, ("GET",), Access.ANYONE)

ROUTES = (
    *routes_of(_BASES, _LEVELS, error_answer),
    *routes_of(
        [f"{base}/{level}" for base in _BASES for level in calls.LEVELS],
        (*ENDPOINTS.routes(_READS, writes=False), *ENDPOINTS.routes(_WRITES, writes=True)),
        error_answer,
    ),
    *routes_of(
        ("", "/index.php"), (*ENDPOINTS.routes(_CLOUD, writes=False), _STATUS), error_answer
    ),
)
