"""Compression of pages.

The size of a compressed page can tell what is in it to somebody who makes a browser ask
for it with text of theirs in the address. So only what this site's own pages ask for, or
a person's own navigation, is compressed; and the form tokens in pages are masked anew
each time.
"""

import gzip

import brotli  # type: ignore[import-untyped]  # it has no types
from starlette.requests import Request

_WORTH_BYTES = 1_024
_OWN = {"same-origin", "none"}
VARY = "Accept, HX-Request, Accept-Encoding, Sec-Fetch-Site"


def compress(request: Request, body: bytes) -> tuple[bytes, str | None]:
    """Return a body and its encoding, ``None`` where it stays as it is."""
    if len(body) < _WORTH_BYTES or request.headers.get("sec-fetch-site") not in _OWN:
        return body, None
    accepted = request.headers.get("accept-encoding", "")
    if "br" in accepted:
        return brotli.compress(body, quality=4), "br"
    if "gzip" in accepted:
        return gzip.compress(body, 5, mtime=0), "gzip"
    return body, None
