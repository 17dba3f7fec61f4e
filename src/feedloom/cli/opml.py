"""``feedloom opml``: import and export lists of feeds, with a report on each row."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from feedloom.cli.output import err, out, person_at, show_one, with_container
from feedloom.model.errors import FeedloomError, InvalidInput
from feedloom.model.reader import User

if TYPE_CHECKING:
    from feedloom.app import Container

program = typer.Typer(help="Import and export feeds as OPML.", no_args_is_help=True)

Person = Annotated[str, typer.Option("--user", help="Email address of the account.")]


@program.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="An OPML file.")],
    *,
    user: Person,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Subscribe an account to every feed in a file; invalid rows are skipped and reported.

    If interrupted, a worker resumes the import where it stopped.

    Example: feedloom opml import subscriptions.opml --user ada@example.org
    """
    try:
        document = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.") from error

    async def work(container: "Container") -> Mapping[str, object]:
        person = await person_at(container, user)
        task_id = await container.importing(container.work).start(person, document)
        return await _watched(container, person, task_id)

    report = with_container(work)
    if as_json:
        show_one(dict(report), as_json=True)
        return
    out.print(
        f"{report['total']} feeds: {report['added']} added, {report['known']} already known,"
        f" {report['failed']} failed.",
        markup=False,
    )
    for title, url, why in cast("list[tuple[str, str, str]]", report.get("failures") or []):
        err.print(f"  {title or url}: {why}", markup=False)


@program.command("export")
def export_file(*, user: Person) -> None:
    """Print an account's subscriptions as OPML.

    Example: feedloom opml export --user ada@example.org > subscriptions.opml
    """

    async def work(container: "Container") -> bytes:
        return await container.exporting().opml(await person_at(container, user))

    sys.stdout.buffer.write(with_container(work))


async def _watched(container: "Container", person: User, task_id: int) -> Mapping[str, object]:
    tasks = container.tasks(container.work)
    running = asyncio.create_task(container.worker().task_loop(for_people=True).drain())
    with Progress(
        TextColumn("feeds"),
        BarColumn(),
        MofNCompleteColumn(),
        console=err,
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        bar = progress.add_task("feeds", total=None)
        while True:
            task = await tasks.find(person.id, task_id)
            told = cast("dict[str, float]", task.progress or {})
            progress.update(bar, total=told.get("total"), completed=told.get("done", 0))
            if task.done_at is not None or running.done():
                break
            await asyncio.sleep(0.1)
    await running
    task = await tasks.find(person.id, task_id)
    if task.result is None:
        raise FeedloomError(task.last_error or "Another worker is running the import.")
    return task.result
