"""Errors of the system and of the HTTP library in, ours out.

Messages are for people; ``detail`` names the class of the error and the system's
reason, never an address, for addresses may contain secrets. A class that is not named
here counts as its nearest parent.
"""

import errno
import socket
import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp_socks import ProxyConnectionError, ProxyError, ProxyTimeoutError

from feedloom.fetch.guard import Refused
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FeedloomError,
    FetchError,
    NameNotFound,
    OutOfFiles,
    RedirectError,
    TimedOut,
    Unreachable,
)

LIBRARY_ERRORS = (
    aiohttp.ClientError,
    HttpProcessingError,
    ProxyError,
    ProxyConnectionError,
    ProxyTimeoutError,
    OSError,
)
"""All that a request may raise; ``TimeoutError`` is an ``OSError``."""

_THEIRS: dict[type[FetchError], tuple[type[BaseException], ...]] = {
    BlockedAddress: (
        Refused,
        aiohttp.InvalidURL,
        aiohttp.NonHttpUrlClientError,
        aiohttp.NonHttpUrlRedirectClientError,
    ),
    NameNotFound: (socket.gaierror, aiohttp.ClientConnectorDNSError),
    TimedOut: (TimeoutError, aiohttp.ServerTimeoutError),
    BadTLS: (ssl.SSLError, aiohttp.ClientSSLError, aiohttp.ServerFingerprintMismatch),
    RedirectError: (aiohttp.RedirectClientError, aiohttp.TooManyRedirects),
    Unreachable: (
        *(OSError, HttpProcessingError, ProxyError, ProxyConnectionError, ProxyTimeoutError),
        *(aiohttp.ClientError, aiohttp.ClientOSError, aiohttp.ClientPayloadError),
        *(aiohttp.ClientResponseError, aiohttp.ClientHttpProxyError),
        aiohttp.ClientProxyConnectionError,
    ),
}
OURS = {theirs: ours for ours, classes in _THEIRS.items() for theirs in classes}
_CUT = "The server's response is damaged or incomplete."
_NO_HTTP = "The server's response is not valid HTTP."
_PROXY = "The outbound proxy did not connect to the site."
_NO_PROXY = "The outbound proxy cannot be reached."
_WORDS: dict[type[BaseException], str] = {
    ProxyError: _PROXY,
    aiohttp.ClientHttpProxyError: _PROXY,
    ProxyTimeoutError: _PROXY,
    ProxyConnectionError: _NO_PROXY,
    aiohttp.ClientProxyConnectionError: _NO_PROXY,
    aiohttp.ClientPayloadError: _CUT,
    aiohttp.ClientResponseError: _NO_HTTP,
    HttpProcessingError: _NO_HTTP,
}


def translate(error: BaseException) -> FeedloomError:
    """Return our error for one of the system's or the library's."""
    reason = getattr(error, "os_error", error)
    if isinstance(reason, Refused):
        return BlockedAddress()
    if isinstance(reason, socket.gaierror):
        if reason.errno == socket.EAI_AGAIN:
            return NameNotFound("The host name could not be looked up right now.")
        return NameNotFound(detail=_detail(error, reason))
    if isinstance(reason, OSError) and reason.errno in {errno.EMFILE, errno.ENFILE}:
        return OutOfFiles()
    kind = next(cls for cls in type(error).__mro__ if cls in OURS)
    if OURS[kind] is BlockedAddress:
        return BlockedAddress()
    return OURS[kind](_WORDS.get(kind, ""), detail=_detail(error, reason))


def cause(error: BaseException) -> BaseException | None:
    """Return what to raise ours from: never an error that shows request headers."""
    if isinstance(error, aiohttp.ClientResponseError):
        return error.__cause__
    return error


def _detail(error: BaseException, reason: object) -> str:
    if isinstance(reason, OSError) and reason.strerror:
        return f"{type(reason).__name__}: {reason.strerror}"
    return type(error).__name__
