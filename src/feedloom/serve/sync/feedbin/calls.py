"""One call of a client: who it is, what it says; and the protocol's plain answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotAllowed, NotSignedIn
from feedloom.model.reader import User
from feedloom.serve.auth import authenticate_basic
from feedloom.serve.auth import services as services_of
from feedloom.serve.error_responses import problem_of
from feedloom.serve.origin import own_address
from feedloom.serve.routes import Endpoint
from feedloom.serve.services import Services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin import shapes
from feedloom.serve.sync.parameters import Given, read_given, row_id

_STATUSES = {
    "invalid_input": HTTPStatus.BAD_REQUEST,
    "unparseable": HTTPStatus.BAD_REQUEST,
    # Clients know one way to hear that an address offers nothing.
    "bad_address": HTTPStatus.NOT_FOUND,
    "no_feed": HTTPStatus.NOT_FOUND,
}


@dataclass(frozen=True, slots=True)
class Call:
    request: Request
    given: Given
    user: User
    services: Services

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name])

    def address(self, path: str) -> str:
        """Return the whole address of a path under the base the client uses."""
        base = self.request.url.path.partition("/v2/")[0]
        return f"{own_address(self.request)}{base}/v2{path}"

    def since(self) -> datetime | None:
        """Read the moment after which things are asked for."""
        text = self.given.text("since").strip()
        if not text:
            return None
        try:
            # What was a plus sign arrives as a space.
            at = datetime.fromisoformat(text.replace(" ", "+"))
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise InvalidInput("since must be an ISO 8601 date.") from error


Handler = Callable[[Call], Awaitable[Response]]


def reading(handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(await _signed_in(request, writes=False))

    return endpoint


def writing(handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(await _signed_in(request, writes=True))

    return endpoint


async def _signed_in(request: Request, *, writes: bool) -> Call:
    if not request.headers.get("authorization", "").lower().startswith("basic "):
        raise NotSignedIn
    actor = await authenticate_basic(request, "feedbin")
    if writes and not actor.may_write:
        raise NotAllowed("This app password is read-only.")
    return Call(request, await read_given(request), actor.user, services_of(request))


def nothing() -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Basic realm="Feedloom", charset="UTF-8"'
    status = _STATUSES.get(error.key, problem.status)
    return json_answer(
        shapes.Failure(int(status), problem.detail), status=status, headers=headers
    )
