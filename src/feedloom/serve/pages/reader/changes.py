"""The publisher's changes to an article, word by word."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.changes import told
from feedloom.model.errors import NotFound
from feedloom.model.reader import Article, Line
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_AROUND = 1
"""Lines that stayed the same are shown so far from one that did not."""


async def told_changes(request: Request, article: Article | None) -> str:
    """Say in a line what changed; empty where nothing did."""
    if article is None or article.changed_at is None:
        return ""
    return told(await services(request).changes.of_article(actor(request).user.id, article))


async def changes(request: Request) -> Response:
    user = actor(request).user
    article = await services(request).reading.article(user.id, path_id(request, "item"))
    if article.hidden:
        raise NotFound("Article not found")
    found = await services(request).changes.of_article(user.id, article)
    return await render_page(
        request,
        "reading/changes.html",
        article=article,
        changes=[(change, shortened(change.text)) for change in found],
        told=told(found),
    )


def shortened(lines: tuple[Line, ...]) -> list[Line]:
    """Put an empty line where lines that stayed the same are left out."""
    changed = [n for n, line in enumerate(lines) if any(p.kind != "same" for p in line)]
    near = {n for at in changed for n in range(at - _AROUND, at + _AROUND + 1)}
    shown: list[Line] = []
    for number, line in enumerate(lines):
        if number in near:
            shown.append(line)
        elif not shown or shown[-1]:
            shown.append(())
    return shown


ROUTES = (Route("/articles/{item}/changes", changes, ("GET",), Access.PERSON),)
