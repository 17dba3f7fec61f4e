"""Finding the door: hundreds of addresses, few comparisons.

An address without variables is one look into a table; the others are tried only among
those that begin with the same word. What is not found is looked for once more without
the slashes that are too many: people type them into their programs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from feedloom.serve.doors import Door
from feedloom.serve.entrance.gate import Gate

_SLASHES = re.compile(r"(?<!:)/{2,}")


class Finder(BaseRoute):
    """All routes of the house as one."""

    def __init__(self, doors: Iterable[Door]) -> None:
        by_path: dict[str, list[Door]] = defaultdict(list)
        for door in doors:
            by_path[door.path].append(door)
        self.routes = [
            Route(path, Gate(group))
            for path, group in sorted(by_path.items(), key=lambda pair: _rank(pair[0]))
        ]
        self._whole = {r.path: r for r in self.routes if "{" not in r.path}
        self._by_word: dict[str, list[Route]] = defaultdict(list)
        for route in self.routes:
            if "{" in route.path:
                self._by_word[_first_word(route.path)].append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Find the route of a path, whatever the method."""
        if scope["type"] != "http":
            return Match.NONE, {}
        found = self._find(scope)
        if found is None:
            path = _tidied(scope["path"])
            if path != scope["path"]:
                meant = {**scope, "path": path, "raw_path": path.encode()}
                found = self._find(meant)
                if found is not None:
                    found |= {"path": path, "raw_path": path.encode()}
        return (Match.NONE, {}) if found is None else (Match.FULL, found)

    def _find(self, scope: Scope) -> dict[str, Any] | None:
        path: str = scope["path"]
        route = self._whole.get(path)
        if route is not None:
            return {"path_params": {}, "route": route}
        for candidate in self._by_word.get(_first_word(path), ()):
            found, child = candidate.matches(scope)
            if found is Match.FULL:
                return {**child, "route": candidate}
        return None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the route that was found."""
        route: Route = scope["route"]
        await route.app(scope, receive, send)


def _tidied(path: str) -> str:
    """Return what a path means that programs put together with a slash too many.

    Behind a colon two slashes are part of an address within the address.
    """
    return _SLASHES.sub("/", path).rstrip("/") or "/"


def _first_word(path: str) -> str:
    # "OPTIONS *" is the one address that does not begin with a slash.
    return path.split("/", 2)[1] if path.startswith("/") else ""


def _rank(path: str) -> list[tuple[int, str]]:
    """Let words come before what takes any word, and that before what takes all."""
    ranks = []
    for segment in path.split("/"):
        place = 2 if ":path}" in segment else 1 if "{" in segment else 0
        ranks.append((place, segment))
    return ranks
