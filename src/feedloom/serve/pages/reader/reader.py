"""The reader: a list with an article beside it, or one at a time on a narrow screen.

``/read/…`` is the whole reader, its rows alone when a list goes on, ``/articles/{item}``
the article alone. Nothing here writes: marks have addresses of their own.
"""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.distill.vectors import MOST_RELATED
from feedloom.model.reader import Article, ArticlePage
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.appearance import appearance_of, read_choices
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.notices import redirect_back, redirect_to
from feedloom.serve.pages.reader.changes import told_changes
from feedloom.serve.pages.reader.folded import folded_page, story_of
from feedloom.serve.pages.reader.places import KEPT_CHOICES, PAGE_SIZE, find_folder, find_place
from feedloom.serve.pages.reader.searches import Marker, results_of
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route


async def start(_request: Request) -> Response:
    return redirect_to("/read/unread")


async def read(request: Request) -> Response:
    user = actor(request).user
    app_services = services(request)
    place = await find_place(request, app_services, user.id, appearance_of(user))
    cursor = request.query_params.get("cursor") or None
    reading = app_services.reading
    page = ArticlePage(())
    reasons = {}
    if place.kind == "for-you":
        suggested = await app_services.for_you.suggest(user.id, PAGE_SIZE) if user.learns else ()
        page = ArticlePage(tuple(each.article for each in suggested))
        reasons = {each.article.item_no: each.text for each in suggested}
    elif place.order == "meaning" and place.text:
        likeness = app_services.require_likeness()
        page = ArticlePage(tuple(await likeness.search(user, place.text, PAGE_SIZE)))
    elif place.kind != "search" or place.text:
        page = await reading.articles(user.id, place.wanted(cursor))
    marker = Marker(place.text) if place.text else None
    look = appearance_of(user)
    if is_htmx(request) and request.query_params.get("part") == "rows":
        page, folds = await folded_page(app_services, user.id, place, look, page)
        return render(
            request,
            "reading/rows.html",
            place=place,
            page=page,
            marker=marker,
            reasons={},
            folds=folds,
        )
    item = request.query_params.get("item")
    article = await reading.article(user.id, as_id(item)) if item else None
    newest = await app_services.overviews.newest_item(user.id)
    feeds = () if newest else (await my_sidebar(request)).feeds
    is_ranked = place.kind == "for-you" or place.order == "meaning"
    if article and page.articles and not is_ranked and _around(page, article) is None:
        wanted = place.wanted(cursor)
        page = await reading.articles_around(user.id, wanted, article.item_no)
    keep = article.item_no if article else 0
    page, folds = await folded_page(app_services, user.id, place, look, page, keep=keep)
    return await render_page(
        request,
        "reading/reader.html",
        place=place,
        page=page,
        folds=folds,
        article=article,
        changed=await told_changes(request, article),
        alike=await story_of(app_services, user.id, article) if article else None,
        around=_around(page, article) or (0, page.articles[0].item_no if page.articles else 0),
        results=await results_of(request, place) if place.text else None,
        marker=marker,
        reasons=reasons,
        newest=newest,
        feeds=feeds,
        failing=sum(health_of(feed) in {"shaky", "broken"} for feed in feeds),
    )


async def article(request: Request) -> Response:
    user = actor(request).user
    item_no = path_id(request, "item")
    found = await services(request).reading.article(user.id, item_no)
    if request.query_params.get("text") == "feed":
        # As the feed gave it, although there is a full text.
        found = found._replace(full_content=None)
    changed = await told_changes(request, found)
    alike = await story_of(services(request), user.id, found)
    if is_htmx(request):
        return render(
            request,
            "reading/article_part.html",
            article=found,
            changed=changed,
            place=None,
            around=(0, 0),
            alike=alike,
        )
    return await render_page(
        request, "reading/alone.html", article=found, changed=changed, alike=alike
    )


async def related(request: Request) -> Response:
    user_id = actor(request).user.id
    found = await services(request).reading.article(user_id, path_id(request, "item"))
    likeness = services(request).likeness
    articles = await likeness.related(user_id, found, MOST_RELATED) if likeness else []
    if is_htmx(request):
        return render(request, "reading/related.html", articles=articles)
    return await render_page(request, "reading/related_page.html", article=found, articles=articles)


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
    Route("/articles/{item}/related", related, ("GET",), Access.PERSON),
    Route("/articles/{item}", article, ("GET",), Access.PERSON),
)
