"""``feedloom stories``: group headlines about the same event."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import IO, Annotated

import typer

from feedloom.model.errors import InvalidInput
from feedloom.model.stories import StoryArticle

_MILLISECONDS = 100_000_000_000
_LONGEST_DATE = len("20260301")
_FAR_AHEAD = timedelta(hours=72)
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


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
    arrivals = _Arrivals()
    for number, given in _articles(sys.stdin):
        published_at = _time(given.get("published_at"), number)
        arrived_at = arrivals.at(published_at)
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
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


class _Arrivals:
    """When articles arrived, judged by when they were published.

    One that is dated far ahead of all others is a mistake. Were it believed, every later
    one would seem too old for a story.
    """

    def __init__(self) -> None:
        self._now: datetime | None = None
        self._was_ahead = False

    def at(self, published_at: datetime | None) -> datetime:
        now = self._now or published_at or _UNDATED
        if published_at is not None:
            is_ahead = published_at - now > _FAR_AHEAD
            if not is_ahead or self._was_ahead:
                now = self._now = max(now, published_at)
            self._was_ahead = is_ahead
        return now


def _articles(lines: IO[str]) -> Iterator[tuple[int, dict[str, object]]]:
    try:
        for number, line in enumerate(lines, 1):
            if told := line.strip("\ufeff \t\r\n"):
                yield number, _read(told, number)
    except UnicodeDecodeError as error:
        raise InvalidInput("Standard input must be UTF-8.") from error


def _read(line: str, number: int) -> dict[str, object]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} is not JSON.") from error
    if not isinstance(given, dict) or given.get("id") is None:
        raise InvalidInput(f"Line {number} needs an object with an id and a title.")
    return given


def _time(value: object, number: int) -> datetime | None:
    """Read ISO 8601, or seconds or milliseconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str) and value.isdecimal() and len(value) > _LONGEST_DATE:
            value = int(value)
        if isinstance(value, int | float):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        found = datetime.fromisoformat(str(value))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(f"Line {number}: published_at is not a valid time.") from error
