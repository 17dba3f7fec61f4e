"""``feedloom doctor``: is everything there, and if not, what to do."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer

from feedloom.cli.reporting import out, run, show
from feedloom.config import Settings
from feedloom.model.errors import FeedloomError

_LITTLE_SPACE = 500_000_000
_CLOCK_APART = timedelta(seconds=5)
_WORKER_SILENT = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    healthy: bool
    sentence: str


def doctor(
    *,
    url: Annotated[
        str, typer.Option(help="An address to try the way out with.")
    ] = "https://www.iana.org/",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check settings, database, clock, disk, worker, the way out and the model.

    Example: feedloom doctor --json
    """
    from feedloom.config import load

    findings = run(_examine(load(), url))
    if as_json:
        rows: list[dict[str, object]] = [
            {"subject": f.subject, "healthy": f.healthy, "says": f.sentence}
            for f in findings
        ]
        show(rows, as_json=True)
    else:
        for finding in findings:
            mark = "ok  " if finding.healthy else "FAIL"
            style = "green" if finding.healthy else "red"
            out.print(f"[{style}]{mark}[/] {finding.subject}: ", end="")
            out.print(finding.sentence, markup=False)
    if not all(finding.healthy for finding in findings):
        raise typer.Exit(1)


async def _examine(settings: Settings, url: str) -> list[Finding]:
    findings = [Finding("settings", healthy=True, sentence="All values can be used.")]
    looks: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("disk", lambda: _disk(settings)),
        ("database", lambda: _database(settings)),
        ("clock", lambda: _clock(settings)),
        ("worker", lambda: _worker(settings)),
        ("way out", lambda: _way_out(settings, url)),
        ("model", lambda: _model(settings)),
    ]
    for subject, look in looks:
        try:
            findings.append(Finding(subject, healthy=True, sentence=await look()))
        except FeedloomError as error:
            findings.append(Finding(subject, healthy=False, sentence=str(error)))
    return findings


async def _disk(settings: Settings) -> str:
    folder = settings.data_path
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < _LITTLE_SPACE:
        raise FeedloomError(
            f"Only {free // 1_000_000} MB are free at {folder}. Make room."
        )
    return f"{free // 1_000_000_000} GB free at {folder}."


async def _database(settings: Settings) -> str:
    from feedloom.furnishing import database_urls
    from feedloom.store import find_faults

    found = await find_faults(database_urls(settings)[1])
    if found:
        raise FeedloomError(" ".join(found))
    web, worker = database_urls(settings)
    if web.kind == "postgresql" and web.role == worker.role:
        return (
            "Sound. Web and worker share one role; a second role for the web"
            " (FEEDLOOM_WORKER_DATABASE_URL) keeps people's rows apart more strictly."
        )
    return "Sound and up to date."


async def _clock(settings: Settings) -> str:
    from feedloom.app import open_house

    async with open_house(settings, migrate=False) as house:
        apart = abs(await house.operations().database_time() - house.clock.now())
    if apart > _CLOCK_APART:
        raise FeedloomError(
            f"This machine's clock and the database's are {apart.total_seconds():.0f} s"
            " apart. Set them right (NTP)."
        )
    return "Agrees with the database's."


async def _worker(settings: Settings) -> str:
    from feedloom.app import open_house

    async with open_house(settings, migrate=False) as house:
        seen_at = await house.operations().worker_seen_at()
        now = house.clock.now()
    if seen_at is None:
        return "None has run yet: start `feedloom serve` or `feedloom worker`."
    if now - seen_at > _WORKER_SILENT:
        raise FeedloomError(
            f"The last sign of life was {now - seen_at} ago. Start `feedloom serve` or"
            " `feedloom worker`."
        )
    return "Alive."


async def _model(settings: Settings) -> str:
    from feedloom.app import open_house

    async with open_house(settings, migrate=False) as house:
        seen = await house.engine.preflight()
    if not seen.ok:
        raise FeedloomError(f"{seen.model}: {seen.says} {seen.advice}")
    return f"{seen.model}: {seen.says}"


async def _way_out(settings: Settings, url: str) -> str:
    from feedloom.furnishing import make_fetcher
    from feedloom.model.stages import Ask, Sink

    fetcher = make_fetcher(settings)
    try:
        answer = await fetcher.fetch(Ask(url, Sink.DISCOVERY, timeout_s=10))
    except FeedloomError as error:
        raise FeedloomError(
            f"{url} could not be fetched: {error} Check DNS and the firewall."
        ) from error
    finally:
        await fetcher.close()
    return f"{url} answered with HTTP {answer.status} in {answer.ms} ms."
