from pathlib import Path

import pytest

from feedloom.distill.prompting import LANGUAGES, Prompts, spoken
from feedloom.model.distilled.distilling import Purpose
from feedloom.model.errors import ConfigError

PURPOSES = [p for p in Purpose if p is not Purpose.PREFLIGHT]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_shipped_prompt_names_its_mark_and_has_a_version(
    purpose: Purpose, language: str
):
    prompts = Prompts(new_mark=lambda: "the-mark")
    system, user = prompts.messages(purpose, language, {"TITLE": "x"}, tags="a, b")

    assert "the-mark" in system.content
    assert "$" not in system.content
    assert user.content == "=====BEGIN the-mark=====\nTITLE: x\n=====END the-mark====="
    assert prompts.version(purpose, language) == f"{purpose}.{language}.v1"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("EN-gb", "en"),
        ("fr", "en"),
        (None, "en"),
        ("", "en"),
    ],
)
def test_the_articles_language_chooses_the_prompt(language: str | None, expected: str):
    assert spoken(language) == expected


def test_an_operators_own_prompt_comes_first(tmp_path: Path):
    (tmp_path / "deframe.en.txt").write_text("Mine, with $mark.")
    prompts = Prompts(tmp_path, new_mark=lambda: "m")

    assert prompts.messages(Purpose.DEFRAME, "en", {})[0].content == "Mine, with m."
    assert prompts.version(Purpose.DEFRAME, "en").startswith("deframe.en.own-")
    assert prompts.version(Purpose.DEFRAME, "de") == "deframe.de.v1"


def test_a_changed_prompt_has_another_version(tmp_path: Path):
    own = tmp_path / "deframe.en.txt"
    own.write_text("One $mark")
    one = Prompts(tmp_path).version(Purpose.DEFRAME, "en")
    own.write_text("Two $mark")

    assert Prompts(tmp_path).version(Purpose.DEFRAME, "en") != one


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b"no mark in here", b"$mark" * 5_000, b"\xff\xfe $mark"]
)
def test_a_prompt_that_cannot_be_used_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "topic.de.txt").write_bytes(content)
    with pytest.raises(ConfigError, match=r"topic\.de\.txt"):
        Prompts(tmp_path)


def test_marks_are_long_and_never_the_same():
    prompts = Prompts()
    marks = {
        prompts.messages(Purpose.TOPIC, "en", {})[1].content.split()[1]
        for _ in range(100)
    }

    assert len(marks) == 100
    assert all(len(mark.strip("=")) == 24 for mark in marks)
