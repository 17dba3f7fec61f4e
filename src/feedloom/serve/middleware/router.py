"""Finding the route: hundreds of addresses, few comparisons.

An address without variables is one look into a table; the others are tried only among
those that begin with the same word. What is not found is looked for once more without
the slashes that are too many: people type them into their programs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from starlette.routing import BaseRoute, Match
from starlette.routing import Route as StarletteRoute
from starlette.types import Receive, Scope, Send

from feedloom.serve.middleware.authorization import Authorization
from feedloom.serve.middleware.bodies import Intake
from feedloom.serve.routes import Route

_ANY_REST = "{rest:path}"
_SLASHES = re.compile(r"(?<!:)/{2,}")


class Router(BaseRoute):
    def __init__(self, routes: Iterable[Route]) -> None:
        by_path: dict[str, list[Route]] = defaultdict(list)
        for route in routes:
            by_path[route.path].append(route)
        intake = Intake()
        self.starlette_routes = [
            StarletteRoute(path, Authorization(group, intake))
            for path, group in sorted(by_path.items(), key=lambda pair: _rank(pair[0]))
        ]
        self._whole = {r.path: r for r in self.starlette_routes if "{" not in r.path}
        self._by_word: dict[str, list[StarletteRoute]] = defaultdict(list)
        for starlette_route in self.starlette_routes:
            if "{" in starlette_route.path:
                self._by_word[_first_word(starlette_route.path)].append(starlette_route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        found = self._find(scope)
        # What takes any path of a protocol takes what has a slash too many as well.
        if found is None or found["route"].path.endswith(_ANY_REST):
            path = _tidied(scope["path"])
            if path != scope["path"]:
                tidy = {"path": path, "raw_path": path.encode()}
                meant = self._find({**scope, **tidy})
                found = found if meant is None else meant | tidy
        return (Match.NONE, {}) if found is None else (Match.FULL, found)

    def _find(self, scope: Scope) -> dict[str, Any] | None:
        path: str = scope["path"]
        starlette_route = self._whole.get(path)
        if starlette_route is not None:
            return {"path_params": {}, "route": starlette_route}
        for candidate in self._by_word.get(_first_word(path), ()):
            found, child = candidate.matches(scope)
            if found is Match.FULL:
                return {**child, "route": candidate}
        return None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        starlette_route: StarletteRoute = scope["route"]
        await starlette_route.app(scope, receive, send)


def _tidied(path: str) -> str:
    """Return what a path means that programs put together with a slash too many.

    Behind a colon two slashes are part of an address within the address.
    """
    return _SLASHES.sub("/", path).rstrip("/") or "/"


def _first_word(path: str) -> str:
    # "OPTIONS *" is the one address that does not begin with a slash.
    return path.split("/", 2)[1] if path.startswith("/") else ""


def _rank(path: str) -> list[tuple[int, str]]:
    ranks = []
    for segment in path.split("/"):
        place = 2 if ":path}" in segment else 1 if "{" in segment else 0
        ranks.append((place, segment))
    return ranks
