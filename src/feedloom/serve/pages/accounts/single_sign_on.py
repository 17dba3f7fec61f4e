"""Sign-in through an outside provider: the redirect there, and the callback.

What must come back is kept in a signed cookie of ten minutes; no row is written before
the provider has vouched for somebody. Linking is begun by a form of ours only, and ends
only with the person who sent it: a link on a foreign page cannot let others in.
"""

import hmac
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.identity.oidc import Departure, OpenIDProvider
from feedloom.model.errors import FeedloomError, NotFound, NotSignedIn
from feedloom.serve.auth import at_browser, client_address, maybe_actor, services
from feedloom.serve.cookies import SIGN_IN, drop_cookie, read_cookie, set_cookie
from feedloom.serve.origin import own_address
from feedloom.serve.pages.accounts.credentials import PAGE, show_security
from feedloom.serve.pages.accounts.sign_in import show_login, start_of, start_session
from feedloom.serve.pages.forms import field, go_to, redirect_to
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path, seal, unseal

_LIFE_S = 600
_URL = ":/%#?=@[]!$&'()*+,;~"
"""What stays as it is in an address that is put into a header."""


class SignInState(msgspec.Struct, frozen=True):
    state: str
    nonce: str
    verifier: str
    next_path: str = ""
    person_id: int = 0
    """Who links the provider to their account; nobody when somebody signs in."""


async def depart(request: Request) -> Response:
    provider = _provider(request)
    next_path = local_path(request.query_params.get("next"), "")
    who = maybe_actor(request)
    if who is not None:
        return redirect_to(next_path or start_of(who.user))
    try:
        departure = await provider.begin(_callback(request))
    except FeedloomError as error:
        return await show_login(request, error=error)
    response = redirect_to(departure.url)
    return _keep(request, response, departure, next_path)


async def link(request: Request) -> Response:
    who = at_browser(request)
    provider = _provider(request)
    try:
        departure = await provider.begin(_callback(request))
    except FeedloomError as error:
        return await show_security(request, error=error, is_about_linking=True)
    # Browsers follow no redirect from a form to another site (``form-action``).
    response = await render_page(
        request,
        "accounts/linking.html",
        headers={"Refresh": f"0; url={quote(departure.url, safe=_URL)}"},
        url=departure.url,
        name=provider.name,
    )
    return _keep(request, response, departure, person_id=who.user.id)


async def unlink(request: Request) -> Response:
    who = at_browser(request)
    store = services(request).accounts.store
    await store.unlink_identity(who.user.id, field(await request.form(), "identity"))
    await store.record_event(who.user.id, "identity_unlinked", {})
    return go_to(request, PAGE, "revoked")


def _keep(
    request: Request, response: Response, to: Departure, next_path: str = "", person_id: int = 0
) -> Response:
    luggage = SignInState(to.state, to.nonce, to.verifier, next_path, person_id)
    sealed = seal(request, luggage, life_s=_LIFE_S)
    set_cookie(request, response, SIGN_IN, sealed, max_age_s=_LIFE_S)
    return response


async def come_back(request: Request) -> Response:
    try:
        response = await _arrive(request)
    except NotFound:
        raise
    except FeedloomError as error:
        if maybe_actor(request) is not None:
            # Whoever is signed in came to link: a sign-in form would say they are not.
            response = await show_security(request, error=error, is_about_linking=True)
        else:
            response = await show_login(request, error=error)
    drop_cookie(request, response, SIGN_IN)
    return response


async def _arrive(request: Request) -> Response:
    provider = _provider(request)
    answer = dict(request.query_params)
    luggage = unseal(request, read_cookie(request, SIGN_IN), SignInState)
    if luggage is None or not hmac.compare_digest(
        luggage.state.encode(), answer.get("state", "").encode()
    ):
        raise NotSignedIn("This sign-in took too long or was started in another browser.")
    who = maybe_actor(request)
    if luggage.person_id and (who is None or who.user.id != luggage.person_id):
        raise NotSignedIn("The person who started this is no longer signed in here.")
    if who is not None and not luggage.person_id:
        # Signed in meanwhile: what was begun by nobody changes nothing of theirs.
        return redirect_to(luggage.next_path or start_of(who.user))
    identity = await provider.finish(
        answer, redirect_uri=_callback(request), verifier=luggage.verifier, nonce=luggage.nonce
    )
    registration = services(request).registration
    if who is not None:
        await registration.link(who.user, identity)
        return redirect_to(PAGE, "saved")
    user = await registration.by_identity(identity, address=client_address(request))
    return await start_session(request, user, luggage.next_path or start_of(user))


def _provider(request: Request) -> OpenIDProvider:
    if (provider := services(request).provider) is None:
        raise NotFound
    return provider


def _callback(request: Request) -> str:
    return f"{own_address(request)}/auth/oidc/callback"


ROUTES = (
    Route("/auth/oidc", depart, ("GET",), Access.ANYONE),
    Route("/auth/oidc/callback", come_back, ("GET",), Access.ANYONE),
    Route(f"{PAGE}/identities", link, ("POST",), Access.PERSON),
    Route(f"{PAGE}/identities/unlink", unlink, ("POST",), Access.PERSON),
)
