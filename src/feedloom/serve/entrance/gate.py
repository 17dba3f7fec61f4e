"""The one gate: every request to every door passes here, in this order.

body limit | who is it | may they come in | is the form theirs | not too often
| endpoint | cookies
Errors become answers here and nowhere else; what is not ours is logged and becomes 500.
"""

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from feedloom.flow.identity.accounts import SESSION_LIFE, TOUCH_EVERY
from feedloom.model.errors import (
    FeedloomError,
    NotAllowed,
    NotSignedIn,
    TooMuchSent,
)
from feedloom.model.ports import watch
from feedloom.serve.answers import answer_error, answer_problem, problem_of_status
from feedloom.serve.auth import client_address, identify, maybe_actor, services
from feedloom.serve.cookies import SESSION, read_cookie, set_cookie
from feedloom.serve.doors import Access, Door
from feedloom.serve.entrance.pacing import Pace
from feedloom.serve.security import keep_guest, require_csrf, require_readable_form

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
VARY = (b"vary", b"Accept, HX-Request")
_BROWSERS = frozenset({Access.ANYONE, Access.PERSON, Access.OPERATOR})
_PATIENCE_S = 30.0
_SLOWEST_BYTES_S = 50_000
log = structlog.get_logger()


class Gate:
    """All doors of one path, as an ASGI application."""

    def __init__(self, doors: Sequence[Door]) -> None:
        self.doors = tuple(doors)
        self._by_method = _by_method(doors)
        self._paces = {
            id(door): Pace(door.per_minute) for door in doors if door.per_minute
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        door = self._by_method.get(scope["method"])
        if door is None:
            request = Request(scope, receive, send)
            response = self._not_this_method(request)
        else:
            request = Request(scope, limited(receive, scope, door.body_limit), send)
            response = await _pass(door, request, self._paces.get(id(door)))
        if VARY[0] not in dict(response.raw_headers):
            response.raw_headers.append(VARY)
        await response(scope, receive, send)
        await request.close()

    def _not_this_method(self, request: Request) -> Response:
        problem = problem_of_status(HTTPStatus.METHOD_NOT_ALLOWED)
        response = answer_problem(request, problem)
        response.headers["Allow"] = ", ".join(sorted(self._by_method))
        return response


async def _pass(door: Door, request: Request, pace: Pace | None) -> Response:
    request.state.sight = watch()
    try:
        await _admit(door, request)
        if pace is not None:
            pace.note(_name(request), services(request).clock.now().timestamp())
        response = await door.endpoint(request)
    except FeedloomError as error:
        response = _refusal(door, request, error)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.exception("answer_5xx", route=door.path, key=error.key)
    except HTTPException as error:
        problem = problem_of_status(error.status_code, error.detail)
        response = answer_problem(request, problem)
    except ClientDisconnect:
        response = Response(status_code=499)
    except Exception:
        log.exception("request_failed", route=door.path)
        response = _refusal(door, request, FeedloomError())
    _refresh_session(request, response)
    keep_guest(request, response)
    return response


async def _admit(door: Door, request: Request) -> None:
    require_readable_form(request)
    await identify(request, door.access)
    if request.method in SAFE:
        return
    found = maybe_actor(request)
    if found is not None and not found.may_write and not door.reads:
        raise NotAllowed("This app password may only read.")
    if door.csrf and door.access in _BROWSERS:
        await require_csrf(request)


def _name(request: Request) -> str:
    found = maybe_actor(request)
    return client_address(request) if found is None else str(found.user.id)


def _refusal(door: Door, request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotSignedIn) and door.access in _BROWSERS:
        # Signing in looks the same at every door of browsers.
        response = answer_error(request, error)
        response.headers["WWW-Authenticate"] = 'Bearer realm="Feedloom"'
        response.headers["Location"] = "/auth/login"
        return response
    response = (door.errors or answer_error)(request, error)
    if isinstance(error, NotSignedIn) and door.access is Access.PROGRAM:
        response.headers.setdefault("WWW-Authenticate", 'Basic realm="Feedloom"')
    return response


def _refresh_session(request: Request, response: Response) -> None:
    """Let the cookie live as long as the session, whose end moved on just now."""
    found = maybe_actor(request)
    if found is None or found.session is None:
        return
    if services(request).clock.now() - found.session.seen_at < TOUCH_EVERY:
        return
    if any(name == b"set-cookie" for name, _ in response.raw_headers):
        return
    token = read_cookie(request, SESSION)
    age = int(SESSION_LIFE.total_seconds())
    set_cookie(request, response, SESSION, token, max_age_s=age)


def _by_method(doors: Sequence[Door]) -> Mapping[str, Door]:
    table: dict[str, Door] = {}
    for door in doors:
        for method in door.methods:
            table.setdefault(method, door)
            if method == "GET":
                table.setdefault("HEAD", door)
    return table


def limited(
    receive: Receive, scope: Scope, limit: int, *, patience_s: float = _PATIENCE_S
) -> Receive:
    """Hand on a body until it is larger than the door takes, or too slow in coming."""
    taken = 0
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_s + limit / _SLOWEST_BYTES_S

    async def counted() -> Message:
        nonlocal taken
        if taken == 0 and _announced(scope) > limit:
            raise TooMuchSent
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT) from error
        taken += len(message.get("body", b""))
        if taken > limit:
            raise TooMuchSent
        return message

    return counted


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
