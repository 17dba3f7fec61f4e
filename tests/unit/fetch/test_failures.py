import errno
import inspect
import socket
import ssl

import aiohttp
import pytest
from aiohttp import client_exceptions, http_exceptions
from aiohttp.client_reqrep import ConnectionKey, RequestInfo
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from feedloom.fetch.failures import LIBRARY_ERRORS, OURS, cause, translate
from feedloom.fetch.guard import Refused
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FetchError,
    NameNotFound,
    OutOfFiles,
    TimedOut,
    Unreachable,
)

KEY = ConnectionKey("h.example", 80, False, True, None, None, None)  # noqa: FBT003 - a tuple of the library


def their_errors() -> list[type[BaseException]]:
    found = inspect.getmembers(client_exceptions, inspect.isclass)
    return [cls for _, cls in found if issubclass(cls, aiohttp.ClientError)]


def ours_for(cls: type[BaseException]) -> type[FetchError]:
    return OURS[next(parent for parent in cls.__mro__ if parent in OURS)]


@pytest.mark.parametrize("cls", their_errors())
def test_error_of_the_library_means_what_its_name_says(cls):
    expected: type[FetchError] = Unreachable
    for words, ours in (
        ({"SSL", "Certificate", "Fingerprint"}, BadTLS),
        ({"DNS"}, NameNotFound),
        ({"Timeout"}, TimedOut),
        ({"InvalidURL", "InvalidUrl", "NonHttpUrl"}, BlockedAddress),
    ):
        if any(word in cls.__name__ for word in words):
            expected = ours

    if "Redirect" not in cls.__name__ or expected is BlockedAddress:
        assert ours_for(cls) is expected


def test_errors_of_the_wire_parser_are_all_caught():
    found = inspect.getmembers(http_exceptions, inspect.isclass)
    errors = [cls for _, cls in found if issubclass(cls, Exception)]

    assert len(errors) > 5
    assert all(issubclass(cls, LIBRARY_ERRORS) for cls in errors)


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (Refused(), BlockedAddress),
        (client_exceptions.ClientConnectorError(KEY, Refused()), BlockedAddress),
        (client_exceptions.ClientConnectorDNSError(KEY, Refused()), BlockedAddress),
        (
            client_exceptions.ClientConnectorDNSError(
                KEY, socket.gaierror(socket.EAI_NONAME, "unknown")
            ),
            NameNotFound,
        ),
        (client_exceptions.ClientConnectorError(KEY, OSError(111, "no")), Unreachable),
        (client_exceptions.ClientConnectorError(KEY, OSError(errno.EMFILE, "full")), OutOfFiles),
        (client_exceptions.ClientConnectorSSLError(KEY, ssl.SSLError(1, "x")), BadTLS),
        (client_exceptions.ServerDisconnectedError(), Unreachable),
        (client_exceptions.ClientPayloadError("cut"), Unreachable),
        (client_exceptions.InvalidURL("x"), BlockedAddress),
        (http_exceptions.BadStatusLine("x"), Unreachable),
        (client_exceptions.ConnectionTimeoutError(), TimedOut),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), NameNotFound),
        (ssl.SSLError(1, "x"), BadTLS),
        (ssl.SSLCertVerificationError(1, "x"), BadTLS),
        (ConnectionRefusedError(111, "no"), Unreachable),
        (ConnectionResetError(104, "reset"), Unreachable),
        (TimeoutError(), TimedOut),
        (TimeoutError(110, "Connection timed out"), TimedOut),
        (OSError(113, "No route to host"), Unreachable),
        (OSError(errno.EMFILE, "Too many open files"), OutOfFiles),
        (OSError(errno.ENFILE, "Too many open files in system"), OutOfFiles),
    ],
)
def test_error_means_what_it_says(error, ours):
    assert type(translate(error)) is ours


def test_resolver_that_is_busy_does_not_claim_the_name_is_wrong():
    error = translate(socket.gaierror(socket.EAI_AGAIN, "try again"))

    assert type(error) is NameNotFound
    assert str(error) != NameNotFound.default


@pytest.mark.threat("S26")
@pytest.mark.parametrize(
    "error",
    [
        Refused(),
        client_exceptions.ClientConnectorDNSError(KEY, Refused()),
        client_exceptions.InvalidURL("http://10.0.0.1"),
    ],
    ids=["socket", "name", "address"],
)
def test_blocked_address_says_always_the_same(error):
    blocked = translate(error)

    assert (str(blocked), blocked.detail) == (BlockedAddress.default, "")


@pytest.mark.parametrize("cls", OURS)
def test_every_error_has_a_sentence(cls):
    assert issubclass(OURS[cls], FetchError)
    assert OURS[cls].default.endswith(".")


def test_detail_is_the_kind_and_the_systems_reason():
    assert translate(OSError(113, "No route to host")).detail == ("OSError: No route to host")
    assert translate(TimeoutError()).detail == "TimeoutError"


@pytest.mark.threat("S15")
def test_no_error_shows_addresses_or_headers():
    url = URL("http://h.example/private?token=secret")
    headers = CIMultiDictProxy(CIMultiDict({"Authorization": "secret"}))
    info = RequestInfo(url, "GET", headers, url)
    errors = [
        client_exceptions.ClientResponseError(info, (), status=400, message="bad"),
        client_exceptions.ConnectionTimeoutError(f"Connection timeout to host {url}"),
        client_exceptions.InvalidURL(url),
    ]

    shown = [f"{translate(e)} {translate(e).detail}" for e in errors]

    assert "secret" not in str(shown)
    assert "secret" not in repr(cause(errors[0]))
