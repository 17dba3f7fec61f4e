"""Authentication: sessions of browsers, app passwords of programs.

In: a request. Out: an ``Actor`` in ``request.state.actor``, or ``NotSignedIn`` or
``Throttled``. A bearer or basic header is never mixed with a cookie: where one is used
the other is not looked at.
"""

import base64
import binascii
from dataclasses import dataclass

from starlette.requests import Request

from feedloom.model.errors import NotAllowed, NotSignedIn
from feedloom.model.reader import AppPassword, Session, User
from feedloom.serve.cookies import SESSION, read_cookie
from feedloom.serve.image_addresses import serve_apps
from feedloom.serve.origin import client_address, services
from feedloom.serve.routes import Access

__all__ = [
    "Actor",
    "actor",
    "at_browser",
    "authenticate_basic",
    "authenticate_secret",
    "client_address",
    "identify",
    "maybe_actor",
    "services",
]

_LONGEST_HEADER = 4_096
_WRONG = "Invalid email or password"


@dataclass(frozen=True, slots=True)
class Actor:
    user: User
    session: Session | None = None
    app_password: AppPassword | None = None

    @property
    def may_write(self) -> bool:
        """False with an app password that only reads."""
        return self.app_password is None or self.app_password.scope != "read"


def actor(request: Request) -> Actor:
    """Return who asks; ``NotSignedIn`` when nobody is signed in."""
    found = maybe_actor(request)
    if found is None:
        raise NotSignedIn
    return found


def at_browser(request: Request) -> Actor:
    """Return who asks; ``NotAllowed`` unless they sit at a browser.

    For what decides who comes in: a program's secret must not make itself others.
    """
    who = actor(request)
    if who.session is None:
        raise NotAllowed("App passwords can't do this. Use a browser.")
    return who


def maybe_actor(request: Request) -> Actor | None:
    found = request.scope.get("state", {}).get("actor")
    return found if isinstance(found, Actor) else None


async def identify(request: Request, access: Access) -> None:
    match access:
        case Access.PERSON | Access.OPERATOR:
            scheme, credentials = _authorization(request)
            if scheme == "bearer":
                await authenticate_secret(request, credentials, "api")
            else:
                await _by_cookie(request)
            found = actor(request)
            if access is Access.OPERATOR and not found.user.is_operator:
                raise NotAllowed
        case Access.PROGRAM:
            scheme, credentials = _authorization(request)
            if scheme == "bearer":
                await authenticate_secret(request, credentials, "nextcloud")
            elif scheme == "basic":
                await authenticate_basic(request, "nextcloud")
            else:
                raise NotSignedIn
        case Access.ANYONE:
            await _by_cookie(request)
        case Access.OWN | Access.PUBLIC:
            return


async def authenticate_basic(request: Request, protocol: str) -> Actor:
    """Check a Basic header of email and app password."""
    _, credentials = _authorization(request)
    try:
        decoded = base64.b64decode(credentials, validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise NotSignedIn(_WRONG) from error
    email, colon, secret = decoded.partition(":")
    if not colon or not email or not secret or "\x00" in decoded:
        raise NotSignedIn(_WRONG)
    return await authenticate_secret(request, secret, protocol, email=email)


async def authenticate_secret(
    request: Request, secret: str, protocol: str, *, email: str | None = None
) -> Actor:
    """Check an app password, Fever key or client token; throttled per protocol."""
    _refuse_embedded(request)
    user, password = await services(request).accounts.by_app_password(
        secret,
        address=client_address(request),
        email=email,
        protocol=protocol,
        # What another site lets its visitor's browser send is not the visitor's doing.
        counts=request.headers.get("sec-fetch-site") != "cross-site",
    )
    request.state.actor = found = Actor(user, app_password=password)
    serve_apps(request, user)
    return found


def _refuse_embedded(request: Request) -> None:
    """Refuse what no program sends: images and the like, and links on other sites.

    An article may name images at our own address; loading them is no sign-in.
    """
    mode = request.headers.get("sec-fetch-mode")
    is_foreign = request.headers.get("sec-fetch-site") == "cross-site"
    if mode == "no-cors" or (is_foreign and mode != "cors"):
        raise NotAllowed("This endpoint is for apps, not for other web pages.")


async def _by_cookie(request: Request) -> None:
    token = read_cookie(request, SESSION)
    if not token or len(token) > _LONGEST_HEADER:
        return
    session = await services(request).accounts.session(token)
    if session is not None:
        request.state.actor = Actor(session.user, session=session)


def _authorization(request: Request) -> tuple[str, str]:
    header = request.headers.get("authorization", "")
    if len(header) > _LONGEST_HEADER:
        raise NotSignedIn(_WRONG)
    scheme, _, credentials = header.partition(" ")
    return scheme.lower(), credentials.strip()
