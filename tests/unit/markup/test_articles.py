"""Real articles come through whole: nothing a reader wants is stripped."""

from collections import Counter

import pytest

from feedloom.markup import clean_html, to_text
from tests.corpus.articles import BASE, NAMES, golden, written
from tests.unit.markup.inspection import ELEMENTS, body_of, complaints

pytestmark = pytest.mark.threat("X18")

REPLACED = {"video-embed": Counter({"p": 1, "a": 1})}
"""A frame becomes a paragraph with a link."""
DROPPED = {"lazy-pictures": Counter({"img": 1})}
"""A tracking pixel goes. What is in noscript is text to a browser, not an element."""


def elements(markup: str) -> Counter[str]:
    nodes = body_of(markup).traverse(include_text=False)
    return Counter(str(node.tag) for node in nodes if str(node.tag) in ELEMENTS)


def test_there_are_enough_articles():
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_an_article_is_cleaned_as_its_golden_result_says(name: str):
    assert clean_html(written(name), base_url=BASE) == golden(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_an_article_stays(name: str):
    before = to_text(written(name)).split()
    after = to_text(golden(name)).split()
    added = ["Tower"] if name == "video-embed" else []

    assert Counter(after) == Counter(before) + Counter(added)


@pytest.mark.parametrize("name", NAMES)
def test_every_element_a_reader_sees_stays(name: str):
    before = elements(written(name).replace("noscript", "script"))
    expected = before + REPLACED.get(name, Counter()) - DROPPED.get(name, Counter())

    assert elements(golden(name)) == expected


@pytest.mark.parametrize("name", NAMES)
def test_golden_results_are_clean_and_final(name: str):
    assert complaints(golden(name)) == []
    assert clean_html(golden(name), base_url=BASE) == golden(name)
