"""One request of a client: its sender and parameters; and the protocol's basic responses."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, NotAllowed, NotSignedIn
from feedloom.serve.auth import Actor, actor
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC, Endpoints

_USER_ERRORS = {HTTPStatus.BAD_REQUEST, HTTPStatus.BAD_GATEWAY}


class Call(calls.Call):
    __slots__ = ()

    def require_operator(self) -> None:
        if not self.user.is_operator:
            raise NotAllowed


async def _signed_in(request: Request) -> Actor:
    return actor(request)


ENDPOINTS = Endpoints(Call, _signed_in)


def nothing() -> Response:
    """Say that it is done. Clients want 200 and a JSON body, never 204."""
    return json_answer([])


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    status = problem.status
    if status in _USER_ERRORS:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return json_answer({"message": problem.detail}, status=status, headers=headers)
