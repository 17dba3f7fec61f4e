"""Sign-in through an outside provider: there and back again.

What must come back is kept in a signed cookie of ten minutes; no row is written before
the provider has vouched for somebody.
"""

import hmac

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.model.errors import FeedloomError, NotFound, NotSignedIn
from feedloom.serve.answers import problem_of
from feedloom.serve.auth import maybe_actor, services
from feedloom.serve.cookies import SIGN_IN, drop_cookie, read_cookie, set_cookie
from feedloom.serve.doors import Access, Door
from feedloom.serve.origin import own_address
from feedloom.serve.pages.accounts.arriving import start_session
from feedloom.serve.pages.rendering import render
from feedloom.serve.security import local_path, seal, unseal

_LIFE_S = 600


class Luggage(msgspec.Struct, frozen=True):
    """What the browser carries there and back."""

    state: str
    nonce: str
    verifier: str
    next_path: str


async def depart(request: Request) -> Response:
    """Send the browser to the provider."""
    provider = _provider(request)
    try:
        departure = await provider.begin(_callback(request))
    except FeedloomError as error:
        return await _sign_in_page(request, error)
    luggage = Luggage(
        state=departure.state,
        nonce=departure.nonce,
        verifier=departure.verifier,
        next_path=local_path(request.query_params.get("next")),
    )
    response = RedirectResponse(departure.url, status_code=303)
    sealed = seal(request, luggage, life_s=_LIFE_S)
    set_cookie(request, response, SIGN_IN, sealed, max_age_s=_LIFE_S)
    return response


async def come_back(request: Request) -> Response:
    """Take the provider's answer: sign in, or link when somebody is signed in."""
    try:
        response = await _arrive(request)
    except FeedloomError as error:
        response = await _sign_in_page(request, error)
    drop_cookie(request, response, SIGN_IN)
    return response


async def _arrive(request: Request) -> Response:
    provider = _provider(request)
    answer = dict(request.query_params)
    luggage = unseal(request, read_cookie(request, SIGN_IN), Luggage)
    if luggage is None or not hmac.compare_digest(
        luggage.state.encode(), answer.get("state", "").encode()
    ):
        raise NotSignedIn("This sign-in took too long or was begun elsewhere.")
    identity = await provider.finish(
        answer,
        redirect_uri=_callback(request),
        verifier=luggage.verifier,
        nonce=luggage.nonce,
    )
    registration = services(request).registration
    who = maybe_actor(request)
    if who is not None:
        await registration.link(who.user, identity)
        return RedirectResponse("/settings/security?did=saved", status_code=303)
    user = await registration.by_identity(identity)
    return await start_session(request, user, luggage.next_path)


async def _sign_in_page(request: Request, error: FeedloomError) -> Response:
    if isinstance(error, NotFound):
        raise error
    problem = problem_of(request, error)
    return render(
        request,
        "accounts/login.html",
        problem.status,
        problem.headers,
        next_path=local_path(None),
        email="",
        problem=problem,
        may_register=await services(request).registration.is_possible(),
    )


def _provider(request: Request) -> OpenIDProvider:
    provider = services(request).provider
    if provider is None:
        raise NotFound
    return provider


def _callback(request: Request) -> str:
    return f"{own_address(request)}/auth/oidc/callback"


DOORS = (
    Door("/auth/oidc", depart, ("GET",), Access.ANYONE),
    Door("/auth/oidc/callback", come_back, ("GET",), Access.ANYONE),
)
