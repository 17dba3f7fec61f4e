"""Structured logs: lines for people on a terminal, JSON otherwise. No secrets ever."""

import logging
import sys

import structlog

from feedloom.flow.working.alerts import hear_critical


def set_up_logs(level: str) -> None:
    """Send all logs to stderr in one form."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        hear_critical,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        last: list[structlog.typing.Processor] = [
            structlog.dev.ConsoleRenderer(
                exception_formatter=structlog.dev.plain_traceback
            )
        ]
    else:
        # Not the local variables, which is the default: they may hold passwords.
        frames = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        last = [
            structlog.processors.ExceptionRenderer(frames),
            structlog.processors.JSONRenderer(),
        ]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    # A client that sends bytes that are not HTTP is no event worth a line each.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
