import json

import pytest

from feedloom.model import errors
from feedloom.model.errors import (
    BadAddress,
    Conflict,
    FeedloomError,
    InvalidInput,
    StoreError,
    StoreUnavailable,
    Throttled,
)
from feedloom.serve.error_responses import answer_error, problem_of, problem_of_status
from feedloom.serve.wire.json_io import APIRoutes, Call
from tests.unit.serve.requests_made import make_request


def kinds(kind: type[FeedloomError]) -> list[type[FeedloomError]]:
    return [kind, *(each for below in kind.__subclasses__() for each in kinds(below))]


OURS = [kind for kind in kinds(FeedloomError) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status_and_a_title(kind):
    problem = problem_of(make_request(), kind())

    assert 400 <= problem.status < 600
    assert problem.title
    assert problem.detail
    assert problem.key == kind.key


def test_every_key_of_the_tree_is_unlike_the_others():
    # A kind that is told like its parent shares the parent's key on purpose.
    own = [kind for kind in OURS if kind.key != getattr(kind.__base__, "key", None)]
    keys = [kind.key for kind in own]

    assert [key for key in keys if keys.count(key) > 1] == []


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {}, 422),
        ("PATCH", {}, 422),
        ("GET", {}, 400),
        ("DELETE", {}, 400),
        ("POST", {"HX-Request": "true"}, 400),
        ("POST", {"Accept": "text/html"}, 400),
    ],
)
def test_a_value_is_422_in_a_body_and_400_elsewhere(method, headers, status):
    request = make_request(method, headers=headers)

    assert problem_of(request, InvalidInput("no", field="url")).status == status
    assert problem_of(request, BadAddress()).status == status


@pytest.mark.parametrize(
    "sentence",
    [
        "This is the last operator. Make someone else an operator first.",
        "This is your only way to sign in. Set a password first.",
        "You have already added this feed",
    ],
)
def test_the_title_of_a_conflict_fits_whatever_stands_in_the_way(sentence):
    problem = problem_of(make_request("POST"), Conflict(sentence))

    assert (problem.status, problem.key) == (409, "conflict")
    assert problem.title == "Conflicts with the current state"
    assert problem.detail == sentence


@pytest.mark.threat("A20")
def test_what_a_database_says_is_not_repeated():
    problem = problem_of(make_request(), StoreError("relation users is broken"))

    assert "users" not in problem.detail


@pytest.mark.threat("D1")
def test_when_to_come_back_is_said():
    throttled = problem_of(make_request(), Throttled(retry_after_s=7))
    away = problem_of(make_request(), StoreUnavailable())

    assert throttled.headers == {"Retry-After": "7"}
    assert away.headers == {"Retry-After": "10"}
    assert problem_of(make_request(), BadAddress()).headers == {}


def test_programs_get_a_problem_document():
    request = make_request("POST")
    request.state.request_id = "abc"

    response = answer_error(request, InvalidInput("Too long.", field="title"))

    assert response.media_type == "application/problem+json"
    assert json.loads(bytes(response.body)) == {
        "type": "urn:feedloom:problem:invalid_input",
        "title": "Invalid value",
        "status": 422,
        "detail": "Too long.",
        "field": "title",
        "request_id": "abc",
    }


def test_people_get_a_page():
    request = make_request(headers={"Accept": "text/html"})
    drawn = []

    def page(_request, problem):
        drawn.append(problem)
        from starlette.responses import HTMLResponse  # noqa: PLC0415 - only here

        return HTMLResponse("page", problem.status)

    request.app.state.error_page = page
    response = answer_error(request, Throttled(retry_after_s=3))

    assert (response.status_code, bytes(response.body)) == (429, b"page")
    assert response.headers["Retry-After"] == "3"


def test_a_bare_status_is_a_problem_too():
    problem = problem_of_status(405)

    assert (problem.key, problem.title) == ("method_not_allowed", "Method Not Allowed")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_who_asks_for_the_head_alone_hears_the_same_headers(method):
    routes = APIRoutes()

    @routes.add("GET /things", "List things")
    async def list_things(_call: Call) -> list[int]:
        return [1, 2]

    answer = await routes[0].endpoint(make_request(method))
    known = {"If-None-Match": answer.headers["ETag"]}
    again = await routes[0].endpoint(make_request(method, headers=known))

    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert again.status_code == 304
