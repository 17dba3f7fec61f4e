"""The front page for people who are not signed in, and the offline page."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.serve.auth import maybe_actor, services
from feedloom.serve.pages.accounts.session_cookies import STARTS
from feedloom.serve.pages.appearance import appearance_of
from feedloom.serve.pages.renderer import render
from feedloom.serve.routes import Access, Route


async def landing(request: Request) -> Response:
    actor = maybe_actor(request)
    if actor is not None:
        return RedirectResponse(STARTS[appearance_of(actor.user).start], 303)
    is_open = await services(request).registration.is_possible()
    return render(request, "landing.html", can_register=is_open)


async def offline(request: Request) -> Response:
    return render(request, "offline.html")


ROUTES = (
    Route("/", landing, ("GET",), Access.ANYONE),
    Route("/offline", offline, ("GET",), Access.PUBLIC),
)
