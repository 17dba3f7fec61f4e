from pathlib import Path

import pytest

from feedloom.distill.prompt_files import LANGUAGES, Prompts, spoken
from feedloom.model.distilled.requests import ModelPurpose
from feedloom.model.errors import ConfigError

PURPOSES = [p for p in ModelPurpose if p not in {ModelPurpose.PREFLIGHT, ModelPurpose.EMBED}]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_shipped_prompt_names_its_mark_and_has_a_version(
    purpose: ModelPurpose, language: str
):
    prompts = Prompts(new_mark=lambda: "the-mark")
    system, user = prompts.messages(purpose, language, {"TITLE": "x"}, tags="a, b")

    assert "the-mark" in system.content
    assert "$" not in system.content
    assert user.content == "=====BEGIN the-mark=====\nTITLE: x\n=====END the-mark====="
    assert prompts.version(purpose, language).startswith(f"{purpose}.{language}.v")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("de", "de"), ("de-AT", "de"), ("EN-gb", "en"), ("fr", "en"), (None, "en"), ("", "en")],
)
def test_the_articles_language_chooses_the_prompt(language: str | None, expected: str):
    assert spoken(language) == expected


def test_an_operators_own_prompt_comes_first(tmp_path: Path):
    (tmp_path / "deframe.en.txt").write_text("Mine, with $mark.")
    prompts = Prompts(tmp_path, new_mark=lambda: "m")

    assert prompts.messages(ModelPurpose.DEFRAME, "en", {})[0].content == "Mine, with m."
    assert prompts.version(ModelPurpose.DEFRAME, "en").startswith("deframe.en.own-")
    assert prompts.version(ModelPurpose.DEFRAME, "de") == "deframe.de.v1"


def test_a_feed_may_have_a_prompt_of_its_own(tmp_path: Path):
    (tmp_path / "deframe.tabloid.en.txt").write_text("Tabloids, with $mark.")
    prompts = Prompts(tmp_path, new_mark=lambda: "m")
    usual = Prompts().version(ModelPurpose.DEFRAME, "en")

    own = prompts.messages(ModelPurpose.DEFRAME, "en", {}, key="tabloid")[0].content

    assert prompts.keys == {"tabloid"}
    assert own == "Tabloids, with m."
    version = prompts.version(ModelPurpose.DEFRAME, "en", "tabloid")
    assert version.startswith("deframe.tabloid.en.own-")
    assert prompts.version(ModelPurpose.DEFRAME, "en") == usual
    assert prompts.version(ModelPurpose.DEFRAME, "en", "gone") == usual
    assert prompts.version(ModelPurpose.DEFRAME, "de", "tabloid") == "deframe.de.v1"
    assert prompts.version(ModelPurpose.DIGEST, "en", "tabloid") == "digest.en.v3"


@pytest.mark.parametrize(
    "name", ["deframe.A.en.txt", "deframe.x.fr.txt", "digest.x.en.txt", "notes.txt"]
)
def test_other_files_are_no_prompts_of_feeds(tmp_path: Path, name: str):
    (tmp_path / name).write_text("no mark at all")

    assert Prompts(tmp_path).keys == frozenset()


def test_a_prompt_of_a_feed_is_checked_like_any(tmp_path: Path):
    (tmp_path / "deframe.tabloid.en.txt").write_text("no mark in here")

    with pytest.raises(ConfigError, match=r"deframe\.tabloid\.en\.txt"):
        Prompts(tmp_path)


def test_a_changed_prompt_has_another_version(tmp_path: Path):
    own = tmp_path / "deframe.en.txt"
    own.write_text("One $mark")
    one = Prompts(tmp_path).version(ModelPurpose.DEFRAME, "en")
    own.write_text("Two $mark")

    assert Prompts(tmp_path).version(ModelPurpose.DEFRAME, "en") != one


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
        prompts.messages(ModelPurpose.TOPIC, "en", {})[1].content.split()[1] for _ in range(100)
    }

    assert len(marks) == 100
    assert all(len(mark.strip("=")) == 24 for mark in marks)
