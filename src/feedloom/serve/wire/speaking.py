"""JSON in, JSON out: bodies and queries become checked values, values become answers.

A body that is no JSON is 400, JSON of the wrong shape is 422, another media type is 415:
a form of a foreign page can therefore never reach an endpoint. Lists carry an ETag.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput

T = TypeVar("T")

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


async def read_body(request: Request, kind: type[T]) -> T:
    """Read a JSON body of a certain shape."""
    named = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if named != "application/json" and not named.endswith("+json"):
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON (application/json)."
        )
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.ValidationError as error:
        raise _misshapen(error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "This is not JSON.") from error


def read_query(request: Request, kind: type[T]) -> T:
    """Read the query as a certain shape; what is not asked for is passed over."""
    given = dict(request.query_params)
    try:
        found = msgspec.convert(given, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise _misshapen(error) from error
    for name in given:
        # The word "null" would become nothing at all, which is said by leaving it out.
        if getattr(found, name, "") is None:
            raise InvalidInput("Leave out what is not asked for.", field=name)
    return found


def answer(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with a value."""
    return Response(
        msgspec.json.encode(value),
        status,
        dict(headers or {}),
        media_type="application/json",
    )


@dataclass(frozen=True, slots=True)
class Written:
    """A value as it goes out, as often as it is asked for."""

    body: bytes
    etag: str
    headers: tuple[tuple[bytes, bytes], ...]


def write(value: object) -> Written:
    """Write a value out."""
    body = msgspec.json.encode(value)
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    whole = Response(body, 200, headers, media_type="application/json")
    return Written(body, etag, tuple(whole.raw_headers))


class _Again(Response):
    """What was written, without writing its headers again."""

    def __init__(self, written: Written) -> None:
        self.status_code = 200
        self.background = None
        self.body = written.body
        self.raw_headers = [*written.headers]


def answer_list(request: Request, value: object) -> Response:
    """Answer with a list, or with 304 when the asker has it already."""
    return answer_written(request, write(value))


def answer_written(request: Request, written: Written) -> Response:
    """Answer with what was written, or with 304 when the asker has it already."""
    known = dict(request.scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
    if known and written.etag in {
        tag.strip().removeprefix("W/") for tag in known.split(",")
    }:
        headers = {"ETag": written.etag, "Cache-Control": "private, no-cache"}
        return Response(status_code=304, headers=headers)
    return _Again(written)


def no_content() -> Response:
    """Answer that it is done and there is nothing to say."""
    return Response(status_code=204)


def _misshapen(error: msgspec.ValidationError) -> InvalidInput:
    text = str(error)
    where = _WHERE.search(text)
    sentence = _WHERE.sub("", text)
    return InvalidInput(f"{sentence}.", field=where[1] if where else "")
