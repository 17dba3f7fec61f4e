"""``feedloom update`` and ``feedloom subscribe``: feeds from the shell and from cron."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from feedloom.cli.output import err, out, person_at, show_one, with_container, without_passwords
from feedloom.flow.metrics import PassStats
from feedloom.model.errors import NotFound
from feedloom.model.reader import Subscription

if TYPE_CHECKING:
    from feedloom.app import Container


def update(
    *,
    feed: Annotated[
        str | None, typer.Option(help="Refresh only this feed (id or URL), even if it isn't due.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Refresh all scheduled feeds, even if they aren't due.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Refresh all due feeds once and print a summary. For cron.

    Example: */15 * * * * feedloom update
    """
    from feedloom.processes import tune_interpreter

    async def work(container: "Container") -> PassStats:
        count = await container.operations().make_due(feed, everything=everything)
        worker = container.worker()
        with _progress(count) as progress:
            task = progress.add_task("feeds", total=count or None)
            worker.on_progress = lambda stats: progress.update(task, completed=stats.feeds)
            await worker.feed_loop(once=True).drain()
        return worker.stats

    tune_interpreter()
    stats = with_container(work)
    if as_json:
        show_one(dict(stats.summary()), as_json=True)
    else:
        out.print(_sentence(stats), markup=False)


class Connection(StrEnum):
    PROXY = "proxy"
    DIRECT = "direct"


def connection(
    feed: Annotated[str, typer.Argument(help="Id or URL of the feed.")],
    way: Annotated[Connection, typer.Argument(help="proxy or direct.")],
) -> None:
    """Choose whether a feed is fetched through FEEDLOOM_OUTBOUND_PROXY.

    Example: feedloom admin connection https://example.org/feed.xml direct
    """
    is_direct = way is Connection.DIRECT

    async def work(container: "Container") -> None:
        await container.operations().set_direct(feed, direct=is_direct)

    with_container(work)
    out.print(f"Connection of {feed}: {way.value}.", markup=False)


def _progress(count: int) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=err,
        transient=True,
        disable=not sys.stderr.isatty() or count == 0,
    )


def _sentence(stats: PassStats) -> str:
    counts = stats.summary()
    feeds, articles = counts["feeds"], counts["new_articles"]
    return (
        f"{feeds} feed{'' if feeds == 1 else 's'}:"
        f" {articles} new article{'' if articles == 1 else 's'},"
        f" {counts['not_modified']} not modified, {counts['unchanged']} unchanged,"
        f" {counts['errors']} failed."
    )


def subscribe(
    url: Annotated[str, typer.Argument(help="URL of a feed, or of a page that has one.")],
    *,
    user: Annotated[str, typer.Option(help="Email address of the subscriber.")],
    folder: Annotated[
        str | None, typer.Option(help="Folder, created if missing. Use a/b for nested folders.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Custom title.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Subscribe an account to a feed.

    Example: feedloom subscribe https://example.org/ --user ada@example.org --folder News
    """

    async def work(container: "Container") -> Subscription:
        person = await person_at(container, user)
        path = tuple(part for part in (folder or "").split("/") if part)
        folder_id = await container.folders().ensure(person.id, path)
        added = await container.subscribing().add(
            person, url, title=title, folder_id=folder_id, wait=True
        )
        if added.subscription is None:
            raise NotFound(f"No feed was found at {without_passwords(url)}.")
        return added.subscription

    subscription = with_container(work)
    if as_json:
        said: dict[str, object] = {
            "id": subscription.id,
            "feed_id": subscription.feed_id,
            "url": without_passwords(subscription.url),
        }
        show_one(said, as_json=True)
    else:
        out.print(f"Subscribed to {without_passwords(subscription.url)}.", markup=False)
