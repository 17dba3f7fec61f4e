"""Finding doors, joining representations, reading ids and bodies."""

import asyncio

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Match

from feedloom.model.errors import FeedloomError, InvalidInput, NotFound, TooMuchSent
from feedloom.serve.doors import Access, Door
from feedloom.serve.entrance.finding import Finder
from feedloom.serve.entrance.gate import limited
from feedloom.serve.entrance.representations import joined
from feedloom.serve.ids import path_id
from feedloom.serve.wire.speaking import answer_list, read_body, read_query
from tests.unit.serve.requests_made import make_request


def door(path: str, method: str = "GET", said: str = "", **more) -> Door:
    async def endpoint(_request: Request) -> Response:
        return PlainTextResponse(said or path)

    return Door(path, endpoint, (method,), more.pop("access", Access.PERSON), **more)


def found(finder: Finder, path: str) -> str | None:
    match, child = finder.matches({"type": "http", "path": path, "method": "GET"})
    return child["route"].path if match is Match.FULL else None


def test_words_are_found_before_variables_whatever_the_order():
    finder = Finder(
        [door("/feeds/{id}"), door("/feeds/{rest:path}"), door("/feeds/refresh")]
    )

    assert found(finder, "/feeds/refresh") == "/feeds/refresh"
    assert found(finder, "/feeds/3") == "/feeds/{id}"
    assert found(finder, "/feeds/3/x") == "/feeds/{rest:path}"


def test_what_is_not_there_is_not_found():
    finder = Finder([door("/feeds/{id}"), door("/")])

    assert found(finder, "/") == "/"
    for path in ("/feeds", "/feeds/", "/feeds/1/2", "/nowhere"):
        assert found(finder, path) is None


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("//", "/"),
        ("", "/"),
        ("//feeds/3", "/feeds/{id}"),
        ("/feeds//3/", "/feeds/{id}"),
        ("/read//", "/read"),
        ("/all//http://x.example//y/", "/all/{rest:path}"),
    ],
)
def test_slashes_too_many_are_passed_over(path: str, meant: str):
    finder = Finder(
        [door("/feeds/{id}"), door("/"), door("/read"), door("/all/{rest:path}")]
    )

    assert found(finder, path) == meant


@pytest.mark.threat("C12")
def test_a_socket_is_no_request():
    assert (
        Finder([door("/")]).matches({"type": "websocket", "path": "/"})[0] is Match.NONE
    )


async def test_two_representations_meet_at_one_door():
    spoken = door("/feeds", said="json")
    drawn = door("/feeds", said="html", errors=lambda *_: PlainTextResponse("drawn"))
    alone = door("/ui", said="alone")

    both, rest = joined([spoken], [drawn, alone])

    html = make_request(headers={"Accept": "text/html"})
    assert (await both.endpoint(make_request())).body == b"json"
    assert (await both.endpoint(html)).body == b"html"
    assert both.errors is not None
    assert both.errors(html, FeedloomError()).body == b"drawn"
    told = both.errors(make_request(), FeedloomError())
    assert told.media_type == "application/problem+json"
    assert rest is alone


def test_representations_agree_on_who_may_ask():
    spoken, drawn = door("/feeds"), door("/feeds", access=Access.ANYONE)

    with pytest.raises(ValueError, match="differ in who may ask"):
        joined([spoken], [drawn])


def test_doors_without_errors_of_their_own_stay_without():
    (both,) = joined([door("/feeds")], [door("/feeds")])

    assert both.errors is None


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "x", "1.5", "٣", "2147483648", "1" * 20]
)
def test_what_is_no_id_is_not_found(text):
    request = make_request()
    request.scope["path_params"] = {"id": text}

    with pytest.raises(NotFound):
        path_id(request)


def test_an_id_is_read():
    request = make_request()
    request.scope["path_params"] = {"id": "2147483647"}

    assert path_id(request) == 2**31 - 1


@pytest.mark.parametrize(
    "kind", ["application/json", "application/vnd.x+json; charset=x"]
)
async def test_json_is_read_under_its_names(kind):
    request = make_request("POST", headers={"Content-Type": kind}, body=b"[1]")

    assert await read_body(request, list[int]) == [1]


async def test_a_wrong_shape_names_where_it_is_wrong():
    headers = {"Content-Type": "application/json"}
    request = make_request("POST", headers=headers, body=b'{"a": [1, "x"]}')

    with pytest.raises(InvalidInput) as caught:
        await read_body(request, dict[str, list[int]])

    assert caught.value.field == "[...][1]"


def test_parameters_are_read_as_what_they_should_be():
    request, empty = make_request(), make_request()
    request.scope["query_string"] = b"a=1&b=2"
    empty.scope["query_string"] = b"a=&b=2"

    assert read_query(request, dict[str, int]) == {"a": 1, "b": 2}
    with pytest.raises(InvalidInput):
        read_query(empty, dict[str, int])


def test_a_known_list_is_not_sent_again():
    whole = answer_list(make_request(), [1, 2])
    etag = whole.headers["ETag"]

    for known in (etag, f'"x", W/{etag}'):
        again = answer_list(make_request(headers={"If-None-Match": known}), [1, 2])
        assert (again.status_code, bytes(again.body)) == (304, b"")
    changed = answer_list(make_request(headers={"If-None-Match": etag}), [1])
    assert changed.status_code == 200


@pytest.mark.threat("W3")
async def test_a_body_that_does_not_come_is_given_up():
    async def silence():
        await asyncio.sleep(10)

    receive = limited(silence, {"headers": []}, 0, patience_s=0.01)

    with pytest.raises(HTTPException) as caught:
        await receive()
    assert caught.value.status_code == 408


@pytest.mark.threat("W3")
async def test_a_body_is_counted_as_it_comes():
    async def piece():
        return {"type": "http.request", "body": b"x" * 6, "more_body": True}

    receive = limited(piece, {"headers": []}, 10)

    await receive()
    with pytest.raises(TooMuchSent):
        await receive()


async def test_a_body_that_announces_too_much_is_not_waited_for():
    async def never():
        raise AssertionError("nothing may be read")

    receive = limited(never, {"headers": [(b"content-length", b"11")]}, 10)

    with pytest.raises(TooMuchSent):
        await receive()
