"""Long-running processes: start, print the address, log, stop on SIGTERM or Ctrl-C."""

import asyncio
import errno
import io
import logging
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TextIO, cast

import structlog
import uvicorn

from feedloom.app import Container, open_container
from feedloom.cli.output import err, ready_after, run
from feedloom.config import Settings
from feedloom.flow.metrics import LOG_LINES_LOST
from feedloom.flow.worker.alerts import hear_critical
from feedloom.model.errors import ConfigError
from feedloom.processes import open_files, tune_interpreter
from feedloom.serve import server_options

log = structlog.get_logger()
_FEW_FILES = 1_024
_CHILD = "_FEEDLOOM_CHILD"
_NO_WORKER = "_FEEDLOOM_CHILD_NO_WORKER"


def serve_processes(settings: Settings, *, workers: int, with_worker: bool) -> None:
    if workers == 1 or os.environ.get(_CHILD):
        run(_serve(settings, with_worker=with_worker and not os.environ.get(_NO_WORKER)))
        return
    if settings.web_database.startswith("sqlite"):
        raise ConfigError("--workers: more than one web process needs PostgreSQL.")
    # Web processes on one port (SO_REUSEPORT); the first has the worker.
    children: list[subprocess.Popen[bytes]] = []
    for place in range(workers):
        environment = os.environ | {_CHILD: str(place)}
        if place:
            environment[_NO_WORKER] = "1"
        command = [sys.executable, "-m", "feedloom", *sys.argv[1:]]
        children.append(subprocess.Popen(command, env=environment))  # noqa: S603 - ourselves

    def forward(number: int, _frame: object) -> None:
        for child in children:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, forward)
    sys.exit(max(abs(child.wait()) for child in children))


async def _serve(settings: Settings, *, with_worker: bool) -> None:
    set_up_logs(settings.log_level)
    _warn_of_few_files()
    async with open_container(settings, web_only=not with_worker) as container:
        if with_worker:
            await container.directory(container.work).seed(check=settings.directory_check)
        async with listening(settings.host, settings.port) as sockets:
            # Several that share a port say it once.
            is_first = os.environ.get(_CHILD, "0") == "0"
            lines = await _words_for_newcomers(container) if is_first else []
            await serve_container(
                container, sockets, with_worker=with_worker, tell=partial(_tell, lines)
            )


async def serve_container(
    container: Container, sockets: list[Any], *, with_worker: bool, tell: Callable[[], None]
) -> None:
    """Answer at sockets, and work beside it, until a signal comes.

    ``tell`` is called when the first visitor may come.
    """
    settings, application = container.settings, container.application()
    options = server_options()
    config = uvicorn.Config(application, host=settings.host, port=settings.port, **options)
    server = Server(config, tell)
    stop = asyncio.Event()

    def end() -> None:
        stop.set()
        server.stop()

    on_signals(end)
    async with asyncio.TaskGroup() as group:
        if with_worker:
            group.create_task(container.keep_working(stop))
        group.create_task(server.serve_and(stop, sockets))


class Server(uvicorn.Server):
    """Uvicorn without its own signal handling: both halves stop together."""

    def __init__(self, config: uvicorn.Config, tell: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._tell = tell

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        tune_interpreter()
        self._tell()

    def stop(self) -> None:
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to ``on_signals``."""
        yield

    async def serve_and(self, stop: asyncio.Event, sockets: list[Any]) -> None:
        try:
            await self.serve(sockets)
        finally:
            stop.set()


@asynccontextmanager
async def listening(host: str, port: int) -> AsyncIterator[list[Any]]:
    """Take the port before anything else starts, with a sentence when it is taken."""
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(
            asyncio.Protocol, host, port, reuse_port=_CHILD in os.environ, start_serving=False
        )
    except (OSError, UnicodeError) as error:
        raise ConfigError(_why_not(host, port, error)) from error
    try:
        yield [taken.dup() for taken in server.sockets]
    finally:
        server.close()


def _why_not(host: str, port: int, error: OSError | UnicodeError) -> str:
    # Errors of looking names up have numbers of their own, below zero; what cannot be a
    # name, like a..b, has none.
    number = (error.errno or 0) if isinstance(error, OSError) else -1
    if number < 0 or number == errno.EADDRNOTAVAIL:
        return (
            f"{host!r} is not an address of this machine. Choose another with --host or"
            " FEEDLOOM_HOST, like 127.0.0.1 or 0.0.0.0."
        )
    # The event loop puts addresses into its own sentence; the system's is shorter.
    reason = os.strerror(number).lower() if number else str(error)
    return f"Port {port} on {host} cannot be used: {reason}. Choose another with --port."


def _warn_of_few_files() -> None:
    files = open_files()
    if files < _FEW_FILES:
        why = (
            "Fewer feeds are fetched and fewer connections kept at once."
            f" Raise the limit (ulimit -n) to {_FEW_FILES} or more."
        )
        log.warning("few_open_files", limit=files, why=why)


async def work_until_stopped(settings: Settings) -> None:
    set_up_logs(settings.log_level)
    _warn_of_few_files()
    async with open_container(settings) as container:
        await container.directory(container.work).seed(check=settings.directory_check)
        stop = asyncio.Event()
        on_signals(stop.set)
        log.info("worker_started", concurrency=settings.fetch_concurrency)
        tune_interpreter()
        await container.keep_working(stop)


def on_signals(handle: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, handle)


async def _words_for_newcomers(container: Container) -> list[str]:
    settings = container.settings
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = settings.base_url or f"http://{host}:{settings.port}"
    lines = [f"Feedloom is at {address}/"]
    if not await container.accounts.store.has_any():
        lines.append(
            f"Create the first account at {address}/auth/register - it becomes the operator."
        )
    return [*lines, "Press Ctrl-C to stop."]


def _tell(lines: list[str]) -> None:
    for number, line in enumerate(lines):
        if number:
            err.print(line, markup=False)
        else:
            err.print(f"{line} {ready_after()}", style="bold", markup=False)


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


def set_up_logs(level: str) -> None:
    """Log readable lines on a terminal, JSON elsewhere; never secrets."""
    stream = sys.stderr
    if not stream:
        # The process was started with stderr closed.
        stream = io.StringIO()
        stream.close()
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
