"""Requests without a server: scopes as uvicorn makes them."""

from collections.abc import Mapping
from ipaddress import ip_network
from types import SimpleNamespace
from typing import Any, cast

from starlette.applications import Starlette
from starlette.requests import Request

from feedloom.serve.services import Services
from tests.fakes import FixedClock

KEY = b"k" * 32


def surroundings(**changes: object) -> Services:
    """Make what these modules look at of the services, and nothing more."""
    given = {"base_url": "", "trusted_proxies": (), "secret_key": KEY, "clock": FixedClock()}
    return cast("Services", SimpleNamespace(**given | changes))


def networks(*names: str) -> tuple[object, ...]:
    return tuple(ip_network(name) for name in names)


def make_request(
    method: str = "GET",
    path: str = "/",
    *,
    headers: Mapping[str, str] | None = None,
    peer: str = "192.0.2.1",
    services: Services | None = None,
    body: bytes = b"",
) -> Request:
    """Make a request that arrived from a peer."""
    app: Any = Starlette()
    app.services = services or surroundings()
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    given = {"host": "feeds.example", **lower}

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": (peer, 1234) if peer else None,
        "server": ("feeds.example", 80),
        "scheme": "http",
        "app": app,
        "state": {},
        "path_params": {},
    }
    return Request(scope, receive)
