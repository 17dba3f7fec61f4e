"""Who may create accounts: the operator's choice, and invitations.

Only a browser may change anything here, as with people.
"""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput
from feedloom.serve.auth import at_browser, services
from feedloom.serve.ids import path_id
from feedloom.serve.origin import own_address
from feedloom.serve.pages.accounts.session_cookies import go_to
from feedloom.serve.pages.forms import as_number, field
from feedloom.serve.pages.renderer import my_sidebar, render_form
from feedloom.serve.routes import Access, Route

PAGE = "/admin/registration"


async def registration(request: Request) -> Response:
    return await _page(request)


async def choose(request: Request) -> Response:
    who = at_browser(request)
    form = await request.form()
    mode = field(form, "mode")
    is_first = await services(request).registration.is_unanswered()
    try:
        await services(request).registration.choose(mode, field(form, "code"))
    except (InvalidInput, Conflict) as error:
        return await _page(request, error=error, mode=mode)
    await services(request).oversight.note(
        who.user.email, "registration", "installation", after=mode
    )
    if is_first and mode != "invite" and not (await my_sidebar(request)).feeds:
        # Nothing is left to do here: somebody new goes on to their first feed.
        return go_to(request, "/dashboard?did=saved")
    return go_to(request, f"{PAGE}?did=saved")


async def invite(request: Request) -> Response:
    who = at_browser(request)
    form = await request.form()
    label = field(form, "label")
    app_services = services(request).registration
    try:
        days = as_number(field(form, "days") or "7", field="days")
        token, _ = await app_services.invite(label, days=days)
    except (InvalidInput, Conflict) as error:
        return await _page(request, error=error)
    await services(request).oversight.note(
        who.user.email, "invited", "installation", after=label[:100]
    )
    return await _page(request, link=app_services.link_of(own_address(request), token))


async def revoke(request: Request) -> Response:
    at_browser(request)
    await services(request).registration.store.revoke_invitation(path_id(request))
    return go_to(request, f"{PAGE}?did=revoked")


async def _page(
    request: Request, *, error: FeedloomError | None = None, mode: str = "", link: str = ""
) -> Response:
    app_services = services(request).registration
    rule = await app_services.rule()
    return await render_form(
        request,
        "admin/registration.html",
        error,
        rule=rule,
        chosen=mode or ("" if await app_services.is_unanswered() else rule.mode),
        is_set=bool(app_services.setting),
        invitations=await app_services.store.invitations() if rule.mode == "invite" else (),
        link=link,
    )


ROUTES = (
    Route(PAGE, registration, ("GET",), Access.OPERATOR),
    Route(PAGE, choose, ("POST",), Access.OPERATOR),
    Route(f"{PAGE}/invitations", invite, ("POST",), Access.OPERATOR),
    Route(PAGE + "/invitations/{id}/revoke", revoke, ("POST",), Access.OPERATOR),
)
