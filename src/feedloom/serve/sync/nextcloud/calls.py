"""One request of a client, the protocol's basic responses, and what clients probe first."""

from collections.abc import Mapping
from http import HTTPStatus
from xml.sax.saxutils import escape

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, NotFound, NotSignedIn
from feedloom.serve.auth import Actor, actor
from feedloom.serve.error_responses import problem_of
from feedloom.serve.routes import Access
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC, Call, Endpoints
from feedloom.serve.sync.times import whole_second

LEVELS = ("v1-2", "v1-3")
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
    return json_answer({"apiLevels": LEVELS})


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


async def version(_call: Call) -> object:
    return {"version": _VERSION}


async def status(_call: Call) -> object:
    """Tell what clients check before anything else."""
    warnings = {"improperlyConfiguredCron": False, "incorrectDbCharset": False}
    return {"version": _VERSION, "warnings": warnings}


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
