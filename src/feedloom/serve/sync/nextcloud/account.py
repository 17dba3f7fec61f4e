"""Probes before a sync: version, status, who is signed in (also OCS)."""

from http import HTTPStatus
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import User
from feedloom.serve.auth import actor
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.nextcloud import shapes
from feedloom.serve.sync.parameters import read_query
from feedloom.serve.sync.routes import SyncRoute
from feedloom.serve.sync.times import whole_second

VERSION = "28.4.0"
"""The News release whose API this is; clients refuse older ones."""
CLOUD_VERSION = "31.0.0"
"""The Nextcloud release that such a News runs on."""
LEVELS = ("v1-2", "v1-3")


async def levels(_request: Request) -> Response:
    return json_answer({"apiLevels": LEVELS})


async def cloud_status(_request: Request) -> Response:
    status = {
        "installed": True,
        "maintenance": False,
        "needsDbUpgrade": False,
        "version": f"{CLOUD_VERSION}.0",
        "versionstring": CLOUD_VERSION,
        "edition": "",
        "productname": "Feedloom",
        "extendedSupport": False,
    }
    return json_answer(status)


async def _version(_request: Request) -> Response:
    return json_answer({"version": VERSION})


async def _status(_request: Request) -> Response:
    return json_answer(shapes.Status(VERSION, shapes.Warnings()))


async def _user(request: Request) -> Response:
    found = actor(request)
    used_at = found.app_password.last_used_at if found.app_password else None
    return json_answer(
        shapes.Person(
            user_id=found.user.email,
            display_name=found.user.email,
            last_login_timestamp=whole_second(used_at) if used_at else 0,
        )
    )


async def ocs_user(request: Request) -> Response:
    user = actor(request).user
    asked = request.path_params.get("login", user.email)
    if asked.casefold() != user.email:
        raise NotFound
    return _ocs(request, _person(user))


async def ocs_capabilities(request: Request) -> Response:
    major, minor, micro = CLOUD_VERSION.split(".")
    version = {"major": major, "minor": minor, "micro": micro, "string": CLOUD_VERSION}
    return _ocs(request, {"version": version, "capabilities": {}})


def _person(user: User) -> dict[str, object]:
    return {
        "id": user.email,
        "enabled": "true",
        "displayname": user.email,
        "display-name": user.email,
        "email": user.email,
        "language": "en",
    }


def _ocs(request: Request, data: dict[str, object]) -> Response:
    # v1 reports success as 100 whatever HTTP says, v2 as HTTP does.
    code = 100 if "/ocs/v1.php/" in request.url.path else int(HTTPStatus.OK)
    meta: dict[str, object] = {"status": "ok", "statuscode": code, "message": "OK"}
    wants_json = read_query(request).text("format") == "json"
    if wants_json or "json" in request.headers.get("accept", ""):
        return json_answer({"ocs": {"meta": meta, "data": data}})
    body = f"<meta>{_xml(meta)}</meta><data>{_xml(data)}</data>"
    text = f'<?xml version="1.0"?>\n<ocs>{body}</ocs>\n'
    return Response(text, media_type="application/xml")


def _xml(values: dict[str, object]) -> str:
    return "".join(
        f"<{n}>{_xml(v) if isinstance(v, dict) else escape(str(v))}</{n}>"
        for n, v in values.items()
    )


ROUTES = (
    SyncRoute(("GET",), "/version", _version),
    SyncRoute(("GET",), "/status", _status),
    SyncRoute(("GET",), "/user", _user),
)
