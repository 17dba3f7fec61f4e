"""Authorization: every request to every route passes these steps, in this order.

who is it | may they come in | is the form theirs | not too often | is it their turn |
endpoint (which reads the body) | cookies
Errors become answers here and nowhere else; what is not ours is logged and becomes 500.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from http import HTTPStatus

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from feedloom.flow.identity.accounts import SESSION_LIFE
from feedloom.model.errors import FeedloomError, NotAllowed, NotSignedIn, Throttled
from feedloom.serve.auth import client_address, identify, maybe_actor, services
from feedloom.serve.cookies import SESSION, set_cookie
from feedloom.serve.error_responses import answer_error, answer_problem, problem_of_status
from feedloom.serve.middleware.bodies import Body, Intake
from feedloom.serve.middleware.turns import Turns, take_turn_of
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import keep_guest, require_csrf, require_readable_form

_WINDOW_S = 60


@dataclass(slots=True)
class RequestRate:
    per_minute: int
    _window: int = 0
    _uses: Counter[str] = field(default_factory=Counter)

    def note(self, who: str, now_s: float) -> None:
        """Count one use; ``Throttled`` when it is one too many this minute."""
        window, into = divmod(int(now_s), _WINDOW_S)
        if window != self._window:
            self._window = window
            self._uses.clear()
        self._uses[who] += 1
        if self._uses[who] > self.per_minute:
            raise Throttled(retry_after_s=_WINDOW_S - into)


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
VARY = (b"vary", b"Accept, HX-Request")
_BROWSERS = frozenset({Access.ANYONE, Access.PERSON, Access.OPERATOR})
log = structlog.get_logger()


class Authorization:
    """All routes of one path, as an ASGI application."""

    def __init__(self, routes: Sequence[Route], intake: Intake, turns: Turns) -> None:
        self.routes = tuple(routes)
        self._intake = intake
        self._turns = turns
        self._by_method: dict[str, Route] = {}
        for route in routes:
            for method in route.methods:
                self._by_method.setdefault(method, route)
                if method == "GET":
                    self._by_method.setdefault("HEAD", route)
        self._paces = {
            id(route): RequestRate(route.per_minute) for route in routes if route.per_minute
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._by_method.get(scope["method"])
        if route is None:
            problem = problem_of_status(HTTPStatus.METHOD_NOT_ALLOWED)
            response = answer_problem(Request(scope, receive, send), problem)
            response.headers["Allow"] = ", ".join(sorted(self._by_method))
            await _send(response, scope, receive, send)
            return
        body = Body(receive, scope, route, self._intake)
        async with AsyncExitStack() as until_answered:
            until_answered.callback(body.close)
            scope["state"] |= {"turns": self._turns, "until_answered": until_answered}
            request = Request(scope, body.receive, send)
            response = await _pass(route, request, self._paces.get(id(route)))
            await _send(response, scope, receive, send)
            await request.close()


async def _send(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if VARY[0] not in dict(response.raw_headers):
        response.raw_headers.append(VARY)
    await response(scope, receive, send)


async def _pass(route: Route, request: Request, pace: RequestRate | None) -> Response:
    try:
        await _admit(route, request)
        found = maybe_actor(request)
        if pace is not None:
            who = client_address(request) if found is None else str(found.user.id)
            pace.note(who, services(request).clock.now().timestamp())
        if request.method in SAFE and found is not None:
            await take_turn_of(request, found)
        response = await route.endpoint(request)
    except FeedloomError as error:
        response = _refusal(route, request, error)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.exception("answer_5xx", route=route.path, key=error.key)
    except HTTPException as error:
        problem = problem_of_status(error.status_code, error.detail)
        response = answer_problem(request, problem)
    except ClientDisconnect:
        response = Response(status_code=499)
    except Exception:
        log.exception("request_failed", route=route.path)
        response = _refusal(route, request, FeedloomError())
    _refresh_session(request, response)
    keep_guest(request, response)
    return response


async def _admit(route: Route, request: Request) -> None:
    require_readable_form(request)
    await identify(request, route.access)
    if request.method in SAFE:
        return
    found = maybe_actor(request)
    if found is not None and not found.may_write and not route.reads:
        raise NotAllowed("This app password is read-only.")
    if route.csrf and route.access in _BROWSERS:
        await require_csrf(request)


def _refusal(route: Route, request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotSignedIn) and route.access in _BROWSERS:
        # Signing in looks the same on every page.
        response = answer_error(request, error)
        response.headers["WWW-Authenticate"] = 'Bearer realm="Feedloom"'
        response.headers["Location"] = "/auth/login"
        return response
    response = (route.errors or answer_error)(request, error)
    if isinstance(error, NotSignedIn) and route.access is Access.PROGRAM:
        response.headers.setdefault("WWW-Authenticate", 'Basic realm="Feedloom"')
    return response


def _refresh_session(request: Request, response: Response) -> None:
    """Let the cookie live as long as the session, whose end moved on just now."""
    found = maybe_actor(request)
    if found is None or found.session is None or found.session.keep is None:
        return
    if any(name == b"set-cookie" for name, _ in response.raw_headers):
        return
    age = int(SESSION_LIFE.total_seconds())
    set_cookie(request, response, SESSION, found.session.keep, max_age_s=age)
