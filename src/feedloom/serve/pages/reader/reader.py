"""The reader: a list with an article beside it, or one at a time on a narrow screen."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.reader import Article, ArticlePage
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id
from feedloom.serve.pages.appearance import appearance_of, read_choices
from feedloom.serve.pages.forms import field, part_of, redirect_back, redirect_to
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.reader.articles import article_facts
from feedloom.serve.pages.reader.places import (
    KEPT_CHOICES,
    PAGE_SIZE,
    Place,
    find_folder,
    find_place,
)
from feedloom.serve.pages.reader.searches import Marker, results_of
from feedloom.serve.pages.reader.stories import folded_page
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route


async def start(_request: Request) -> Response:
    return redirect_to("/read/unread")


async def read(request: Request) -> Response:
    user, app_services = actor(request).user, services(request)
    place = await find_place(request, app_services, user.id, appearance_of(user))
    page, reasons = await _page(request, place)
    marker = Marker(place.text) if place.text else None
    if part_of(request) == "rows":
        page, folds = await folded_page(app_services, user, place, page)
        facts = {"place": place, "marker": marker, "page": page, "reasons": {}, "folds": folds}
        return render(request, "reading/rows.html", 200, None, **facts)
    item = request.query_params.get("item")
    article = await app_services.reading.article(user.id, as_id(item)) if item else None
    newest = await app_services.overviews.newest_item(user.id)
    feeds = () if newest else (await my_sidebar(request)).feeds
    is_ranked = place.kind == "for-you" or place.order == "meaning"
    if article and page.articles and not is_ranked and _around(page, article) is None:
        wanted = place.wanted(request.query_params.get("cursor") or None)
        page = await app_services.reading.articles_around(user.id, wanted, article.item_no)
    keep = article.item_no if article else 0
    page, folds = await folded_page(app_services, user, place, page, keep=keep)
    return await render_page(
        request,
        "reading/reader.html",
        200,
        None,
        **await article_facts(request, article),
        place=place,
        marker=marker,
        page=page,
        folds=folds,
        around=_around(page, article) or (0, page.articles[0].item_no if page.articles else 0),
        results=await results_of(request, place) if place.text else None,
        reasons=reasons,
        newest=newest,
        feeds=feeds,
        failing=sum(health_of(feed) in {"shaky", "broken"} for feed in feeds),
    )


async def _page(request: Request, place: Place) -> tuple[ArticlePage, dict[int, str]]:
    """Return a page of a list, and why its articles were suggested."""
    user, app_services = actor(request).user, services(request)
    if place.kind == "for-you":
        suggested = await app_services.for_you.suggest(user.id, PAGE_SIZE) if user.learns else ()
        reasons = {each.article.item_no: each.text for each in suggested}
        return ArticlePage(tuple(each.article for each in suggested)), reasons
    if place.order == "meaning" and place.text:
        likeness = app_services.require_likeness()
        return ArticlePage(tuple(await likeness.search(user, place.text, PAGE_SIZE))), {}
    if place.kind == "search" and not place.text:
        return ArticlePage(()), {}
    wanted = place.wanted(request.query_params.get("cursor") or None)
    return await app_services.reading.articles(user.id, wanted), {}


def _around(page: ArticlePage, article: Article | None) -> tuple[int, int] | None:
    """Name the items before and after an article in its list; 0 where there is none."""
    numbers = [0, *(row.item_no for row in page.articles), 0]
    if article is None or article.item_no not in numbers:
        return None
    place = numbers.index(article.item_no)
    return numbers[place - 1], numbers[place + 1]


async def choose_list(request: Request) -> Response:
    """Change how a list is shown: a feed's or a folder's own, or else all of them."""
    form = await request.form()
    user, app_services = actor(request).user, services(request)
    chosen = read_choices(form, tuple(name for name in KEPT_CHOICES if name in form))
    kind, _, key = field(form, "place").partition(":")
    if kind == "feed":
        feed = await app_services.subscriptions.subscription(user.id, as_id(key))
        changes = {"list_settings": {**(feed.list_settings or {}), **chosen}}
        await app_services.subscriptions.change(user.id, feed.id, changes)
    elif kind == "folder":
        folder = await find_folder(app_services, user.id, as_id(key))
        changes = {"list_settings": {**(folder.list_settings or {}), **chosen}}
        await app_services.folders.change(user.id, folder.id, changes)
    else:
        await app_services.accounts.store.save_settings(user.id, chosen)
    return redirect_back(form, "/read/unread")


ROUTES = (
    Route("/read/choose", choose_list, ("POST",), Access.PERSON),
    Route("/search", read, ("GET",), Access.PERSON),
    Route("/read", start, ("GET",), Access.PERSON),
    Route("/read/{kind}", read, ("GET",), Access.PERSON),
    Route("/read/{kind}/{key:path}", read, ("GET",), Access.PERSON),
)
