"""``feedloom discover``: the feeds behind an address, with scores and reasons."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import err, out, show, show_one, with_container, without_passwords
from feedloom.model.errors import NotFound
from feedloom.model.stages import Discovered

if TYPE_CHECKING:
    from feedloom.app import Container


def discover(
    url: Annotated[str, typer.Argument(help="A page, a feed, a bare host or @user@host.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the feeds of a page and explain which one is best.

    Example: feedloom discover example.org
    """

    async def work(container: "Container") -> Discovered:
        return await container.discoverer(container.work).discover(url)

    found = with_container(work)
    if as_json:
        from feedloom.flow.discovery.search import as_result

        show_one(json.loads(without_passwords(json.dumps(as_result(found)))), as_json=True)
    else:
        _print(found)
    if found.canonical is None:
        raise NotFound(f"No feed was found at {without_passwords(url)}.")


def _print(found: Discovered) -> None:
    show(
        [
            {
                "score": one.score,
                "feed": without_passwords(one.url),
                "title": one.title,
                "why": ", ".join(f"{name} {points:+d}" for name, points in one.reasons.items()),
            }
            for one in found.candidates
            if one.valid
        ],
        as_json=False,
        empty="No feed was found. Tried:",
    )
    if found.canonical is not None:
        best = without_passwords(found.canonical.url)
        out.print(f"Best: {best}", style="bold", markup=False)
        return
    for tried in found.tried:
        err.print(f"  {tried.url}  {tried.outcome}", markup=False)
