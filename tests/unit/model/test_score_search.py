import pytest

from feedloom.model.search_query import read_comparison, read_search


def test_scores_are_conditions():
    query = read_search("slant:>0.5 clickbait:<.3 score:<1 bridge")

    assert query.scores == (("slant", True, 0.5), ("clickbait", False, 0.3), ("score", False, 1.0))
    assert [term.words for term in query.terms] == [("bridge",)]
    assert query.has_conditions


@pytest.mark.parametrize("text", ["", "0.5", ">", ">1.5", "<-1", ">nan", "<0.00001"])
def test_what_is_no_comparison_is_words(text: str):
    assert read_comparison(text) is None
    assert read_search(f"slant:{text}").scores == ()
