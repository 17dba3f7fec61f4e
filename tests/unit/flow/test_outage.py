"""Our own outage: noticed, said once, charged to nobody, waited out."""

from collections.abc import Iterable

import structlog
from msgspec.structs import replace

from feedloom.flow.refresh.outage import NetworkWatch
from feedloom.model.stages import FeedToRefresh, Outcome, Refreshed
from tests.fakes import START


def unreachable(number: int) -> Refreshed:
    feed = FeedToRefresh(
        number, f"https://h{number}.example/feed", f"h{number}.example", f"t{number}"
    )
    return Refreshed(feed=feed, outcome=Outcome.TEMPORARY, at=START)


def fail(watch: NetworkWatch, numbers: Iterable[int], began_at: float = 50.0) -> list[Refreshed]:
    judged = []
    for number in numbers:
        refreshed = watch.judge(unreachable(number), began_at=began_at, ended_at=80.0)
        watch.note_stored(refreshed)
        judged.append(refreshed)
    return judged


def answer(watch: NetworkWatch, status: int, ended_at: float = 60.0) -> None:
    refreshed = replace(unreachable(99), http_status=status, outcome=Outcome.NEW)
    watch.judge(refreshed, began_at=ended_at - 1, ended_at=ended_at)


def test_the_twentieth_failure_is_ours_and_the_nineteen_before_are_taken_back():
    watch = NetworkWatch()

    judged = fail(watch, range(20))

    assert [one.outcome for one in judged] == [Outcome.TEMPORARY] * 19 + [Outcome.OFFLINE]
    assert watch.take_charged() == list(range(19))
    assert watch.take_charged() == []


def test_failures_of_few_hosts_are_theirs():
    watch = NetworkWatch()

    fail(watch, (number % 9 for number in range(50)))

    assert not watch.is_down
    assert watch.take_charged() == []


def test_an_answer_of_any_kind_clears_the_suspicion():
    watch = NetworkWatch()
    fail(watch, range(19))

    answer(watch, 500)
    fail(watch, range(19), began_at=70.0)

    assert not watch.is_down


def test_while_down_one_feed_is_tried_every_half_minute():
    watch = NetworkWatch()
    assert watch.allowance(0.0, 32) == 32
    fail(watch, range(20))

    allowed = [watch.allowance(at, 32) for at in (100.0, 101.0, 129.0, 131.0, 132.0)]

    assert allowed == [1, 0, 0, 1, 0]
    answer(watch, 200)
    assert watch.allowance(133.0, 32) == 32


def test_it_is_said_once_as_critical():
    watch = NetworkWatch()

    with structlog.testing.capture_logs() as lines:
        fail(watch, range(40))

    assert [(line["event"], line["log_level"]) for line in lines] == [("network_down", "critical")]


def test_who_hangs_while_others_are_answered_is_charged():
    watch = NetworkWatch()
    answer(watch, 200, ended_at=51.0)

    judged = fail(watch, range(100), began_at=50.0)

    assert {one.outcome for one in judged} == {Outcome.TEMPORARY}
    assert not watch.is_down


def test_who_was_charged_rightly_is_not_forgiven():
    watch = NetworkWatch()
    answer(watch, 200, ended_at=51.0)

    fail(watch, range(10), began_at=50.0)
    fail(watch, range(10, 40), began_at=52.0)

    assert watch.take_charged() == list(range(10, 29))


def test_who_was_under_way_when_the_network_went_is_not_charged():
    watch = NetworkWatch()
    answer(watch, 200, ended_at=10.0)
    fail(watch, range(20), began_at=11.0)

    (judged,) = fail(watch, range(50, 51), began_at=9.0)

    assert judged.outcome is Outcome.OFFLINE


def test_an_answer_that_came_before_and_is_read_late_proves_nothing():
    watch = NetworkWatch()
    fail(watch, range(20), began_at=50.0)

    answer(watch, 200, ended_at=49.0)

    assert watch.is_down
