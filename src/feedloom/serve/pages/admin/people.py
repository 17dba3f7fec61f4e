"""Managing people: add, disable, change roles, reset passwords.

New passwords are made here and shown once. Nobody can lock out, demote or delete
themselves, and of two who do it to each other one remains, so an installation never
loses its last operator. Only a browser may change anything here: whoever finds an
operator's app password must not become operator with it.
"""

import secrets

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, NotFound
from feedloom.model.oversight import PersonLine
from feedloom.model.reader import Role, User
from feedloom.serve.auth import at_browser, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.accounts.session_cookies import go_to
from feedloom.serve.pages.forms import as_number, field
from feedloom.serve.pages.renderer import render_form
from feedloom.serve.routes import Access, Route

PAGE = "/admin/people"
_SHOWN = 50


async def people(request: Request) -> Response:
    return await _page(request)


async def add_person(request: Request) -> Response:
    at_browser(request)
    form = await request.form()
    role = Role.OPERATOR if field(form, "role") == "operator" else Role.READER
    password = secrets.token_urlsafe(12)
    try:
        user = await services(request).accounts.register(field(form, "email"), password, role=role)
    except (InvalidInput, Conflict) as error:
        return await _page(request, error=error)
    await _note(request, "added", user, role.value)
    return await _page(request, email=user.email, password=password)


async def set_disabled(request: Request) -> Response:
    person = await _other(request)
    disabled = field(await request.form(), "disabled") == "yes"
    await services(request).accounts.store.set_disabled(person.id, disabled=disabled)
    await _note(request, "disabled" if disabled else "enabled", person)
    return go_to(request, f"{PAGE}?did=saved")


async def set_role(request: Request) -> Response:
    person = await _other(request)
    named = field(await request.form(), "role")
    if named not in {"reader", "operator"}:
        raise InvalidInput("Unknown role.", field="role")
    await services(request).accounts.store.set_role(person.id, Role(named))
    await _note(request, "role", person, named)
    return go_to(request, f"{PAGE}?did=saved")


async def reset_password(request: Request) -> Response:
    person = await _other(request)
    password = secrets.token_urlsafe(12)
    await services(request).accounts.reset_password(person.email, password)
    await _note(request, "password_reset", person)
    return await _page(request, email=person.email, password=password)


async def delete_person(request: Request) -> Response:
    person = await _other(request)
    if field(await request.form(), "email").strip().casefold() != person.email:
        error = InvalidInput("Type the email address to delete the account.")
        return await _page(request, error=error)
    await services(request).accounts.store.delete(person.id)
    await _note(request, "deleted", person)
    return go_to(request, f"{PAGE}?did=deleted")


async def _page(
    request: Request, *, error: FeedloomError | None = None, email: str = "", password: str = ""
) -> Response:
    text = request.query_params.get("search", "").replace("\x00", "")
    lines = await _lines(request, text)
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


async def _lines(request: Request, text: str) -> list[PersonLine]:
    after = as_number(request.query_params.get("after") or "0", field="after")
    return await services(request).oversight.people(text=text[:254], after=after, limit=_SHOWN + 1)


async def _other(request: Request) -> User:
    who = at_browser(request)
    person_id = path_id(request)
    if person_id == who.user.id:
        raise Conflict("You can't do this to your own account.")
    person = await services(request).accounts.store.by_id(person_id)
    if person is None:
        raise NotFound("Person not found.")
    return person


async def _note(request: Request, action: str, person: User, after: str = "") -> None:
    await services(request).oversight.note(
        at_browser(request).user.email, action, f"person:{person.id}", after=after
    )


ROUTES = (
    Route(PAGE, people, ("GET",), Access.OPERATOR),
    Route(PAGE, add_person, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/disabled", set_disabled, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/role", set_role, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/password", reset_password, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/delete", delete_person, ("POST",), Access.OPERATOR),
)
