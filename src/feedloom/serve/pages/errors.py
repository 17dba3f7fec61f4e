"""Error pages: whole pages, or parts for htmx.

Who is not signed in gets the sign-in page right there, with 401, and comes back to where
they were.
"""

from http import HTTPStatus
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.auth import maybe_actor, services
from feedloom.serve.cookies import SESSION, read_cookie
from feedloom.serve.error_responses import Problem
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.origin import own_hosts
from feedloom.serve.pages.accounts.session_cookies import is_session_over
from feedloom.serve.pages.renderer import render
from feedloom.serve.security import local_path, split_address

LOGIN = "/auth/login"


def error_page(request: Request, problem: Problem) -> Response:
    if problem.status == HTTPStatus.UNAUTHORIZED:
        return _sign_in(request, problem)
    template = "error_part.html" if is_htmx(request) else "error.html"
    # Where there is no route, nobody is authenticated; the cookie tells enough for a link.
    is_known = maybe_actor(request) is not None or bool(read_cookie(request, SESSION))
    return render(request, template, problem.status, problem=problem, is_known=is_known)


def _sign_in(request: Request, problem: Problem) -> Response:
    here = _here(request)
    if is_htmx(request):
        target = f"{LOGIN}?next={quote(here)}" if here else LOGIN
        return render(
            request, "error_part.html", problem.status, {"HX-Redirect": target}, problem=problem
        )
    return render(
        request,
        "accounts/login.html",
        problem.status,
        next_path=here,
        email="",
        problem=None,
        is_over=is_session_over(request),
        may_register=services(request).registration.may_be_possible,
    )


def _here(request: Request) -> str:
    if request.method in {"GET", "HEAD"} and not is_htmx(request):
        query = f"?{request.url.query}" if request.url.query else ""
        return local_path(request.url.path + query, "")
    named = request.headers.get("hx-current-url") or request.headers.get("referer", "")
    parts = split_address(named)
    if parts.netloc.lower() not in own_hosts(request):
        return ""
    return local_path(parts.path + (f"?{parts.query}" if parts.query else ""), "")
