"""Cookies: session tokens, and signed cookies for sign-in forms and known devices.

All are HttpOnly and SameSite=Lax; over TLS also Secure and with the ``__Host-`` prefix,
which ties them to this host and to the whole site.
"""

from starlette.requests import HTTPConnection
from starlette.responses import Response

from feedloom.serve.origin import is_https

SESSION = "feedloom_session"
GUEST = "feedloom_guest"
SIGN_IN = "feedloom_oidc"
DEVICE = "feedloom_device"


def cookie_name(request: HTTPConnection, name: str) -> str:
    return f"__Host-{name}" if is_https(request) else name


def read_cookie(request: HTTPConnection, name: str) -> str:
    return request.cookies.get(cookie_name(request, name), "")


def set_cookie(
    request: HTTPConnection, response: Response, name: str, value: str, *, max_age_s: int | None
) -> None:
    """Give the browser a cookie; without an age it ends with the browser."""
    response.set_cookie(
        cookie_name(request, name),
        value,
        max_age=max_age_s,
        path="/",
        secure=is_https(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: HTTPConnection, response: Response, name: str) -> None:
    set_cookie(request, response, name, "", max_age_s=0)
