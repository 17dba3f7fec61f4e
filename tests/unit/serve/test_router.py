"""Finding routes, joining representations, reading ids and bodies."""

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from feedloom.model.errors import FeedloomError, InvalidInput, NotFound
from feedloom.serve.ids import path_id
from feedloom.serve.middleware.router import Router, negotiate
from feedloom.serve.pages.forms import route_end
from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import Body, answer_list, read_body, read_query
from tests.unit.serve.requests_made import make_request


def route(path: str, method: str = "GET", said: str = "", **more) -> Route:
    async def endpoint(_request: Request) -> Response:
        return PlainTextResponse(said or path)

    return Route(path, endpoint, (method,), more.pop("access", Access.PERSON), **more)


async def found(paths: list[str], path: str, kind: str = "http") -> list[object]:
    """Return which of these paths a router takes a path for; else what it sends."""
    said: list[object] = []

    class App:
        def __init__(self, name: str) -> None:
            self.name = name

        async def __call__(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
            said.append(self.name)

    async def send(message: Message) -> None:
        said.append(message.get("status", message["type"]))

    scope = {**make_request().scope, "type": kind, "path": path}
    router = Router({name: App(name) for name in paths})
    await router(scope, make_request().receive, send)
    return said


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/feeds/refresh", "/feeds/refresh"),
        ("/feeds/3", "/feeds/{id}"),
        ("/feeds/3/x", "/feeds/{rest:path}"),
    ],
)
async def test_words_are_found_before_variables_whatever_the_order(path, meant):
    paths = ["/feeds/{id}", "/feeds/{rest:path}", "/feeds/refresh"]

    assert await found(paths, path) == [meant]


@pytest.mark.parametrize("path", ["/feeds", "/feeds/", "/feeds/1/2", "/nowhere"])
async def test_what_is_not_there_is_not_found(path):
    assert (await found(["/feeds/{id}", "/"], path))[0] == 404


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
async def test_slashes_too_many_are_passed_over(path: str, meant: str):
    paths = ["/feeds/{id}", "/", "/read", "/all/{rest:path}"]

    assert await found(paths, path) == [meant]


@pytest.mark.parametrize(
    "asked", ["/folders/3/delete", "/folders/3/delete\n", "//folders/3/delete/"]
)
async def test_what_to_do_is_what_the_route_says_and_not_the_address(asked: str):
    ends = []

    class App:
        async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
            ends.append(route_end(Request(scope)))

    request = make_request(path=asked)
    router = Router({"/folders/{id}/delete": App(), "/folders/{id}": App()})
    await router(request.scope, request.receive, request._send)

    assert ends == ["delete"]


@pytest.mark.threat("C12")
async def test_a_socket_is_no_request():
    assert await found(["/"], "/", kind="websocket") == ["websocket.close"]


async def test_two_representations_meet_at_one_route():
    spoken = route("/feeds", said="json")
    drawn = route("/feeds", said="html", errors=lambda *_: PlainTextResponse("drawn"))
    alone = route("/ui", said="alone")

    both, rest = negotiate([spoken], [drawn, alone])

    html = make_request(headers={"Accept": "text/html"})
    assert (await both.endpoint(make_request())).body == b"json"
    assert (await both.endpoint(html)).body == b"html"
    assert both.errors is not None
    assert both.errors(html, FeedloomError()).body == b"drawn"
    told = both.errors(make_request(), FeedloomError())
    assert told.media_type == "application/problem+json"
    assert rest is alone


def test_representations_agree_on_who_may_ask():
    spoken, drawn = route("/feeds"), route("/feeds", access=Access.ANYONE)

    with pytest.raises(ValueError, match="differ in who may ask"):
        negotiate([spoken], [drawn])


def test_routes_without_errors_of_their_own_stay_without():
    (both,) = negotiate([route("/feeds")], [route("/feeds")])

    assert both.errors is None


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1.5", "٣", "2147483648", "1" * 20])
def test_what_is_no_id_is_not_found(text):
    request = make_request()
    request.scope["path_params"] = {"id": text}

    with pytest.raises(NotFound):
        path_id(request)


def test_an_id_is_read():
    request = make_request()
    request.scope["path_params"] = {"id": "2147483647"}

    assert path_id(request) == 2**31 - 1


class Numbers(Body):
    a: list[int]


@pytest.mark.parametrize("kind", ["application/json", "application/vnd.x+json; charset=x"])
async def test_json_is_read_under_its_names(kind):
    request = make_request("POST", headers={"Content-Type": kind}, body=b'{"a": [1]}')

    assert await read_body(request, Numbers) == Numbers([1])


async def test_a_wrong_shape_names_where_it_is_wrong():
    headers = {"Content-Type": "application/json"}
    request = make_request("POST", headers=headers, body=b'{"a": [1, "x"]}')

    with pytest.raises(InvalidInput) as caught:
        await read_body(request, Numbers)

    assert caught.value.field == "a[1]"


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
