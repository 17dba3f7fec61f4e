"""The outermost middleware: request ids, one log line per request, headers on every response.

Raw ASGI, so that it also covers static files, unknown addresses and failures. Logs name
the route's pattern and never the address itself: addresses may carry secrets.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus

import structlog
from prometheus_client import Histogram
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feedloom.serve.auth import Actor
from feedloom.serve.origin import client_network, is_https

LATENCY = Histogram(
    "feedloom_request_seconds",
    "Request duration by route.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)


def csp(images: str = "'self'") -> str:
    """Write the policy of our pages.

    Pictures of others come through the image proxy, players stand in pages of ours.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';"
        f" img-src {images}; media-src https: http:; frame-src 'self'; connect-src 'self';"
        " manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    )


HEADERS = {
    "Content-Security-Policy": csp(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-store",
}
MOST_AT_ONCE = 1_000
"""Requests under way; more are turned away at once rather than all served slowly."""
PART = 65_536
"""Bytes of an answer that are sent at once; most pages are smaller, and are painted whole."""
PART_OF_TURN = 262_144
"""The same for what a person reads in turns: of these there are few at once."""
CROWDED = 500
MOST_OF_ONE = 250
"""Requests of one address, once it is crowded: some wait for publishers, and long."""
RawHeaders = Iterable[tuple[bytes, bytes]]
_RAW_HEADERS = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_HSTS = (b"strict-transport-security", b"max-age=31536000")
log = structlog.get_logger()


class OuterMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._under_way = 0
        self._of_each: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = os.urandom(8).hex()
        scope.setdefault("state", {})["request_id"] = request_id
        sender = client_network(HTTPConnection(scope))
        self._count(sender, 1)
        began = time.perf_counter()
        exchange = _Exchange(scope, receive, send, partial(self._count, sender))
        # Each request has a task of its own, and this is forgotten with it.
        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            is_crowded = self._under_way > CROWDED and self._of_each[sender] > MOST_OF_ONE
            if is_crowded or self._under_way > MOST_AT_ONCE:
                await _plain(503, {"Retry-After": "5"})(scope, receive, exchange.send)
            else:
                await self._answer(scope, exchange)
        finally:
            self._count(sender, -1)
            _note(scope, exchange.status, time.perf_counter() - began)

    def _count(self, sender: str, number: int) -> None:
        self._under_way += number
        self._of_each[sender] += number
        if not self._of_each[sender]:
            del self._of_each[sender]

    async def _answer(self, scope: Scope, exchange: "_Exchange") -> None:
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception:
            log.exception("answer_failed", route=_route(scope))
            if exchange.status is not None:
                # Half an answer went out: only a broken line says that it is not whole.
                raise
            await _plain(500, {})(scope, exchange.receive, exchange.send)


class _Exchange:
    """A ``receive`` and a ``send``, which puts the headers on and remembers the status.

    While one of them waits for the client, the request counts as no work.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, count: Callable[[int], None]
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._count = count
        self._waits = 0
        self.status: int | None = None

    async def receive(self) -> Message:
        with self._waiting():
            return await self._receive()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            message["headers"] = _sealed(self._scope, message["headers"])
        # The server waits before each part until most of what came before was taken.
        body, start = message.get("body", b""), 0
        size = PART_OF_TURN if self._scope["state"].get("has_turn") else PART
        with self._waiting():
            while len(body) - start > size:
                part = body[start : start + size]
                await self._send({"type": message["type"], "body": part, "more_body": True})
                start += size
            await self._send({**message, "body": body[start:]} if start else message)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        self._waits += 1
        if self._waits == 1:
            self._count(-1)
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._count(1)


def _plain(status: int, headers: dict[str, str]) -> Response:
    return PlainTextResponse(f"{HTTPStatus(status).phrase}\n", status, headers)


def _sealed(scope: Scope, headers: RawHeaders) -> list[tuple[bytes, bytes]]:
    """Add what is missing; names in ASGI are lower-case bytes."""
    told = dict(headers)
    missing = [pair for pair in _RAW_HEADERS if pair[0] not in told]
    if _HSTS[0] not in told and is_https(HTTPConnection(scope)):
        missing.append(_HSTS)
    request_id = scope["state"]["request_id"].encode()
    return [*headers, *missing, (b"x-request-id", request_id)]


def _route(scope: Scope) -> str:
    return str(getattr(scope.get("route"), "path", "(none)"))


def _note(scope: Scope, status: int | None, seconds: float) -> None:
    route = _route(scope)
    method = scope["method"] if scope["method"] in _METHODS else "(other)"
    LATENCY.labels(method, route, f"{(status or 500) // 100}xx").observe(seconds)
    found = scope["state"].get("actor")
    log.info(
        "request",
        method=method,
        route=route,
        status=status,
        ms=round(seconds * 1000, 1),
        user_id=found.user.id if isinstance(found, Actor) else None,
    )
