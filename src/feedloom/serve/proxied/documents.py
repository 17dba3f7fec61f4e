"""``/rss``: the stored document of a proxied feed.

403 when it is disabled, 404 when it is unknown, deleted or not built yet. The strong
ETag of each form, ``Last-Modified`` and 304 come from what was stored.
"""

import time
from typing import cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.distilled.documents import Built
from feedloom.serve.middleware.asgi import HEADERS
from feedloom.serve.origin import services
from feedloom.serve.proxied.access import OPEN, Score, open_errors, preflight, require_token
from feedloom.serve.proxied.document_cache import PATH, DocumentCache, Page, RawHeaders
from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import Address, read_query

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
    url, score = asked.url, _in_thousandths(asked.max_score)
    documents = cast("DocumentCache", request.app.state.documents)
    looked_at = time.monotonic()
    proxied = services(request).proxied
    standing = await proxied.standing(url)
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
    return _response(page, request)


def _in_thousandths(score: float | None) -> float | None:
    """Cut a score to what scores are kept in, so that few documents are kept of each."""
    return None if score is None else int(score * 1000 + 1e-6) / 1000


def _page(request: Request, built: Built) -> Page:
    # Each header costs a hit time: only those that mean something for a feed.
    who = "private" if services(request).proxy_token else "public"
    more = {name: (HEADERS | OPEN)[name] for name in _SENT} | {"Cache-Control": f"{who}, no-cache"}
    raw: RawHeaders = [(name.lower().encode(), value.encode()) for name, value in more.items()]
    return Page(built, raw)


def _response(page: Page, request: Request) -> Response:
    chosen = page.choose(request.headers.raw)
    response = Response(status_code=chosen.status)
    response.body = chosen.body
    response.raw_headers = list(chosen.headers)
    return response


ROUTES = (
    Route(PATH, rss, ("GET",), Access.OWN, csrf=False, errors=open_errors),
    Route(PATH, preflight, ("OPTIONS",), Access.OWN, csrf=False),
)
