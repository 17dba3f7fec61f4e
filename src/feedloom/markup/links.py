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
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CONTACT = re.compile(r"(?:mailto|tel):[\w.@+%?=&;,()!*~/-]+", re.ASCII | re.IGNORECASE)
_ROOTED = re.compile(r"/(?!/)[\w%~+@!$&'()*,;=:/?.#-]*", re.ASCII)
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FRAGMENT_SAFE = "/%:@!$&'()*+,;=-._~?"
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


def web_address(value: str, base: Base | None) -> str | None:
    """Return the absolute http(s) address a link or a source means, or None."""
    if _PLAIN.fullmatch(value):
        return value if len(value) <= MAX_ADDRESS else None
    if base and _ROOTED.fullmatch(value) and "/." not in value:
        return base.origin + value if len(value) <= MAX_ADDRESS else None
    # Browsers drop tabs and line breaks inside addresses; so must whoever judges them.
    value = _INVISIBLE.sub("", value.strip(_EDGES))
    scheme = _SCHEME.match(value)
    if scheme and scheme[0].lower() not in {"http:", "https:"}:
        return None
    if not scheme and base is None:
        if not value.startswith("//"):
            return None
        value = f"https:{value}"
    path, mark, fragment = value.partition("#")
    address = resolve(base.url if base else "", path)
    if address is None:
        return None
    address += mark + quote(fragment, safe=_FRAGMENT_SAFE)
    return address if len(address) <= MAX_ADDRESS else None


def link_target(value: str, base: Base | None) -> str | None:
    """Return where a link leads, without tracking parameters, or None."""
    address = web_address(value, base)
    if address is not None:
        return strip_tracking(address)
    value = value.strip(_EDGES)
    return value if _CONTACT.fullmatch(value) else None


def source_set(value: str, base: Base | None) -> str | None:
    """Return a ``srcset`` whose candidates are all absolute, or None for none left."""
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
