"""Probes before a sync: version, status, who is signed in (also OCS)."""

from http import HTTPStatus
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import User
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.nextcloud.calls import Call
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


async def version(_call: Call) -> Response:
    return json_answer({"version": VERSION})


async def status(_call: Call) -> Response:
    """Tell what clients check before anything else."""
    warnings = {"improperlyConfiguredCron": False, "incorrectDbCharset": False}
    return json_answer({"version": VERSION, "warnings": warnings})


async def user(call: Call) -> Response:
    password = call.actor.app_password
    used_at = password.last_used_at if password else None
    return json_answer(
        {
            "userId": call.user.email,
            "displayName": call.user.email,
            "lastLoginTimestamp": whole_second(used_at) if used_at else 0,
            "avatar": None,
        }
    )


async def ocs_user(call: Call) -> Response:
    asked = call.request.path_params.get("login", call.user.email)
    if asked.casefold() != call.user.email:
        raise NotFound
    return _ocs(call, _person(call.user))


async def ocs_capabilities(call: Call) -> Response:
    major, minor, micro = CLOUD_VERSION.split(".")
    version = {"major": major, "minor": minor, "micro": micro, "string": CLOUD_VERSION}
    return _ocs(call, {"version": version, "capabilities": {}})


def _person(user: User) -> dict[str, object]:
    return {
        "id": user.email,
        "enabled": "true",
        "displayname": user.email,
        "display-name": user.email,
        "email": user.email,
        "language": "en",
    }


def _ocs(call: Call, data: dict[str, object]) -> Response:
    # v1 reports success as 100 whatever HTTP says, v2 as HTTP does.
    code = 100 if "/ocs/v1.php/" in call.request.url.path else int(HTTPStatus.OK)
    meta: dict[str, object] = {"status": "ok", "statuscode": code, "message": "OK"}
    wants_json = call.given.text("format") == "json"
    if wants_json or "json" in call.request.headers.get("accept", ""):
        return json_answer({"ocs": {"meta": meta, "data": data}})
    body = f"<meta>{_xml(meta)}</meta><data>{_xml(data)}</data>"
    text = f'<?xml version="1.0"?>\n<ocs>{body}</ocs>\n'
    return Response(text, media_type="application/xml")


def _xml(values: dict[str, object]) -> str:
    return "".join(
        f"<{n}>{_xml(v) if isinstance(v, dict) else escape(str(v))}</{n}>"
        for n, v in values.items()
    )
