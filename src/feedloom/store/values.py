"""Rows in, values out: columns become the fields of the same names, microseconds become times.

A damaged JSON column must affect its own row only, so unreadable values are told apart.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from feedloom.model.feed import Asked, Chapter, Enclosure
from feedloom.store.engine.scripts import Row, by_name

T = TypeVar("T")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
DAY_US = 86_400 * SECOND
_UNREADABLE = (ValueError, TypeError, RecursionError)
_ASKED = msgspec.json.Decoder(Asked)


class _StoredEnclosure(msgspec.Struct):
    url: str
    mime: str | None = None
    length: int | None = None
    chapters: tuple[tuple[float, str], ...] = ()
    chapters_url: str | None = None
    duration_s: int | None = None


_ENCLOSURES = msgspec.json.Decoder(tuple[_StoredEnclosure, ...])


def to_us(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def maybe_us(at: datetime | None) -> int | None:
    return None if at is None else to_us(at)


def from_us(value: int) -> datetime:
    """Read a time; one that is none, in a damaged row, is long ago."""
    try:
        return _EPOCH + timedelta(microseconds=value)
    except (OverflowError, TypeError):
        return _EPOCH


def maybe_time(value: int | None) -> datetime | None:
    return None if value is None else from_us(value)


def read_object(text: Any) -> dict[str, Any] | None:
    found = _read(text)
    return found if isinstance(found, dict) else None


def read_texts(text: Any) -> tuple[str, ...]:
    if text == "[]":
        return ()
    found = _read(text)
    return tuple(c for c in found if isinstance(c, str)) if isinstance(found, list) else ()


def _read(text: Any) -> object:
    try:
        return json.loads(text)
    except _UNREADABLE:
        return None


def read_enclosures(text: Any) -> tuple[Enclosure, ...]:
    if text == "[]":
        return ()
    try:
        stored = _ENCLOSURES.decode(text)
    except _UNREADABLE:
        return ()
    return tuple(
        Enclosure(
            each.url,
            each.mime,
            each.length,
            tuple(Chapter(*mark) for mark in each.chapters),
            each.chapters_url,
            each.duration_s,
        )
        for each in stored
    )


def read_asked(text: Any) -> Asked:
    """Read what a publisher asks of pollers; unreadable values count as nothing."""
    try:
        return _ASKED.decode(text)
    except _UNREADABLE:
        return Asked()


def write_asked(asked: Asked) -> str | None:
    """Write what a publisher asks of pollers; None if that is nothing."""
    hours, days = sorted(asked.skip_hours), sorted(asked.skip_days)
    named = {"ttl_s": asked.ttl_s, "skip_hours": hours, "skip_days": days}
    said = {name: value for name, value in named.items() if value}
    return json.dumps(said) if said else None


def value_of(kind: Callable[..., T], row: Row, **others: object) -> T:
    """Build a value from the columns named like its fields, and from ``others``."""
    columns = by_name(row)
    for name, read in _fields(kind):
        if name in columns and name not in others:
            others[name] = read(columns[name])
    return kind(**others)


@cache
def _fields(kind: Callable[..., object]) -> tuple[tuple[str, Callable[[Any], object]], ...]:
    return tuple((name, _reader(hint)) for name, hint in get_type_hints(kind).items())


def _reader(hint: Any) -> Callable[[Any], Any]:
    """Return the function that turns a column into a field of this type."""
    kinds = get_args(hint) if NoneType in get_args(hint) else (hint,)
    if get_origin(kinds[0]) is Mapping:
        return read_object if len(kinds) > 1 else lambda text: read_object(text) or {}
    is_enum = isinstance(kinds[0], type) and issubclass(kinds[0], StrEnum)
    read = kinds[0] if is_enum else _READERS.get(kinds[0], lambda value: value)
    return read if len(kinds) == 1 else lambda v: None if v is None else read(v)


_READERS: dict[Any, Callable[[Any], Any]] = {
    datetime: maybe_time,
    bool: bool,
    tuple[str, ...]: read_texts,
    tuple[Enclosure, ...]: read_enclosures,
    Asked: read_asked,
}
