"""``feedloom serve`` and ``feedloom worker``: the long-running processes."""

from typing import Annotated

import typer

from feedloom.cli.output import run


def serve(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Port to listen on.")] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Number of web processes. More than one needs PostgreSQL."
        ),
    ] = 1,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Don't refresh feeds in this process.")
    ] = False,
) -> None:
    """Serve pages, JSON and sync protocols, and refresh feeds in the same process.

    Example: feedloom serve --port 8080
    """
    from dataclasses import replace

    from feedloom.cli.services import serve_processes
    from feedloom.config import load

    settings = load()
    if host is not None:
        settings = replace(settings, host=host)
    if port is not None:
        settings = replace(settings, port=port)
    serve_processes(settings, workers=workers, with_worker=not no_worker)


def worker(
    *,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="Number of feeds to fetch at once.")
    ] = None,
) -> None:
    """Refresh feeds and run tasks. On PostgreSQL, run as many workers as you like.

    Example: feedloom worker --concurrency 64
    """
    from dataclasses import replace

    from feedloom.cli.services import work_until_stopped
    from feedloom.config import load

    settings = load()
    if concurrency is not None:
        settings = replace(settings, fetch_concurrency=concurrency)
    run(work_until_stopped(settings))
