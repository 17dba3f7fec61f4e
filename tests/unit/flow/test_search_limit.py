"""How many searches may be under way at once."""

import pytest

from feedloom.flow.discovery.search import SearchLimit
from feedloom.model.errors import Throttled


def test_a_person_has_so_many_searches_and_others_still_have_theirs():
    limit = SearchLimit(in_all=3, each=1)
    with limit.search_of(1):
        with pytest.raises(Throttled, match="You already have 1 searches"), limit.search_of(1):
            pass
        with limit.search_of(2):
            pass

    with limit.search_of(1):
        pass


def test_all_together_have_so_many_searches():
    limit = SearchLimit(in_all=1, each=1)
    with limit.search_of(1), pytest.raises(Throttled) as refused, limit.search_of(2):
        pass

    assert refused.value.retry_after_s == 5
