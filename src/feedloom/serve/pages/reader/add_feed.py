"""The box for adding feeds: an address goes in, a subscription or an answer comes out.

What is found within five seconds is there at once. Otherwise the search goes on as a
task, and its answer replaces the progress when it is over.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.discovery.search import SENTENCES, NoFeed, as_result
from feedloom.flow.subscriptions import Added, choices_of
from feedloom.model.errors import Conflict, InvalidInput, NotFound, Throttled
from feedloom.model.overviews import FeedLine
from feedloom.model.reader import Subscription
from feedloom.model.stages import Ending
from feedloom.model.urls import is_address, normalise, url_key
from feedloom.model.work import TaskKind
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.feeds.actions import CHANGED
from feedloom.serve.pages.forms import field, is_on, redirect_to
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route


async def add(request: Request) -> Response:
    form = await request.form()
    text = field(form, "url").strip()
    if not text:
        return await _refused(request, "Paste the address of a site or a feed.")
    subscribing, user = services(request).subscribing, actor(request).user
    try:
        added = await subscribing.add(user, text, exact=is_on(form, "exact"), choose=True)
    except NoFeed as error:
        return await _refused(request, str(error), as_result(error.discovered))
    except InvalidInput as error:
        return await _refused(request, str(error), typed=text)
    except Throttled as error:
        response = await _refused(request, str(error), status=HTTPStatus.TOO_MANY_REQUESTS)
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response
    except Conflict as error:
        mine = await _mine(request, text)
        return await _refused(request, str(error), status=HTTPStatus.CONFLICT, mine=mine)
    return await _tell(request, added)


async def _tell(request: Request, added: Added) -> Response:
    if added.task_id is not None:
        return await searching(request, added.task_id)
    if added.choices:
        return await _answer(request, "reading/choose.html", choices=added.choices)
    feed = added.subscription
    others = [one for one in added.candidates if one.valid and feed and one.url != feed.url]
    return _added(request, feed, others)


async def _mine(request: Request, text: str) -> FeedLine | None:
    """Find the subscription that somebody has already."""
    if not is_address(text):
        return None
    key = url_key(normalise(text))
    feeds = [f for f in (await my_sidebar(request)).feeds if f.feed_id is not None]
    return next((feed for feed in feeds if url_key(feed.url) == key), None)


def _added(request: Request, feed: Subscription | None, others: Sequence[object]) -> Response:
    if not is_htmx(request):
        return redirect_to("/ui/?view=feeds", "added")
    return render(request, "reading/added.html", headers=CHANGED, feed=feed, others=others)


async def searching(request: Request, task_id: int | None = None) -> Response:
    user_id, app_services = actor(request).user.id, services(request)
    task = await app_services.tasks.find(user_id, task_id or path_id(request, "task"))
    if task.kind != TaskKind.DISCOVER:
        raise NotFound
    if task.done_at is None:
        return await _answer(request, "reading/searching.html", HTTPStatus.ACCEPTED, task=task)
    found = task.result or {}
    made = found.get("subscription_id")
    if isinstance(made, int):
        return _added(request, await app_services.subscriptions.subscription(user_id, made), [])
    discovered = _mapping(found, "discovered")
    error = found.get("error")
    choices = () if error else choices_of(discovered)
    if choices:
        return await _answer(request, "reading/choose.html", choices=choices)
    problem = error or SENTENCES[Ending(str(discovered.get("ending") or Ending.NO_FEED))]
    return await _refused(request, str(problem), discovered)


async def _refused(
    request: Request,
    problem: str,
    found: Mapping[str, object] | None = None,
    *,
    status: int = HTTPStatus.BAD_REQUEST,
    typed: str = "",
    mine: FeedLine | None = None,
) -> Response:
    return await _answer(
        request,
        "reading/not_added.html",
        status,
        problem=problem,
        found=found or {},
        typed=typed[:200],
        pasted=field(await request.form(), "url") or _mapping(found or {}, "site").get("input_url"),
        mine=mine,
    )


async def _answer(
    request: Request, template: str, status: int = HTTPStatus.OK, **context: object
) -> Response:
    if is_htmx(request):
        return render(request, template, status, None, **context)
    return await render_page(request, "reading/adding.html", status, None, part=template, **context)


def _mapping(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = values.get(name)
    return value if isinstance(value, Mapping) else {}


ROUTES = (
    Route("/ui/add", add, ("POST",), Access.PERSON),
    Route("/ui/add/{task}", searching, ("GET",), Access.PERSON),
)
