"""A person's own password, sessions and app passwords; and the end of their account.

Only a browser may change them: an app password gives access to everything else
of its owner's, but not to this, so that a program's secret cannot make itself others.
"""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.identity.accounts import SIGN_IN_BLOCKED
from feedloom.model.errors import FeedloomError, InvalidInput, NotAllowed, NotSignedIn, Throttled
from feedloom.serve.auth import Actor, at_browser, client_address, services
from feedloom.serve.ids import path_id
from feedloom.serve.origin import own_address
from feedloom.serve.pages.accounts.sign_in import leave_browser, start_session
from feedloom.serve.pages.forms import field, go_to, is_on
from feedloom.serve.pages.renderer import render_form
from feedloom.serve.routes import Access, Route

PAGE = "/settings/security"
_SHORT_ID = 16
_LONGEST_LABEL = 100


async def show_security(
    request: Request,
    *,
    error: FeedloomError | None = None,
    is_about_linking: bool = False,
    secret: str = "",
    label: str = "",
) -> Response:
    who = at_browser(request)
    store = services(request).accounts.store
    return await render_form(
        request,
        "accounts/security.html",
        error,
        is_about_linking=is_about_linking,
        sessions=await store.sessions(who.user.id),
        current=who.session.token_hash if who.session else "",
        app_passwords=await store.app_passwords(who.user.id),
        identities=await store.identities(who.user.id),
        secret=secret,
        label=label,
        blocked=await store.events_of(who.user.id, SIGN_IN_BLOCKED, limit=10),
        server=own_address(request),
        short_id=_SHORT_ID,
    )


async def password_page(
    request: Request, *, keeps: bool | None = None, error: FeedloomError | None = None
) -> Response:
    who, app_services = at_browser(request), services(request)
    return await render_form(
        request,
        "accounts/password.html",
        error,
        has_old=who.user.has_password,
        keeps=not who.user.has_password if keeps is None else keeps,
        app_passwords=await app_services.accounts.store.app_passwords(who.user.id),
        shared_views=await app_services.view_tokens.tokens(who.user.id),
        identities=await app_services.accounts.store.identities(who.user.id),
    )


async def change_password(request: Request) -> Response:
    who = at_browser(request)
    form = await request.form()
    keeps = is_on(form, "keep_programs")
    password = field(form, "password")
    if password != field(form, "password_confirmation"):
        unlike = InvalidInput("Passwords do not match", field="password_confirmation")
        return await password_page(request, keeps=keeps, error=unlike)
    try:
        user, ended = await services(request).accounts.change_password(
            who.user,
            field(form, "old"),
            password,
            address=client_address(request),
            keep_programs=keeps,
        )
    except (InvalidInput, Throttled) as error:
        return await password_page(request, keeps=keeps, error=error)
    await _record(request, who, "password_changed", **asdict(ended))
    counts = f"{ended.app_passwords}.{ended.shared_views}.{ended.identities}"
    return await start_session(request, user, f"{PAGE}?did=password.{counts}")


async def end_session(request: Request) -> Response:
    who = at_browser(request)
    store = services(request).accounts.store
    wanted = field(await request.form(), "session")
    if wanted == "others":
        await store.end_sessions(who.user.id, keep=who.session.token_hash if who.session else None)
    else:
        for session in await store.sessions(who.user.id):
            if session.token_hash[:_SHORT_ID] == wanted:
                await store.end_session(who.user.id, session.token_hash)
    await _record(request, who, "session_ended")
    return go_to(request, PAGE, "saved")


async def add_app_password(request: Request) -> Response:
    who = at_browser(request)
    form = await request.form()
    accounts = services(request).accounts
    try:
        label = _label(field(form, "label"))
        scope = "read" if field(form, "scope") == "read" else "full"
        made, secret = await accounts.add_app_password(who.user, label, scope=scope)
    except InvalidInput as error:
        return await show_security(request, error=error)
    await _record(request, who, "app_password_added", label=made.label)
    return await show_security(request, secret=secret, label=made.label)


def _label(text: str) -> str:
    label = " ".join(text.split())
    if not label:
        raise InvalidInput("A name is required", field="label")
    if len(label) > _LONGEST_LABEL:
        raise InvalidInput("The name must be shorter than 100 characters", field="label")
    return label


async def revoke_app_password(request: Request) -> Response:
    who = at_browser(request)
    store = services(request).accounts.store
    await store.revoke_app_password(who.user.id, path_id(request))
    await _record(request, who, "app_password_revoked")
    return go_to(request, PAGE, "deleted")


async def _record(request: Request, who: Actor, event: str, **data: object) -> None:
    await services(request).accounts.store.record_event(who.user.id, event, data)


async def deletion_page(request: Request, *, error: FeedloomError | None = None) -> Response:
    has_password = _leaver(request).user.has_password
    return await render_form(request, "accounts/leave.html", error, has_password=has_password)


async def delete_account(request: Request) -> Response:
    who = _leaver(request)
    form = await request.form()
    accounts = services(request).accounts
    if field(form, "email").strip().casefold() != who.user.email:
        other = InvalidInput("Type your email address to delete the account.")
        return await deletion_page(request, error=other)
    try:
        if who.user.has_password:
            password = field(form, "password")
            await accounts.confirm(who.user, password, address=client_address(request))
    except (InvalidInput, NotSignedIn, Throttled) as error:
        return await deletion_page(request, error=error)
    await accounts.store.delete(who.user.id)
    return leave_browser(request, go_to(request, "/"))


def _leaver(request: Request) -> Actor:
    who = at_browser(request)
    if who.user.is_operator:
        raise NotAllowed("Operators can't delete their own account. Ask another operator.")
    return who


ROUTES = (
    Route("/auth/password", password_page, ("GET",), Access.PERSON),
    Route("/auth/password", change_password, ("POST",), Access.PERSON),
    Route(PAGE, show_security, ("GET",), Access.PERSON),
    Route(f"{PAGE}/sessions", end_session, ("POST",), Access.PERSON),
    Route(f"{PAGE}/app-passwords", add_app_password, ("POST",), Access.PERSON),
    Route(PAGE + "/app-passwords/{id}/revoke", revoke_app_password, ("POST",), Access.PERSON),
    Route(f"{PAGE}/delete", deletion_page, ("GET",), Access.PERSON),
    Route(f"{PAGE}/delete", delete_account, ("POST",), Access.PERSON),
)
