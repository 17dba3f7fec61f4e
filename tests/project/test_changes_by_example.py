"""docs/changes-by-example.md names the files of ten changes, and each of them exists."""

import re

import pytest

from tests.project.test_texts import ROOT

PAGE = ROOT / "docs" / "changes-by-example.md"
CHANGES = {
    "A new platform adapter",
    "A new setting",
    "A new page",
    "A new column shown in pages and the API",
    "A new background task",
    "A new sync protocol",
    "A new model provider",
    "A new back-off rule",
    "A new tag in the sanitiser",
    "A new rule action",
}


def changes() -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", PAGE.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named_files(text: str) -> list[str]:
    return re.findall(r"`([\w.-]+/[\w./-]*)`", text)


def missing_files(text: str) -> list[str]:
    return [name for name in named_files(text) if not (ROOT / name).exists()]


def test_the_ten_commonest_changes_are_described():
    assert set(changes()) == CHANGES


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_every_step_names_a_file_that_exists(change: str):
    text = changes()[change]
    steps = re.findall(r"^\d+\. (.*)", text, re.MULTILINE)

    assert len(steps) > 1
    assert [step for step in steps if not named_files(step)] == []
    assert missing_files(text) == []


def test_a_missing_file_is_noticed():
    text = "1. `src/feedloom/app.py`: …\n2. `src/feedloom/absent.py`: …"

    assert missing_files(text) == ["src/feedloom/absent.py"]
