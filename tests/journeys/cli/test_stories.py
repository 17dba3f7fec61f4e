import json
from pathlib import Path

import pytest

from tests.databases import sqlite_databases
from tests.journeys.cli.commands import Command, commands


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    databases = sqlite_databases(tmp_path)
    return commands(databases, str(tmp_path), monkeypatch, capsys)


def _lines(*articles: dict[str, object]) -> str:
    return "".join(json.dumps(article) + "\n" for article in articles)


def test_each_line_is_answered_with_its_story(cli):
    given = _lines(
        {"id": "a", "title": "Flood closes three bridges in Lindenau", "source": "A",
         "published_at": "2026-03-01T10:00:00+01:00", "language": "en"},
        {"id": 7, "title": "Lindenau: flood closes bridges", "source": "B",
         "text": "Three bridges are closed.", "published_at": 1772360000},
        {"id": "c", "title": "Museum shows clocks of sailors", "published_at": 1772360000000},
        {"id": "d", "title": "Flood closes bridges of Lindenau", "source": "D"},
    )  # fmt: skip
    said = cli("stories", "--stdin", stdin=given + "\n")

    assert said.code == 0
    assert [json.loads(line) for line in said.out.splitlines()] == [
        {"id": "a", "story": "a"},
        {"id": 7, "story": "a"},
        {"id": "c", "story": "c"},
        {"id": "d", "story": "a"},
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("no json", "Line 1 is not JSON."),
        ("[1]", "Line 1 needs an object with an id and a title."),
        ('{"title": "Flood"}', "Line 1 needs an object with an id and a title."),
        ('{"id": 1, "published_at": "soon"}', "Line 1: published_at is not a valid time."),
        ('{"id": 1, "published_at": 1e300}', "Line 1: published_at is not a valid time."),
    ],
)
def test_a_line_that_is_no_article_is_named(cli, line, why):
    said = cli("stories", "--stdin", stdin=line)

    assert said.code == 1
    assert why in said.err


def test_articles_are_read_from_standard_input_only(cli):
    assert cli("stories").code == 2
