"""Nextcloud News, API v1-2 and v1-3, and the little of Nextcloud that clients probe.

Both levels answer to all methods and bodies of either: v1-2 marks with PUT and names
``items``, v1-3 with POST and ``itemIds``, and clients mix them.
"""

from collections.abc import Mapping
from http import HTTPStatus
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, NotFound, NotSignedIn
from feedloom.serve.auth import Actor, actor
from feedloom.serve.error_responses import problem_of
from feedloom.serve.routes import Access, Route
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC, Call, Endpoints, always, routes_of
from feedloom.serve.sync.feeds import unsubscribe
from feedloom.serve.sync.nextcloud import feeds, items
from feedloom.serve.sync.times import whole_second

_API_LEVELS = ("v1-2", "v1-3")
_VERSION = "28.4.0"
"""The News release whose API this is; clients refuse older ones."""
_CLOUD_VERSION = "31.0.0"
"""The Nextcloud release that such a News runs on."""


async def _signed_in(request: Request) -> Actor:
    return actor(request)


def _done() -> Response:
    """Say that it is done. Clients want 200 and a JSON body, never 204."""
    return json_answer([])


ENDPOINTS = Endpoints(Call, _signed_in, _done, Access.PROGRAM)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    status = problem.status
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.BAD_GATEWAY}:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return json_answer({"message": problem.detail}, status=status, headers=headers)


async def levels(_request: Request) -> Response:
    return json_answer({"apiLevels": _API_LEVELS})


async def cloud_status(_request: Request) -> Response:
    return json_answer(
        {
            "installed": True,
            "maintenance": False,
            "needsDbUpgrade": False,
            "version": f"{_CLOUD_VERSION}.0",
            "versionstring": _CLOUD_VERSION,
            "edition": "",
            "productname": "Feedloom",
            "extendedSupport": False,
        }
    )


_WARNINGS = {"improperlyConfiguredCron": False, "incorrectDbCharset": False}


async def user(call: Call) -> object:
    password = call.actor.app_password
    used_at = password.last_used_at if password else None
    return {
        "userId": call.user.email,
        "displayName": call.user.email,
        "lastLoginTimestamp": whole_second(used_at) if used_at else 0,
        "avatar": None,
    }


async def ocs_user(call: Call) -> Response:
    email = call.user.email
    if call.request.path_params.get("login", email).casefold() != email:
        raise NotFound
    names = dict.fromkeys(("displayname", "display-name", "email"), email)
    return _ocs(call, {"id": email, "enabled": "true"} | names | {"language": "en"})


async def ocs_capabilities(call: Call) -> Response:
    major, minor, micro = _CLOUD_VERSION.split(".")
    version = {"major": major, "minor": minor, "micro": micro, "string": _CLOUD_VERSION}
    return _ocs(call, {"version": version, "capabilities": {}})


def _ocs(call: Call, data: Mapping[str, object]) -> Response:
    # v1 reports success as 100 whatever HTTP says, v2 as HTTP does.
    code = 100 if "/ocs/v1.php/" in call.request.url.path else int(HTTPStatus.OK)
    meta: dict[str, object] = {"status": "ok", "statuscode": code, "message": "OK"}
    wants_json = call.given.text("format") == "json"
    if wants_json or "json" in call.request.headers.get("accept", ""):
        return json_answer({"ocs": {"meta": meta, "data": data}})
    body = f"<meta>{_xml(meta)}</meta><data>{_xml(data)}</data>"
    text = f'<?xml version="1.0"?>\n<ocs>{body}</ocs>\n'
    return Response(text, media_type="application/xml")


def _xml(values: Mapping[str, object]) -> str:
    return "".join(
        f"<{n}>{_xml(v) if isinstance(v, dict) else escape(str(v))}</{n}>"
        for n, v in values.items()
    )


_BASES = ("/index.php/apps/news/api", "/apps/news/api")
_MARKS = {"read": "read", "unread": "unread", "star": "starred", "unstar": "unstarred"}
_READS = {
    "GET /version": always({"version": _VERSION}),
    "GET /status": always({"version": _VERSION, "warnings": _WARNINGS}),
    "GET /user": user,
    "GET /folders": feeds.list_folders,
    "GET /feeds": feeds.list_feeds,
    "GET /feeds/all": feeds.all_feeds,
    "GET /feeds/{id}/filter": feeds.show_filter,
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
    "PUT|POST /feeds/{id}/filter": feeds.save_filter,
    "DELETE /feeds/{id}/filter": feeds.drop_filter,
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
        ("/user", ocs_user),
        ("/users/{login}", ocs_user),
        ("/capabilities", ocs_capabilities),
    )
}
_LEVELS = [Route(path, levels, ("GET",), Access.ANYONE) for path in ("", "/")]
_STATUS = Route("/status.php", cloud_status, ("GET",), Access.ANYONE)

ROUTES = (
    *routes_of(_BASES, _LEVELS, error_answer),
    *routes_of(
        [f"{base}/{level}" for base in _BASES for level in _API_LEVELS],
        (*ENDPOINTS.routes(_READS, writes=False), *ENDPOINTS.routes(_WRITES, writes=True)),
        error_answer,
    ),
    *routes_of(
        ("", "/index.php"), (*ENDPOINTS.routes(_CLOUD, writes=False), _STATUS), error_answer
    ),
)
