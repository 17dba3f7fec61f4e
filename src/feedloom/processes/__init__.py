"""Process set-up, and communication with child processes.

Documents from strangers are read in processes of their own. So nothing of our
environment, where secrets may be, is handed on, and what comes back is a frame: a length
of eight bytes and a document, which whoever reads it checks.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import feedloom

LENGTH = 8
"""Bytes of the length before each frame."""
LOOK_EVERY = 10_000
"""Objects between two looks for cycles: what reading makes has none."""
_TURN_S = 0.0002
"""How long one thread runs while another waits."""
_ENOUGH_FILES = 65_536


def tune_interpreter() -> None:
    """Tune Python for a long-running program with two busy threads.

    The garbage collector scans a hundred thousand permanent objects, which takes 60 ms in
    the middle of somebody's request; new objects hardly ever form cycles. And the database
    thread must get its turn quickly after each statement, or the event loop would wait for
    itself.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(LOOK_EVERY)
    sys.setswitchinterval(_TURN_S)


def open_files() -> int:
    """Raise the limit of open files as far as the system allows, and return it.

    The default limit is low, for the sake of programs that use ``select``.
    """
    try:
        import resource  # noqa: PLC0415 - not every system has such limits
    except ImportError:
        return _ENOUGH_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unbounded = resource.RLIM_INFINITY
    most = _ENOUGH_FILES if hard == unbounded else min(hard, _ENOUGH_FILES)
    if soft == unbounded or soft >= most:
        return most
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return soft


def command(module: str, *words: str) -> list[str]:
    return [sys.executable, "-P", "-m", module, *words]


def environment() -> dict[str, str]:
    """Return the environment of child processes."""
    source = str(Path(feedloom.__file__).parent.parent)
    return {"PYTHONPATH": source, "PYTHONUTF8": "1"}


def limit_process(memory_bytes: int) -> None:
    """Limit this process's memory; allow no files and no core dumps, where supported."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not every system has such limits

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def own_output() -> IO[bytes]:
    """Reserve standard output for frames; what libraries print goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sink


def framed(body: bytes) -> bytes:
    """Return a document preceded by its length."""
    return len(body).to_bytes(LENGTH) + body


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next document of a stream, or None at its end."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head)
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: IO[bytes], body: bytes) -> None:
    stream.write(framed(body))
    stream.flush()


def answer_frames(
    answer: Callable[[bytes], bytes], source: IO[bytes], sink: IO[bytes], *, longest_s: int = 60
) -> None:
    """Answer questions until there are no more.

    If one takes longer than any parent waits, the process ends: its parent may be gone.
    """
    while (question := read_frame(source)) is not None:
        signal.alarm(longest_s)
        reply = answer(question)
        signal.alarm(0)
        write_frame(sink, reply)
        del question, reply


def be_child(answer: Callable[[bytes], bytes], memory_bytes: int, *, nice: int = 0) -> None:
    """Be a child: limited, with nothing but frames on standard output."""
    logging.disable(logging.CRITICAL)
    limit_process(memory_bytes)
    if sys.platform != "win32":
        os.nice(nice)
    answer_frames(answer, sys.stdin.buffer, own_output())
