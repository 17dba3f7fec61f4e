"""The border to the system: its errors in, ours out.

Messages are for people; ``detail`` names the class of the error and the system's
reason, never an address, for addresses may contain secrets.
"""

import errno
import socket
import ssl

from feedloom.fetch.guard import Refused
from feedloom.model.errors import (
    BadTLS,
    BlockedAddress,
    FeedloomError,
    FetchError,
    NameNotFound,
    OutOfFiles,
    TimedOut,
    Unreachable,
)

OURS: dict[type[OSError], type[FetchError]] = {
    Refused: BlockedAddress,
    TimeoutError: TimedOut,
    socket.gaierror: NameNotFound,
    ssl.SSLError: BadTLS,
    OSError: Unreachable,
}


_NO_MORE_FILES = {errno.EMFILE, errno.ENFILE}


def translate(error: OSError) -> FeedloomError:
    """Return our error for one of the system's."""
    if isinstance(error, Refused):
        return BlockedAddress()
    if error.errno in _NO_MORE_FILES and not isinstance(error, socket.gaierror):
        return OutOfFiles()
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return NameNotFound("The host name could not be looked up right now.")
    kind = next(cls for cls in type(error).__mro__ if cls in OURS)
    return OURS[kind](detail=_detail(error))


def _detail(error: OSError) -> str:
    name = type(error).__name__
    return f"{name}: {error.strerror}" if error.strerror else name
