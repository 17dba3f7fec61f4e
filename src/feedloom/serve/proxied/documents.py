"""``/rss``: the stored document of a proxied feed; and what all routes of these feeds share.

403 when it is disabled, 404 when it is unknown, deleted or not built yet. The strong
ETag of each form, ``Last-Modified`` and 304 come from what was stored.
"""

import hmac
import time
from http import HTTPStatus
from typing import Annotated, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.distilled.documents import Built
from feedloom.model.errors import FeedloomError, NotSignedIn
from feedloom.serve.auth import authenticate_secret, services
from feedloom.serve.error_responses import answer_error
from feedloom.serve.middleware.asgi import HEADERS
from feedloom.serve.proxied.document_cache import PATH, DocumentCache, Page, RawHeaders
from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import Address, read_query

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
_SENT = (
    "Access-Control-Allow-Origin",
    "Content-Security-Policy",
    "Cross-Origin-Resource-Policy",
    "X-Content-Type-Options",
)


class DocumentQuery(msgspec.Struct):
    """Which feed, and how calm its items must be."""

    url: Address
    max_score: Score | None = None


async def rss(request: Request) -> Response:
    token_in_query = require_token(request)
    asked = read_query(request, DocumentQuery)
    # Cut to what scores are kept in, so that few documents are kept of each.
    score = None if asked.max_score is None else int(asked.max_score * 1000 + 1e-6) / 1000
    documents = cast("DocumentCache", request.app.state.documents)
    looked_at = time.monotonic()
    proxied = services(request).proxied
    standing = await proxied.standing(asked.url)
    key = (standing.feed_id, cast("str", standing.etag), score)
    page = documents.pages.get(key)
    if page is None:
        etag, built = await proxied.document(standing.feed_id, score)
        key = (standing.feed_id, etag, score)
        page = _page(request, built)
        documents.keep(key, page)
    if token_in_query:
        # With the token in a header the same query may be somebody else's guess.
        documents.point(request.scope["query_string"], key, looked_at)
    chosen = page.choose(request.headers.raw)
    response = Response(status_code=chosen.status)
    response.body = chosen.body
    response.raw_headers = list(chosen.headers)
    return response


def _page(request: Request, built: Built) -> Page:
    # Each header costs a hit time: only those that mean something for a feed.
    who = "private" if services(request).proxy_token else "public"
    more = {name: (HEADERS | OPEN)[name] for name in _SENT} | {"Cache-Control": f"{who}, no-cache"}
    raw: RawHeaders = [(name.lower().encode(), value.encode()) for name, value in more.items()]
    return Page(built, raw)


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


ROUTES = (
    Route(PATH, rss, ("GET",), Access.OWN, csrf=False, errors=open_errors),
    Route(PATH, preflight, ("OPTIONS",), Access.OWN, csrf=False),
)
