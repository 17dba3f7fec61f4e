"""How the server listens: uvicorn with limits against slow and endless callers.

Uvicorn itself waits for ever for the end of a request's head and keeps whatever comes.
Here a head has a deadline and a size, and there are only so many connections. What the
application can answer from memory (its ``recall``) is answered as soon as the head is
there: no task is made for it.
"""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536
MOST_CONNECTIONS = 4_000
_IDLE_S = 15


RawHeaders = list[tuple[bytes, bytes]]
Recall = Callable[[bytes, bytes, RawHeaders], tuple[bytes, bytes] | None]
"""Method, target and headers in; the head (without its end) and body, or nothing, out."""


def server_options() -> dict[str, Any]:
    """Return uvicorn's settings for serving the application."""
    return {
        "http": PatientProtocol,
        "ws": "none",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        # Forwarding headers are judged by ``serve.origin``, by our own setting.
        "proxy_headers": False,
        "timeout_keep_alive": _IDLE_S,
        "timeout_graceful_shutdown": 4,
    }


class PatientProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with patience that ends."""

    head_s: ClassVar[float] = 15.0
    """How long the head of a request may take."""
    _timer: asyncio.TimerHandle | None = None
    _in_head = True
    _has_begun = False
    _is_answered = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the parent
        """Take a connection, if there are not too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, but no endless head."""
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._has_begun or self._is_idle():
            # Most heads come in one piece: a timer is for those that do not. Nor may
            # anybody stay by sending line ends, or a body after its answer.
            self._expect_head()
        if self._in_head and self._head_bytes > HEAD_BYTES:
            self.send_400_response("The request's head is too large.")

    def send_400_response(self, msg: str) -> None:
        """Refuse what never reaches the application, protected like all answers."""
        body = msg.encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n"
            "content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n"
            "x-content-type-options: nosniff\r\nreferrer-policy: same-origin\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def on_message_begin(self) -> None:
        """Start to wait for a head."""
        super().on_message_begin()
        self._has_begun = True

    def on_headers_complete(self) -> None:
        """Hand the request to the application."""
        self._in_head = self._has_begun = False
        self._head_came()
        self._is_answered = self._answer_at_once()
        if not self._is_answered:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Hand on a body, unless the answer is out already."""
        if not self._is_answered:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Get ready for the next head."""
        if not self._is_answered:
            super().on_message_complete()
        self._in_head = True
        self._is_answered = False
        self._head_bytes = 0

    def _answer_at_once(self) -> bool:
        recall: Recall | None = getattr(self.app, "recall", None)
        if recall is None or self._is_busy() or self.flow.write_paused:
            return False
        found = recall(self.parser.get_method(), self.url, self.headers)
        if found is None:
            return False
        stays = self.parser.should_keep_alive()
        more = [b"%b: %b\r\n" % pair for pair in self.server_state.default_headers]
        if not stays:
            more.append(b"connection: close\r\n")
        self.transport.write(b"".join((found[0], *more, b"\r\n", found[1])))
        if not stays:
            self.transport.close()
        self.on_response_complete()
        return True

    def _is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _is_idle(self) -> bool:
        """Tell whether nothing is under way that would end, and no clock runs either."""
        return not self._is_busy() and self.timeout_keep_alive_task is None

    def _expect_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.head_s, self.transport.close)

    def _head_came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
