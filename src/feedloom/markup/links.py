"""Addresses inside markup: relative ones made absolute, dangerous ones refused.

An attribute value as the HTML parser read it goes in; the address to write, or None
to drop the attribute, comes out. Nothing but http, https, mailto and tel leaves here.
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from feedloom.model.errors import BadAddress
from feedloom.model.urls import is_address, read_address, resolve, strip_tracking

MAX_ADDRESS = 8192
_EDGES = "".join(map(chr, range(0x21)))
_MAX_CANDIDATES = 24
# Printable ASCII, but for quotes, angle brackets and the backslash.
_PRINTABLE = r"[!#-;=?-\[\]-~]"
_PLAIN = re.compile(rf"https?://[\w.-]+(?::\d+)?(?:[/?#]{_PRINTABLE}*)?", re.ASCII)
_PLAIN_CANDIDATE = rf"https?://[\w.-]+/{_PRINTABLE}*+(?<!,) \d{{1,5}}[wx]"
_PLAIN_SET = re.compile(
    rf"{_PLAIN_CANDIDATE}(?:, {_PLAIN_CANDIDATE}){{0,{_MAX_CANDIDATES - 1}}}", re.ASCII
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CONTACT = re.compile(r"(?:mailto|tel):[\w.@+%?=&;,()!*~/-]+", re.ASCII | re.IGNORECASE)
_ROOTED = re.compile(r"/(?!/)[\w%~+@!$&'()*,;=:/?.#-]*", re.ASCII)
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Halves of characters, which no address can be written with.
_HALF = re.compile("[\ud800-\udfff]")
_FRAGMENT_SAFE = "/%:@!$&'()*+,;=-._~?"
# A quick look before the real one: most addresses have nothing of the kind.
_TRACKED = re.compile(
    r"[?&](?:utm_|[a-z]*clk?id|[gw]braid|_hs|__tw|at_|igsh|mc_|mkt_|ml_|ns_|oly_|piwik|pk_"
    r"|rb_|s_cid|vero_|wt_|xtor)",
    re.IGNORECASE,
)
_DESCRIPTOR = re.compile(r"\d{1,5}w|\d{1,3}(?:\.\d{1,3})?x")


class _Base(NamedTuple):
    """What relative addresses refer to; never with a user name or password."""

    url: str
    origin: str


@lru_cache(maxsize=1024)
def _read_base(url: str) -> _Base | None:
    try:
        address = read_address(url)._replace(userinfo="")
    except BadAddress:
        return None
    return _Base(str(address), address.origin)


def is_plain(value: str) -> bool:
    """Tell whether a value is an absolute web address beyond doubt."""
    return _PLAIN.fullmatch(value) is not None and len(value) <= MAX_ADDRESS


def absolute_url(link: str, base_url: str | None = None) -> str | None:
    """Return the absolute http(s) address a link in a document means, or None.

    A user name or password in the address of the document does not get into it. That
    there can be such a host and port is not checked: ``web_address`` does, and takes
    long.
    """
    if is_plain(link):
        return link
    # The base is read only now, since most links are absolute and reading is dear.
    base = _read_base(base_url) if base_url else None
    if base and _ROOTED.fullmatch(link) and "/." not in link:
        address: str | None = base.origin + link
    else:
        address = _resolved(link, base)
    return address if address and len(address) <= MAX_ADDRESS else None


def web_address(link: str, base_url: str | None = None) -> str | None:
    address = absolute_url(link, base_url)
    return address if address and is_address(address) else None


def _resolved(value: str, base: _Base | None) -> str | None:
    # Browsers drop tabs and line breaks inside addresses; so must whoever judges them.
    value = _INVISIBLE.sub("", value.strip(_EDGES))
    scheme = _SCHEME.match(value)
    if not value or (scheme and scheme[0].lower() not in {"http:", "https:"}):
        return None
    if not value.isascii() and _HALF.search(value):
        return None
    if not scheme and base is None:
        if not value.startswith("//"):
            return None
        value = f"https:{value}"
    path, mark, fragment = value.partition("#")
    address = resolve(base.url if base else "", path)
    return address and address + mark + quote(fragment, safe=_FRAGMENT_SAFE)


def link_target(value: str, base_url: str | None) -> str | None:
    address = value if is_plain(value) else absolute_url(value, base_url)
    if address is not None:
        return strip_tracking(address) if _TRACKED.search(address) else address
    value = value.strip(_EDGES)
    return value if _CONTACT.fullmatch(value) else None


def source_set(value: str, base_url: str | None) -> str | None:
    if _PLAIN_SET.fullmatch(value) and len(value) <= MAX_ADDRESS:
        return value
    kept: list[str] = []
    for address, descriptor in _candidates(value):
        absolute = absolute_url(address, base_url)
        if absolute is not None:
            # A comma at either end would be read as a separator the next time.
            kept.append(f"{absolute.strip(',')} {descriptor}".rstrip())
        if len(kept) == _MAX_CANDIDATES:
            break
    return ", ".join(kept) or None


def _candidates(value: str) -> list[tuple[str, str]]:
    # Addresses may contain commas, so a candidate ends at white space, or at a comma
    # that follows white space or the descriptor.
    found: list[tuple[str, str]] = []
    words = value.split()
    words.reverse()
    while words and len(found) < 4 * _MAX_CANDIDATES:
        address = words.pop().lstrip(",")
        if not address:
            continue
        descriptor = ""
        if not address.endswith(",") and words:
            descriptor, comma, rest = words.pop().partition(",")
            if comma and rest:
                words.append(rest)
        if descriptor and not _DESCRIPTOR.fullmatch(descriptor):
            continue
        found.append((address.rstrip(","), descriptor))
    return found
