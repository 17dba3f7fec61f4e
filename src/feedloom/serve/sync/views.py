"""Shared views: feeds at secret addresses, for other readers.

Whoever knows the address may read; it is shown once, kept hashed, and can be revoked.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from html import escape
from http import HTTPStatus
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.identity.accounts import hash_secret
from feedloom.flow.reader.changes import told
from feedloom.markup import clean_html
from feedloom.model.distilled.documents import Channel, ViewItem
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Article, Change, Line
from feedloom.model.sync import Place, View, ViewKind, ViewToken
from feedloom.serve.auth import actor, services
from feedloom.serve.middleware.turns import take_turn
from feedloom.serve.origin import own_address
from feedloom.serve.routes import Access, Route
from feedloom.serve.sync.bodies import content_of, json_answer
from feedloom.serve.sync.parameters import Given, read_given, row_id
from feedloom.serve.sync.times import EPOCH
from feedloom.serve.wire.json_io import answer_tagged, no_content

MOST_ITEMS = 100
_LONGEST_TOKEN = 100
_LONGEST_TEXT = 500
_TITLES = {
    ViewKind.ALL: "All articles",
    ViewKind.UNREAD: "Unread articles",
    ViewKind.STARRED: "Starred articles",
    ViewKind.CHANGES: "Changes that publishers made",
    ViewKind.DIGESTS: "Digests",
}
_HEADERS = {
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
}


async def _list(request: Request) -> Response:
    found = await services(request).view_tokens.tokens(actor(request).user.id)
    return json_answer([_shape(token) for token in found])


async def _create(request: Request) -> Response:
    """Make a secret address; nobody is told it again."""
    given = await read_given(request)
    secret = secrets.token_urlsafe(24)
    made = await services(request).view_tokens.create(
        actor(request).user.id,
        token_hash=hash_secret(secret),
        label=given.line("label")[:100],
        view=_view(given),
    )
    base = f"{own_address(request)}/view/{secret}"
    addresses = {"rss_url": f"{base}.xml", "atom_url": f"{base}.atom"}
    return json_answer(_shape(made) | addresses, status=HTTPStatus.CREATED)


async def _revoke(request: Request) -> Response:
    token_id = row_id(request.path_params["id"])
    await services(request).view_tokens.revoke(actor(request).user.id, token_id)
    return no_content()


def _view(given: Given) -> View:
    try:
        kind = ViewKind(given.text("view"))
    except ValueError as error:
        names = ", ".join(ViewKind)
        raise InvalidInput(f"view must be one of {names}.", field="view") from error
    text = given.line("text")[:_LONGEST_TEXT]
    if kind in {ViewKind.FOLDER, ViewKind.FEED, ViewKind.STORY}:
        return View(kind, id=row_id(given.text("target_id")))
    if kind in {ViewKind.TAG, ViewKind.SEARCH}:
        if not text:
            raise InvalidInput("text is required for this view.", field="text")
        return View(kind, text=text)
    return View(kind)


def _shape(token: ViewToken) -> dict[str, object]:
    return {
        "id": token.id,
        "label": token.label,
        "view": token.view.kind.value,
        "target_id": token.view.id,
        "text": token.view.text,
        "created_at": token.created_at.isoformat().replace("+00:00", "Z"),
    }


async def _feed(request: Request, *, kind: Literal["rss", "atom"], ending: str) -> Response:
    secret = request.path_params["token"]
    if len(secret) > _LONGEST_TOKEN:
        raise NotFound
    token = await services(request).view_tokens.by_hash(hash_secret(secret))
    if token is None:
        raise NotFound
    await take_turn(request, token.user_id, f"view {token.id}")
    items, updated_at = await _items(request, token)
    title = token.label or _TITLES.get(token.view.kind) or token.view.text or "Articles"
    body = services(request).write_view(
        Channel(title=title, url=f"{own_address(request)}/read"),
        items,
        updated_at=updated_at,
        self_url=f"{own_address(request)}/view/{secret}.{ending}",
        format=kind,
    )
    return answer_tagged(request, body, f"application/{kind}+xml; charset=utf-8", _HEADERS)


async def _items(request: Request, token: ViewToken) -> tuple[list[ViewItem], datetime]:
    app_services, user_id = services(request), token.user_id
    if token.view.kind is ViewKind.DIGESTS:
        digests = await app_services.digests.feed_items(user_id, own_address(request))
        return digests, max((item.published_at for item in digests), default=EPOCH)
    found: list[tuple[Article, Change | None]]
    if token.view.kind is ViewKind.CHANGES:
        found = [*await app_services.changes.latest(user_id, MOST_ITEMS)]
    else:
        page = await app_services.reading.articles(user_id, token.view.wanted(MOST_ITEMS))
        found = [(article, None) for article in page.articles]
    feeds = sorted({article.subscription_id for article, _ in found})
    places = await app_services.syncing.places(user_id, feeds)
    times = [change.at if change else article.last_modified for article, change in found]
    items = [
        _changed_item(view_item(article, places), article, change, own_address(request))
        if change
        else view_item(article, places)
        for article, change in found
    ]
    return items, max(times, default=EPOCH)


def _changed_item(item: ViewItem, article: Article, change: Change, own: str) -> ViewItem:
    words = "".join(f"<p>{_marked(line)}</p>" for line in (change.title, *change.text))
    link = f'<p><a href="{own}/articles/{article.item_no}/changes">All changes</a></p>'
    return replace(
        item,
        guid=f"{item.guid}#change-{change.id}",
        title=f"{told((change,))}: {change.title_after}",
        content=clean_html(words + link, base_url=item.url),
        published_at=change.at,
        updated_at=change.at,
        enclosures=(),
    )


def _marked(line: Line) -> str:
    tags = {"old": "del", "new": "ins", "same": "span"}
    return "".join(f"<{tags[p.kind]}>{escape(p.text)}</{tags[p.kind]}>" for p in line)


def view_item(article: Article, places: Mapping[int, Place]) -> ViewItem:
    place = places.get(article.subscription_id)
    return ViewItem(
        guid=article.guid,
        url=article.url,
        title=article.shown_title,
        content=content_of(article),
        published_at=article.published_at,
        updated_at=article.updated_at,
        author=article.author,
        source_title=place.title if place else "",
        source_url=place.site_url if place else "",
        enclosures=article.enclosures,
        categories=article.categories,
    )


_RSS = partial(_feed, kind="rss", ending="xml")
_ATOM = partial(_feed, kind="atom", ending="atom")

ROUTES = (
    Route("/api/view-tokens", _list, ("GET",), Access.PERSON),
    Route("/api/view-tokens", _create, ("POST",), Access.PERSON),
    Route("/api/view-tokens/{id}", _revoke, ("DELETE",), Access.PERSON),
    Route("/view/{token}.xml", _RSS, ("GET",), Access.OWN, csrf=False),
    Route("/view/{token}.atom", _ATOM, ("GET",), Access.OWN, csrf=False),
)
