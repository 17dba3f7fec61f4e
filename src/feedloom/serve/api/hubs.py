"""The callback address for hubs: verification of requests, and notifications.

The callback's address is a secret of one subscription. What is not proved to come from
its hub is answered like everything else and changes nothing, so trying tells nothing.
"""

import re
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import NotFound
from feedloom.serve.auth import services
from feedloom.serve.middleware.bodies import expect_body
from feedloom.serve.routes import SMALL_BODY, Access, Route

_PATH = "/websub/{token}"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,200}")
_LARGEST = 4 * SMALL_BODY
"""Hubs may send whole documents, which are thrown away: they are fetched at home."""


async def _confirm(request: Request) -> Response:
    token = _token(request)
    query = dict(request.query_params)
    challenge = await services(request).hubs.confirm(token, query)
    return PlainTextResponse(challenge)


async def _hear(request: Request) -> Response:
    delivery = await services(request).hubs.expect(
        _token(request), request.headers.get("x-hub-signature", "")
    )
    expect_body(request, f"hub of feed {delivery.feed_id}")
    async for part in request.stream():
        delivery.read(part)
    await services(request).hubs.hear(delivery)
    return Response(status_code=HTTPStatus.ACCEPTED)


def _token(request: Request) -> str:
    """Read the secret of an address; what was never one is not looked for."""
    token: str = request.path_params["token"]
    if not _TOKEN.fullmatch(token):
        raise NotFound
    return token


ROUTES = (
    Route(_PATH, _confirm, ("GET",), Access.PUBLIC, csrf=False),
    Route(_PATH, _hear, ("POST",), Access.PUBLIC, csrf=False, body_limit=_LARGEST),
)
