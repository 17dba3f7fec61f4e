"""People: add, disable, change roles, reset passwords; and who may create accounts.

New passwords are made here and shown once. Nobody can lock out, demote or delete
themselves, and of two who do it to each other one remains, so an installation never
loses its last operator. Only a browser may change anything here: whoever finds an
operator's app password must not become operator with it.
"""

import secrets

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, NotFound
from feedloom.model.reader import Role, User
from feedloom.serve.auth import at_browser, services
from feedloom.serve.ids import path_id
from feedloom.serve.origin import own_address
from feedloom.serve.pages.forms import as_number, field, go_to
from feedloom.serve.pages.renderer import my_sidebar, render_form
from feedloom.serve.routes import Access, Route

PEOPLE = "/admin/people"
REGISTRATION = "/admin/registration"
_SHOWN = 50


async def people(
    request: Request, *, error: FeedloomError | None = None, email: str = "", password: str = ""
) -> Response:
    text = request.query_params.get("search", "").replace("\x00", "")
    after = as_number(request.query_params.get("after") or "0", field="after")
    oversight = services(request).oversight
    lines = await oversight.people(text=text[:254], after=after, limit=_SHOWN + 1)
    return await render_form(
        request,
        "admin/people.html",
        error,
        people=lines[:_SHOWN],
        next_after=lines[_SHOWN - 1].id if len(lines) > _SHOWN else None,
        search=text,
        email=email,
        password=password,
    )


async def add_person(request: Request) -> Response:
    at_browser(request)
    form = await request.form()
    role = Role.OPERATOR if field(form, "role") == "operator" else Role.READER
    password = secrets.token_urlsafe(12)
    try:
        user = await services(request).accounts.register(field(form, "email"), password, role=role)
    except (InvalidInput, Conflict) as error:
        return await people(request, error=error)
    await _note(request, "added", f"person:{user.id}", role.value)
    return await people(request, email=user.email, password=password)


async def set_disabled(request: Request) -> Response:
    person = await _other(request)
    disabled = field(await request.form(), "disabled") == "yes"
    await services(request).accounts.store.set_disabled(person.id, disabled=disabled)
    await _note(request, "disabled" if disabled else "enabled", f"person:{person.id}")
    return go_to(request, PEOPLE, "saved")


async def set_role(request: Request) -> Response:
    person = await _other(request)
    named = field(await request.form(), "role")
    if named not in {"reader", "operator"}:
        raise InvalidInput("Unknown role.", field="role")
    await services(request).accounts.store.set_role(person.id, Role(named))
    await _note(request, "role", f"person:{person.id}", named)
    return go_to(request, PEOPLE, "saved")


async def reset_password(request: Request) -> Response:
    person = await _other(request)
    password = secrets.token_urlsafe(12)
    await services(request).accounts.reset_password(person.email, password)
    await _note(request, "password_reset", f"person:{person.id}")
    return await people(request, email=person.email, password=password)


async def delete_person(request: Request) -> Response:
    person = await _other(request)
    if field(await request.form(), "email").strip().casefold() != person.email:
        error = InvalidInput("Type the email address to delete the account.")
        return await people(request, error=error)
    await services(request).accounts.store.delete(person.id)
    await _note(request, "deleted", f"person:{person.id}")
    return go_to(request, PEOPLE, "deleted")


async def _other(request: Request) -> User:
    who = at_browser(request)
    person_id = path_id(request)
    if person_id == who.user.id:
        raise Conflict("You can't do this to your own account.")
    person = await services(request).accounts.store.by_id(person_id)
    if person is None:
        raise NotFound("Person not found.")
    return person


async def _note(request: Request, action: str, target: str, after: str = "") -> None:
    email = at_browser(request).user.email
    await services(request).oversight.note(email, action, target, after=after)


async def registration(
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


async def choose_registration(request: Request) -> Response:
    at_browser(request)
    form = await request.form()
    mode = field(form, "mode")
    is_first = await services(request).registration.is_unanswered()
    try:
        await services(request).registration.choose(mode, field(form, "code"))
    except (InvalidInput, Conflict) as error:
        return await registration(request, error=error, mode=mode)
    await _note(request, "registration", "installation", mode)
    if is_first and mode != "invite" and not (await my_sidebar(request)).feeds:
        # Nothing is left to do here: somebody new goes on to their first feed.
        return go_to(request, "/dashboard", "saved")
    return go_to(request, REGISTRATION, "saved")


async def invite(request: Request) -> Response:
    at_browser(request)
    form = await request.form()
    label = field(form, "label")
    app_services = services(request).registration
    try:
        days = as_number(field(form, "days") or "7", field="days")
        token, _ = await app_services.invite(label, days=days)
    except (InvalidInput, Conflict) as error:
        return await registration(request, error=error)
    await _note(request, "invited", "installation", label[:100])
    return await registration(request, link=app_services.link_of(own_address(request), token))


async def revoke_invitation(request: Request) -> Response:
    at_browser(request)
    await services(request).registration.store.revoke_invitation(path_id(request))
    return go_to(request, REGISTRATION, "revoked")


ROUTES = (
    Route(PEOPLE, people, ("GET",), Access.OPERATOR),
    Route(PEOPLE, add_person, ("POST",), Access.OPERATOR),
    Route(PEOPLE + "/{id}/disabled", set_disabled, ("POST",), Access.OPERATOR),
    Route(PEOPLE + "/{id}/role", set_role, ("POST",), Access.OPERATOR),
    Route(PEOPLE + "/{id}/password", reset_password, ("POST",), Access.OPERATOR),
    Route(PEOPLE + "/{id}/delete", delete_person, ("POST",), Access.OPERATOR),
    Route(REGISTRATION, registration, ("GET",), Access.OPERATOR),
    Route(REGISTRATION, choose_registration, ("POST",), Access.OPERATOR),
    Route(f"{REGISTRATION}/invitations", invite, ("POST",), Access.OPERATOR),
    Route(REGISTRATION + "/invitations/{id}/revoke", revoke_invitation, ("POST",), Access.OPERATOR),
)
