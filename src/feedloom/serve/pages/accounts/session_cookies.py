"""The response to a sign-in or sign-out: cookies and a redirect."""

import secrets
from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.flow.identity.accounts import SESSION_LIFE, Device
from feedloom.model.reader import User
from feedloom.serve.auth import client_address, maybe_actor, services
from feedloom.serve.cookies import DEVICE, GUEST, SESSION, drop_cookie, read_cookie, set_cookie
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.security import HOME, seal, unseal

STARTS: Mapping[str, str] = {"river": "/ui/", "unread": "/read/unread", "dashboard": "/dashboard"}
"""Where each choice of "Start page" leads."""

_PEOPLE_PER_DEVICE = 10
_DEVICE_LIFE_S = 365 * 86_400
_URL_LETTERS = ":/%#?=@[]!$&'()*+,;"


def start_of(user: User) -> str:
    return STARTS.get(str(user.settings.get("start")), HOME)


def is_session_over(request: Request) -> bool:
    return maybe_actor(request) is None and bool(read_cookie(request, SESSION))


async def start_session(
    request: Request, user: User, path: str, *, is_new: bool = False
) -> Response:
    accounts = services(request).accounts
    before = maybe_actor(request)
    if before is not None and before.session is not None:
        # Whoever was signed in here is not any more, whoever it was.
        old = before.session
        await accounts.store.end_session(before.user.id, old.token_hash)
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


def go_to(request: Request, path: str) -> Response:
    if is_htmx(request):
        # Quoted as the redirect quotes it: headers take no other letters.
        headers = {"HX-Redirect": quote(path, safe=_URL_LETTERS)}
        return Response(status_code=204, headers=headers)
    return RedirectResponse(path, status_code=303)
