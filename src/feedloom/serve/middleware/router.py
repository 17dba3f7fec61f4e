"""Routing: Starlette's router, with one route for a page and its JSON form.

Addresses with words come before those with variables. What is not found is looked for once
more without the slashes that are too many: people type them into their programs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from itertools import groupby
from typing import cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router as StarletteRouter
from starlette.types import ASGIApp, Receive, Scope, Send

from feedloom.model.errors import FeedloomError
from feedloom.serve.error_responses import answer_error, answer_problem, problem_of_status
from feedloom.serve.negotiation import wants_html
from feedloom.serve.routes import Route

_ANY_REST = re.compile(r"[^{]*\{rest:path\}")
"""A protocol's whole address space; behind a variable the rest is a value of its own."""
_SLASHES = re.compile(r"(?<!:)/{2,}")


class Router(StarletteRouter):
    def __init__(self, apps: Mapping[str, ASGIApp]) -> None:
        routes = [StarletteRoute(path, apps[path]) for path in sorted(apps, key=_rank)]
        rests = [route for route in routes if _ANY_REST.fullmatch(route.path)]
        super().__init__([route for route in routes if route not in rests], redirect_slashes=False)
        # What takes any path of a protocol takes what has a slash too many as well.
        self._rest = StarletteRouter(rests, redirect_slashes=False, default=_missing)
        # No path begins with a variable, so its first word leaves few of 500 routes to try.
        words = groupby(self.routes, lambda route: _first_word(cast("StarletteRoute", route).path))
        self._by_word = {
            word: StarletteRouter([*found], redirect_slashes=False, default=self.not_found)
            for word, found in words
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "\x00" in scope.get("path", ""):
            # Nothing has a NUL in its name, and PostgreSQL could not even look for it.
            await _missing(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        router = self._by_word.get(_first_word(scope.get("path", "")))
        await (super().app if router is None else router)(scope, receive, send)

    async def not_found(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().not_found(scope, receive, send)
            return
        # Behind a colon two slashes are part of an address within the address.
        path = _SLASHES.sub("/", scope["path"]).rstrip("/") or "/"
        if path != scope["path"]:
            scope.update(path=path, raw_path=path.encode())
            await self.app(scope, receive, send)
        else:
            await self._rest(scope, receive, send)


async def _missing(scope: Scope, receive: Receive, send: Send) -> None:
    problem = problem_of_status(HTTPStatus.NOT_FOUND)
    await answer_problem(Request(scope), problem)(scope, receive, send)


def _first_word(path: str) -> str:
    return path.lstrip("/").partition("/")[0]


def _rank(path: str) -> list[tuple[int, str]]:
    return [(2 if ":path}" in s else 1 if "{" in s else 0, s) for s in path.split("/")]


def negotiate(spoken: Sequence[Route], drawn: Sequence[Route]) -> tuple[Route, ...]:
    """Join JSON routes with the pages' routes of the same address and method."""
    pages = {(route.path, method): route for route in drawn for method in route.methods}
    meeting = []
    for route in spoken:
        page = pages.pop((route.path, route.methods[0]), None)
        meeting.append(route if page is None else _join(route, page))
    alone = {id(route): route for route in pages.values()}
    return (*meeting, *alone.values())


def _join(spoken: Route, drawn: Route) -> Route:
    if spoken.methods != drawn.methods or spoken.access is not drawn.access:
        msg = f"{spoken.path}: the two representations differ in who may ask"
        raise ValueError(msg)

    async def endpoint(request: Request) -> Response:
        chosen = drawn if wants_html(request) else spoken
        return await chosen.endpoint(request)

    def errors(request: Request, error: FeedloomError) -> Response:
        chosen = drawn if wants_html(request) else spoken
        return (chosen.errors or answer_error)(request, error)

    return replace(
        spoken,
        endpoint=endpoint,
        errors=errors if spoken.errors or drawn.errors else None,
        per_minute=max(spoken.per_minute, drawn.per_minute),
        body_limit=max(spoken.body_limit, drawn.body_limit),
        stranger_limit=max(spoken.stranger_limit, drawn.stranger_limit),
    )
