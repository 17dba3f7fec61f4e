"""Digests: the newest in a panel, all of them on a page, and the daily schedule.

``/summaries/latest`` and ``/summaries`` follow the htmx contract of the dashboard's
design; the same addresses answer programs in JSON.
"""

from functools import cache
from http import HTTPStatus
from zoneinfo import available_timezones

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.distill.digest import read_schedule
from feedloom.flow.distill.mail import is_confirmed
from feedloom.flow.distill.model_opt_out import wants_no_model
from feedloom.model.distilled.digests import Summary
from feedloom.model.errors import FeedloomError, InvalidInput, NotFound
from feedloom.model.reader import Wanted
from feedloom.serve.api.summaries import not_generated
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_error, problem_of
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.forms import as_number, field, is_on, redirect_to
from feedloom.serve.pages.renderer import render, render_page
from feedloom.serve.routes import Access, Route


async def latest(request: Request) -> Response:
    if not is_htmx(request):
        return await history(request)
    newest = await services(request).digests.store.latest(actor(request).user.id)
    return await _panel(request, newest)


async def generate(request: Request) -> Response:
    digests = services(request).digests
    user_id = actor(request).user.id
    try:
        made = await digests.generate(user_id)
    except FeedloomError as error:
        problem = problem_of(request, error)
        if not is_htmx(request):
            return await history(request, problem.detail, problem.status)
        kept = await digests.store.latest(user_id)
        response = await _panel(request, kept, problem.detail, problem.status)
        response.headers.update(problem.headers)
        return response
    if not is_htmx(request):
        return redirect_to("/digest")
    return await _panel(request, made)


async def history(request: Request, problem: str = "", status: int = HTTPStatus.OK) -> Response:
    user = actor(request).user
    cursor = request.query_params.get("cursor") or None
    page = await services(request).digests.store.summaries(
        user.id, cursor=cursor, limit=14 + (cursor is None)
    )
    mail, mails = None, services(request).digest_mails
    if mails is not None:
        mail = {
            "address": user.email,
            "is_on": user.settings.get("digest_mail") is True,
            "is_confirmed": is_confirmed(user),
            "last": await mails.store.latest(user.id),
        }
    # The first page opens its first digest; the pages after it only list.
    newest = page.summaries[0] if page.summaries and cursor is None else None
    return await render_page(
        request,
        "digest/history.html",
        status,
        summary=newest,
        earlier=page.summaries[1:] if cursor is None else page.summaries,
        is_first=cursor is None,
        next_cursor=page.next_cursor,
        present=await _present(request, newest),
        problem=problem,
        mail=mail,
        daily=user.settings.get("digest_daily") is True,
        hour=user.settings.get("digest_hour", 7),
        timezone=user.settings.get("timezone", ""),
        timezones=_timezones(),
        has_model=services(request).digests.has_model,
        no_model=wants_no_model(user),
    )


async def one(request: Request) -> Response:
    found = await services(request).digests.store.summary(actor(request).user.id, path_id(request))
    present = await _present(request, found)
    return await render_page(request, "digest/one.html", summary=found, present=present)


async def delete(request: Request) -> Response:
    await services(request).digests.store.delete(actor(request).user.id, path_id(request))
    return redirect_to("/digest", "deleted")


async def schedule(request: Request) -> Response:
    form = await request.form()
    try:
        wanted = None
        if is_on(form, "daily"):
            hour = as_number(field(form, "hour"), field="hour")
            wanted = read_schedule(hour, field(form, "timezone").strip())
    except InvalidInput as error:
        return await history(request, str(error), HTTPStatus.BAD_REQUEST)
    user = actor(request).user
    await services(request).digests.set_daily(user, wanted)
    mails = services(request).digest_mails
    if mails is not None:
        await mails.switch(user, on=wanted is not None and is_on(form, "mail"))
    return redirect_to("/digest", "no-digest" if wanted is None else f"digest.{wanted.hour}")


async def confirm_mail(request: Request) -> Response:
    """Confirm the account's address with the link that was mailed to it."""
    mails, token = services(request).digest_mails, request.query_params.get("confirm")
    if mails is None or not token:
        return redirect_to("/digest")
    await mails.confirm(actor(request).user, token)
    return redirect_to("/digest", "mail")


async def stop_mail(request: Request) -> Response:
    """End the mails of whoever has a link from one: at once when a mail program asks."""
    mails = services(request).digest_mails
    if mails is None:
        raise NotFound
    ids = (path_id(request), request.path_params["token"])
    if request.method == "POST":
        await mails.stop(*ids)
    else:
        await mails.check_stop(*ids)
    return await render_page(request, "digest/stop.html", is_done=request.method == "POST")


async def model_wish(request: Request) -> Response:
    form = await request.form()
    no_model = is_on(form, "no_model")
    await services(request).digests.set_model_wish(actor(request).user.id, no_model=no_model)
    return redirect_to("/digest", "no-model" if no_model else "model")


async def _panel(
    request: Request, summary: Summary | None, problem: str = "", status: int = HTTPStatus.OK
) -> Response:
    return render(
        request,
        "digest/panel.html",
        status,
        summary=summary,
        present=await _present(request, summary),
        problem=problem,
    )


async def _present(request: Request, summary: Summary | None) -> set[int]:
    """Tell which cited articles are still here: the others are linked to outside."""
    if summary is None or not summary.cited:
        return set()
    items = tuple(cited.item_no for cited in summary.cited)
    wanted = Wanted(item_nos=items, include_hidden=True, limit=len(items))
    return set(await services(request).reading.item_nos(actor(request).user.id, wanted))


@cache
def _timezones() -> tuple[str, ...]:
    return tuple(sorted(available_timezones()))


def _not_loaded(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    if not is_htmx(request) or problem.status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return answer_error(request, error)
    return render(request, "digest/failed.html", problem.status, said="Failed to load summary")


ROUTES = (
    Route("/summaries/latest", latest, ("GET",), Access.PERSON, errors=_not_loaded),
    Route("/summaries", generate, ("POST",), Access.PERSON, errors=not_generated),
    Route("/digest", history, ("GET",), Access.PERSON),
    Route("/digest/schedule", schedule, ("POST",), Access.PERSON),
    Route("/digest/model", model_wish, ("POST",), Access.PERSON),
    Route("/digest/mail", confirm_mail, ("GET",), Access.PERSON),
    Route("/mail/stop/{id}/{token}", stop_mail, ("GET", "POST"), Access.OWN, csrf=False),
    Route("/digest/{id}", one, ("GET",), Access.PERSON),
    Route("/digest/{id}/delete", delete, ("POST",), Access.PERSON),
)
