"""The reader: a list and an article beside it; on a narrow screen one after the other.

``/read/…`` is the whole reader, its rows alone when a list goes on, ``/articles/{item}``
the article alone. Nothing here writes: marks have addresses of their own.
"""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.reader import Article, ArticlePage
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.appearance import appearance_of
from feedloom.serve.pages.reader.places import ORDER_WORDS, find_place
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route


async def start(_request: Request) -> Response:
    return RedirectResponse("/read/unread", 303)


async def read(request: Request) -> Response:
    user = actor(request).user
    app_services = services(request)
    place = await find_place(request, app_services, user.id, appearance_of(user))
    cursor = request.query_params.get("cursor") or None
    reading = app_services.reading
    page = ArticlePage(())
    if place.kind != "search" or place.text:
        page = await reading.articles(user.id, place.wanted(cursor))
    if is_htmx(request) and request.query_params.get("part") == "rows":
        return render(request, "reading/rows.html", place=place, page=page)
    item = request.query_params.get("item")
    article = await reading.article(user.id, as_id(item)) if item else None
    if article and page.articles and _around(page, article) is None:
        wanted = place.wanted(cursor)
        page = await reading.articles_around(user.id, wanted, article.item_no)
    return await render_page(
        request,
        "reading/reader.html",
        place=place,
        page=page,
        article=article,
        around=_around(page, article)
        or (0, page.articles[0].item_no if page.articles else 0),
        orders=ORDER_WORDS,
        newest=await app_services.overviews.newest_item(user.id),
    )


async def article(request: Request) -> Response:
    user = actor(request).user
    item_no = path_id(request, "item")
    found = await services(request).reading.article(user.id, item_no)
    if request.query_params.get("text") == "feed":
        # As the feed gave it, although there is a full text.
        found = found._replace(full_content=None)
    if is_htmx(request):
        return render(
            request,
            "reading/article_part.html",
            article=found,
            place=None,
            around=(0, 0),
        )
    return await render_page(request, "reading/alone.html", article=found)


def _around(page: ArticlePage, article: Article | None) -> tuple[int, int] | None:
    """Name the items before and after an article in its list; 0 where there is none."""
    numbers = [0, *(row.item_no for row in page.articles), 0]
    if article is None or article.item_no not in numbers:
        return None
    place = numbers.index(article.item_no)
    return numbers[place - 1], numbers[place + 1]


ROUTES = (
    Route("/search", read, ("GET",), Access.PERSON),
    Route("/read", start, ("GET",), Access.PERSON),
    Route("/read/{kind}", read, ("GET",), Access.PERSON),
    Route("/read/{kind}/{key:path}", read, ("GET",), Access.PERSON),
    Route("/articles/{item}", article, ("GET",), Access.PERSON),
)
