"""Publishers' pictures at our own addresses, which are signed so that we are no open relay.

Nobody's browser asks a publisher for a picture. The signature tells that this
installation handed out the address, what for and until when; apps load pictures without
credentials. The bytes were made by us, and are served so that no browser runs them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.pictures import WIDTHS
from feedloom.markup import with_images
from feedloom.model.errors import NotAllowed, NotFound
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import User
from feedloom.serve.origin import client_network, own_address, services
from feedloom.serve.routes import Access, Route

MODES = ("off", "http", "all")
"""What goes through the proxy, from nothing to everything."""
_PATH = "/images/{width}/{until}/{signature}/{address}"
_PERIOD_S = 30 * 86_400
_PERIODS = 3
"""An address stays the same for a month, so that browsers keep its picture, and works
for two to three."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "private, max-age=2592000, immutable",
    "Vary": "Accept",
}


@dataclass(frozen=True, slots=True)
class ImageAddresses:
    """How pictures are addressed in pages for one person."""

    mode: str
    key: bytes
    until: int
    size: Callable[[str], tuple[int, int] | None]
    base: str = ""

    def address(self, url: str, width: int = WIDTHS[-1]) -> str:
        """Return where a picture is loaded from."""
        if self.mode == "off" or (self.mode == "http" and url.startswith("https:")):
            return url
        signature = _signature(self.key, self.until, url)
        return f"{self.base}/images/{width}/{self.until}/{signature}/{encoded(url)}"

    def rewrite(self, content: CleanHTML) -> CleanHTML:
        """Give clean markup the addresses of its pictures, and their sizes where known."""
        if self.mode == "off":
            return content
        return with_images(content, self.address, self.size, WIDTHS)


def image_addresses(request: Request, user: User | None, *, base: str = "") -> ImageAddresses:
    """Address pictures for a person, who may want less than the installation's proxy gives."""
    given = services(request)
    wanted = user.settings.get("pictures") if user else None
    chosen = wanted if isinstance(wanted, str) and wanted in MODES else MODES[-1]
    return ImageAddresses(
        min(given.image_mode, chosen, key=MODES.index),
        image_key(given.secret_key),
        _period(given.clock.now()) + _PERIODS,
        given.images.size,
        base,
    )


_FOR_APPS: ContextVar[ImageAddresses | None] = ContextVar("for_apps", default=None)
"""How pictures are addressed for the app of this request, if its user wants that."""


def serve_apps(request: Request, user: User) -> None:
    """Let an app have pictures through the proxy, if the person wants that."""
    if user.settings.get("app_pictures") is True:
        _FOR_APPS.set(image_addresses(request, user, base=own_address(request)))


def content_for_app(content: CleanHTML) -> CleanHTML:
    images = _FOR_APPS.get()
    return images.rewrite(content) if images else content


def file_for_app(url: str, mime: str | None) -> str:
    """Return where an app loads a file from: its publisher, unless it is a picture."""
    images = _FOR_APPS.get()
    is_picture = (mime or "").startswith("image/")
    return images.address(url) if images and is_picture else url


def image_key(secret_key: bytes) -> bytes:
    """Derive a key of its own: what is signed for something else is no picture."""
    return hmac.digest(secret_key, b"addresses of pictures", hashlib.sha256)


async def _show(request: Request) -> Response:
    given, asked = services(request), request.path_params
    try:
        width, until = int(asked["width"]), int(asked["until"])
    except ValueError as error:
        raise NotFound from error
    url = decoded(asked["address"])
    signed = _signature(image_key(given.secret_key), until, url)
    if not hmac.compare_digest(asked["signature"].encode(), signed.encode()):
        raise NotAllowed("This image address is not valid.")
    if until <= _period(given.clock.now()):
        raise NotAllowed("This image address has expired. Reload the page.")
    if width not in WIDTHS:
        raise NotFound
    accept = request.headers.get("accept", "")
    accepts = next((name for name in ("avif", "webp") if f"image/{name}" in accept), "")
    picture = await given.images.picture(url, width, accepts, client_network(request))
    return Response(picture.body, media_type=picture.mime, headers=_HEADERS)


def encoded(url: str) -> str:
    """Write an address as a part of another one's path."""
    return base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def decoded(part: str) -> str:
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), b"-_", validate=True).decode()
    except ValueError as error:
        raise NotFound from error


def _period(now: datetime) -> int:
    return int(now.timestamp()) // _PERIOD_S


def _signature(key: bytes, until: int, url: str) -> str:
    return hmac.digest(key, f"{until} {url}".encode(), hashlib.sha256).hex()[:32]


ROUTES = (Route(_PATH, _show, ("GET",), Access.OWN, csrf=False),)
