"""The HTTP server: uvicorn with limits against slow and endless requests.

Uvicorn itself waits for ever for the end of a request's head and keeps whatever comes.
Here a head has a deadline and a size, an address may have only so many unfinished heads,
and there are only so many connections: when all are taken, whoever has most of them
loses one. Who does not read an answer loses the connection as well. What the application
can answer from memory (its ``recall``) is answered as soon as the head is there: no task
is made for it.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from feedloom.processes import open_files
from feedloom.serve.origin import is_trusted, network_of

HEAD_BYTES = 65_536
MOST_HEADERS = 128
"""Lines of a head. In memory an empty one takes a hundred times its bytes."""
MOST_CONNECTIONS = 4_000
MOST_HEADS = 100
"""Unfinished heads of one address that are waited for as long as others."""
MOST_PIPELINED = 16
"""Requests of one connection that may wait for the answer to another one."""
_IDLE_S = 15
_VERSIONS = {"1.0", "1.1"}
RawHeaders = list[tuple[bytes, bytes]]
Recall = Callable[[bytes, bytes, RawHeaders], tuple[bytes, bytes] | None]
"""Method, target and headers in; the head (without its end) and body, or nothing, out."""


def server_options() -> dict[str, Any]:
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


@cache
def most_connections() -> int:
    """Tell how many connections are kept: the worker needs open files, too."""
    return min(MOST_CONNECTIONS, open_files() // 2)


class PatientProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with patience that ends."""

    head_s: ClassVar[float] = 15.0
    """How long the head of a request may take."""
    crowded_s: ClassVar[float] = 2.0
    """The same, for an address with too many unfinished heads."""
    taking_s: ClassVar[float] = 30.0
    """How long a client may take to make room for more of its answer."""
    heads: ClassVar[Counter[str]] = Counter()
    """Unfinished heads by address, in this process."""
    peer = ""
    _timer: asyncio.TimerHandle | None = None
    _giving_up: asyncio.TimerHandle | None = None
    _in_head = True
    _has_begun = False
    _is_answered = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the parent
        super().connection_made(transport)
        self.peer = network_of(self.client[0]) if self.client else ""
        self._expect_head()
        if len(self.connections) > most_connections():
            self._make_way()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        self._go_on()
        if self.is_busy():
            # What still waits to be begun need not be.
            self.cycle.scope["state"]["is_gone"] = True
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the client to read, though not for ever."""
        super().pause_writing()
        self._giving_up = self.loop.call_later(self.taking_s, self.transport.abort)

    def resume_writing(self) -> None:
        self._go_on()
        super().resume_writing()

    def _go_on(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

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
            self.send_400_response("The request headers are too large.")

    def send_400_response(self, msg: str) -> None:
        """Refuse what never reaches the application, protected like all answers."""
        if self.is_busy():
            # Its client would take this for the answer that is under way.
            self.transport.close()
            return
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
        super().on_message_begin()
        self._has_begun = True

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            raise httptools.HttpParserError("Too many headers.")

    def on_headers_complete(self) -> None:
        self._in_head = self._has_begun = False
        self._head_came()
        if len(self.pipeline) >= MOST_PIPELINED:
            raise httptools.HttpParserError("Too many requests are waiting.")
        self._require_usual_form()
        self._is_answered = self._answer_at_once()
        if not self._is_answered:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Hand on a body, unless the answer is out already."""
        if not self._is_answered:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._is_answered:
            super().on_message_complete()
        self._in_head = True
        self._is_answered = False
        self._head_bytes = 0

    def _require_usual_form(self) -> None:
        """Refuse heads that another server might read in another way than we do."""
        hosts = sum(name == b"host" for name, _ in self.headers)
        is_path = self.url.startswith(b"/") or (
            self.url == b"*" and self.parser.get_method() == b"OPTIONS"
        )
        if self.parser.get_http_version() not in _VERSIONS or hosts > 1 or not is_path:
            raise httptools.HttpParserError("This type of request is not supported.")

    def _make_way(self) -> None:
        others = [c for c in self.connections if isinstance(c, PatientProtocol)]
        most = Counter(found.peer for found in others).most_common(1)[0][0]
        waiting = (found for found in others if found.peer == most and not found.is_busy())
        next(waiting, self).transport.abort()

    def _answer_at_once(self) -> bool:
        recall: Recall | None = getattr(self.app, "recall", None)
        if recall is None or self.is_busy() or self.flow.write_paused:
            return False
        found = recall(self.parser.get_method(), self.url, self.headers)
        if found is None:
            return False
        stays = self.parser.should_keep_alive()
        more = [b"%b: %b\r\n" % pair for pair in self.server_state.default_headers]
        if not stays:
            more.append(b"connection: close\r\n")
        # Apart: joined, everybody who takes long would have a copy of the body.
        self.transport.writelines((b"".join((found[0], *more, b"\r\n")), found[1]))
        if not stays:
            self.transport.close()
        self.on_response_complete()
        return True

    def is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _is_idle(self) -> bool:
        """Tell whether nothing is under way that would end, and no clock runs either."""
        return not self.is_busy() and self.timeout_keep_alive_task is None

    def _expect_head(self) -> None:
        if self._timer is None:
            self.heads[self.peer] += 1
            soon_s = min(self.crowded_s, self.head_s)
            self._timer = self.loop.call_later(soon_s, self._head_is_late)

    def _head_is_late(self) -> None:
        if self._is_crowded():
            # It no longer counts: others that are late in the same moment may stay.
            self._head_came()
            self.transport.close()
            return
        more_s = max(0.0, self.head_s - self.crowded_s)
        self._timer = self.loop.call_later(more_s, self.transport.close)

    def _is_crowded(self) -> bool:
        services = getattr(self.app, "services", None)
        proxies = () if services is None else services.trusted_proxies
        is_proxy = self.client is not None and is_trusted(self.client[0], proxies)
        return self.heads[self.peer] > MOST_HEADS and not is_proxy

    def _head_came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.heads[self.peer] -= 1
            if not self.heads[self.peer]:
                del self.heads[self.peer]
