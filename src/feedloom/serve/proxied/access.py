"""What the routes of proxied feeds share: the token, scores, CORS."""

import hmac
from http import HTTPStatus
from typing import Annotated

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, NotSignedIn
from feedloom.serve.auth import authenticate_secret
from feedloom.serve.error_responses import answer_error
from feedloom.serve.origin import services

Score = Annotated[float, msgspec.Meta(ge=0, le=1)]
OPEN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Date, ETag, Last-Modified, X-Request-Id",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_PREFLIGHT = OPEN | {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "600",
}


async def preflight(_request: Request) -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=_PREFLIGHT)


def open_errors(request: Request, error: FeedloomError) -> Response:
    """Answer an error so that pages of any origin may read it."""
    response = answer_error(request, error)
    response.headers.update(OPEN)
    return response


def require_token(request: Request) -> bool:
    """Refuse those without the token, when one is set; tell whether it is in the query."""
    wanted = services(request).proxy_token
    if not wanted:
        return True
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _is_same(credentials.strip(), wanted):
        return False
    if _is_same(request.query_params.get("token", ""), wanted):
        return True
    raise NotSignedIn("A token is required.")


async def require_caller(request: Request) -> None:
    """Refuse those who send neither the token nor an app password of an account."""
    try:
        require_token(request)
    except NotSignedIn:
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            raise
        await authenticate_secret(request, secret.strip(), "api")


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())
