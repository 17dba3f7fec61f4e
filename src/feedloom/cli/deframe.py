"""``feedloom deframe``: headlines judged and calmed, one JSON object a line."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Annotated, cast

import typer

from feedloom.cli.output import run
from feedloom.distill import Engine, judge_headline
from feedloom.model.distilled.requests import (
    SCORE_NAMES,
    AnalyzerResult,
    ArticleToAnalyse,
    Score,
    overall_score,
)
from feedloom.model.errors import InvalidInput

_FIELDS = ("title", "text", "description", "language")
_MOST_TOLD = 5


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
    read = _Lines(sys.stdin, sys.stdout)
    if with_model:
        run(_ask_model(read, sys.stdout))
    else:
        for article in read:
            sys.stdout.write(_line(article, _judged(article)))
    if read.wrong:
        raise InvalidInput(" ".join(read.wrong))


class _Lines:
    """The articles of some lines; each that is none is answered by what is wrong with it."""

    def __init__(self, lines: IO[str], out: IO[str]) -> None:
        self._lines = lines
        self._out = out
        self.wrong: list[str] = []
        """The first few mistakes."""

    def __iter__(self) -> Iterator[ArticleToAnalyse]:
        try:
            for number, line in enumerate(self._lines, start=1):
                if not line.strip():
                    continue
                try:
                    yield _article(line)
                except InvalidInput as error:
                    said = f"Line {number} {error}"
                    self._out.write(json.dumps({"error": said}) + "\n")
                    if len(self.wrong) < _MOST_TOLD:
                        self.wrong.append(said)
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


def _judged(article: ArticleToAnalyse) -> tuple[str, str, Mapping[str, Score]]:
    found = judge_headline(
        article.title, text=article.text, description=article.description, language=article.language
    )
    return found.calm_title, found.kind.value, found.scores


async def _ask_model(articles: Iterable[ArticleToAnalyse], out: IO[str]) -> None:
    from feedloom.app import open_container
    from feedloom.config import load

    async with open_container(load()) as container:
        engine: Engine = container.engine
        for article in articles:
            result = await engine.analyzer.analyse(article)
            scores = {name: cast("Score", getattr(result, name)) for name in SCORE_NAMES}
            out.write(_line(article, (*_titled(result), scores)))
            out.flush()


def _titled(result: AnalyzerResult) -> tuple[str, str]:
    return result.title_corrected, result.title_kind.value


def _line(article: ArticleToAnalyse, judged: tuple[str, str, Mapping[str, Score]]) -> str:
    calm_title, kind, scores = judged
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
    return (line if line.isprintable() else json.dumps(told)) + "\n"
