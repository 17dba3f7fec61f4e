"""``feedloom subscribe``, ``pause``, ``resume`` and ``opml``: one person's feeds."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from feedloom.cli.output import (
    AsJSON,
    contained,
    err,
    out,
    person_at,
    progress_bar,
    show_one,
    with_container,
    without_passwords,
)
from feedloom.model.errors import FeedloomError, InvalidInput, NotFound
from feedloom.model.reader import User

if TYPE_CHECKING:
    from feedloom.app import Container

opml = typer.Typer(help="Import and export feeds as OPML.", no_args_is_help=True)

_FEED = Annotated[str, typer.Argument(help="Id or URL of the feed.")]
_SUBSCRIBER = Annotated[str, typer.Option(help="Email address of the subscriber.")]
_USER = Annotated[str, typer.Option("--user", help="Email address of the account.")]


@contained
async def subscribe(
    container: "Container",
    url: Annotated[str, typer.Argument(help="URL of a feed, or of a page that has one.")],
    *,
    user: _SUBSCRIBER,
    folder: Annotated[
        str | None, typer.Option(help="Folder, created if missing. Use a/b for nested folders.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Custom title.")] = None,
    as_json: AsJSON = False,
) -> None:
    """Subscribe an account to a feed.

    Example: feedloom subscribe https://example.org/ --user ada@example.org --folder News
    """
    person = await person_at(container, user)
    path = tuple(part for part in (folder or "").split("/") if part)
    folder_id = await container.folders().ensure(person.id, path)
    added = await container.subscribing().add(
        person, url, title=title, folder_id=folder_id, wait=True
    )
    subscription = added.subscription
    if subscription is None:
        raise NotFound(f"No feed was found at {without_passwords(url)}.")
    address = without_passwords(subscription.url)
    if as_json:
        row = {"id": subscription.id, "feed_id": subscription.feed_id, "url": address}
        show_one(row, as_json=True)
    else:
        out.print(f"Subscribed to {address}.", markup=False)


@contained
async def pause(container: "Container", feed: _FEED, *, user: _SUBSCRIBER) -> None:
    """Pause a feed for one account. It is not polled if all its readers paused it.

    Example: feedloom pause https://example.org/feed.xml --user ada@example.org
    """
    title = await _set_paused(container, feed, user, is_paused=True)
    out.print(f"Paused {title}.", markup=False)


@contained
async def resume(container: "Container", feed: _FEED, *, user: _SUBSCRIBER) -> None:
    """Resume a paused feed for one account.

    Example: feedloom resume https://example.org/feed.xml --user ada@example.org
    """
    title = await _set_paused(container, feed, user, is_paused=False)
    out.print(f"Resumed {title}.", markup=False)


async def _set_paused(container: "Container", feed: str, email: str, *, is_paused: bool) -> str:
    person = await person_at(container, email)
    store = container.services().subscriptions
    for one in await store.subscriptions(person.id):
        if feed in {str(one.id), one.url}:
            await (store.pause if is_paused else store.resume)(person.id, one.id)
            return one.title
    raise NotFound(f"{email} does not subscribe to {feed}.")


@opml.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="An OPML file.")],
    *,
    user: _USER,
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
        show_one(report, as_json=True)
        return
    out.print(
        f"{report['total']} feeds: {report['added']} added, {report['known']} already known,"
        f" {report['failed']} failed.",
        markup=False,
    )
    for title, url, why in cast("list[tuple[str, str, str]]", report.get("failures") or []):
        err.print(f"  {title or url}: {why}", markup=False)


@opml.command("export")
@contained
async def export_file(container: "Container", *, user: _USER) -> None:
    """Print an account's subscriptions as OPML.

    Example: feedloom opml export --user ada@example.org > subscriptions.opml
    """
    document = await container.exporting().opml(await person_at(container, user))
    sys.stdout.buffer.write(document)


async def _watched(container: "Container", person: User, task_id: int) -> Mapping[str, object]:
    tasks = container.tasks(container.work)
    running = asyncio.create_task(container.worker().task_loop(for_people=True).drain())
    with progress_bar() as progress:
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
