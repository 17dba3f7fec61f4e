"""Errors as responses: status, title and body of each.

Programs get a problem document (RFC 9457) with a stable ``type``; people get a page or a
part of one, drawn by what the application put into ``state.error_page``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, StoreError, Throttled
from feedloom.serve.negotiation import wants_html

PROBLEM_TYPE = "urn:feedloom:problem:"

TABLE: dict[str, tuple[int, str]] = {
    "error": (500, "Something went wrong"),
    "invalid_input": (422, "Invalid value"),
    "bad_address": (422, "Invalid URL"),
    "no_feed": (422, "No feed was found"),
    "too_much_sent": (413, "Too large"),
    "not_found": (404, "Not found"),
    "conflict": (409, "Conflicts with the current state"),
    "not_allowed": (403, "Not allowed"),
    "stale_form": (403, "The page is out of date"),
    "not_signed_in": (401, "Please sign in"),
    "throttled": (429, "Too many attempts"),
    "fetch_failed": (502, "The address could not be fetched"),
    "unparseable": (422, "Unreadable document"),
    "store": (500, "The database failed"),
    "store_unavailable": (503, "The database is not available"),
    "out_of_files": (503, "Too many open files"),
    "schema_too_new": (503, "The database is newer than this program"),
    "lease_lost": (409, "Another worker has taken this job"),
    "digest_failed": (500, "No digest was created"),
    "distill": (500, "The text could not be processed"),
    "model_unavailable": (503, "The AI service is not available"),
    "model_answer_invalid": (502, "The AI service returned an unusable response"),
    "budget_spent": (503, "The AI budget is used up"),
    "config": (500, "Invalid setting"),
}
_UNAVAILABLE_S = 10


@dataclass(frozen=True, slots=True)
class Problem:
    key: str
    status: int
    title: str
    detail: str
    field: str = ""
    retry_after_s: int | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}


class ProblemDocument(msgspec.Struct, omit_defaults=True):
    """RFC 9457, with the field a value came from and the request's id."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    request_id: str | None = None


ErrorPage = Callable[[Request, Problem], Response]


def problem_of(request: Request, error: FeedloomError) -> Problem:
    kinds = (getattr(kind, "key", None) for kind in type(error).__mro__)
    status, title = TABLE[next((key for key in kinds if key in TABLE), "error")]
    # A page's form with a wrong value is 400; without a body, the address was wrong.
    is_plainly_bad = wants_html(request) or request.method in {"GET", "HEAD", "DELETE"}
    if status == HTTPStatus.UNPROCESSABLE_ENTITY and is_plainly_bad:
        status = int(HTTPStatus.BAD_REQUEST)
    retry_after_s = _UNAVAILABLE_S if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Problem(
        key=error.key,
        status=status,
        title=title,
        # What a database says about itself (paths, columns) is for the log.
        detail=error.default if isinstance(error, StoreError) else str(error),
        field=error.field if isinstance(error, InvalidInput) else "",
        retry_after_s=error.retry_after_s if isinstance(error, Throttled) else retry_after_s,
    )


def answer_error(request: Request, error: FeedloomError) -> Response:
    return answer_problem(request, problem_of(request, error))


def answer_problem(request: Request, problem: Problem) -> Response:
    """Answer a problem as a page when HTML is asked for, as a document otherwise."""
    if wants_html(request):
        page = cast("ErrorPage", request.app.state.error_page)
        response = page(request, problem)
    else:
        response = problem_document(request, problem)
    response.headers.update(problem.headers)
    return response


def problem_document(request: Request, problem: Problem) -> Response:
    document = ProblemDocument(
        type=PROBLEM_TYPE + problem.key,
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        field=problem.field or None,
        request_id=getattr(request.state, "request_id", None),
    )
    return Response(
        msgspec.json.encode(document),
        status_code=problem.status,
        media_type="application/problem+json",
    )


def problem_of_status(status: int, detail: str = "") -> Problem:
    """Say what a bare HTTP status means: unknown address, wrong method and the like."""
    phrase = HTTPStatus(status).phrase
    key = phrase.lower().replace(" ", "_").replace("-", "_")
    return Problem(key, status, phrase, detail or f"{phrase}.")
