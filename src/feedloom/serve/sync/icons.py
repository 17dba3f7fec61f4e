"""Icons at addresses that need no password: signed, so that nobody can list them.

Clients load icons as plain images, without credentials. The signature tells that this
installation handed out the address; the bytes are served so that no browser runs them.
"""

import base64
import hashlib
import hmac

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Icon
from feedloom.serve.auth import services
from feedloom.serve.origin import own_address
from feedloom.serve.routes import Access, Route
from feedloom.serve.sync.parameters import row_id

_PATH = "/icons/{id}/{signature}"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "public, max-age=86400",
}
_GREY_SQUARE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mPomjyfJMQwqmFUw/DVAAD12bwQ"
    "2lPTrQAAAABJRU5ErkJggg=="
)
NO_ICON = Icon("", "image/png", _GREY_SQUARE)
"""What is shown for a feed without an icon."""


def icon_address(request: Request, icon_id: int | None) -> str | None:
    if icon_id is None:
        return None
    return own_address(request) + icon_path(services(request).secret_key, icon_id)


def icon_path(secret_key: bytes, icon_id: int) -> str:
    return f"/icons/{icon_id}/{_signature(secret_key, icon_id)}"


def icon_answer(icon: Icon) -> Response:
    return Response(icon.data, media_type=icon.mime, headers=_HEADERS)


async def _show(request: Request) -> Response:
    icon_id = row_id(request.path_params["id"])
    given = request.path_params["signature"]
    signed = _signature(services(request).secret_key, icon_id)
    if not hmac.compare_digest(given.encode(), signed.encode()):
        raise NotFound
    return icon_answer(await services(request).icons.icon(icon_id))


def _signature(secret_key: bytes, icon_id: int) -> str:
    text = f"icon {icon_id}".encode()
    return hmac.new(secret_key, text, hashlib.sha256).hexdigest()[:32]


ROUTES = (Route(_PATH, _show, ("GET",), Access.OWN, csrf=False),)
