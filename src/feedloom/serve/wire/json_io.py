"""JSON in, JSON out: bodies and queries become checked values, values become answers.

A body that is no JSON is 400, JSON of the wrong shape or with an
unknown field is 422, another media type is 415: a form of a foreign page can therefore
never reach an endpoint. Lists carry an ETag.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from http import HTTPStatus
from types import NoneType
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import UNSET
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import User
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.routes import Access, Operation, Route
from feedloom.serve.services import Services

_DOCUMENTED = {field.name for field in fields(Operation)}


@lru_cache(maxsize=1024)
def is_named(etag: bytes, known: bytes) -> bool:
    """Tell whether a list of tags names this one; weak tags count, as in RFC 9110."""
    tags = {part.strip().removeprefix(b"W/") for part in known.split(b",")}
    return etag in tags or b"*" in tags


def answer_tagged(
    request: Request, body: bytes, media_type: str, headers: Mapping[str, str]
) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**headers, "ETag": etag}
    known = ",".join(request.headers.getlist("if-none-match"))
    if known and is_named(etag.encode(), known.encode("latin-1")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """What a request's body may be: a misspelt field is refused, not passed over."""


T = TypeVar("T")
B = TypeVar("B", bound=Body)


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the JSON API, and who asks."""

    request: Request

    @property
    def user(self) -> User:
        return actor(self.request).user

    @property
    def user_id(self) -> int:
        return actor(self.request).user.id

    @property
    def services(self) -> Services:
        return services(self.request)

    def id(self, name: str = "id") -> int:
        return path_id(self.request, name)

    def query(self, kind: type[T]) -> T:
        return read_query(self.request, kind)

    async def body(self, kind: type[B], *, shown: type[msgspec.Struct] | None = None) -> B:
        return await read_body(self.request, kind, shown=shown)


Handler = Callable[[Call], Awaitable[object]]
H = TypeVar("H", bound=Handler)


class APIRoutes(list[Route]):
    """The routes of one module of the JSON API, and what its document says of them."""

    def add(
        self, route: str, summary: str, *, status: int = 200, **options: Any
    ) -> Callable[[H], H]:
        """Declare ``GET /path`` above its handler; options are fields of ``Operation``, ``Route``.

        What a handler returns becomes the answer, with this status, or 204 where it is
        nothing. A handler of several statuses says in ``gives`` what they bring, and
        returns responses.
        """
        method, path = route.split(" ")
        options.setdefault("access", Access.PERSON)

        def declare(handler: H) -> H:
            kind = get_type_hints(handler)["return"]
            gives = {204: None} if kind is NoneType else {status: kind}
            told = {"gives": gives} | {
                name: options.pop(name) for name in _DOCUMENTED if name in options
            }
            about = Operation(summary, **told)
            endpoint = partial(_answer, handler, status)
            self.append(Route(path, endpoint, (method,), about=about, **options))
            return handler

        return declare


async def _answer(handler: Handler, status: int, request: Request) -> Response:
    found = await handler(Call(request))
    if isinstance(found, Response):
        return found
    if found is None:
        return no_content()
    is_asked_for = request.method in {"GET", "HEAD"}
    return answer_list(request, found) if is_asked_for else answer(found, status)


NO_NUL = r"^[^\u0000]*$"
Text = Annotated[str, msgspec.Meta(pattern=NO_NUL, max_length=10_000)]
Name = Annotated[str, msgspec.Meta(pattern=NO_NUL, max_length=255)]
Address = Annotated[str, msgspec.Meta(pattern=NO_NUL, max_length=4_000)]
Header = Annotated[str, msgspec.Meta(pattern=r"^[ -~]*$", max_length=4_096)]
"""What may stand in a header: printable ASCII, no line breaks."""
Id = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]
Cursor = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,18}(-[0-9]{1,18})?$")]
_WHERE = re.compile(r" - at `\$\.?([^`]*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_LONGEST_FIELD = 100


async def read_body(
    request: Request, kind: type[B], *, shown: type[msgspec.Struct] | None = None
) -> B:
    """Read a body; fields that ``shown`` has may be sent back and are passed over."""
    named = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if named != "application/json" and not named.endswith("+json"):
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON (application/json).")
    try:
        body = await request.body()
        if shown is not None:
            sent = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            fixed = {*shown.__struct_fields__} - {*kind.__struct_fields__}
            kept = {name: sent[name] for name in sent if name not in fixed}
            body = msgspec.json.encode(kept)
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise _misshapen(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.") from error


def read_query(request: Request, kind: type[T]) -> T:
    """Read the query as a certain shape; unknown parameters are ignored."""
    given = dict(request.query_params)
    try:
        found = msgspec.convert(given, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise _misshapen(error) from error
    for name in given:
        # The word "null" would become nothing at all, which is said by leaving it out.
        if getattr(found, name, "") is None:
            raise InvalidInput("Omit this parameter instead of sending null.", field=name)
    return found


def given(changes: msgspec.Struct) -> dict[str, Any]:
    """Return what a body named, of a shape whose fields may be left out."""
    fields = msgspec.structs.asdict(changes)
    return {name: value for name, value in fields.items() if value is not UNSET}


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        msgspec.json.encode(value), status, dict(headers or {}), media_type="application/json"
    )


def answer_list(request: Request, value: object) -> Response:
    headers = {"Cache-Control": "private, no-cache"}
    return answer_tagged(request, msgspec.json.encode(value), "application/json", headers)


def no_content() -> Response:
    return Response(status_code=204)


def _misshapen(error: msgspec.ValidationError) -> InvalidInput:
    text = str(error)
    unknown = _UNKNOWN.search(text)
    if unknown:
        field = unknown[1][:_LONGEST_FIELD]
        return InvalidInput("Unknown field.", field=field)
    where = _WHERE.search(text)
    sentence = _WHERE.sub("", text)
    return InvalidInput(f"{sentence}.", field=where[1] if where else "")
