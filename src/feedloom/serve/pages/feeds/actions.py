"""Actions on feeds, for htmx and plain forms: add, edit, move, refresh, unsubscribe.

htmx gets 204 with ``HX-Trigger: refreshFeedList``, or what is wrong, sent to where the
form shows it. A plain form posts to a twin of each address and gets a redirect.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import BadAddress, Conflict, FeedloomError, InvalidInput, NotFound
from feedloom.model.reader import Retention, Subscription
from feedloom.model.urls import normalise
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_error, problem_of
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.pages.feeds.dashboard import FormErrors, draw_dashboard, list_feeds
from feedloom.serve.pages.forms import (
    as_days,
    field,
    find_done,
    is_digits,
    is_on,
    maybe_id,
    redirect_back,
)
from feedloom.serve.pages.navigation import health_of
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route

CHANGED = {"HX-Trigger": "refreshFeedList"}
_LONGEST_NAME = 255
_LONGEST_COOKIE = 4_096
_ADD_ERRORS = "#feed-add-form-errors"
_EDIT_ERRORS = "#feed-edit-form-errors-{id}"
_HOURS = {"": None, "900": 900, "3600": 3600, "21600": 21600, "86400": 86400}


async def add_feed(request: Request) -> Response:
    form = await request.form()
    name, url = field(form, "name").strip(), field(form, "url").strip()
    errors, status = check_feed(name, url), HTTPStatus.BAD_REQUEST
    if not errors:
        user = actor(request).user
        try:
            await services(request).subscribing.add(user, url, title=name, exact=True)
            return _changed(request, form, "/dashboard", "added")
        except Conflict as error:
            errors, status = FormErrors(url=str(error)), HTTPStatus.CONFLICT
    if is_htmx(request):
        return _form_errors(request, errors, status, _ADD_ERRORS)
    return await draw_dashboard(request, status, errors=errors, name=name, url=url)


def check_feed(name: str, url: str) -> FormErrors:
    return FormErrors(name=_name_error(name), url=_url_error(url))


def _name_error(name: str) -> str:
    if not name:
        return "Feed name is required"
    return "Feed name must be less than 255 characters" if len(name) > _LONGEST_NAME else ""


def _url_error(url: str) -> str:
    if not url:
        return "Feed URL is required"
    if not url.lower().startswith(("http://", "https://")):
        return BadAddress.default
    try:
        normalise(url)
    except BadAddress:
        return BadAddress.default
    return ""


def _access_error(cookie: str, user_agent: str) -> str:
    for name, value, longest in (
        ("The cookie", cookie, _LONGEST_COOKIE),
        ("The user agent", user_agent, _LONGEST_NAME),
    ):
        if len(value) > longest:
            return f"{name} must be less than {longest} characters"
        if not (value.isascii() and value.isprintable()) and value:
            return f"{name} may only contain printable ASCII characters"
    return ""


async def edit_form(request: Request) -> Response:
    user_id = actor(request).user.id
    feed = await services(request).subscriptions.subscription(user_id, feed_id(request))
    facts = {"feed": feed, **await form_choices(request, feed)}
    if not is_htmx(request):
        return await render_page(request, "feeds/edit_page.html", 200, None, part="", **facts)
    part = request.query_params.get("part", "")
    return render(request, "feeds/edit.html", 200, None, part=part, **facts)


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
    feed = await services(request).subscriptions.subscription(actor(request).user.id, id_)
    errors = FormErrors(
        name=_name_error(field(form, "name").strip()) if "name" in form else "",
        url=_url_error(field(form, "url").strip()) if "url" in form else "",
        general=_access_error(field(form, "cookie").strip(), field(form, "user_agent").strip()),
    )
    status = HTTPStatus.BAD_REQUEST
    if not errors:
        try:
            await _apply(request, feed, form)
            return _changed(request, form, f"/feeds/{id_}", "saved")
        except Conflict as error:
            errors, status = FormErrors(url=str(error)), HTTPStatus.CONFLICT
    if is_htmx(request):
        return _form_errors(request, errors, status, _EDIT_ERRORS)
    choices = await form_choices(request, feed) | {"has_shorts": field(form, "shorts") != "0"}
    facts = {"feed": feed, "errors": errors, **choices}
    return await render_page(request, "feeds/edit_page.html", status, None, part="", **facts)


async def _apply(request: Request, feed: Subscription, form: FormData) -> None:
    user, store = actor(request).user, services(request).subscriptions
    url = field(form, "url").strip()
    if "url" in form and url != feed.url:
        feed = await store.change_url(user.id, feed.id, url, tenant_id=user.tenant_id)
    # A cookie is not shown, so an empty field keeps it.
    cookie = field(form, "cookie").strip() or feed.cookie
    if is_on(form, "forget_cookie"):
        cookie = None
    agent = feed.user_agent
    if "user_agent" in form:
        agent = field(form, "user_agent").strip() or None
    if (cookie, agent) != (feed.cookie, feed.user_agent):
        await store.set_access(
            user.id, feed.id, cookie=cookie, user_agent=agent, tenant_id=user.tenant_id
        )
    if "interval_s" in form:
        is_paused = field(form, "interval_s") == "paused"
        await (store.pause if is_paused else store.resume)(user.id, feed.id)
    if "direct" in form and user.is_operator:
        await store.set_direct(user.id, feed.id, direct=field(form, "direct") == "1")
    if "shorts" in form:
        leave_out = services(request).rules.leave_out_shorts
        await leave_out(user.id, feed.id, wanted=field(form, "shorts") == "0")
    if changes := _read_changes(feed, form):
        await store.change(user.id, feed.id, changes)


def _read_changes(feed: Subscription, form: FormData) -> dict[str, object]:
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


async def delete_feed(request: Request) -> Response:
    user_id = actor(request).user.id
    await services(request).subscriptions.unsubscribe(user_id, feed_id(request))
    form = await request.form() if request.method == "POST" else FormData()
    return _changed(request, form, "/dashboard", "removed")


async def refresh_feed(request: Request) -> Response:
    """Fetch a feed now; a retry forgets its failures."""
    user_id, id_ = actor(request).user.id, feed_id(request)
    form = await request.form()
    await services(request).subscriptions.refresh(user_id, id_, afresh="retry" in form)
    return _changed(request, form, f"/feeds/{id_}", "refreshing")


async def change_selected(request: Request) -> Response:
    """Do one thing with all feeds that are selected in a list."""
    form = await request.form()
    user_id, store = actor(request).user.id, services(request).subscriptions
    chosen = [as_id(str(value)) for value in form.getlist("feed")][:1_000]
    todo: dict[str, Callable[[int], Awaitable[object]]] = {
        "move": lambda id_: store.change(user_id, id_, {"folder_id": maybe_id(form, "folder_id")}),
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
    feeds = [feed for feed in await store.subscriptions(user_id) if feed.feed_id is not None]
    polled = [feed for feed in feeds if feed.next_run_at is not None]
    failing = sum(health_of(feed) in {"broken", "shaky"} for feed in polled)
    word = f"fetching.{begun}.{len(polled)}.{failing}" if feeds else "no-feeds"
    return _changed_and_told(request, await request.form(), word)


def _changed_and_told(request: Request, form: FormData, word: str) -> Response:
    response = _changed(request, form, "/dashboard", word)
    if is_htmx(request):
        done = find_done(word)
        told = {"refreshFeedList": {}, "toast": {"text": done.text if done else ""}}
        response.headers["HX-Trigger"] = json.dumps(told)
    return response


def _changed(request: Request, form: FormData, path: str, word: str) -> Response:
    if is_htmx(request) or not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=CHANGED)
    return redirect_back(form, path, word)


def feed_id(request: Request) -> int:
    try:
        return path_id(request)
    except NotFound as error:
        raise NotFound("Feed not found") from error


def _form_errors(request: Request, errors: FormErrors, status: int, target: str) -> Response:
    """Tell htmx what is wrong, where the form shows it; ``{id}`` is the feed's."""
    id_ = request.path_params.get("id", "")
    where = target.replace("{id}", id_ if is_digits(id_) else "")
    headers = {"HX-Retarget": where, "HX-Reswap": "innerHTML"} if target else {}
    return render(request, "feeds/form_errors.html", status, headers, errors=errors)


def _answers(failed: str, target: str) -> Callable[[Request, FeedloomError], Response]:
    """Make what tells htmx of an error: where it is shown, and the words for a failure."""

    def tell(request: Request, error: FeedloomError) -> Response:
        problem = problem_of(request, error)
        # Who is not signed in is led to the sign-in page, wherever the request came from.
        is_stranger = problem.status == HTTPStatus.UNAUTHORIZED
        if not is_htmx(request) or not wants_html(request) or is_stranger:
            return answer_error(request, error)
        is_ours = problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        errors = FormErrors(general=failed if is_ours else problem.detail)
        response = _form_errors(request, errors, problem.status, target)
        response.headers.update(problem.headers)
        return response

    return tell


_LIST = _answers("Failed to load feeds", "")
_ADD = _answers("Failed to add feed. Please try again.", _ADD_ERRORS)
_FORM = _answers("Failed to load feed", "")
_EDIT = _answers("Failed to update feed", _EDIT_ERRORS)
_DELETE = _answers("Failed to delete feed", "#feed-item-{id}-errors")

ROUTES = (
    Route("/feeds", list_feeds, ("GET",), Access.PERSON, errors=_LIST),
    Route("/feeds", add_feed, ("POST",), Access.PERSON, errors=_ADD),
    Route("/feeds/refresh", refresh_all, ("POST",), Access.PERSON, per_minute=12),
    Route("/feeds/selected", change_selected, ("POST",), Access.PERSON),
    Route("/feeds/{id}", edit_feed, ("PATCH",), Access.PERSON, errors=_EDIT),
    Route("/feeds/{id}", delete_feed, ("DELETE",), Access.PERSON, errors=_DELETE),
    Route("/feeds/{id}/edit", edit_form, ("GET",), Access.PERSON, errors=_FORM),
    Route("/feeds/{id}/edit", edit_feed, ("POST",), Access.PERSON),
    Route("/feeds/{id}/delete", delete_feed, ("POST",), Access.PERSON),
    Route("/feeds/{id}/refresh", refresh_feed, ("POST",), Access.PERSON),
)
