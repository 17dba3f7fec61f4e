"""Nextcloud's empty responses and errors."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, NotSignedIn
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC
from feedloom.serve.sync.nextcloud import shapes

_USER_ERRORS = {HTTPStatus.BAD_REQUEST, HTTPStatus.BAD_GATEWAY}


def nothing() -> Response:
    """Say that it is done. Clients want 200 and a JSON body, never 204."""
    return json_answer([])


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    status = problem.status
    if status in _USER_ERRORS:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return json_answer(shapes.Message(problem.detail), status=status, headers=headers)
