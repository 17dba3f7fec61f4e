"""Structured logs: readable lines on a terminal, JSON elsewhere. They never contain secrets."""

import io
import logging
import sys
from typing import TextIO, cast

import structlog

from feedloom.flow.metrics import LOG_LINES_LOST
from feedloom.flow.worker.alerts import hear_critical


class LossyStream(io.TextIOBase):
    """Writes to another stream; what cannot be written is counted, never raised.

    A full disk, or a pipe whose reader left, must not end a process that serves people.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # ValueError: the stream is closed
            LOG_LINES_LOST.inc(text.count("\n"))
        return len(text)

    def isatty(self) -> bool:
        return not self._stream.closed and self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _closed() -> TextIO:
    stream = io.StringIO()
    stream.close()
    return stream


def set_up_logs(level: str) -> None:
    # A process that was started with stderr closed has none.
    stream = sys.stderr or _closed()
    if not isinstance(stream, LossyStream):
        stream = sys.stderr = cast("TextIO", LossyStream(stream))
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        hear_critical,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        last: list[structlog.typing.Processor] = [
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        ]
    else:
        # Not the local variables, which is the default: they may hold passwords.
        frames = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        last = [structlog.processors.ExceptionRenderer(frames), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", stream)),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    # A client that sends bytes that are not HTTP is no event worth a line each.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
