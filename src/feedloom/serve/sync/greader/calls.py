"""One request of a client: its sender and parameters; and the protocol's basic responses.

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
from feedloom.serve.sync.calls import Endpoints
from feedloom.serve.sync.greader.ids import Stream, read_stream
from feedloom.serve.sync.parameters import read_given

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
        return read_stream(self.given.text(name), self.user)

    def streams(self, name: str) -> list[Stream]:
        """Read the streams a repeated parameter names; some send it without a name."""
        named = filter(str.strip, self.given.texts(name))
        return [read_stream(text, self.user) for text in named]


async def _authenticate(request: Request) -> Actor:
    token = await token_of(request)
    if not token:
        raise NotSignedIn("Unauthorized!")
    return await authenticate_secret(request, token, "greader")


ENDPOINTS = Endpoints(Call, _authenticate)


async def token_of(request: Request) -> str:
    header = request.headers.get("authorization", "").strip()
    if header.lower().startswith(_SCHEME):
        return header[len(_SCHEME) :].strip()
    if header or request.method != "POST":
        return ""
    # Until it has shown a token it is a stranger, of whom little is read.
    return (await read_given(request)).text("T").strip()


def done() -> Response:
    """Say that it is done: two letters and no line end, as clients compare them."""
    return PlainTextResponse("OK")


def error_answer(request: Request, error: FeedloomError) -> Response:
    """Tell an error as text; what the caller got wrong is always 400."""
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers |= _BAD_TOKEN
    if status in _TO_CALLER or isinstance(error, InvalidInput):
        status = HTTPStatus.BAD_REQUEST
    return PlainTextResponse(problem.detail, status, headers)
