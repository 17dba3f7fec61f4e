"""The corpus of feeds is read as it says, by both paths, and by the fast one mostly."""

import pytest

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse.guesses import read_guessing
from feedloom.parse.parser import read_fast
from feedloom.parse.raw import Unsure
from tests.corpus.feeds import CASES, NOW, URL, XML, Case
from tests.unit.parse.looking import differences, value_of
from tests.unit.parse.reading import read_here

READABLE = [case for case in CASES if not case.error]
UNREADABLE = [case for case in CASES if case.error]
MOST_FALLBACKS = 0.04


def read(case: Case) -> ParsedFeed:
    return read_here(case.body, content_type=case.content_type)


def both(case: Case) -> tuple[ParsedFeed, ParsedFeed] | None:
    """Read a document both ways; None when the fast path would have to guess."""
    try:
        ours = read_fast(case.body, url=URL, content_type=case.content_type, now=NOW)
    except Unsure:
        return None
    theirs = read_guessing(case.body, url=URL, content_type=case.content_type, now=NOW)
    return ours, theirs


BOTH = [case for case in XML if not case.error and both(case)]


def test_the_corpus_is_large_and_every_case_has_its_own_name():
    assert len(CASES) >= 300
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.shows for case in CASES)


def test_enough_cases_state_what_must_be_read():
    assert sum(bool(case.expects) for case in READABLE) >= 60


@pytest.mark.threat("P3", "P6", "P7")
@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_documents_are_read_as_they_should_be(case: Case):
    parsed = read(case)

    assert {field: value_of(parsed, field) for field in case.expects} == case.expects


@pytest.mark.threat("P13")
@pytest.mark.parametrize("case", UNREADABLE, ids=lambda case: case.name)
def test_other_documents_are_refused_with_what_they_are(case: Case):
    with pytest.raises(ParseError) as refused:
        read(case)

    kind = refused.value.kind if isinstance(refused.value, NotAFeed) else "damaged"
    assert kind == case.error
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("case", BOTH, ids=lambda case: case.name)
def test_both_paths_agree_but_where_a_reason_is_given(case: Case):
    readings = both(case)

    assert readings is not None
    assert differences(*readings) == set(case.differs)


def test_few_ordinary_documents_need_the_fallback():
    ordinary = [case for case in XML if case.ordinary]
    slow = [case.name for case in ordinary if both(case) is None]

    assert len(ordinary) >= 200
    assert len(slow) / len(ordinary) <= MOST_FALLBACKS, slow
