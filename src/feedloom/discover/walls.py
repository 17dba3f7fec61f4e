"""Consent walls: pages that a host shows instead of every other page.

Addresses go in, yes or no comes out. Where a host takes a cookie for an answer, as
others send it, requests carry that cookie; elsewhere a wall is known for what it is, and
the host is not asked again and again.
"""

import re
from collections.abc import Mapping
from urllib.parse import parse_qs

from feedloom.model.urls import is_address, read_address

_CONSENT = "SOCS=CAI; CONSENT=YES+"
_HOSTS = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"})
_WALL_HOST = re.compile(
    r"(?:(?:my)?consent|guce|cmp|gdpr|privacy-?gate|myprivacy|zustimmung|wall)(?:[.-]|$)"
)
_WALL_PATH = re.compile(
    r"(?i)/(?:collect)?(?:consent|zustimmung|einwilligung)(?:[/_.]|$)"
    r"|/(?:cookie|privacy|gdpr|pur)-?(?:wall|gate|consent)(?:[/_.]|$)"
)
_ONWARD = ("continue", "return", "returnUrl", "redirect", "redirectUri", "url", "target")


def consent_headers(url: str) -> Mapping[str, str]:
    """Return the consent that a host waits for before it shows a page."""
    return {"cookie": _CONSENT} if read_address(url).host in _HOSTS else {}


def is_wall(url: str, asked: str) -> bool:
    """Tell whether an answer came from a wall and not from what was asked."""
    address = read_address(url)
    if url == asked or address.host == read_address(asked).host:
        moved = address.path != read_address(asked).path
        return moved and _WALL_PATH.search(address.path) is not None
    return bool(_WALL_HOST.match(address.host) or _WALL_PATH.search(address.path))


def way_through(url: str) -> str | None:
    """Return the page behind a wall, if its host takes our consent."""
    given = parse_qs(read_address(url).query)
    onward = (given[name][0] for name in _ONWARD if name in given)
    known = (one for one in onward if is_address(one) and consent_headers(one))
    return next(known, None)
