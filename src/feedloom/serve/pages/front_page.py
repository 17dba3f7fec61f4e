"""The front page for people who are not signed in, the offline page, and error pages.

Errors are whole pages, or parts for htmx. Who is not signed in gets the sign-in page right
there, with 401, and comes back to where they were.
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
from feedloom.serve.pages.accounts.sign_in import is_session_over, start_of
from feedloom.serve.pages.forms import redirect_to
from feedloom.serve.pages.renderer import render
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path, split_address


async def landing(request: Request) -> Response:
    actor = maybe_actor(request)
    if actor is not None:
        return redirect_to(start_of(actor.user))
    is_open = await services(request).registration.is_possible()
    return render(request, "landing.html", can_register=is_open)


async def offline(request: Request) -> Response:
    return render(request, "offline.html")


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
        target = f"/auth/login?next={quote(here)}" if here else "/auth/login"
        headers = {"HX-Redirect": target}
        return render(request, "error_part.html", problem.status, headers, problem=problem)
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
        path, query = request.url.path, request.url.query
    else:
        named = request.headers.get("hx-current-url") or request.headers.get("referer", "")
        _, host, path, query, _ = split_address(named)
        if host.lower() not in own_hosts(request):
            return ""
    return local_path(path + (f"?{query}" if query else ""), "")


ROUTES = (
    Route("/", landing, ("GET",), Access.ANYONE),
    Route("/offline", offline, ("GET",), Access.PUBLIC),
)
