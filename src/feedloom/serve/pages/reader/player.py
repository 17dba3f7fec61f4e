"""Audio in articles: the player's data, and the position of each listener."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from feedloom.flow.pictures import WIDTHS
from feedloom.model.errors import NotFound
from feedloom.model.feed import Enclosure
from feedloom.model.reader import Article
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.image_addresses import image_addresses
from feedloom.serve.pages.formatting import web
from feedloom.serve.pages.forms import as_number, field
from feedloom.serve.routes import Access, Route


async def media(request: Request) -> Response:
    user = actor(request).user
    article, file = await _episode(request, field(request.query_params, "url"))
    found = await services(request).reading.media_positions(user.id, [article.article_id])
    cover = article.thumbnail_url
    return JSONResponse(
        {
            "title": article.shown_title,
            "feed": article.feed_title,
            "source": web(file.url) if file else "",
            "cover": image_addresses(request, user).address(cover, WIDTHS[0]) if cover else None,
            "seconds": found.get((article.article_id, file.url), 0) if file else 0,
        }
    )


async def chapters(request: Request) -> Response:
    _, file = await _episode(request, field(request.query_params, "url"))
    found = await services(request).chapters.of(file, actor(request).user.id) if file else ()
    told = [{"start": chapter.start_s, "title": chapter.title} for chapter in found]
    return JSONResponse({"chapters": told})


async def keep_position(request: Request) -> Response:
    form = await request.form()
    article, file = await _episode(request, field(form, "url"))
    if file is None:
        raise NotFound
    seconds = as_number(field(form, "seconds"), field="seconds")
    reading, user_id = services(request).reading, actor(request).user.id
    await reading.set_media_position(user_id, article.item_no, file.url, seconds)
    return Response(status_code=204)


async def _episode(request: Request, url: str) -> tuple[Article, Enclosure | None]:
    """Return the article and the file of it that has this address."""
    user_id = actor(request).user.id
    found = await services(request).reading.article(user_id, path_id(request, "item"))
    return found, next((each for each in found.enclosures if each.url == url), None)


ROUTES = (
    Route("/articles/{item}/media", media, ("GET",), Access.PERSON),
    Route("/articles/{item}/chapters", chapters, ("GET",), Access.PERSON),
    Route("/articles/{item}/position", keep_position, ("POST",), Access.PERSON),
)
