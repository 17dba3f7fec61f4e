"""The checker finds what it is there to find."""

from pathlib import Path

import pytest

from feedloom.model.work import MAX_ATTEMPTS
from tests.faults.lab.ledger import SECOND, Ledger, Line, Settled, check, read

LEASE_S = 2.0


def line(at_s: float, what: str, *, job: int = 0, token: str = "-", pid: int = 1):
    return Line(int(at_s * SECOND), pid, what, job, token)


CLEAN = [
    line(0, "claim", job=7, token="a"),
    line(1, "kill"),
    line(3.5, "claim", job=7, token="b", pid=2),
    line(4, "accepted", job=7, token="b", pid=2),
]
DONE = {7: Settled(4 * SECOND, "b")}


def test_a_job_that_ran_again_and_settled_once_is_clean():
    verdict = check(CLEAN, DONE, lease_s=LEASE_S)

    assert verdict.is_clean
    assert verdict.counts["repeats"] == 1
    assert verdict.longest_s == 2.5


@pytest.mark.parametrize(
    ("more", "settled", "wrong"),
    [
        ([], {7: Settled(None, None)}, "lost"),
        ([], {7: Settled(4 * SECOND, "b"), 8: Settled(1, None)}, "lost"),
        ([line(5, "accepted", job=7, token="b")], DONE, "doubled"),
        ([line(5, "accepted", job=7, token="a")], DONE, "stale"),
        ([], {7: Settled(4 * SECOND, "elsewhere")}, "stale"),
        ([], {7: Settled(4 * SECOND, None)}, "lost"),
        (
            [line(5, "kill", pid=2), line(18, "claim", job=7, token="c", pid=3)],
            {7: Settled(19 * SECOND, "c")},
            "stuck",
        ),
    ],
)
def test_each_fault_is_found(more, settled, wrong):
    verdict = check([*CLEAN, *more], settled, lease_s=LEASE_S)

    assert getattr(verdict, wrong)
    assert not verdict.is_clean


def test_a_run_that_was_stopped_before_it_began_was_not_hit():
    lines = [
        line(0, "stop"),
        line(20, "claim", job=7, token="a"),
        line(21, "accepted", job=7, token="a"),
    ]

    assert check(lines, {7: Settled(21 * SECOND, "a")}, lease_s=LEASE_S).is_clean


def test_lines_are_read_as_they_were_written(tmp_path: Path):
    book = Ledger(tmp_path / "book")
    book.write("claim", 3, "token")
    book.write("kill", pid=5)
    book.close()

    first, second = read(tmp_path / "book")

    assert (first.what, first.job, first.token) == ("claim", 3, "token")
    assert (second.what, second.pid) == ("kill", 5)
    assert first.at <= second.at


def test_a_job_whose_every_run_was_ended_is_given_up_and_not_lost():
    lines = []
    for n in range(5):
        lines += [line(3 * n, "claim", job=7, token=f"t{n}", pid=n + 10)]
        lines += [line(3 * n + 0.5, "kill", pid=n + 10)]

    verdict = check(lines, {7: Settled(15 * SECOND, None)}, lease_s=LEASE_S)

    assert verdict.is_clean
    assert verdict.given_up == [7]


def test_claim_that_died_unwritten_counts_as_hit():
    runs = range(1, MAX_ATTEMPTS)
    lines = [line(n, "claim", job=7, token=f"t{n}", pid=n) for n in runs]
    lines += [line(n + 0.5, "kill", pid=n) for n in runs]
    end = 9 * SECOND

    parked = check(lines, {7: Settled(end, None, MAX_ATTEMPTS)}, lease_s=LEASE_S)
    too_early = check(lines, {7: Settled(end, None, MAX_ATTEMPTS - 1)}, lease_s=LEASE_S)

    assert (parked.given_up, parked.lost) == ([7], [])
    assert (too_early.given_up, too_early.lost) == ([], [7])
