"""Signing in: tokens, and who asks; one request of a client; and the protocol's errors."""

from datetime import datetime
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.model.reader import Bookmark
from feedloom.serve.auth import Actor, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Endpoints, client_token
from feedloom.serve.sync.parameters import read_given, row_id

BASE = "/wallabag"
_VERSION = "2.6.9"
"""The release whose API this is; clients ask for features by it."""
_SCHEME = "bearer "
_YEAR_S = 31_536_000
"""Clients want a number; a token lives as long as its app password."""
_MOST_TAGS = 50
_LONGEST_TAG = 255


class Call(calls.Call):
    __slots__ = ()

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name].removesuffix(".json"))

    async def bookmark(self) -> Bookmark:
        return await self.services.bookmarks.bookmark(self.user_id, self.id())

    def tags(self) -> list[str]:
        """Read tags between commas."""
        named = ",".join(self.given.texts("tags")).split(",")
        trimmed = (" ".join(tag.split()) for tag in named)
        found = list(dict.fromkeys(tag for tag in trimmed if tag))
        if len(found) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in found):
            raise InvalidInput("At most 50 tags of 255 characters.", field="tags")
        return found


def moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat()[:19]}+0000"


async def token(request: Request) -> Response:
    """Give the token of an app password; any client id and secret will do."""
    given = await read_given(request)
    kind = given.text("grant_type")
    if kind == "password":
        secret, email = given.text("password"), given.text("username")
        made = await client_token(request, secret, "wallabag", email)
    elif kind == "refresh_token":
        made = given.text("refresh_token")
        if not made:
            raise NotSignedIn
        await authenticate_secret(request, made, "wallabag")
    else:
        raise InvalidInput("grant_type must be password or refresh_token.")
    told = {
        "access_token": made,
        "refresh_token": made,
        "expires_in": _YEAR_S,
        "token_type": "bearer",
        "scope": None,
    }
    return json_answer(told, headers={"Cache-Control": "no-store"})


async def _authenticate(request: Request) -> Actor:
    header = request.headers.get("authorization", "").strip()
    secret = header[len(_SCHEME) :].strip()
    if not secret or not header.lower().startswith(_SCHEME):
        raise NotSignedIn("An access token is required.")
    return await authenticate_secret(request, secret, "wallabag")


ENDPOINTS = Endpoints(Call, _authenticate)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Bearer realm="Feedloom", error="invalid_grant"'
        return _refusal(error, problem.detail, status, headers)
    if isinstance(error, InvalidInput):
        status = HTTPStatus.BAD_REQUEST
    told = {"error": {"code": int(status), "message": problem.detail}}
    return json_answer(told, status=status, headers=headers)


def token_error(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    is_callers = isinstance(error, NotSignedIn | InvalidInput)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return _refusal(error, problem.detail, status, problem.headers)


def _refusal(error: FeedloomError, detail: str, status: int, headers: dict[str, str]) -> Response:
    """Refuse in OAuth's words."""
    word = "invalid_grant" if isinstance(error, NotSignedIn) else "invalid_request"
    told = {"error": word, "error_description": detail}
    return json_answer(told, status=status, headers=headers)


async def version(_request: Request) -> Response:
    return json_answer(_VERSION)


async def info(_request: Request) -> Response:
    told = {"appname": "wallabag", "version": _VERSION, "allowed_registration": False}
    return json_answer(told)


async def user(call: Call) -> object:
    return {
        "id": call.user_id,
        "username": call.user.email,
        "email": call.user.email,
        "name": call.user.email,
        "created_at": moment(call.user.created_at),
        "updated_at": None,
        "default_client": None,
    }
