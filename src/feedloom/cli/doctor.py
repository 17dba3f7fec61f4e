"""``feedloom doctor``: check the installation and say how to fix what is missing."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Annotated

import typer

from feedloom.cli.output import out, run, show
from feedloom.config import Settings, load
from feedloom.model.distilled.requests import Preflight
from feedloom.model.errors import FeedloomError

_LITTLE_SPACE = 500_000_000
_CLOCK_APART = timedelta(seconds=5)
_WORKER_SILENT = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Finding:
    subject: str
    healthy: bool
    sentence: str


def doctor(
    *,
    url: Annotated[
        str, typer.Option(help="URL used to test outbound access.")
    ] = "https://www.iana.org/",
    ai: Annotated[
        bool,
        typer.Option(
            "--ai", help="Only ask the model one question: latency, cost, structured output."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check settings, database, clock, disk, worker, outbound access, mail and the model.

    Example: feedloom doctor --json
    """
    findings = run(_ask_model(load()) if ai else _examine(load(), url))
    if as_json:
        rows = [{"subject": f.subject, "healthy": f.healthy, "says": f.sentence} for f in findings]
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
    findings = [Finding("settings", healthy=True, sentence="All settings are valid.")]
    looks: dict[str, Callable[[Settings], Awaitable[str]]] = {
        "disk": _disk,
        "database": _database,
        "clock": _clock,
        "worker": _worker,
        "outbound access": partial(_way_out, url=url),
        "mail": _mail,
        "model": _model,
    }
    for subject, look in looks.items():
        try:
            findings.append(Finding(subject, healthy=True, sentence=await look(settings)))
        except FeedloomError as error:
            findings.append(Finding(subject, healthy=False, sentence=str(error)))
    return findings


async def _ask_model(settings: Settings) -> list[Finding]:
    """Ask the model one question, and tell what it took, fact by fact."""
    seen = await _preflight(settings)
    told = f"{seen.model}: {seen.says} {seen.advice}".strip()
    facts = [Finding(name, healthy=True, sentence=fact) for name, fact in seen.facts.items()]
    return [Finding("model", healthy=seen.ok, sentence=told), *facts]


async def _preflight(settings: Settings) -> Preflight:
    from feedloom.app import open_container

    async with open_container(settings, migrate=False) as container:
        return await container.engine.preflight()


async def _disk(settings: Settings) -> str:
    folder = settings.data_path
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < _LITTLE_SPACE:
        raise FeedloomError(f"Only {free // 1_000_000} MB free at {folder}. Free up some space.")
    return f"{free // 1_000_000_000} GB free at {folder}."


async def _database(settings: Settings) -> str:
    from feedloom.factories import database_urls, encryption_keys
    from feedloom.store import find_faults

    found = await find_faults(database_urls(settings)[1], encryption_keys(settings))
    if found:
        raise FeedloomError(" ".join(found))
    web, worker = database_urls(settings)
    if web.kind == "postgresql" and web.role == worker.role:
        return (
            "OK. Web and worker share one role; with a separate role for workers"
            " (FEEDLOOM_WORKER_DATABASE_URL), the database keeps people's rows apart."
        )
    return "OK and up to date."


async def _clock(settings: Settings) -> str:
    from feedloom.app import open_container

    async with open_container(settings, migrate=False) as container:
        apart = abs(await container.operations().database_time() - container.clock.now())
    if apart > _CLOCK_APART:
        raise FeedloomError(
            f"This machine's clock and the database's are {apart.total_seconds():.0f} s"
            " apart. Synchronize them (NTP)."
        )
    return "In sync with the database."


async def _worker(settings: Settings) -> str:
    from feedloom.app import open_container

    async with open_container(settings, migrate=False) as container:
        seen_at = await container.operations().worker_seen_at()
        now = container.clock.now()
    if seen_at is None:
        return "No worker has run yet. Start `feedloom serve` or `feedloom worker`."
    if now - seen_at > _WORKER_SILENT:
        raise FeedloomError(
            f"Last seen {now - seen_at} ago. Start `feedloom serve` or `feedloom worker`."
        )
    return "Alive."


async def _model(settings: Settings) -> str:
    seen = await _preflight(settings)
    if not seen.ok:
        raise FeedloomError(f"{seen.model}: {seen.says} {seen.advice}")
    return f"{seen.model}: {seen.says}"


async def _mail(settings: Settings) -> str:
    from feedloom.factories import make_mailer

    mailer = make_mailer(settings)
    return "Off: no mail server is set." if mailer is None else await mailer.check()


async def _way_out(settings: Settings, url: str) -> str:
    from feedloom.factories import make_fetcher
    from feedloom.model.stages import FetchRequest, Purpose

    fetcher = make_fetcher(settings)
    try:
        answer = await fetcher.fetch(FetchRequest(url, Purpose.DISCOVERY, timeout_s=10))
    except FeedloomError as error:
        raise FeedloomError(
            f"{url} could not be fetched: {error} Check DNS and the firewall."
        ) from error
    finally:
        await fetcher.close()
    return f"{url} returned HTTP {answer.status} in {answer.ms} ms."
