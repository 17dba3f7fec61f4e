"""Parameters of a request: query, form and JSON body as one set.

In: a request of whatever content type. Out: ``Given``. Clients lie about content types
and mix query and body, so the body's own look decides, and what cannot be read is told
with ``InvalidInput``. Never raises for an empty body.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import parse_qsl

import msgspec
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.serve.sync.times import from_seconds

LARGEST_ID = 2**31 - 1
LARGEST_NUMBER = 2**63 - 1
_MOST_FIELDS = 100_000
_MARKS = 4
"""Commas and brackets of JSON that are taken for one field."""
_MULTIPART = "multipart/form-data"
_NUMBER = re.compile(r"[+-]?\d{1,30}")
_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False, "": False}


class Given:
    """Parameters by name; each may be given several times, the last one counts."""

    def __init__(self, values: Mapping[str, list[object]]) -> None:
        self._values = values

    def has(self, name: str) -> bool:
        return name in self._values

    def says(self, name: str) -> bool:
        """Tell whether a parameter has a value: null is what a program leaves alone."""
        return any(value is not None for value in self.all(name))

    def all(self, name: str) -> list[object]:
        return self._values.get(name, [])

    def texts(self, name: str) -> list[str]:
        values = (str(value) for value in self.all(name) if value is not None)
        # Not every engine can keep one, and nobody means it.
        return [value.replace("\x00", "") for value in values]

    def text(self, name: str, default: str = "") -> str:
        values = self.texts(name)
        return values[-1] if values else default

    def line(self, name: str) -> str:
        """Return a text without line breaks and superfluous spaces."""
        return " ".join(self.text(name).split())

    def number(self, name: str, default: int) -> int:
        """Return a parameter as a whole number; empty and null mean the default."""
        values = self.all(name)
        value = values[-1] if values else None
        if value is None or value == "":
            return default
        number = _as_number(value)
        if number is None:
            raise InvalidInput(f"{name} must be a whole number.", field=name)
        return max(-LARGEST_NUMBER, min(number, LARGEST_NUMBER))

    def moment(self, name: str, default: int = 0) -> datetime | None:
        """Read seconds since 1970; 0 and less mean none."""
        number = self.number(name, default)
        return from_seconds(number) if number > 0 else None

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a parameter as yes or no; null means the default."""
        if not self.says(name):
            return default
        found = _FLAGS.get(self.text(name).strip().lower())
        if found is None:
            raise InvalidInput(f"{name} must be true or false.", field=name)
        return found

    def flag_if_said(self, name: str) -> bool | None:
        return self.flag(name) if self.says(name) else None


def _as_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    # Stripped once for both: int() itself refuses some of what strip() takes away.
    if isinstance(value, str) and _NUMBER.fullmatch(text := value.strip()):
        return int(text)
    return None


async def read_given(request: Request) -> Given:
    """Read query and body together; the body's values come last."""
    values: dict[str, list[object]] = {}
    _add(values, _pairs(request.scope["query_string"]))
    if _kind(request) == _MULTIPART:
        form = await _form(request)
        _add(values, ((n, v) for n, v in form.multi_items() if isinstance(v, str)))
        return Given(values)
    body = (await request.body()).strip()
    if body[:1] == b"{":
        for name, value in _json_object(body).items():
            found = value if isinstance(value, list) else [value]
            values[name] = values.get(name, []) + found
            _refuse_many(len(found))
    elif body and body[:1] not in {b"[", b"<"}:
        _add(values, _pairs(body))
    return Given(values)


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _add(values: dict[str, list[object]], pairs: Iterable[tuple[str, str]]) -> None:
    for name, value in pairs:
        values.setdefault(name.removesuffix("[]"), []).append(value)


def _pairs(text: bytes) -> list[tuple[str, str]]:
    # Counted first: millions of fields in a few megabytes would stop everybody else.
    _refuse_many(text.count(b"&") + 1)
    return parse_qsl(text.decode("utf-8", "replace"), keep_blank_values=True, errors="replace")


def _refuse_many(fields: int) -> None:
    if fields > _MOST_FIELDS:
        raise InvalidInput("Too many fields.")


def _json_object(body: bytes) -> dict[str, object]:
    # As above; an object of two bytes takes sixty in memory.
    _refuse_many(sum(body.count(mark) for mark in (b",", b"[", b"{")) // _MARKS)
    try:
        return msgspec.json.decode(body, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InvalidInput("The body is not valid JSON.") from error


async def _form(request: Request) -> FormData:
    try:
        return await request.form(max_fields=_MOST_FIELDS, max_files=10)
    except HTTPException as error:
        raise InvalidInput("The form is not valid.") from error


async def read_document(request: Request) -> bytes:
    if _kind(request) != _MULTIPART:
        return await request.body()
    for value in (await _form(request)).values():
        return value.encode() if isinstance(value, str) else await value.read()
    return b""


def row_id(value: object) -> int:
    """Read the id of one row; what cannot be an id is ``NotFound``."""
    number = _as_number(value)
    if number is None or not 0 < number <= LARGEST_ID:
        raise NotFound
    return number


def row_ids(values: Iterable[object]) -> list[int]:
    numbers = (_as_number(value) for value in values)
    return [n for n in numbers if n is not None and 0 < n <= LARGEST_ID]
