"""Redirects: one hop and its response in, the next hop or an error out (pure).

What a hop may take along is decided here: secrets stay with the origin they were meant
for and are not given back when a chain returns to it, a request's body never leaves
its origin, and only an unbroken start of permanent redirects tells where a feed moved.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urljoin

import msgspec

from feedloom.fetch.headers import clean_value, first_headers, read_login, travelling_headers
from feedloom.model.errors import BadAddress, BlockedAddress, RedirectError
from feedloom.model.stages import FetchRequest
from feedloom.model.urls import Address, read_address

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})
_SEE_OTHER = 303
_REPEATS_THE_METHOD = frozenset({307, 308})
# A byte that is no UTF-8, as aiohttp hands it on. It belongs to a path that nobody but
# the server itself can read, so it goes back as it came.
_RAW_BYTE = re.compile("[\udc80-\udcff]")


class Hop(msgspec.Struct, frozen=True):
    """One request of a chain."""

    address: Address
    """Without user name and password: those are in the headers."""
    method: str
    headers: Mapping[str, str]
    body: bytes | None
    seen: tuple[str, ...] = ()
    """The addresses before this one."""
    at_home: bool = True
    """True while no hop has left the origin that was asked for."""
    login: tuple[str, str] | None = None
    """User name and password, for servers that want a digest of them."""
    permanent: Address | None = None
    """Where the permanent redirects at the start lead, as far as they go."""


def first_hop(ask: FetchRequest, user_agent: str) -> Hop:
    """Return the request itself; raise ``BlockedAddress`` for an unusable address."""
    address = _read(ask.url)
    headers = first_headers(ask, address.userinfo, user_agent)
    login = read_login(address.userinfo) if address.userinfo else None
    if address.userinfo:
        address = address._replace(userinfo="")
    return Hop(address, ask.method.upper(), headers, ask.body, login=login)


@lru_cache(maxsize=8192)
def _read(url: str) -> Address:
    # The same feeds are asked for again and again, so their reading is remembered.
    try:
        return read_address(url)
    except (BadAddress, UnicodeError) as error:
        # An address that the strict reading refuses was never one to dial.
        raise BlockedAddress from error


def next_hop(hop: Hop, status: int, location: str, *, at_most: int) -> Hop:
    """Return the hop a redirect leads to; raise ``RedirectError`` for a bad one."""
    here = str(hop.address)
    target = _read_location(here, location)
    seen = (*hop.seen, here)
    if str(target) in seen and status != _SEE_OTHER:
        raise RedirectError("The address redirects in a loop.")
    if len(seen) > at_most:
        raise RedirectError
    method, headers, body = hop.method, hop.headers, hop.body
    becomes_get = status == _SEE_OTHER or (status not in _REPEATS_THE_METHOD and method == "POST")
    if becomes_get and method != "HEAD":
        headers = {name: value for name, value in headers.items() if name != "content-type"}
        method, body = "GET", None
    login, at_home = hop.login, hop.at_home
    if target.origin != hop.address.origin:
        if body is not None:
            raise RedirectError("The address redirects the request to another server.")
        headers, login, at_home = travelling_headers(headers), None, False
    permanent = _permanent(hop, status, target)
    return Hop(target, method, headers, body, seen, at_home, login, permanent)


def permanent_url(hop: Hop, ask: FetchRequest) -> str | None:
    """Return where the address moved for good, with the password if it still fits."""
    if hop.permanent is None:
        return None
    asked = _read(ask.url)
    if asked.userinfo and hop.permanent.origin == asked.origin:
        return str(hop.permanent._replace(userinfo=asked.userinfo))
    return str(hop.permanent)


def _read_location(here: str, location: str) -> Address:
    if not location:
        raise RedirectError("The server redirects without giving a target.")
    try:
        written = _RAW_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location)
        address = read_address(urljoin(here, clean_value(written)))
    except (BadAddress, ValueError) as error:
        raise RedirectError("The address redirects to something other than a web page.") from error
    # A user name in it was not given by the person who asked, so it is not used.
    return address._replace(userinfo="")


def _permanent(hop: Hop, status: int, target: Address) -> Address | None:
    # The run is unbroken as long as each hop so far has moved it on.
    unbroken = not hop.seen or hop.permanent == hop.address
    downgrade = hop.address.scheme == "https" and target.scheme == "http"
    if unbroken and status in _PERMANENT and not downgrade:
        return target
    return hop.permanent
