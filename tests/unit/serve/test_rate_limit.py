import pytest

from feedloom.model.errors import Throttled
from feedloom.serve.middleware.authorization import RequestRate

pytestmark = pytest.mark.threat("W4")


def test_one_person_may_use_a_route_so_often_a_minute():
    pace = RequestRate(2)
    pace.note("ada", 120.0)
    pace.note("ada", 121.0)

    with pytest.raises(Throttled) as caught:
        pace.note("ada", 130.0)

    assert caught.value.retry_after_s == 50


def test_everybody_is_counted_alone_and_each_minute_anew():
    pace = RequestRate(1)
    pace.note("ada", 0.0)

    pace.note("bob", 1.0)
    pace.note("ada", 60.0)

    with pytest.raises(Throttled):
        pace.note("ada", 119.9)
