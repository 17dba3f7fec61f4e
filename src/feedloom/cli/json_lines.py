"""``feedloom deframe`` and ``stories``: headlines on stdin, one JSON object a line in and out."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import IO, Annotated, cast

import typer

from feedloom.cli.output import run
from feedloom.config import load
from feedloom.distill import judge_headline
from feedloom.model.distilled.requests import SCORE_NAMES, ArticleToAnalyse, Score, overall_score
from feedloom.model.errors import InvalidInput
from feedloom.model.stories import StoryArticle

_FIELDS = ("title", "text", "description", "language")
_MOST_TOLD = 5
_MILLISECONDS = 100_000_000_000
_LONGEST_DATE = len("20260301")
_FAR_AHEAD = timedelta(hours=72)
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


def deframe(
    *,
    stdin: Annotated[
        bool, typer.Option("--stdin", help="Read JSON objects from standard input.")
    ] = False,
    with_model: Annotated[
        bool,
        typer.Option("--model", help="Use the configured language model instead of the rules."),
    ] = False,
) -> None:
    """Judge headlines and print calm titles.

    Each line of standard input is a JSON object with title and, optionally, text,
    description and language. Each line of output has title, calm_title, kind (same,
    typography or quotation; rewritten with --model), scores (0 to 1, null for not
    judged) and reasons. A line that is no such object is answered by one with an error, and
    the exit code is 1. Nothing is sent anywhere without --model.

    Example: echo '{"title": "WATCH: Bridge CLOSES!!!"}' | feedloom deframe --stdin
    """
    if not stdin:
        raise InvalidInput("Add --stdin and write one JSON object a line to it.")
    wrong: list[str] = []
    articles = _to_deframe(wrong)
    if with_model:
        run(_ask_model(articles))
    else:
        for article in articles:
            found = judge_headline(
                article.title,
                text=article.text,
                description=article.description,
                language=article.language,
            )
            _tell(article, found.calm_title, found.kind.value, found.scores)
    if wrong:
        raise InvalidInput(" ".join(wrong))


def _to_deframe(wrong: list[str]) -> Iterator[ArticleToAnalyse]:
    """Read articles; answer lines that are none, and note the first few mistakes."""
    for number, line in _lines(sys.stdin):
        try:
            yield _article(line)
        except InvalidInput as error:
            said = f"Line {number} {error}"
            sys.stdout.write(json.dumps({"error": said}) + "\n")
            if len(wrong) < _MOST_TOLD:
                wrong.append(said)


def _lines(stream: IO[str]) -> Iterator[tuple[int, str]]:
    try:
        yield from ((number, line) for number, line in enumerate(stream, 1) if line.strip())
    except UnicodeDecodeError as error:
        raise InvalidInput("Standard input must be UTF-8.") from error


def _article(line: str) -> ArticleToAnalyse:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("is not a JSON object.") from error
    if not isinstance(told, dict) or not isinstance(told.get("title"), str):
        raise InvalidInput("is not a JSON object with a title.")
    if any(not isinstance(told.get(f) or "", str) for f in _FIELDS):
        msg = f"is wrong: {', '.join(_FIELDS)} must be text."
        raise InvalidInput(msg)
    return ArticleToAnalyse(
        title=told["title"],
        description=told.get("description") or "",
        text=told.get("text") or "",
        language=told.get("language") or None,
    )


async def _ask_model(articles: Iterable[ArticleToAnalyse]) -> None:
    from feedloom.app import open_container

    async with open_container(load()) as container:
        for article in articles:
            result = await container.engine.analyzer.analyse(article)
            scores = {name: cast("Score", getattr(result, name)) for name in SCORE_NAMES}
            _tell(article, result.title_corrected, result.title_kind.value, scores)
            sys.stdout.flush()


def _tell(
    article: ArticleToAnalyse, calm_title: str, kind: str, scores: Mapping[str, Score]
) -> None:
    told = {
        "title": article.title,
        "calm_title": calm_title,
        "kind": kind,
        "scores": {
            **{name: scores[key].value for key, name in SCORE_NAMES.items()},
            "overall": overall_score(scores.values()),
        },
        "reasons": {name: scores[key].reason for key, name in SCORE_NAMES.items()},
    }
    line = json.dumps(told, ensure_ascii=False)
    # Half a character can be told in ASCII only.
    sys.stdout.write((line if line.isprintable() else json.dumps(told)) + "\n")


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
    for number, line in _lines(sys.stdin):
        told = line.strip("\ufeff \t\r\n")
        if not told:
            continue
        given = _read(told, number)
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
        sys.stdout.write(json.dumps({"id": given["id"], "story": begun[story]}) + "\n")
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
