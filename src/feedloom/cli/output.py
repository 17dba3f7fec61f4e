"""How commands talk: tables or JSON on stdout, errors and progress on stderr."""

import asyncio
import inspect
import json
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from feedloom.config import load
from feedloom.model.errors import FeedloomError, NotFound
from feedloom.model.reader import User

if TYPE_CHECKING:
    from feedloom.app import Container

T = TypeVar("T")
P = ParamSpec("P")
AsJSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_BEGAN = time.monotonic()
_LAST_STANDARD_FILE = 2
_USERINFO = re.compile(r"(?<=//)[^/?#\"]*@")

out = Console(
    highlight=False, soft_wrap=True, width=None if sys.stdout and sys.stdout.isatty() else 300
)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def without_passwords(text: str) -> str:
    """Return a text whose addresses have no user names and passwords."""
    return _USERINFO.sub("", text)


def ready_after() -> str:
    """Say how long this program took so far, for those who wait for it."""
    return f"(ready after {time.monotonic() - _BEGAN:.1f} s)"


def run_program(program: typer.Typer, name: str) -> int:
    """Run a command; turn our errors into a sentence and exit code 1."""
    # No socket or database may become file 0, 1 or 2 where those were closed.
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD_FILE:
        pass
    os.close(number)
    try:
        program(prog_name=name, standalone_mode=True)
    except FeedloomError as error:
        err.print(f"{name}: {error}", style="red", markup=False)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output left (`| head`); say nothing at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


def run(work: Coroutine[Any, Any, T]) -> T:
    import structlog

    if not structlog.is_configured():
        # The default is stdout, which belongs to what the command prints.
        structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))
    try:
        import uvloop
    except ImportError:  # pragma: no cover - Windows
        return asyncio.run(work)
    return uvloop.run(work)


def with_container(work: Callable[["Container"], Awaitable[T]]) -> T:
    """Run work on what ``app`` builds, which is imported now: ``--help`` stays quick."""

    async def opened() -> T:
        from feedloom.app import open_container

        async with open_container(load()) as container:
            return await work(container)

    return run(opened())


def contained(
    command: Callable[Concatenate["Container", P], Coroutine[Any, Any, None]],
) -> Callable[P, None]:
    """Make a command of a function that also takes what ``app`` builds."""

    def run_command(*args: P.args, **options: P.kwargs) -> None:
        with_container(lambda container: command(container, *args, **options))

    # Typer makes the options of the other parameters.
    _, *parameters = inspect.signature(command).parameters.values()
    run_command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run_command.__name__, run_command.__doc__ = command.__name__, command.__doc__
    run_command.__annotations__ = {each.name: each.annotation for each in parameters}
    return run_command


def progress_bar(*, shown: bool = True) -> Progress:
    """Count what is done on stderr, for people."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=err,
        transient=True,
        disable=not (shown and sys.stderr.isatty()),
    )


async def person_at(container: "Container", email: str) -> User:
    found = await container.accounts.store.by_email(email)
    if found is None:
        raise NotFound(f"No account has the address {email}.")
    return found[0]


def show(
    rows: Sequence[Mapping[str, object]], *, as_json: bool, empty: str = "Nothing here."
) -> None:
    if as_json:
        sys.stdout.write(json.dumps(rows, default=str, indent=2) + "\n")
        return
    if not rows:
        err.print(empty)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*map(_words, row.values()))
    out.print(table)


def show_one(row: Mapping[str, object], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(row, default=str, indent=2) + "\n")
        return
    width = max(map(len, row))
    for name, value in row.items():
        label = name.replace("_", " ").ljust(width)
        out.print(f"{label}  {_words(value)}", markup=False)


def _words(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case _:
            return str(value)
