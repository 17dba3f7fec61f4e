"""Register, sign in, sign out. Forms in, a session cookie and a redirect out.

What is wrong is said beside the form: 400 for a value, 401 for wrong credentials, 409
for a taken address, 429 when there were too many tries. The messages are those of seed
002, and signing in never tells which half was wrong.
"""

from starlette.datastructures import FormData
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
from feedloom.serve.answers import problem_of
from feedloom.serve.auth import actor, client_address, maybe_actor, services
from feedloom.serve.cookies import SESSION, drop_cookie
from feedloom.serve.doors import Access, Door
from feedloom.serve.pages.accounts.arriving import (
    go_to,
    is_session_over,
    start_of,
    start_session,
)
from feedloom.serve.pages.done import read_done
from feedloom.serve.pages.forms import field, is_on
from feedloom.serve.pages.rendering import render, render_page
from feedloom.serve.security import local_path


async def login_page(request: Request) -> Response:
    """Show the sign-in form, or go on when somebody is signed in."""
    next_path = local_path(request.query_params.get("next"), "")
    who = maybe_actor(request)
    if who is not None:
        return RedirectResponse(next_path or start_of(who.user), status_code=303)
    return await _login(request, next_path)


async def login(request: Request) -> Response:
    """Sign in."""
    form = await request.form()
    email, password = field(form, "email").strip(), field(form, "password")
    next_path = local_path(field(form, "next"), "")
    try:
        _require(email=email, password=password)
        user = await services(request).accounts.verify(
            email, password, address=client_address(request)
        )
    except (InvalidInput, NotSignedIn, Throttled) as error:
        return await _login(request, next_path, email=email, error=error)
    return await start_session(request, user, next_path or start_of(user))


def _require(**fields: str) -> None:
    for name, value in fields.items():
        if not value:
            raise InvalidInput(f"{name.capitalize()} is required", field=name)


async def _login(
    request: Request,
    next_path: str,
    *,
    email: str = "",
    error: FeedloomError | None = None,
) -> Response:
    problem = None if error is None else problem_of(request, error)
    return render(
        request,
        "accounts/login.html",
        200 if problem is None else problem.status,
        None if problem is None else problem.headers,
        next_path=next_path,
        email=email,
        problem=problem,
        is_over=is_session_over(request),
        done=read_done(request),
        may_register=await services(request).registration.is_possible(),
    )


async def register_page(request: Request) -> Response:
    """Show the form for a new account."""
    if maybe_actor(request) is not None:
        return RedirectResponse(local_path(None), status_code=303)
    return await _register(request, FormData())


async def register(request: Request) -> Response:
    """Make an account and sign its owner in."""
    form = await request.form()
    application = Application(
        email=field(form, "email").strip(),
        password=field(form, "password"),
        confirmation=field(form, "password_confirmation"),
        accepts_privacy=is_on(form, "privacy"),
        code=field(form, "code"),
    )
    try:
        user = await services(request).registration.register(
            application, address=client_address(request)
        )
    except (InvalidInput, Conflict, NotAllowed, Throttled) as error:
        return await _register(request, form, error=error)
    return await start_session(request, user, local_path(None))


async def _register(
    request: Request, form: FormData, *, error: FeedloomError | None = None
) -> Response:
    registration = services(request).registration
    possible = await registration.is_possible()
    problem = None if error is None else problem_of(request, error)
    status = 200 if possible else 403
    return render(
        request,
        "accounts/register.html",
        status if problem is None else problem.status,
        None if problem is None else problem.headers,
        email=field(form, "email"),
        code=field(form, "code"),
        accepted=is_on(form, "privacy"),
        problem=problem,
        possible=possible,
        needs_code=registration.needs_code and await _has_people(request),
    )


async def _has_people(request: Request) -> bool:
    return await services(request).accounts.store.has_any()


async def logout_page(request: Request) -> Response:
    """Ask whether to sign out: a link alone must not do it."""
    return await render_page(request, "accounts/logout.html")


async def logout(request: Request) -> Response:
    """End the session on the server and forget everything in the browser."""
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
    """Say what is stored about people."""
    return await render_page(request, "accounts/privacy.html")


DOORS = (
    Door("/auth/login", login_page, ("GET",), Access.ANYONE),
    Door("/auth/login", login, ("POST",), Access.ANYONE),
    Door("/auth/register", register_page, ("GET",), Access.ANYONE),
    Door("/auth/register", register, ("POST",), Access.ANYONE),
    Door("/auth/logout", logout_page, ("GET",), Access.PERSON),
    Door("/auth/logout", logout, ("POST",), Access.PERSON),
    Door("/privacy", privacy, ("GET",), Access.ANYONE),
)
