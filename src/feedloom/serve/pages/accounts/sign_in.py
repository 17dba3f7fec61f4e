"""Register, sign in, sign out. Forms in, cookies and a redirect out.

What is wrong is said beside the form: 400 for a value, 401 for wrong credentials, 409
for a taken address, 429 after too many attempts. Signing in never tells which half was
wrong.
"""

import secrets
from collections.abc import Mapping

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.identity.accounts import SESSION_LIFE, Device
from feedloom.flow.identity.registration import Application
from feedloom.model.errors import (
    Conflict,
    FeedloomError,
    InvalidInput,
    NotAllowed,
    NotSignedIn,
    Throttled,
)
from feedloom.model.reader import User
from feedloom.serve.auth import actor, client_address, maybe_actor, services
from feedloom.serve.cookies import DEVICE, GUEST, SESSION, drop_cookie, read_cookie, set_cookie
from feedloom.serve.pages.forms import field, go_to, is_on, redirect_to
from feedloom.serve.pages.renderer import render_form, render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import HOME, local_path, seal, unseal

_STARTS: Mapping[str, str] = {"river": "/ui/", "unread": "/read/unread", "dashboard": "/dashboard"}
"""Where each choice of "Start page" leads."""
_PEOPLE_PER_DEVICE = 10
_DEVICE_LIFE_S = 365 * 86_400


async def login_page(request: Request) -> Response:
    next_path = local_path(request.query_params.get("next"), "")
    who = maybe_actor(request)
    if who is not None:
        return redirect_to(next_path or start_of(who.user))
    return await show_login(request, next_path)


async def login(request: Request) -> Response:
    form = await request.form()
    email, password = field(form, "email").strip(), field(form, "password")
    next_path = local_path(field(form, "next"), "")
    for name, value in (("email", email), ("password", password)):
        if not value:
            error = InvalidInput(f"{name.capitalize()} is required", field=name)
            return await show_login(request, next_path, email=email, error=error)
    try:
        user = await services(request).accounts.verify(
            email, password, address=client_address(request), device=device_of(request)
        )
    except (InvalidInput, NotSignedIn, Throttled) as refusal:
        return await show_login(request, next_path, email=email, error=refusal)
    return await start_session(request, user, next_path or start_of(user))


async def show_login(
    request: Request, next_path: str = "", *, email: str = "", error: FeedloomError | None = None
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


def start_of(user: User) -> str:
    return _STARTS.get(str(user.settings.get("start")), HOME)


def is_session_over(request: Request) -> bool:
    return maybe_actor(request) is None and bool(read_cookie(request, SESSION))


async def start_session(
    request: Request, user: User, path: str, *, is_new: bool = False
) -> Response:
    accounts = services(request).accounts
    before = maybe_actor(request)
    if before is not None and before.session is not None:
        # Whoever was signed in here is not any more, whoever it was.
        await accounts.store.end_session(before.user.id, before.session.token_hash)
    signed_in = await accounts.sign_in(
        user,
        user_agent=request.headers.get("user-agent", ""),
        address=client_address(request),
        is_new=is_new,
    )
    response = go_to(request, path)
    age = int(SESSION_LIFE.total_seconds())
    set_cookie(request, response, SESSION, signed_in.token, max_age_s=age)
    drop_cookie(request, response, GUEST)
    _remember_device(request, response, user)
    return response


def device_of(request: Request) -> Device | None:
    return unseal(request, read_cookie(request, DEVICE), Device)


def _remember_device(request: Request, response: Response, user: User) -> None:
    before = device_of(request) or Device(secrets.token_urlsafe(12))
    others = tuple(one for one in before.people if one != user.id)
    device = Device(before.id, (user.id, *others)[:_PEOPLE_PER_DEVICE])
    sealed = seal(request, device, life_s=_DEVICE_LIFE_S)
    set_cookie(request, response, DEVICE, sealed, max_age_s=_DEVICE_LIFE_S)


async def register_page(request: Request) -> Response:
    if maybe_actor(request) is not None:
        return redirect_to(local_path(None))
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
    return leave_browser(request, go_to(request, "/auth/login", "out"))


def leave_browser(request: Request, response: Response) -> Response:
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
