"""``feedloom deframe --stdin``: lines in, lines out, mistakes told."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.databases import Databases
from tests.journeys.cli.commands import Command, commands


@pytest.fixture
def cli(
    engine_url: Databases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    return commands(engine_url, str(tmp_path), monkeypatch, capsys)


def deframed(cli: Command, *lines: dict[str, object]) -> list[dict[str, Any]]:
    given = "\n".join(json.dumps(line) for line in lines)
    said = cli("deframe", "--stdin", stdin=given)
    assert said.code == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_each_line_is_answered_by_one(cli: Command):
    text = "Anna Berg is 40. Berg cut her heating bill because she closed the doors."
    title = "Why this woman's heating bill dropped: you won't believe it"
    loud, quiet, bait, foreign = deframed(
        cli,
        {"title": "WATCH: Bridge closes!!!"},
        {"title": "Hailstorm slams Dallas suburbs", "language": "en"},
        {"title": title, "text": text},
        {"title": "Президент подписал закон", "description": None},
    )

    assert (loud["calm_title"], loud["kind"]) == ("Bridge closes!", "typography")
    assert (quiet["calm_title"], quiet["kind"]) == (quiet["title"], "same")
    assert bait["kind"] == "quotation"
    assert bait["calm_title"] in text
    assert bait["scores"]["clickbait"] > 0.6
    assert "this" in bait["reasons"]["clickbait"]
    assert set(foreign["scores"].values()) == {None}
    assert set(foreign["scores"]) == {
        *("clickbait", "slant", "hype", "speculation", "persuasion", "overall")
    }


@pytest.mark.parametrize(
    "line",
    ["no JSON", "[]", '{"text": "x"}', '{"title": 1}', '{"title": "x", "text": 1}', "[" * 99_999],
)
def test_a_line_that_is_wrong_is_named_and_the_others_are_answered(cli: Command, line: str):
    lines = f'{{"title": "One"}}\n\n{line}\n{{"title": "Two"}}\n'
    said = cli("deframe", "--stdin", stdin=lines)

    assert said.code == 1
    assert "Line 3" in said.err
    one, wrong, two = map(json.loads, said.out.splitlines())
    assert (one["title"], two["title"]) == ("One", "Two")
    assert "Line 3" in wrong["error"]


def test_half_a_character_comes_out_as_it_went_in(cli: Command):
    [told] = deframed(cli, {"title": "Half \ud83d of it", "language": "en"})

    assert told["calm_title"] == "Half \ud83d of it"


def test_without_stdin_it_says_what_to_add(cli: Command):
    said = cli("deframe")

    assert said.code == 1
    assert "--stdin" in said.err
