"""ETags: a body's tag, and 304 for whoever has that body already."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response


@lru_cache(maxsize=1024)
def is_named(etag: bytes, known: bytes) -> bool:
    """Tell whether a list of tags names this one; weak tags count, as in RFC 9110."""
    tags = {part.strip().removeprefix(b"W/") for part in known.split(b",")}
    return etag in tags or b"*" in tags


def answer_tagged(
    request: Request, body: bytes, media_type: str, headers: Mapping[str, str]
) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**headers, "ETag": etag}
    known = ",".join(request.headers.getlist("if-none-match"))
    if known and is_named(etag.encode(), known.encode("latin-1")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
