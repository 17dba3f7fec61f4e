"""In front of the application: hits of ``/rss`` that memory can answer.

Everything else, and every look whether memory is still right, goes through the door
behind. A hit renders nothing, compresses nothing and asks no database. Our own server
asks ``recall`` before it makes a task of a request; other servers come by raw ASGI.
"""

from prometheus_client import Counter
from starlette.types import ASGIApp, Receive, Scope, Send

from feedloom.serve.proxied.shelf import Chosen, RawHeaders, Shelf

PATH = "/rss"
HITS = Counter("feedloom_rss_hits", "Answers of /rss given from memory.")
_TARGET = b"/rss?"
_SAFE = {"GET", "HEAD"}


class Front:
    """The outermost ASGI application."""

    def __init__(self, app: ASGIApp, shelf: Shelf) -> None:
        self._app = app
        self._shelf = shelf

    def recall(
        self, method: bytes, target: bytes, headers: RawHeaders
    ) -> tuple[bytes, bytes] | None:
        """Answer a hit as it goes over the wire; None when memory does not know."""
        if not target.startswith(_TARGET) or method not in {b"GET", b"HEAD"}:
            return None
        chosen = self._shelf.recall(target[len(_TARGET) :], headers)
        if chosen is None:
            return None
        HITS.inc()
        return chosen.head, b"" if method == b"HEAD" else chosen.body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a hit, hand on everything else."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        query: bytes = scope["query_string"]
        if scope["method"] in _SAFE:
            chosen = self._shelf.recall(query, scope["headers"])
            if chosen is not None:
                HITS.inc()
                await _send(chosen, send)
                return
        with self._shelf.checking(query):
            await self._app(scope, receive, send)


async def _send(chosen: Chosen, send: Send) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": chosen.status,
            "headers": chosen.headers,
        }
    )
    await send({"type": "http.response.body", "body": chosen.body})
