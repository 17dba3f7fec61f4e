import pytest

from feedloom.discover import read_directory
from feedloom.model.language_names import language_name


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("de", "German"),
        ("EN-us", "English"),
        ("zh-Hant", "Chinese (traditional)"),
        ("zh-Hans-CN", "Chinese (simplified)"),
        ("zh-TW", "Chinese (traditional)"),
        ("zh", "Chinese"),
        ("iw-IL", "Hebrew"),
        ("in", "Indonesian"),
        ("xx-Latn", "xx-Latn"),
    ],
)
def test_tags_become_names(tag: str, name: str):
    assert language_name(tag) == name


def test_every_language_of_the_shipped_directory_has_a_name():
    tags = {entry.language for entry in read_directory() if entry.language}

    assert {tag for tag in tags if language_name(tag) == tag} == set()
