"""One article: its page, what is related, its changes, full text and audio; offline copies.

Full text is requested with a button, read by a worker, and shown when ready.
"""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from feedloom.flow.distill.vectors import MOST_RELATED
from feedloom.flow.pictures import WIDTHS
from feedloom.flow.reader.changes import told
from feedloom.model.errors import NotFound
from feedloom.model.feed import Enclosure
from feedloom.model.reader import Article, Line, Wanted
from feedloom.model.work import TaskKind
from feedloom.serve.action_times import now_ms
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.image_addresses import image_addresses
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.appearance import appearance_of
from feedloom.serve.pages.formatting import first_line, web
from feedloom.serve.pages.forms import as_number, field, redirect_to
from feedloom.serve.pages.reader.stories import story_of
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import csrf_token

_FAILED = "This article's page could not be read."
_AROUND = 1
"""Lines that stayed the same are shown so far from one that did not."""
_MOST_OFFLINE = 500
"""Unread articles, and as many starred ones."""


async def _article(request: Request) -> Article:
    return await services(request).reading.article(actor(request).user.id, path_id(request, "item"))


async def article_facts(request: Request, article: Article | None) -> dict[str, object]:
    """Gather what stands with an article: a line on its changes, and the feeds that have it."""
    if article is None:
        return {"article": None, "changed": "", "alike": None}
    user_id, changed = actor(request).user.id, ""
    if article.changed_at is not None:
        changed = told(await services(request).changes.of_article(user_id, article))
    alike = await story_of(services(request), user_id, article)
    return {"article": article, "changed": changed, "alike": alike}


async def show(request: Request) -> Response:
    found = await _article(request)
    if request.query_params.get("text") == "feed":
        # As the feed gave it, although there is a full text.
        found = found._replace(full_content=None)
    if is_htmx(request):
        return await _show_part(request, found)
    facts = await article_facts(request, found)
    return await render_page(request, "reading/alone.html", 200, None, **facts)


async def _show_part(
    request: Request, found: Article, headers: dict[str, str] | None = None
) -> Response:
    facts = {"place": None, "around": (0, 0), **await article_facts(request, found)}
    return render(request, "reading/article_part.html", 200, headers, **facts)


async def related(request: Request) -> Response:
    found, likeness = await _article(request), services(request).likeness
    user_id = actor(request).user.id
    articles = await likeness.related(user_id, found, MOST_RELATED) if likeness else []
    if is_htmx(request):
        return render(request, "reading/related.html", articles=articles)
    return await render_page(request, "reading/related_page.html", article=found, articles=articles)


async def changes(request: Request) -> Response:
    """Show the publisher's changes to an article, word by word."""
    found = await _article(request)
    if found.hidden:
        raise NotFound("Article not found")
    made = await services(request).changes.of_article(actor(request).user.id, found)
    return await render_page(
        request,
        "reading/changes.html",
        article=found,
        changes=[(change, _shortened(change.text)) for change in made],
        told=told(made),
    )


def _shortened(lines: tuple[Line, ...]) -> list[Line]:
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


async def ask_full_text(request: Request) -> Response:
    found, task_id = await _article(request), None
    if found.full_content is None:
        task_id = await services(request).full_texts.ask(actor(request).user.id, found)
    if not is_htmx(request):
        return redirect_to(f"/articles/{found.item_no}")
    return await _full_text(request, found, task_id)


async def full_text(request: Request) -> Response:
    found = await _article(request)
    if not is_htmx(request):
        return await render_page(request, "reading/alone.html", article=found)
    if found.full_content is not None:
        return await _full_text(request, found)
    task_id = as_id(request.query_params.get("task", ""))
    task = await services(request).tasks.find(actor(request).user.id, task_id)
    if task.kind != TaskKind.FULL_TEXT:
        raise NotFound
    problem = str((task.result or {}).get("error") or _FAILED) if task.done_at else ""
    return await _full_text(request, found, task.id, problem)


async def _full_text(
    request: Request, found: Article, task_id: int | None = None, problem: str = ""
) -> Response:
    """Show the full text in the place of the article, or how far its fetch is."""
    if found.full_content is None:
        facts = {"item": found, "task_id": task_id, "problem": problem}
        return render(request, "reading/full_text.html", 200, None, **facts)
    target = f'[data-article="{found.item_no}"]'
    return await _show_part(request, found, {"HX-Retarget": target, "HX-Reswap": "outerHTML"})


async def media(request: Request) -> Response:
    """Tell the player what it plays, and where this listener was."""
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
    found = await _article(request)
    return found, next((each for each in found.enclosures if each.url == url), None)


async def offline_articles(request: Request) -> Response:
    """List the newest unread and starred articles; and the token to send marks with."""
    user = actor(request).user
    count = as_number(request.query_params.get("count", "200"), field="count")
    limit = min(count, _MOST_OFFLINE)
    found: dict[int, Article] = {}
    if limit:
        for wanted in (Wanted(unread=True, limit=limit), Wanted(starred=True, limit=limit)):
            page = await services(request).reading.articles(user.id, wanted)
            found |= {article.item_no: article for article in page.articles}
    newest_first = sorted(found.values(), key=lambda article: article.published_at, reverse=True)
    return JSONResponse(
        {
            "user": user.id,
            "csrf": csrf_token(request),
            "now": now_ms(services(request).clock.now()),
            "mark_on_open": appearance_of(user).mark_on_open,
            "articles": [_line(article) for article in newest_first],
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


ROUTES = (
    Route("/articles/{item}", show, ("GET",), Access.PERSON),
    Route("/articles/{item}/related", related, ("GET",), Access.PERSON),
    Route("/articles/{item}/changes", changes, ("GET",), Access.PERSON),
    Route("/articles/{item}/full-text", ask_full_text, ("POST",), Access.PERSON),
    Route("/articles/{item}/full-text", full_text, ("GET",), Access.PERSON),
    Route("/articles/{item}/media", media, ("GET",), Access.PERSON),
    Route("/articles/{item}/chapters", chapters, ("GET",), Access.PERSON),
    Route("/articles/{item}/position", keep_position, ("POST",), Access.PERSON),
    Route("/offline/articles", offline_articles, ("GET",), Access.PERSON),
)
