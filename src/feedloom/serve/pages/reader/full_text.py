"""Full text on demand: requested with a button, read by a worker, shown when ready."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Article
from feedloom.model.work import TaskKind
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.notices import redirect_to
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route

_FAILED = "This article's page could not be read."


async def ask(request: Request) -> Response:
    user_id = actor(request).user.id
    found = await _article(request)
    if not is_htmx(request):
        if found.full_content is None:
            await services(request).full_texts.ask(user_id, found)
        return redirect_to(f"/articles/{found.item_no}")
    if found.full_content is not None:
        return _shown(request, found)
    task_id = await services(request).full_texts.ask(user_id, found)
    return _waiting(request, found, task_id)


async def status(request: Request) -> Response:
    user_id = actor(request).user.id
    found = await _article(request)
    if not is_htmx(request):
        return await render_page(request, "reading/alone.html", article=found)
    if found.full_content is not None:
        return _shown(request, found)
    task = await services(request).tasks.find(user_id, as_id(request.query_params.get("task", "")))
    if task.kind != TaskKind.FULL_TEXT:
        raise NotFound
    if task.done_at is None:
        return _waiting(request, found, task.id)
    problem = (task.result or {}).get("error") or _FAILED
    return render(request, "reading/full_text.html", item=found, problem=problem)


async def _article(request: Request) -> Article:
    return await services(request).reading.article(actor(request).user.id, path_id(request, "item"))


def _waiting(request: Request, found: Article, task_id: int) -> Response:
    return render(request, "reading/full_text.html", item=found, task_id=task_id, problem="")


def _shown(request: Request, found: Article) -> Response:
    headers = {"HX-Retarget": f'[data-article="{found.item_no}"]'}
    headers["HX-Reswap"] = "outerHTML"
    return render(
        request,
        "reading/article_part.html",
        headers=headers,
        article=found,
        place=None,
        around=(0, 0),
    )


ROUTES = (
    Route("/articles/{item}/full-text", ask, ("POST",), Access.PERSON),
    Route("/articles/{item}/full-text", status, ("GET",), Access.PERSON),
)
