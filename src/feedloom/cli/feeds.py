"""``feedloom update``, ``discover`` and ``directory``: feeds from the shell and from cron."""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import (
    AsJSON,
    contained,
    err,
    out,
    progress_bar,
    show,
    show_one,
    with_container,
    without_passwords,
)
from feedloom.flow.metrics import PassStats
from feedloom.model.errors import NotFound
from feedloom.model.reader import DirectoryWanted
from feedloom.model.stages import Discovered

if TYPE_CHECKING:
    from feedloom.app import Container

directory = typer.Typer(help="Seed and search the feed directory.", no_args_is_help=True)


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
        with progress_bar(shown=count > 0) as progress:
            task = progress.add_task("feeds", total=count or None)
            worker.on_progress = lambda stats: progress.update(task, completed=stats.feeds)
            await worker.feed_loop(once=True).drain()
        return worker.stats

    tune_interpreter()
    counts = with_container(work).summary()
    if as_json:
        show_one(counts, as_json=True)
        return
    feeds, articles = counts["feeds"], counts["new_articles"]
    out.print(
        f"{feeds} feed{'' if feeds == 1 else 's'}:"
        f" {articles} new article{'' if articles == 1 else 's'},"
        f" {counts['not_modified']} not modified, {counts['unchanged']} unchanged,"
        f" {counts['errors']} failed.",
        markup=False,
    )


class Connection(StrEnum):
    PROXY = "proxy"
    DIRECT = "direct"


@contained
async def connection(
    container: "Container",
    feed: Annotated[str, typer.Argument(help="Id or URL of the feed.")],
    way: Annotated[Connection, typer.Argument(help="proxy or direct.")],
) -> None:
    """Choose whether a feed is fetched through FEEDLOOM_OUTBOUND_PROXY.

    Example: feedloom admin connection https://example.org/feed.xml direct
    """
    await container.operations().set_direct(feed, direct=way is Connection.DIRECT)
    out.print(f"Connection of {feed}: {way.value}.", markup=False)


@contained
async def discover(
    container: "Container",
    url: Annotated[str, typer.Argument(help="A page, a feed, a bare host or @user@host.")],
    *,
    as_json: AsJSON = False,
) -> None:
    """Find the feeds of a page and explain which one is best.

    Example: feedloom discover example.org
    """
    from feedloom.flow.discovery.search import as_result

    found = await container.discoverer(container.work).discover(url)
    if as_json:
        show_one(json.loads(without_passwords(json.dumps(as_result(found)))), as_json=True)
    else:
        _print(found)
    if found.canonical is None:
        raise NotFound(f"No feed was found at {without_passwords(url)}.")


def _print(found: Discovered) -> None:
    rows = [
        {
            "score": one.score,
            "feed": without_passwords(one.url),
            "title": one.title,
            "why": ", ".join(f"{name} {points:+d}" for name, points in one.reasons.items()),
        }
        for one in found.candidates
        if one.valid
    ]
    show(rows, as_json=False, empty="No feed was found. Tried:")
    if found.canonical is not None:
        best = without_passwords(found.canonical.url)
        out.print(f"Best: {best}", style="bold", markup=False)
        return
    for tried in found.tried:
        err.print(f"  {tried.url}  {tried.outcome}", markup=False)


@directory.command()
@contained
async def seed(container: "Container") -> None:
    """Add missing feeds from the shipped list. Safe to run twice."""
    listed = container.directory(container.work)
    count = await listed.seed(check=container.settings.directory_check)
    await container.indexer().catch_up()
    out.print(f"Added {count} feeds.")


@directory.command()
@contained
async def search(
    container: "Container",
    words: Annotated[list[str] | None, typer.Argument(help="Words to search for.")] = None,
    *,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    language: Annotated[str | None, typer.Option(help="Only this language.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Maximum number of results.")] = 20,
    as_json: AsJSON = False,
) -> None:
    """Find feeds in the directory, best first.

    Example: feedloom directory search python --language en
    """
    wanted = DirectoryWanted(" ".join(words or ()), topic, language, limit=limit)
    found = await container.directory(container.work).search(wanted)
    rows = [
        {
            "title": feed.title,
            "feed": feed.url,
            "topic": feed.topic,
            "language": feed.language,
            "state": feed.state,
        }
        for feed in found.feeds
    ]
    empty = "Nothing found. Seed the directory with `feedloom directory seed`."
    show(rows, as_json=as_json, empty=empty)
