"""Tokens, the version, and who is signed in."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.serve.auth import Actor, authenticate_secret, services
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.parameters import Given, read_given
from feedloom.serve.sync.wallabag.calls import Call, refusal
from feedloom.serve.sync.wallabag.translation import moment

VERSION = "2.6.9"
"""The release whose API this is; clients ask for features by it."""
_YEAR_S = 31_536_000
"""Clients want a number; a token lives as long as its app password."""
_NOT_STORED = {"Cache-Control": "no-store"}


async def token(request: Request) -> Response:
    """Give the token of an app password; any client id and secret will do."""
    given = await read_given(request)
    kind = given.text("grant_type")
    if kind == "password":
        made = await _by_password(request, given)
    elif kind == "refresh_token":
        made = given.text("refresh_token")
        await _actor(request, made)
    else:
        raise InvalidInput("grant_type must be password or refresh_token.")
    given_token = {
        "access_token": made,
        "refresh_token": made,
        "expires_in": _YEAR_S,
        "token_type": "bearer",
        "scope": None,
    }
    return json_answer(given_token, headers=_NOT_STORED)


async def _by_password(request: Request, given: Given) -> str:
    email, secret = given.text("username"), given.text("password")
    if not email:
        raise NotSignedIn
    found = await _actor(request, secret, email=email)
    if found.app_password is None:
        raise NotSignedIn
    accounts = services(request).accounts
    return await accounts.client_token(found.user, found.app_password, secret)


async def _actor(request: Request, secret: str, *, email: str | None = None) -> Actor:
    if not secret:
        raise NotSignedIn
    return await authenticate_secret(request, secret, "wallabag", email=email)


def token_error(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    is_callers = isinstance(error, NotSignedIn | InvalidInput)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return refusal(error, problem.detail, status, dict(problem.headers))


async def version(_request: Request) -> Response:
    return json_answer(VERSION)


async def info(_request: Request) -> Response:
    told = {"appname": "wallabag", "version": VERSION, "allowed_registration": False}
    return json_answer(told)


async def user(call: Call) -> Response:
    return json_answer(
        {
            "id": call.user.id,
            "username": call.user.email,
            "email": call.user.email,
            "name": call.user.email,
            "created_at": moment(call.user.created_at),
            "updated_at": None,
            "default_client": None,
        }
    )
