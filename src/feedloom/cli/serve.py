"""``feedloom serve``, ``worker`` and ``demo``: the long-running processes."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import err, out, ready_after, run
from feedloom.config import load

if TYPE_CHECKING:
    from feedloom.app import Container
    from feedloom.demo import Sites, Stage


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
    from feedloom.cli.services import serve_processes

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
    from feedloom.cli.services import work_until_stopped

    settings = load()
    if concurrency is not None:
        settings = replace(settings, fetch_concurrency=concurrency)
    run(work_until_stopped(settings))


def demo(
    *,
    port: Annotated[int, typer.Option(min=1, max=65_534, help="Port of the web pages.")] = 8000,
    sites_port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65_535, help="Port of the sample publishers. Default: the next port."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--data-dir",
            file_okay=False,
            help="Keep the demo's data in this folder instead of deleting it on exit.",
        ),
    ] = None,
) -> None:
    """Try Feedloom with a week of sample news. No network or settings needed.

    Example: feedloom demo --port 8080
    """
    perform = partial(_perform, port=port, sites_port=sites_port or port + 1)
    if folder is not None:
        run(perform(folder.absolute()))
        return
    with tempfile.TemporaryDirectory(prefix="feedloom-demo-") as temporary:
        run(perform(Path(temporary)))
    err.print("The demo's data has been deleted.")


async def _perform(folder: Path, *, port: int, sites_port: int) -> None:
    from feedloom.app import SystemClock, open_container
    from feedloom.cli.services import listening, serve_container, set_up_logs
    from feedloom.demo import Sites, open_stage, settings_for

    clock = SystemClock()
    stage = open_stage(folder, now=clock.now(), sites_port=sites_port)
    settings = settings_for(folder, port)
    sites = Sites(f"http://127.0.0.1:{stage.sites_port}", stage.opened_at, clock.now)
    set_up_logs(settings.log_level)
    async with (
        listening(settings.host, port) as sockets,
        _publishing(sites, stage.sites_port),
        open_container(settings) as container,
    ):
        if stage.is_set or await _prepare(container, sites, stage):
            tell = partial(_tell, port, stage, sites)
            await serve_container(container, sockets, with_worker=True, tell=tell)


@asynccontextmanager
async def _publishing(sites: "Sites", port: int) -> AsyncIterator[None]:
    import uvicorn

    from feedloom.cli.services import Server, listening
    from feedloom.serve import server_options

    config = uvicorn.Config(sites.application(), **server_options())
    server, stop = Server(config), asyncio.Event()
    async with listening("127.0.0.1", port) as sockets:
        serving = asyncio.create_task(server.serve_and(stop, sockets))
        try:
            yield
        finally:
            server.stop()
            await serving


async def _prepare(container: "Container", sites: "Sites", stage: "Stage") -> bool:
    """Let the week pass; False when a signal ended it."""
    from feedloom.cli.services import on_signals
    from feedloom.demo import EMAIL, keep_stage, live_a_week

    async def live() -> None:
        user = await container.accounts.register(EMAIL, stage.password)
        with err.status("A week passes…") as status:

            def tell(done: int, of: int) -> None:
                status.update(f"A week passes… {done} of {of}")

            await live_a_week(container, sites, user, tell=tell)

    living = asyncio.create_task(live())
    on_signals(living.cancel)
    try:
        await living
    except asyncio.CancelledError:
        return False
    keep_stage(container.settings.data_path, replace(stage, is_set=True))
    return True


def _tell(port: int, stage: "Stage", sites: "Sites") -> None:
    from feedloom.demo import EMAIL

    for line in (
        f"The Feedloom demo is at http://127.0.0.1:{port}/ {ready_after()}",
        f"  sign in with  {EMAIL}",
        f"  password      {stage.password}",
        f"Its sample publishers are at {sites.url}/",
        "Press Ctrl-C to stop.",
    ):
        out.print(line, markup=False)
