"""The border to the HTTP library: its errors in, ours out.

Every class of the library is named here. A test fails when it gains one, so that
somebody decides what it means. Messages are for people; ``detail`` names the library's
class and the system's reason, never an address, for addresses may contain secrets.
"""

import socket

import aiohttp
from aiohttp import client_exceptions as theirs
from aiohttp.http_exceptions import HttpProcessingError

from feedloom.fetch.guard import Refused
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FetchError,
    NameNotFound,
    RedirectError,
    TimedOut,
    Unreachable,
)

LIBRARY_ERRORS = (aiohttp.ClientError, HttpProcessingError, OSError)
"""All that a request may raise; ``TimeoutError`` is an ``OSError``."""

OURS: dict[type[BaseException], type[FetchError]] = {
    theirs.ClientConnectionError: Unreachable,
    theirs.ClientConnectionResetError: Unreachable,
    theirs.ClientConnectorCertificateError: BadTLS,
    theirs.ClientConnectorDNSError: NameNotFound,
    theirs.ClientConnectorError: Unreachable,
    theirs.ClientConnectorSSLError: BadTLS,
    theirs.ClientError: Unreachable,
    theirs.ClientHttpProxyError: Unreachable,
    theirs.ClientOSError: Unreachable,
    theirs.ClientPayloadError: Unreachable,
    theirs.ClientProxyConnectionError: Unreachable,
    theirs.ClientResponseError: Unreachable,
    theirs.ClientSSLError: BadTLS,
    theirs.ConnectionTimeoutError: TimedOut,
    theirs.ContentTypeError: Unreachable,
    theirs.InvalidURL: BlockedAddress,
    theirs.InvalidUrlClientError: BlockedAddress,
    theirs.InvalidUrlRedirectClientError: BlockedAddress,
    theirs.NonHttpUrlClientError: BlockedAddress,
    theirs.NonHttpUrlRedirectClientError: BlockedAddress,
    theirs.RedirectClientError: RedirectError,
    theirs.ServerConnectionError: Unreachable,
    theirs.ServerDisconnectedError: Unreachable,
    theirs.ServerFingerprintMismatch: BadTLS,
    theirs.ServerTimeoutError: TimedOut,
    theirs.SocketTimeoutError: TimedOut,
    theirs.TooManyRedirects: RedirectError,
    theirs.UnixClientConnectorError: Unreachable,
    theirs.UploadAbortedError: Unreachable,
    theirs.WSServerHandshakeError: Unreachable,
    HttpProcessingError: Unreachable,
    Refused: BlockedAddress,
    TimeoutError: TimedOut,
    socket.gaierror: NameNotFound,
    OSError: Unreachable,
}
_WORDS: dict[type[BaseException], str] = {
    theirs.ClientPayloadError: "The server's answer is damaged or was cut short.",
    theirs.ClientResponseError: "The server's answer is not valid HTTP.",
    HttpProcessingError: "The server's answer is not valid HTTP.",
}


def translate(error: BaseException) -> FetchError:
    """Return our error for one of the library's."""
    reason = error.os_error if isinstance(error, theirs.ClientConnectorError) else error
    if isinstance(reason, Refused):
        return BlockedAddress()
    kind = next(cls for cls in type(error).__mro__ if cls in OURS)
    if _is_busy_resolver(reason):
        return NameNotFound("The host name could not be looked up right now.")
    return OURS[kind](_WORDS.get(kind, ""), detail=_detail(error, reason))


def cause(error: BaseException) -> BaseException | None:
    """Return what to raise ours from: never an error that shows request headers."""
    if isinstance(error, theirs.ClientResponseError):
        return error.__cause__
    return error


def _is_busy_resolver(reason: BaseException) -> bool:
    return isinstance(reason, socket.gaierror) and reason.errno == socket.EAI_AGAIN


def _detail(error: BaseException, reason: BaseException) -> str:
    name = type(error).__name__
    said = reason.strerror if isinstance(reason, OSError) else None
    return f"{name}: {said}" if said else name
