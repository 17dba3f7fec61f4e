"""Signing in, the action token, and who is signed in."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.serve.auth import authenticate_secret
from feedloom.serve.auth import services as services_of
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.greader import shapes
from feedloom.serve.sync.greader.calls import Call, error_answer, token_of
from feedloom.serve.sync.parameters import read_given
from feedloom.serve.sync.times import whole_second


async def sign_in(request: Request) -> Response:
    given = await read_given(request)
    secret = given.text("Passwd")
    email = given.text("Email")
    if not email or not secret:
        raise NotSignedIn
    found = await authenticate_secret(request, secret, "greader", email=email)
    if found.app_password is None:
        raise NotSignedIn
    token = await services_of(request).accounts.client_token(found.user, found.app_password, secret)
    if given.text("output") == "json":
        return json_answer({"SID": token, "LSID": token, "Auth": token})
    return PlainTextResponse(f"SID={token}\nLSID={token}\nAuth={token}\n")


def sign_in_error(request: Request, error: FeedloomError) -> Response:
    """Refuse as the original did; its clients look for this word."""
    if isinstance(error, NotSignedIn):
        return PlainTextResponse("Error=BadAuthentication\n", HTTPStatus.UNAUTHORIZED)
    return error_answer(request, error)


async def greet(_request: Request) -> Response:
    return PlainTextResponse("OK")


async def compatibility(request: Request) -> Response:
    """Tell whether the Authorization header arrives through whatever is before us."""
    arrives = request.headers.get("authorization") is not None
    return PlainTextResponse("PASS" if arrives else "FAIL: the Authorization header is missing.")


async def token(call: Call) -> Response:
    """Give the action token, without a line end: clients send it back as it is."""
    return PlainTextResponse(await token_of(call.request))


async def unknown(_call: Call) -> Response:
    """Answer for every address there is not as FreshRSS does."""
    raise InvalidInput("Bad Request!")


async def user_info(call: Call) -> Response:
    user = call.user
    created_at = user.created_at
    return json_answer(
        shapes.Person(
            user_id=str(user.id),
            user_name=user.email,
            user_profile_id=str(user.id),
            user_email=user.email,
            signup_time_sec=whole_second(created_at) if created_at else 0,
        )
    )


async def preferences(_call: Call) -> Response:
    """There are none; old clients ask."""
    return json_answer({"prefs": []})


async def stream_preferences(_call: Call) -> Response:
    """There are none; old clients ask."""
    return json_answer({"streamprefs": {}})


async def friends(_call: Call) -> Response:
    """There are none; old clients ask."""
    return json_answer({"friends": []})
