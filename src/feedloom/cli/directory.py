"""``feedloom directory``: the list of feeds that everyone can search."""

from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import out, show, with_container
from feedloom.model.reader import DirectoryPage, DirectoryWanted

if TYPE_CHECKING:
    from feedloom.app import Container

program = typer.Typer(help="Seed and search the feed directory.", no_args_is_help=True)


@program.command()
def seed() -> None:
    """Add missing feeds from the shipped list. Safe to run twice."""

    async def work(container: "Container") -> int:
        directory = container.directory(container.work)
        count = await directory.seed(check=container.settings.directory_check)
        await container.indexer().catch_up()
        return count

    out.print(f"Added {with_container(work)} feeds.")


@program.command()
def search(
    words: Annotated[list[str] | None, typer.Argument(help="Words to search for.")] = None,
    *,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    language: Annotated[str | None, typer.Option(help="Only this language.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Maximum number of results.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find feeds in the directory, best first.

    Example: feedloom directory search python --language en
    """

    async def work(container: "Container") -> DirectoryPage:
        return await container.directory(container.work).search(
            DirectoryWanted(" ".join(words or ()), topic, language, limit=limit)
        )

    show(
        [
            {
                "title": feed.title,
                "feed": feed.url,
                "topic": feed.topic,
                "language": feed.language,
                "state": feed.state,
            }
            for feed in with_container(work).feeds
        ],
        as_json=as_json,
        empty="Nothing found. Seed the directory with `feedloom directory seed`.",
    )
