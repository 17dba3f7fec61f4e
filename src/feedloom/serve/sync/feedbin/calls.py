"""One request of a client: its sender and parameters; and the protocol's basic responses."""

from datetime import UTC, datetime
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.serve.auth import Actor, authenticate_basic
from feedloom.serve.error_responses import problem_of
from feedloom.serve.origin import own_address
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import JSON, encode, json_answer
from feedloom.serve.sync.calls import BASIC, Endpoints
from feedloom.serve.wire.json_io import answer_tagged

_STATUSES = {
    "invalid_input": HTTPStatus.BAD_REQUEST,
    "unparseable": HTTPStatus.BAD_REQUEST,
    # Clients know one way to hear that an address offers nothing.
    "bad_address": HTTPStatus.NOT_FOUND,
    "no_feed": HTTPStatus.NOT_FOUND,
}
_CACHED = {"Cache-Control": "private, no-cache"}


class Call(calls.Call):
    __slots__ = ()

    def located(self, value: object, path: str, status: HTTPStatus) -> Response:
        """Answer with something and its whole address, under the base the client uses."""
        base = self.request.url.path.partition("/v2/")[0]
        address = f"{own_address(self.request)}{base}/v2{path}"
        return json_answer(value, status=status, headers={"Location": address})

    def since(self) -> datetime | None:
        text = self.given.text("since").strip()
        if not text:
            return None
        try:
            # What was a plus sign arrives as a space.
            at = datetime.fromisoformat(text.replace(" ", "+"))
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise InvalidInput("since must be an ISO 8601 date.") from error


async def _authenticate(request: Request) -> Actor:
    if not request.headers.get("authorization", "").lower().startswith("basic "):
        raise NotSignedIn
    return await authenticate_basic(request, "feedbin")


ENDPOINTS = Endpoints(Call, _authenticate)


def moment(at: datetime) -> str:
    """Write a time as exactly as it is kept: clients send it back."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def tagged(call: Call, value: object) -> Response:
    """Answer with an ETag: clients ask for these lists again and again."""
    return answer_tagged(call.request, encode(value), JSON, _CACHED)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    status = _STATUSES.get(error.key, problem.status)
    told = {"status": int(status), "message": problem.detail}
    return json_answer(told, status=status, headers=headers)
