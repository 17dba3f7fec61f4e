"""``feedloom stories``: group headlines about the same event."""

import json
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from feedloom.model.errors import InvalidInput
from feedloom.model.stories import StoryArticle

_MILLISECONDS = 100_000_000_000


def stories(
    *,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read articles from standard input.")
    ] = False,
) -> None:
    """Group articles into stories: one JSON object a line in, one out.

    Reads objects with id and title, and optionally text, source, published_at and
    language, in order of arrival. Prints id and story, which is the id of the story's
    first article, by the same rules as a worker.

    Example: feedloom stories --stdin < articles.jsonl
    """
    from feedloom.distill import StoryGrouper

    if not stdin:
        raise typer.BadParameter("Add --stdin. Articles are only read from standard input.")
    grouper = StoryGrouper()
    begun: dict[int, object] = {}
    arrived_at = datetime.min.replace(tzinfo=UTC)
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        given = _read(line, number)
        published_at = _time(given.get("published_at"), number)
        arrived_at = max(arrived_at, published_at or arrived_at)
        article = StoryArticle(
            number,
            str(given.get("title") or ""),
            str(given.get("source") or ""),
            published_at or arrived_at,
            arrived_at,
            str(given.get("text") or ""),
            str(given.get("language") or ""),
        )
        story = grouper.add(article)
        begun.setdefault(story, given["id"])
        answer = {"id": given["id"], "story": begun[story]}
        sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def _read(line: str, number: int) -> dict[str, object]:
    try:
        given = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"Line {number} is not JSON.") from error
    if not isinstance(given, dict) or given.get("id") is None:
        raise InvalidInput(f"Line {number} needs an object with an id and a title.")
    return given


def _time(value: object, number: int) -> datetime | None:
    """Read ISO 8601, or seconds or milliseconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        found = datetime.fromisoformat(str(value))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"Line {number}: published_at is not a valid time.") from error
