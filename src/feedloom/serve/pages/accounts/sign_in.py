"""Register, sign in, sign out. Forms in, a session cookie and a redirect out.

What is wrong is said beside the form: 400 for a value, 401 for wrong credentials, 409
for a taken address, 429 after too many attempts. Signing in never tells which half was
wrong.
"""

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.flow.identity.registration import Application
from feedloom.model.errors import (
    Conflict,
    FeedloomError,
    InvalidInput,
    NotAllowed,
    NotSignedIn,
    Throttled,
)
from feedloom.serve.auth import actor, client_address, maybe_actor, services
from feedloom.serve.cookies import SESSION, drop_cookie
from feedloom.serve.pages.accounts.session_cookies import (
    device_of,
    go_to,
    is_session_over,
    start_of,
    start_session,
)
from feedloom.serve.pages.forms import field, is_on
from feedloom.serve.pages.renderer import render_form, render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path


async def login_page(request: Request) -> Response:
    next_path = local_path(request.query_params.get("next"), "")
    who = maybe_actor(request)
    if who is not None:
        return RedirectResponse(next_path or start_of(who.user), status_code=303)
    return await _login(request, next_path)


async def login(request: Request) -> Response:
    form = await request.form()
    email, password = field(form, "email").strip(), field(form, "password")
    next_path = local_path(field(form, "next"), "")
    try:
        _require(email=email, password=password)
        user = await services(request).accounts.verify(
            email, password, address=client_address(request), device=device_of(request)
        )
    except (InvalidInput, NotSignedIn, Throttled) as error:
        return await _login(request, next_path, email=email, error=error)
    return await start_session(request, user, next_path or start_of(user))


def _require(**fields: str) -> None:
    for name, value in fields.items():
        if not value:
            raise InvalidInput(f"{name.capitalize()} is required", field=name)


async def _login(
    request: Request, next_path: str, *, email: str = "", error: FeedloomError | None = None
) -> Response:
    return await render_form(
        request,
        "accounts/login.html",
        error,
        next_path=next_path,
        email=email,
        is_over=is_session_over(request),
        may_register=await services(request).registration.is_possible(),
    )


async def register_page(request: Request) -> Response:
    if maybe_actor(request) is not None:
        return RedirectResponse(local_path(None), status_code=303)
    return await _register(request, request.query_params)


async def register(request: Request) -> Response:
    form = await request.form()
    application = Application(
        email=field(form, "email").strip(),
        password=field(form, "password"),
        confirmation=field(form, "password_confirmation"),
        accepts_privacy=is_on(form, "privacy"),
        code=field(form, "code"),
        invitation=field(form, "invitation"),
    )
    try:
        user = await services(request).registration.register(
            application, address=client_address(request)
        )
    except (InvalidInput, Conflict, NotAllowed, Throttled) as error:
        return await _register(request, form, error=error)
    asks = user.is_operator and await services(request).registration.is_unanswered()
    path = "/admin/registration" if asks else local_path(None)
    return await start_session(request, user, path, is_new=True)


async def _register(
    request: Request, form: FormData | QueryParams, *, error: FeedloomError | None = None
) -> Response:
    registration = services(request).registration
    invitation = field(form, "invitation")
    possible = await registration.is_possible(invitation)
    status = 200 if possible else 403
    return await render_form(
        request,
        "accounts/register.html",
        error,
        status,
        email=field(form, "email"),
        code=field(form, "code"),
        invitation=invitation,
        by_invitation=(await registration.rule()).mode == "invite",
        accepted=is_on(form, "privacy"),
        possible=possible,
        needs_code=await registration.needs_code(),
    )


async def logout_page(request: Request) -> Response:
    """Ask whether to sign out: a link alone must not do it."""
    return await render_page(request, "accounts/logout.html")


async def logout(request: Request) -> Response:
    who = actor(request)
    store = services(request).accounts.store
    if who.session is not None:
        await store.end_session(who.user.id, who.session.token_hash)
        await store.record_event(who.user.id, "user_logout", {})
    response = go_to(request, "/auth/login?did=out")
    drop_cookie(request, response, SESSION)
    # The next person at this browser must not find the pages of this one.
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


async def privacy(request: Request) -> Response:
    return await render_page(request, "accounts/privacy.html")


ROUTES = (
    Route("/auth/login", login_page, ("GET",), Access.ANYONE),
    Route("/auth/login", login, ("POST",), Access.ANYONE),
    Route("/auth/register", register_page, ("GET",), Access.ANYONE),
    Route("/auth/register", register, ("POST",), Access.ANYONE),
    Route("/auth/logout", logout_page, ("GET",), Access.PERSON),
    Route("/auth/logout", logout, ("POST",), Access.PERSON),
    Route("/privacy", privacy, ("GET",), Access.ANYONE),
)
