"""``feedloom update`` and ``feedloom subscribe``: feeds from the shell and from cron."""

import sys
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from feedloom.cli.reporting import err, out, run, show_one
from feedloom.flow.refreshing.passes import PassStats
from feedloom.model.errors import NotFound
from feedloom.model.reading import Subscription


def update(
    *,
    feed: Annotated[
        str | None, typer.Option(help="Only this feed, by id or address, due or not.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All scheduled feeds, due or not.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the counts as JSON.")
    ] = False,
) -> None:
    """Refresh what is due, once, and say what happened. For cron.

    Example: */15 * * * * feedloom update
    """

    async def work() -> PassStats:
        from feedloom.app import open_house
        from feedloom.config import load
        from feedloom.processes import settle_interpreter

        settle_interpreter()
        async with open_house(load()) as house:
            count = await house.operations().make_due(feed, everything=everything)
            worker = house.worker()
            with _progress(count) as progress:
                task = progress.add_task("feeds", total=count or None)
                worker.on_progress = lambda stats: progress.update(
                    task, completed=stats.feeds
                )
                await worker.feed_loop().drain()
            return worker.stats

    stats = run(work())
    if as_json:
        show_one(dict(stats.summary()), as_json=True)
    else:
        out.print(_sentence(stats), markup=False)


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
    url: Annotated[str, typer.Argument(help="A feed, or a page that has one.")],
    *,
    user: Annotated[str, typer.Option(help="Email address of the subscriber.")],
    folder: Annotated[
        str | None, typer.Option(help="Folder, made when missing; a/b for nested ones.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="A title of one's own.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Subscribe somebody to a feed.

    Example: feedloom subscribe https://example.org/ --user ada@example.org --folder News
    """

    async def work() -> Subscription:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            found = await house.accounts.store.by_email(user)
            if found is None:
                raise NotFound(f"There is nobody with the address {user}.")
            person = found[0]
            path = tuple(part for part in (folder or "").split("/") if part)
            folder_id = await house.folders().ensure(person.id, path)
            added = await house.subscribing().add(
                person, url, title=title, folder_id=folder_id, wait=True
            )
            if added.subscription is None:
                raise NotFound(f"No feed was found at {url}.")
            return added.subscription

    subscription = run(work())
    if as_json:
        said: dict[str, object] = {
            "id": subscription.id,
            "feed_id": subscription.feed_id,
            "url": subscription.url,
        }
        show_one(said, as_json=True)
    else:
        out.print(f"Subscribed to {subscription.url}.", markup=False)
