"""Actions on feeds, for htmx and plain forms: list, add, edit, move, refresh, unsubscribe.

htmx gets 204 with ``HX-Trigger: refreshFeedList``, or what is wrong, sent to where the
form shows it. A plain form posts to a twin of each address and gets a redirect.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, NotFound
from feedloom.model.reader import Retention, Subscription
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_error, problem_of
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.pages.feeds.dashboard import draw_dashboard
from feedloom.serve.pages.feeds.feed_list import (
    SPARK_DAYS,
    build_list,
    cut_page,
    matching,
    read_query,
)
from feedloom.serve.pages.feeds.validation import (
    FormErrors,
    access_error,
    check_feed,
    name_error,
    url_error,
)
from feedloom.serve.pages.forms import as_days, field, is_on
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.notices import redirect_back, told_text
from feedloom.serve.pages.renderer import my_sidebar, render, render_page

CHANGED = {"HX-Trigger": "refreshFeedList"}
_MOST_SELECTED = 1_000
_ADD_ERRORS = "#feed-add-form-errors"
_HOURS = {"": None, "900": 900, "3600": 3600, "21600": 21600, "86400": 86400}


async def list_feeds(request: Request) -> Response:
    query = read_query(request.query_params)
    feeds = (await my_sidebar(request)).feeds
    shown = cut_page(matching(feeds, query), query)
    sparks = await services(request).overviews.arrivals_per_feed(
        actor(request).user.id, [feed.id for feed in shown], SPARK_DAYS
    )
    found = build_list(feeds, query, sparks)
    folders = (await my_sidebar(request)).folders
    if is_htmx(request):
        headers = {"HX-Replace-Url": query.url("/dashboard", found.current_page)}
        return render(request, "feeds/list.html", headers=headers, list=found, folders=folders)
    return await render_page(request, "feeds/list_page.html", list=found, folders=folders)


async def add_feed(request: Request) -> Response:
    form = await request.form()
    name, url = field(form, "name").strip(), field(form, "url").strip()
    errors = check_feed(name, url)
    status = HTTPStatus.BAD_REQUEST
    if not errors:
        try:
            await services(request).subscribing.add(
                actor(request).user, url, title=name, exact=True
            )
        except Conflict as error:
            errors, status = FormErrors(url=str(error)), HTTPStatus.CONFLICT
    if not errors:
        return _changed(request, form, "/dashboard", "added")
    if is_htmx(request):
        return _form_errors(request, errors, status, _ADD_ERRORS)
    return await draw_dashboard(request, status, errors=errors, name=name, url=url)


async def edit_form(request: Request) -> Response:
    user_id = actor(request).user.id
    feed = await services(request).subscriptions.subscription(user_id, feed_id(request))
    choices = await form_choices(request, feed)
    if not is_htmx(request):
        return await render_page(
            request, "feeds/edit_page.html", 200, None, feed=feed, part="", **choices
        )
    part = request.query_params.get("part", "")
    return render(request, "feeds/edit.html", 200, None, feed=feed, part=part, **choices)


async def form_choices(request: Request, feed: Subscription) -> dict[str, object]:
    """Gather what the form of a feed offers, beside the feed itself."""
    user_id, app_services = actor(request).user.id, services(request)
    return {
        "folders": await app_services.folders.folders(user_id),
        "has_shorts": await app_services.rules.shorts_rule(user_id, feed.id) is None,
    }


async def edit_feed(request: Request) -> Response:
    """Change a feed: what the form names is changed, the rest stays."""
    form = await request.form()
    id_ = feed_id(request)
    user = actor(request).user
    app_services = services(request)
    feed = await app_services.subscriptions.subscription(user.id, id_)
    errors = _edit_errors(form)
    status = HTTPStatus.BAD_REQUEST
    if not errors:
        try:
            await _apply(request, feed, form)
        except Conflict as error:
            errors, status = FormErrors(url=str(error)), HTTPStatus.CONFLICT
    if not errors:
        return _changed(request, form, f"/feeds/{id_}", "saved")
    if is_htmx(request):
        return _form_errors(request, errors, status, f"#feed-edit-form-errors-{id_}")
    choices = await form_choices(request, feed) | {"has_shorts": field(form, "shorts") != "0"}
    facts = {"feed": feed, "errors": errors, **choices}
    return await render_page(request, "feeds/edit_page.html", status, None, part="", **facts)


async def delete_feed(request: Request) -> Response:
    user_id = actor(request).user.id
    await services(request).subscriptions.unsubscribe(user_id, feed_id(request))
    form = await request.form() if request.method == "POST" else FormData()
    return _changed(request, form, "/dashboard", "removed")


async def refresh_feed(request: Request) -> Response:
    """Fetch a feed now; a retry forgets its failures."""
    user_id, id_ = actor(request).user.id, feed_id(request)
    form = await request.form()
    store = services(request).subscriptions
    await store.refresh(user_id, id_, afresh="retry" in form)
    return _changed(request, form, f"/feeds/{id_}", "refreshing")


async def change_selected(request: Request) -> Response:
    """Do one thing with all feeds that are selected in a list."""
    form = await request.form()
    user_id, store = actor(request).user.id, services(request).subscriptions
    chosen = [as_id(str(value)) for value in form.getlist("feed")][:_MOST_SELECTED]
    folder = field(form, "folder_id")
    todo: dict[str, Callable[[int], Awaitable[object]]] = {
        "move": lambda id_: store.change(
            user_id, id_, {"folder_id": as_id(folder) if folder else None}
        ),
        "expire": lambda id_: store.change(user_id, id_, {"read_after_days": 7}),
        "pause": lambda id_: store.pause(user_id, id_),
        "resume": lambda id_: store.resume(user_id, id_),
        "refresh": lambda id_: store.refresh(user_id, id_),
        "unsubscribe": lambda id_: store.unsubscribe(user_id, id_),
    }
    what = field(form, "do")
    if what not in todo:
        raise InvalidInput("Invalid query parameters", field="do")
    done = 0
    for id_ in chosen:
        # One that is gone, or has nothing to do, does not stop the others.
        with suppress(NotFound, Conflict):
            await todo[what](id_)
            done += 1
    return _changed_and_told(request, form, f"feeds-{what}.{done}")


async def refresh_all(request: Request) -> Response:
    user_id, store = actor(request).user.id, services(request).subscriptions
    begun = await store.refresh_all(user_id)
    word = _fetching(begun, await store.subscriptions(user_id))
    return _changed_and_told(request, await request.form(), word)


def _changed_and_told(request: Request, form: FormData, word: str) -> Response:
    response = _changed(request, form, "/dashboard", word)
    if is_htmx(request):
        told = {"refreshFeedList": {}, "toast": {"text": told_text(word)}}
        response.headers["HX-Trigger"] = json.dumps(told)
    return response


def _fetching(begun: int, feeds: Iterable[Subscription]) -> str:
    feeds = [feed for feed in feeds if feed.feed_id is not None]
    if not feeds:
        return "no-feeds"
    polled = [feed for feed in feeds if feed.next_run_at is not None]
    failing = sum(health_of(feed) in {"broken", "shaky"} for feed in polled)
    return f"fetching.{begun}.{len(polled)}.{failing}"


def _edit_errors(form: FormData) -> FormErrors:
    return FormErrors(
        name=name_error(field(form, "name").strip()) if "name" in form else "",
        url=url_error(field(form, "url").strip()) if "url" in form else "",
        general=access_error(field(form, "cookie").strip(), field(form, "user_agent").strip()),
    )


async def _apply(request: Request, feed: Subscription, form: FormData) -> None:
    user = actor(request).user
    store = services(request).subscriptions
    url = field(form, "url").strip()
    if "url" in form and url != feed.url:
        feed = await store.change_url(user.id, feed.id, url, tenant_id=user.tenant_id)
    await _set_access(request, feed, form)
    if "interval_s" in form:
        is_paused = field(form, "interval_s") == "paused"
        await (store.pause if is_paused else store.resume)(user.id, feed.id)
    if "direct" in form and user.is_operator:
        await store.set_direct(user.id, feed.id, direct=field(form, "direct") == "1")
    if "shorts" in form:
        leave_out = services(request).rules.leave_out_shorts
        await leave_out(user.id, feed.id, wanted=field(form, "shorts") == "0")
    changes = read_changes(feed, form)
    if changes:
        await store.change(user.id, feed.id, changes)


async def _set_access(request: Request, feed: Subscription, form: FormData) -> None:
    """Change what is sent along; a cookie is not shown, so an empty field keeps it."""
    cookie = field(form, "cookie").strip() or feed.cookie
    if is_on(form, "forget_cookie"):
        cookie = None
    agent = feed.user_agent
    if "user_agent" in form:
        agent = field(form, "user_agent").strip() or None
    if (cookie, agent) != (feed.cookie, feed.user_agent):
        user = actor(request).user
        await services(request).subscriptions.set_access(
            user.id, feed.id, cookie=cookie, user_agent=agent, tenant_id=user.tenant_id
        )


def read_changes(feed: Subscription, form: FormData) -> dict[str, object]:
    readers: Mapping[str, Callable[[str], object]] = {
        "name": lambda text: None if text == feed.title and not feed.own_title else text,
        "folder_id": lambda text: as_id(text) if text else None,
        "retention": lambda text: (
            Retention(text).value if text in set(Retention) else feed.retention.value
        ),
        "interval_s": lambda text: _HOURS.get(text, feed.interval_s),
        "read_after_days": as_days,
        "pinned": lambda text: text == "1",
        "full_text": lambda text: text == "1",
        "calm_titles": lambda text: text == "1" if text else None,
    }
    names = {"name": "title"}
    return {
        names.get(name, name): read(field(form, name).strip())
        for name, read in readers.items()
        if name in form
    }


def _changed(request: Request, form: FormData, path: str, word: str) -> Response:
    if is_htmx(request) or not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=CHANGED)
    return redirect_back(form, path, word)


def _form_errors(request: Request, errors: FormErrors, status: int, target: str) -> Response:
    return render(
        request,
        "feeds/form_errors.html",
        status,
        {"HX-Retarget": target, "HX-Reswap": "innerHTML"},
        errors=errors,
    )


def feed_id(request: Request) -> int:
    try:
        return path_id(request)
    except NotFound as error:
        raise NotFound("Feed not found") from error


def answers(failed: str, target: str) -> Callable[[Request, FeedloomError], Response]:
    """Make what tells htmx of an error: where it is shown, and the words for a failure.

    ``{id}`` in the target is the feed's.
    """

    def tell(request: Request, error: FeedloomError) -> Response:
        problem = problem_of(request, error)
        if not is_htmx(request) or not wants_html(request) or problem.status in _OWN:
            return answer_error(request, error)
        is_ours = problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        errors = FormErrors(general=failed if is_ours else problem.detail)
        id_ = request.path_params.get("id", "")
        if not id_.isascii() or not id_.isdecimal():
            id_ = ""
        response = _form_errors(request, errors, problem.status, target.replace("{id}", id_))
        response.headers.update(problem.headers)
        if not target:
            del response.headers["HX-Retarget"], response.headers["HX-Reswap"]
        return response

    return tell


# Who is not signed in is led to the sign-in page, wherever the request came from.
_OWN = {HTTPStatus.UNAUTHORIZED}
