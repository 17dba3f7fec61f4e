import json
from collections.abc import Mapping
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


def _lines(*articles: Mapping[str, object]) -> str:
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


def _told(output: str) -> list[object]:
    return [json.loads(line)["story"] for line in output.splitlines()]


def test_articles_need_no_time(cli):
    given = _lines(
        {"id": 1, "title": "Flood closes three bridges in Lindenau", "source": "A"},
        {"id": 2, "title": "Lindenau: flood closes bridges", "source": "B"},
        {"id": 3, "title": "Flood closes bridges of Lindenau", "source": "C",
         "published_at": "1772360000000"},
        {"id": 4, "title": "Lindenau closes bridges after flood", "source": "D"},
    )  # fmt: skip

    assert _told(cli("stories", "--stdin", stdin=given).out) == [1, 1, 3, 3]


def test_an_article_dated_far_ahead_does_not_make_all_others_old(cli):
    dates = ("2026-03-01", "2099-01-01", "2026-03-01", None, "2026-03-02", "2026-09-01")
    given = _lines(
        *(
            {"id": n, "title": "Flood closes bridges in Lindenau", "published_at": at}
            for n, at in enumerate((*dates, "2026-09-02", "2026-03-01"), 1)
        )
    )

    assert _told(cli("stories", "--stdin", stdin=given).out) == [1, 1, 1, 1, 1, 1, 7, 8]


def test_identifiers_come_back_as_they_were_given(cli):
    given = "\ufeff" + _lines({"id": "\ud800 é", "title": "Flood"}, {"id": [1], "title": ""})

    assert _told(cli("stories", "--stdin", stdin=given).out) == ["\ud800 é", [1]]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param("[" * 100_000, "Line 1 is not JSON.", id="deep"),
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
