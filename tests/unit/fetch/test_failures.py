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
    TimedOut,
    Unreachable,
)

KEY = ConnectionKey("h.example", 80, False, True, None, None, None)  # noqa: FBT003 - a tuple of the library


def their_errors() -> list[type[BaseException]]:
    found = inspect.getmembers(client_exceptions, inspect.isclass)
    return [cls for _, cls in found if issubclass(cls, aiohttp.ClientError)]


def subclasses(cls: type[BaseException]) -> set[type[BaseException]]:
    found = {cls}
    for sub in cls.__subclasses__():
        found |= subclasses(sub)
    return found


@pytest.mark.parametrize("cls", their_errors())
def test_every_error_of_the_library_has_one_of_ours(cls):
    assert cls in OURS


def test_library_has_no_client_error_outside_the_module_we_read():
    theirs = {c for c in subclasses(aiohttp.ClientError) if "aiohttp" in c.__module__}

    assert theirs - set(OURS) == set()


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
        (client_exceptions.ClientConnectorSSLError(KEY, ssl.SSLError(1, "x")), BadTLS),
        (client_exceptions.ServerDisconnectedError(), Unreachable),
        (client_exceptions.ClientPayloadError("cut"), Unreachable),
        (client_exceptions.InvalidURL("x"), BlockedAddress),
        (http_exceptions.BadStatusLine("x"), Unreachable),
        (TimeoutError(), TimedOut),
        (client_exceptions.ConnectionTimeoutError(), TimedOut),
        (ConnectionResetError(104, "reset"), Unreachable),
    ],
)
def test_error_means_what_it_says(error, ours):
    assert type(translate(error)) is ours


def test_unknown_kind_of_known_error_is_taken_for_its_parent():
    class Newer(client_exceptions.ClientSSLError):
        pass

    assert type(translate(Newer(KEY, OSError(1, "x")))) is BadTLS


def test_resolver_that_is_busy_does_not_claim_the_name_is_wrong():
    busy = socket.gaierror(socket.EAI_AGAIN, "try again")

    error = translate(client_exceptions.ClientConnectorDNSError(KEY, busy))

    assert type(error) is NameNotFound
    assert str(error) != NameNotFound.default


@pytest.mark.threat("S26")
def test_blocked_address_says_always_the_same():
    errors = [
        translate(Refused()),
        translate(client_exceptions.ClientConnectorDNSError(KEY, Refused())),
        translate(client_exceptions.InvalidURL("http://10.0.0.1")),
    ]

    assert {str(error) for error in errors} == {BlockedAddress.default}


@pytest.mark.parametrize("cls", OURS)
def test_every_error_has_a_sentence(cls):
    assert issubclass(OURS[cls], FetchError)
    assert OURS[cls].default.endswith(".")


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
