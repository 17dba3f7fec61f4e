"""Around everything: request ids, one log line per request, headers on every answer.

Raw ASGI, so that it also covers static files, unknown addresses and failures. Logs name
the route's pattern and never the address itself: addresses may carry secrets.
"""

import secrets
import time

import structlog
from prometheus_client import Histogram
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feedloom.serve.auth import Actor
from feedloom.serve.origin import is_https

LATENCY = Histogram(
    "feedloom_request_seconds",
    "Time to answer a request, by route pattern.",
    ["method", "route", "status"],
)
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
    " img-src 'self' https: http: data:; media-src https: http:; connect-src 'self';"
    " manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-store",
}
_HSTS = "max-age=31536000"
log = structlog.get_logger()


class Shell:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request inside the shell."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        began = time.perf_counter()
        status = 500

        async def sealed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _seal(scope, MutableHeaders(scope=message), request_id)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, sealed)
            finally:
                _note(scope, status, time.perf_counter() - began)


def _seal(scope: Scope, headers: MutableHeaders, request_id: str) -> None:
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    headers["X-Request-Id"] = request_id
    if is_https(HTTPConnection(scope)):
        headers.setdefault("Strict-Transport-Security", _HSTS)


def _note(scope: Scope, status: int, seconds: float) -> None:
    route = getattr(scope.get("route"), "path", "(none)")
    method = scope["method"] if scope["method"] in _METHODS else "(other)"
    LATENCY.labels(method, route, str(status)).observe(seconds)
    found = scope["state"].get("actor")
    log.info(
        "request",
        method=method,
        route=route,
        status=status,
        ms=round(seconds * 1000, 1),
        user_id=found.user.id if isinstance(found, Actor) else None,
    )


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
