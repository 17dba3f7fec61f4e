"""Lookups for browser plug-ins: an article by its address, the newest articles of a site."""

from typing import Annotated, Any

import msgspec
from starlette.responses import Response

from feedloom.flow.distill.proxies import MOST_ITEMS
from feedloom.serve.proxied.documents import OPEN, Score, open_errors, preflight, require_caller
from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import NO_NUL, Address, APIRoutes, Call, answer

ROUTES = APIRoutes()

_HEADERS = OPEN | {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
_OWN: dict[str, Any] = {"access": Access.OWN, "csrf": False, "errors": open_errors}
Root = Annotated[str, msgspec.Meta(pattern=NO_NUL, min_length=1, max_length=253)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST_ITEMS)]


class ItemQuery(msgspec.Struct):
    """Which article, and how calm it must be."""

    url: Address
    max_score: Score | None = None


class SiteQuery(msgspec.Struct):
    """Which site, how many articles, and how calm they must be."""

    root: Root
    limit: Limit = 30
    max_score: Score | None = None


class FeedOfItem(msgspec.Struct):
    """Where an article was published."""

    title: str
    url: str


class MediaShape(msgspec.Struct):
    """A file of an article."""

    url: str
    type: str | None
    length: int | None


class DeframedItemShape(msgspec.Struct):
    """An article without its slant, and why."""

    hash: str
    url: str
    title: str
    published_at: str
    feed: FeedOfItem
    media: list[MediaShape]
    score: float | None
    rating: str | None
    result: dict[str, str | float | None] | None


class SiteItems(msgspec.Struct):
    """A site's newest articles, its feeds taking turns."""

    root: str
    items: list[DeframedItemShape]


class Domains(msgspec.Struct):
    """The root domains whose sites can be asked about."""

    domains: list[str]


@ROUTES.add(
    "GET /api/domains", "List the root domains of deframed sites", gives={200: Domains}, **_OWN
)
async def domains(call: Call) -> Response:
    await require_caller(call.request)
    found = await call.services.proxied.reader.domains()
    return answer(Domains(found), headers=_HEADERS)


@ROUTES.add(
    "GET /api/item",
    "Look up an article by URL",
    gives={200: DeframedItemShape},
    asks=ItemQuery,
    refuses=(404,),
    **_OWN,
)
async def item(call: Call) -> Response:
    await require_caller(call.request)
    asked = call.query(ItemQuery)
    found = await call.services.proxied.item(asked.url, asked.max_score)
    return answer(found, headers=_HEADERS)


@ROUTES.add(
    "GET /api/site",
    "List a site's newest deframed articles",
    gives={200: SiteItems},
    asks=SiteQuery,
    refuses=(404,),
    **_OWN,
)
async def site(call: Call) -> Response:
    await require_caller(call.request)
    asked = call.query(SiteQuery)
    items = await call.services.proxied.site(asked.root, asked.limit, asked.max_score)
    told = {"root": asked.root.strip().lower(), "items": items}
    return answer(told, headers=_HEADERS)


ROUTES += [
    Route(path, preflight, ("OPTIONS",), Access.OWN, csrf=False)
    for path in ("/api/domains", "/api/item", "/api/site")
]
