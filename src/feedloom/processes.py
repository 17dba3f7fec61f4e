"""How our own processes are started, and how they talk to who started them.

Documents from strangers are read in such processes. So nothing of our environment, where
secrets may be, is handed on, and what comes back is a frame: a length of eight bytes and
a document, which whoever reads it checks.
"""

import os
import sys
from pathlib import Path
from typing import IO

import feedloom

LENGTH = 8
"""Bytes that tell how long a frame is."""


def command(module: str, *words: str) -> list[str]:
    """Return the command that runs one of our modules."""
    return [sys.executable, "-P", "-m", module, *words]


def environment() -> dict[str, str]:
    """Return all that our processes need of an environment."""
    source = str(Path(feedloom.__file__).parent.parent)
    return {"PYTHONPATH": source, "PYTHONUTF8": "1"}


def own_output() -> IO[bytes]:
    """Take standard output for frames; whatever a library prints goes elsewhere."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sink


def framed(body: bytes) -> bytes:
    """Return a document with its length before it."""
    return len(body).to_bytes(LENGTH) + body


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next document on a stream, or None at its end."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head)
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Write one document to a stream."""
    stream.write(framed(body))
    stream.flush()
