"""A host's row by itself: whose turn it is, and what a wrong clock left behind."""

from itertools import pairwise

import pytest

from feedloom.model.work import Politeness
from feedloom.store.queues.hosts import HostRow
from feedloom.store.values import SECOND

pytestmark = pytest.mark.threat("S25")

POLITE = Politeness(delay_s=3.0, at_once=2, hold_s=45.0)
DELAY = 3 * SECOND
NOW = 1_000_000 * SECOND
LATE = SECOND // 10
"""A request starts a little after its slot."""
DAY = 86_400 * SECOND


def claimed(host: HostRow, due: dict[str, int], now: int, **more: bool) -> str | None:
    """Let one claim look at what is due; answer which started. One at most may."""
    host.front_until = 0
    started = None
    for job in sorted((job for job in due if due[job] <= now), key=lambda j: due[j]):
        wait_until = host.take(job, now, POLITE, **more)
        if wait_until is None:
            assert started is None
            started = job
        else:
            assert wait_until > now
            due[job] = wait_until
    if started is not None:
        del due[started]
        host.holds.clear()
    return started


def asked_at(host: HostRow, due: dict[str, int], *, step: int) -> list[int]:
    """Look every ``step`` until nothing waits; answer when requests started."""
    times, now = [], NOW
    while due and now < NOW + DAY:
        if claimed(host, due, now) is not None:
            times.append(now)
        now += step
    assert not due
    return times


@pytest.mark.parametrize("step", [SECOND // 20, SECOND * 7 // 10, 2 * SECOND])
def test_a_host_is_asked_at_every_free_moment_while_somebody_waits(step):
    due = {f"job{n}": NOW for n in range(100)}

    times = asked_at(HostRow("h"), due, step=step)

    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= DELAY
    assert max(gaps) < DELAY + step


def test_few_jobs_come_back_in_vain():
    host, due, now, looked = HostRow("h"), {f"job{n}": NOW for n in range(500)}, NOW, 0
    while due:
        looked += sum(at <= now for at in due.values())
        claimed(host, due, now)
        now += LATE

    assert looked <= 4 * 500


def test_a_job_whose_slot_has_come_is_not_sent_to_the_end():
    host = HostRow("h", next_free_at=NOW + LATE, booked_until=NOW + 1000 * DELAY)

    assert host.take("mine", NOW, POLITE) == NOW + LATE
    assert host.take("behind", NOW, POLITE) == NOW + 1001 * DELAY


def test_what_a_person_asked_for_is_not_behind_what_is_booked():
    host = HostRow("h", next_free_at=NOW + LATE, booked_until=NOW + 1000 * DELAY)

    slots = [
        host.take(f"job{n}", NOW, POLITE, asked=asked)
        for n, asked in enumerate((False, False, True, True))
    ]

    assert slots == [NOW + LATE, NOW + 1001 * DELAY, NOW + LATE + DELAY, NOW + LATE + 2 * DELAY]


@pytest.mark.parametrize(
    "host", [HostRow("h", next_free_at=NOW + 30 * DAY), HostRow("h", cooldown_until=NOW + 30 * DAY)]
)
def test_a_time_that_a_wrong_clock_wrote_keeps_no_host_from_being_asked(host):
    assert host.take("job", NOW, POLITE) is None
    assert host.next_free_at == NOW + DELAY


def test_requests_that_a_wrong_clock_began_are_over():
    host = HostRow("h", holds={"a": NOW + 30 * DAY, "b": NOW + 30 * DAY})

    assert host.take("job", NOW, POLITE) is None


def test_slots_that_a_wrong_clock_gave_are_not_waited_for():
    host = HostRow("h", next_free_at=NOW + DELAY, booked_until=NOW + 30 * DAY)

    slots = [host.take(f"job{n}", NOW, POLITE) for n in range(3)]

    assert slots == [NOW + DELAY, NOW + 2 * DELAY, NOW + 3 * DELAY]


@pytest.mark.parametrize(
    "row",
    [
        {"next_free_at": NOW + 41 * DELAY},
        {"cooldown_until": NOW + 900 * SECOND},
        {"holds": {"a": NOW + 45 * SECOND, "b": NOW + 45 * SECOND}},
    ],
)
def test_what_can_be_true_is_believed(row):
    assert HostRow("h", **row).take("job", NOW, POLITE) is not None
