"""Account deletion: a person deletes their own account and all their data."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotAllowed, NotSignedIn, Throttled
from feedloom.serve.auth import Actor, at_browser, client_address, services
from feedloom.serve.cookies import SESSION, drop_cookie
from feedloom.serve.pages.accounts.session_cookies import go_to
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.renderer import render_form
from feedloom.serve.routes import Access, Route

PAGE = "/settings/security/delete"


async def leave_page(request: Request) -> Response:
    return await _page(request, _leaver(request))


async def leave(request: Request) -> Response:
    who = _leaver(request)
    form = await request.form()
    try:
        await _require_owner(request, who, field(form, "email"), field(form, "password"))
    except (InvalidInput, NotSignedIn, Throttled) as error:
        return await _page(request, who, error=error)
    await services(request).accounts.store.delete(who.user.id)
    response = go_to(request, "/")
    drop_cookie(request, response, SESSION)
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


async def _require_owner(request: Request, who: Actor, email: str, password: str) -> None:
    if email.strip().casefold() != who.user.email:
        raise InvalidInput("Type your email address to delete the account.")
    if who.user.has_password:
        await services(request).accounts.confirm(
            who.user, password, address=client_address(request)
        )


def _leaver(request: Request) -> Actor:
    who = at_browser(request)
    if who.user.is_operator:
        raise NotAllowed("Operators can't delete their own account. Ask another operator.")
    return who


async def _page(request: Request, who: Actor, *, error: FeedloomError | None = None) -> Response:
    return await render_form(
        request, "accounts/leave.html", error, has_password=who.user.has_password
    )


ROUTES = (
    Route(PAGE, leave_page, ("GET",), Access.PERSON),
    Route(PAGE, leave, ("POST",), Access.PERSON),
)
