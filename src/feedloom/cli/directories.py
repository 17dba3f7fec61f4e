"""``feedloom directory``: the list of feeds anybody may find."""

from typing import Annotated

import typer

from feedloom.cli.reporting import out, run, show
from feedloom.model.reading import DirectoryPage, DirectoryWanted

program = typer.Typer(
    help="The directory of feeds: seed and search it.", no_args_is_help=True
)


@program.command()
def seed() -> None:
    """Add the shipped feeds that are missing. Running it twice changes nothing."""

    async def work() -> int:
        from feedloom.app import open_house
        from feedloom.config import load

        settings = load()
        async with open_house(settings) as house:
            directory = house.directory(house.work)
            count = await directory.seed(check=settings.directory_check)
            await house.indexer().catch_up()
            return count

    out.print(f"Added {run(work())} feeds.")


@program.command()
def search(
    words: Annotated[list[str] | None, typer.Argument(help="What to look for.")] = None,
    *,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    language: Annotated[str | None, typer.Option(help="Only this language.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at most.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find feeds in the directory, best first.

    Example: feedloom directory search python --language en
    """

    async def work() -> DirectoryPage:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            return await house.directory(house.work).search(
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
            for feed in run(work()).feeds
        ],
        as_json=as_json,
        empty="Nothing found. Fill the directory with `feedloom directory seed`.",
    )
