"""Signing in, the action token, and who is signed in."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.serve.auth import authenticate_secret
from feedloom.serve.auth import services as services_of
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Handler
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
        {
            "userId": str(user.id),
            "userName": user.email,
            "userProfileId": str(user.id),
            "userEmail": user.email,
            "isBloggerUser": False,
            "signupTimeSec": whole_second(created_at) if created_at else 0,
            "isMultiLoginEnabled": False,
        }
    )


def always(value: object) -> Handler[Call]:
    """Answer what old clients ask for and nobody has."""

    async def handler(_call: Call) -> Response:
        return json_answer(value)

    return handler
