"""Addresses inside markup: relative ones made absolute, dangerous ones refused.

An attribute value as the HTML parser read it goes in; the address to write, or None
to drop the attribute, comes out. Nothing but http, https, mailto and tel leaves here.
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from feedloom.model.errors import BadAddress
from feedloom.model.urls import read_address, resolve, strip_tracking

MAX_ADDRESS = 8192
_EDGES = "".join(map(chr, range(0x21)))
_MAX_CANDIDATES = 24
_PLAIN = re.compile(r"https?://[\w.-]+(?::\d+)?(?:[/?#][^\s\\<>\"]*)?", re.ASCII)
_PLAIN_CANDIDATE = r"https?://[\w.-]+/[^\s\\<>\",]* \d{1,5}[wx]"
_PLAIN_SET = re.compile(
    rf"{_PLAIN_CANDIDATE}(?:, {_PLAIN_CANDIDATE}){{0,{_MAX_CANDIDATES - 1}}}", re.ASCII
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CONTACT = re.compile(r"(?:mailto|tel):[\w.@+%?=&;,()!*~/-]+", re.ASCII | re.IGNORECASE)
_ROOTED = re.compile(r"/(?!/)[\w%~+@!$&'()*,;=:/?.#-]*", re.ASCII)
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FRAGMENT_SAFE = "/%:@!$&'()*+,;=-._~?"
# A quick look before the real one: most addresses have nothing of the kind.
_TRACKED = re.compile(
    r"[?&](?:utm_|[a-z]*clid|[gw]braid|_hs|__tw|at_|igsh|mc_|mkt_|ml_|ns_|oly_|piwik|pk_"
    r"|rb_|s_cid|vero_|wt_|xtor)",
    re.IGNORECASE,
)
_DESCRIPTOR = re.compile(r"\d{1,5}w|\d{1,3}(?:\.\d{1,3})?x")


class Base(NamedTuple):
    """What relative addresses refer to; never with a user name or password."""

    url: str
    origin: str


@lru_cache(maxsize=1024)
def read_base(url: str) -> Base | None:
    """Read the address of a document, or return None when it is no web address."""
    try:
        address = read_address(url)._replace(userinfo="")
    except BadAddress:
        return None
    return Base(str(address), address.origin)


def is_plain(value: str) -> bool:
    """Tell whether a value is an absolute web address beyond doubt."""
    return _PLAIN.fullmatch(value) is not None and len(value) <= MAX_ADDRESS


def web_address(value: str, base: Base | None) -> str | None:
    """Return the absolute http(s) address a link or a source means, or None."""
    if is_plain(value):
        return value
    if base and _ROOTED.fullmatch(value) and "/." not in value:
        address: str | None = base.origin + value
    else:
        address = _resolved(value, base)
    return address if address and len(address) <= MAX_ADDRESS else None


def _resolved(value: str, base: Base | None) -> str | None:
    # Browsers drop tabs and line breaks inside addresses; so must whoever judges them.
    value = _INVISIBLE.sub("", value.strip(_EDGES))
    scheme = _SCHEME.match(value)
    if not value or (scheme and scheme[0].lower() not in {"http:", "https:"}):
        return None
    if not scheme and base is None:
        if not value.startswith("//"):
            return None
        value = f"https:{value}"
    path, mark, fragment = value.partition("#")
    address = resolve(base.url if base else "", path)
    return address and address + mark + quote(fragment, safe=_FRAGMENT_SAFE)


def absolute_url(link: str, base_url: str | None = None) -> str | None:
    """Return the absolute http(s) address of a link in a document, or None.

    A user name or password in the address of the document does not get into it.
    """
    return web_address(link, read_base(base_url) if base_url else None)


def link_target(value: str, base: Base | None) -> str | None:
    """Return where a link leads, without tracking parameters, or None."""
    address = value if is_plain(value) else web_address(value, base)
    if address is not None:
        return strip_tracking(address) if _TRACKED.search(address) else address
    value = value.strip(_EDGES)
    return value if _CONTACT.fullmatch(value) else None


def source_set(value: str, base: Base | None) -> str | None:
    """Return a ``srcset`` whose candidates are all absolute, or None for none left."""
    if _PLAIN_SET.fullmatch(value) and len(value) <= MAX_ADDRESS:
        return value
    kept: list[str] = []
    for address, descriptor in _candidates(value):
        absolute = web_address(address, base)
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
