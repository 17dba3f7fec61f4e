"""Headers: what we send to a server, and which of its headers we pass on.

Outgoing values come from people and from what servers said last time, incoming ones
from anybody: neither may carry control characters further. Set-Cookie is never passed
on, because nothing here keeps cookies.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import TypeGuard
from urllib.parse import unquote, unquote_to_bytes

from feedloom.model.stages import FetchRequest, Purpose

_FEED_TYPES = (
    "application/atom+xml, application/rss+xml, application/feed+json, "
    "application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, "
    "application/json;q=0.7, text/html;q=0.5, */*;q=0.1"
)
_ACCEPT = {
    Purpose.FEED: _FEED_TYPES,
    Purpose.DISCOVERY: _FEED_TYPES,
    Purpose.ARTICLE: "text/html, application/xhtml+xml, */*;q=0.5",
    Purpose.FAVICON: "image/*, */*;q=0.1",
    Purpose.IMAGE: "image/*, */*;q=0.1",
    Purpose.CHAPTERS: "application/json, */*;q=0.1",
}
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MAX_VALIDATOR = 1024
# These belong to the connection; a caller who sets them would confuse two parsers.
_NOT_THE_CALLERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te"}
    | {"expect", "trailer", "keep-alive", "proxy-authorization", "accept-encoding"}
)
_LISTS = frozenset({"link", "cache-control", "vary"})
_TRAVELS = frozenset(
    {"accept", "accept-language", "user-agent", "accept-encoding"}
    | {"if-none-match", "if-modified-since"}
)


def first_headers(ask: FetchRequest, userinfo: str, user_agent: str) -> dict[str, str]:
    """Return the headers of a request to the address that was asked for."""
    headers = {
        "user-agent": user_agent,
        "accept": _ACCEPT.get(ask.sink, "*/*"),
        "accept-encoding": "gzip, deflate, br, zstd",
    }
    if userinfo:
        user, _, password = userinfo.partition(":")
        pair = b64encode(unquote_to_bytes(f"{user}:{password}"))
        headers["authorization"] = f"Basic {pair.decode('ascii')}"
    if is_validator(ask.etag):
        headers["if-none-match"] = ask.etag
    if is_validator(ask.last_modified):
        headers["if-modified-since"] = ask.last_modified
    for name, value in ask.headers.items():
        lower = name.lower()
        if _NAME.fullmatch(lower) and lower not in _NOT_THE_CALLERS:
            headers[lower] = clean_value(value)
    return headers


def travelling_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that may go to another origin: none that carries a secret."""
    return {name: value for name, value in headers.items() if name in _TRAVELS}


def answer_headers(pairs: Iterable[tuple[str, str]], *, keep_validators: bool) -> dict[str, str]:
    """Return a server's headers: lower-case names, clean values.

    Repeats are joined where a list makes sense; of all others the first counts.
    """
    headers: dict[str, str] = {}
    for name, value in pairs:
        lower = name.lower()
        if lower in {"etag", "last-modified"}:
            if not (keep_validators and is_validator(value)):
                continue
        elif lower == "set-cookie":
            continue
        elif not value.isprintable():
            value = clean_value(value)  # noqa: PLW2901 - the clean one is the value
        if lower not in headers:
            headers[lower] = value
        elif lower in _LISTS:
            headers[lower] += f", {value}"
    return headers


def is_validator(value: str | None) -> TypeGuard[str]:
    """Tell whether an ETag or Last-Modified can be sent back as it is."""
    return bool(value and len(value) <= _MAX_VALIDATOR and value.isascii() and value.isprintable())


def clean_value(value: str) -> str:
    """Drop control characters; make bytes that are no UTF-8 readable as Latin-1."""
    if not value.isascii():
        try:
            raw = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raw = value.encode("utf-8", "replace")
        try:
            value = raw.decode()
        except UnicodeDecodeError:
            value = raw.decode("latin-1")
    return _CONTROLS.sub("", value).strip()


def read_login(userinfo: str) -> tuple[str, str] | None:
    """Return user name and password; None when digests cannot carry the name."""
    user, _, password = userinfo.partition(":")
    login = unquote(user)
    return None if ":" in login else (login, unquote(password))
