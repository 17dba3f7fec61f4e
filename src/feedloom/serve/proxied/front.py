"""In front of the application: hits of ``/rss`` that memory can answer, in raw ASGI.

Everything else, and every look whether memory is still right, goes through the door
behind. A hit renders nothing, compresses nothing and asks no database.
"""

import time

from prometheus_client import Counter
from starlette.types import ASGIApp, Receive, Scope, Send

from feedloom.serve.proxied.shelf import Page, Shelf

PATH = "/rss"
HITS = Counter("feedloom_rss_hits", "Answers of /rss given from memory.")
_SAFE = {"GET", "HEAD"}


class Front:
    """The outermost ASGI application."""

    def __init__(self, app: ASGIApp, shelf: Shelf) -> None:
        self._app = app
        self._shelf = shelf

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a hit, hand on everything else."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        pointer = self._shelf.pointers.get(scope["query_string"])
        if pointer is None or scope["method"] not in _SAFE:
            await self._app(scope, receive, send)
            return
        if pointer.holds(time.monotonic()):
            page = self._shelf.pages.get(pointer.key)
            if page is not None:
                await _send(page, scope, send)
                return
        pointer.is_checking = True
        try:
            await self._app(scope, receive, send)
        finally:
            pointer.is_checking = False


async def _send(page: Page, scope: Scope, send: Send) -> None:
    HITS.inc()
    chosen = page.choose(scope["headers"])
    await send(
        {
            "type": "http.response.start",
            "status": chosen.status,
            "headers": chosen.headers,
        }
    )
    await send({"type": "http.response.body", "body": chosen.body})
