"""Rows in, values out: columns become the fields of the same names.

A JSON column may have been damaged by hand or by a disk. That must affect its own row only,
so unreadable values are told apart from missing ones.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from feedloom.model.feed import Asked, Chapter, Enclosure
from feedloom.store.engine.scripts import Row, by_name
from feedloom.store.times import maybe_time

T = TypeVar("T")

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


def read_object(text: Any) -> dict[str, Any] | None:
    found = _read(text)
    return found if isinstance(found, dict) else None


def read_list(text: Any) -> list[Any] | None:
    found = _read(text)
    return found if isinstance(found, list) else None


def read_asked(text: Any) -> Asked:
    """Read what a publisher asks of pollers; unreadable values count as nothing."""
    try:
        return _ASKED.decode(text)
    except _UNREADABLE:
        return Asked()


def read_texts(text: Any) -> tuple[str, ...]:
    if text == "[]":
        return ()
    return tuple(c for c in read_list(text) or () if isinstance(c, str))


def read_enclosures(text: Any) -> tuple[Enclosure, ...]:
    if text == "[]":
        return ()
    try:
        return tuple(map(_enclosure, _ENCLOSURES.decode(text)))
    except _UNREADABLE:
        return ()


def _enclosure(stored: _StoredEnclosure) -> Enclosure:
    marks = tuple(Chapter(*mark) for mark in stored.chapters)
    return Enclosure(
        stored.url, stored.mime, stored.length, marks, stored.chapters_url, stored.duration_s
    )


def write_asked(asked: Asked) -> str | None:
    """Write what a publisher asks of pollers; None if that is nothing."""
    named = {
        "ttl_s": asked.ttl_s,
        "skip_hours": sorted(asked.skip_hours),
        "skip_days": sorted(asked.skip_days),
    }
    said = {name: value for name, value in named.items() if value}
    return json.dumps(said) if said else None


def _read(text: Any) -> object:
    try:
        return json.loads(text)
    except _UNREADABLE:
        return None


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
    read = _plain_reader(kinds[0])
    return read if len(kinds) == 1 else lambda v: None if v is None else read(v)


def _plain_reader(kind: Any) -> Callable[[Any], Any]:
    if kind is datetime:
        return maybe_time
    if kind is bool:
        return bool
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    if kind == tuple[str, ...]:
        return read_texts
    return lambda value: value
