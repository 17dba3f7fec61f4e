"""Signing in, who is signed in, one request of a client, and the protocol's responses.

A valid ``Authorization`` header suffices; the action token ``T`` is then not looked at.
Without a header, a ``T`` that is a valid token itself is as good: one client sends
nothing else.
"""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.serve.auth import Actor, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Endpoints, client_token
from feedloom.serve.sync.greader.ids import Directory, Stream, read_item_id, read_stream
from feedloom.serve.sync.parameters import read_given
from feedloom.serve.sync.times import whole_second

_SCHEME = "googlelogin auth="
_TO_CALLER = {
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.BAD_GATEWAY,
}
_BAD_TOKEN = {"X-Reader-Google-Bad-Token": "true", "Google-Bad-Token": "true"}


class Call(calls.Call):
    __slots__ = ()

    def stream(self, name: str = "s") -> Stream:
        """Read the stream that the path names, or else a parameter."""
        named = self.request.path_params.get("stream") or self.given.text(name)
        return read_stream(named, self.user)

    def streams(self, name: str) -> list[Stream]:
        """Read the streams a repeated parameter names; some send it without a name."""
        named = filter(str.strip, self.given.texts(name))
        return [read_stream(text, self.user) for text in named]

    def items(self) -> list[int]:
        """Read the items a repeated parameter names; unknown spellings are passed over."""
        named = (read_item_id(text) for text in self.given.texts("i"))
        return [number for number in named if number is not None]

    async def directory(self) -> Directory:
        return Directory(
            await self.feeds(),
            await self.folders(),
            await self.services.reading.tags(self.user_id),
            await self.services.saved_searches.searches(self.user_id),
        )


async def _authenticate(request: Request) -> Actor:
    secret = await _token_of(request)
    if not secret:
        raise NotSignedIn("Unauthorized!")
    return await authenticate_secret(request, secret, "greader")


def _done() -> Response:
    """Say that it is done: two letters and no line end, as clients compare them."""
    return PlainTextResponse("OK")


ENDPOINTS = Endpoints(Call, _authenticate, _done)


async def _token_of(request: Request) -> str:
    header = request.headers.get("authorization", "").strip()
    if header.lower().startswith(_SCHEME):
        return header[len(_SCHEME) :].strip()
    if header or request.method != "POST":
        return ""
    # Until it has shown a token it is a stranger, of whom little is read.
    return (await read_given(request)).text("T").strip()


def error_answer(request: Request, error: FeedloomError) -> Response:
    """Tell an error as text; what the caller got wrong is always 400."""
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers |= _BAD_TOKEN
    if status in _TO_CALLER or isinstance(error, InvalidInput):
        status = HTTPStatus.BAD_REQUEST
    return PlainTextResponse(problem.detail, status, headers)


async def sign_in(request: Request) -> Response:
    given = await read_given(request)
    made = await client_token(request, given.text("Passwd"), "greader", given.text("Email"))
    if given.text("output") == "json":
        return json_answer({"SID": made, "LSID": made, "Auth": made})
    return PlainTextResponse(f"SID={made}\nLSID={made}\nAuth={made}\n")


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
    return PlainTextResponse(await _token_of(call.request))


async def unknown(_call: Call) -> Response:
    """Answer for every address there is not as FreshRSS does."""
    raise InvalidInput("Bad Request!")


async def user_info(call: Call) -> object:
    user = call.user
    return {
        "userId": str(user.id),
        "userName": user.email,
        "userProfileId": str(user.id),
        "userEmail": user.email,
        "isBloggerUser": False,
        "signupTimeSec": whole_second(user.created_at) if user.created_at else 0,
        "isMultiLoginEnabled": False,
    }
