"""Articles that browsers store for offline reading."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from feedloom.model.reader import Article, Wanted
from feedloom.serve.action_times import now_ms
from feedloom.serve.auth import actor, services
from feedloom.serve.pages.appearance import appearance_of
from feedloom.serve.pages.formatting import first_line, web
from feedloom.serve.pages.forms import as_number
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import csrf_token

MOST_KEPT = 500
"""Unread articles, and as many starred ones."""


async def articles(request: Request) -> Response:
    """List the newest unread and starred articles; and the token to send marks with."""
    user = actor(request).user
    count = as_number(request.query_params.get("count", "200"), field="count")
    limit = min(count, MOST_KEPT)
    reading = services(request).reading
    found: dict[int, Article] = {}
    if limit:
        for wanted in (Wanted(unread=True, limit=limit), Wanted(starred=True, limit=limit)):
            page = await reading.articles(user.id, wanted)
            found |= {article.item_no: article for article in page.articles}
    told = sorted(found.values(), key=lambda article: article.published_at, reverse=True)
    return JSONResponse(
        {
            "user": user.id,
            "now": now_ms(services(request).clock.now()),
            "csrf": csrf_token(request),
            "mark_on_open": appearance_of(user).mark_on_open,
            "articles": [_line(article) for article in told],
        }
    )


def _line(article: Article) -> dict[str, object]:
    return {
        "item": article.item_no,
        "feed": article.subscription_id,
        "url": web(article.url),
        "title": article.shown_title,
        "text": first_line(article.summary),
        "source": article.feed_title,
        "at": article.published_at.isoformat(),
        "unread": article.unread,
        "starred": article.starred,
        "version": f"{article.content_hash} {article.shown_title}",
    }


ROUTES = (Route("/offline/articles", articles, ("GET",), Access.PERSON),)
