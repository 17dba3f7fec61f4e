import errno
import socket
import ssl

import pytest

from feedloom.fetch.failures import OURS, translate
from feedloom.fetch.guard import Refused
from feedloom.fetch.lines import HungUp
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FetchError,
    NameNotFound,
    OutOfFiles,
    TimedOut,
    Unreachable,
)


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (Refused(), BlockedAddress),
        (socket.gaierror(socket.EAI_NONAME, "unknown"), NameNotFound),
        (ssl.SSLError(1, "x"), BadTLS),
        (ssl.SSLCertVerificationError(1, "x"), BadTLS),
        (ConnectionRefusedError(111, "no"), Unreachable),
        (ConnectionResetError(104, "reset"), Unreachable),
        (HungUp(), Unreachable),
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
def test_blocked_address_says_always_the_same():
    error = translate(Refused())

    assert (str(error), error.detail) == (BlockedAddress.default, "")


@pytest.mark.parametrize("cls", OURS)
def test_every_error_has_a_sentence(cls):
    assert issubclass(OURS[cls], FetchError)
    assert OURS[cls].default.endswith(".")


def test_detail_is_the_kind_and_the_systems_reason():
    assert translate(OSError(113, "No route to host")).detail == (
        "OSError: No route to host"
    )
    assert translate(TimeoutError()).detail == "TimeoutError"
