"""The ledger: what workers and the nemesis did, and the checker that reads it after.

Every process appends whole lines to one file, each in a single write, so what a process
said before it was killed is there, and nothing of it is half. Times are the machine's,
in microseconds, as the databases on this machine count them.

The checker knows nothing of queues: it is given what was asked for and what the
database says became of it, and finds work that was lost, doubled, stale or stuck.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from feedloom.model.work import MAX_ATTEMPTS

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    at: int
    pid: int
    what: str
    """claim, begin, accepted, refused, or what the nemesis did: kill, stop, term."""
    job: int = 0
    token: str = "-"


class Ledger:
    """Appends lines to a file; one per process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, what: str, job: int = 0, token: str = "-", pid: int = 0) -> None:
        """Note something that happened just now."""
        at = time.time_ns() // 1000
        line = f"{at} {pid or os.getpid()} {what} {job} {token}\n"
        os.write(self._file, line.encode())

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def read(path: Path) -> list[Line]:
    """Read a ledger, in the order of time."""
    found = []
    for text in path.read_text().splitlines():
        at, pid, what, job, token = text.split(" ")
        found.append(Line(int(at), int(pid), what, int(job), token))
    return sorted(found, key=lambda line: line.at)


@dataclass(frozen=True, slots=True)
class Settled:
    """What the database says became of a job."""

    at: int | None
    token: str | None
    """The run whose result was kept; None when the job was given up."""
    attempts: int = 0
    """How often it was claimed."""


@dataclass(slots=True)
class Verdict:
    """What is wrong, job by job; all empty when nothing is."""

    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    stale: list[int] = field(default_factory=list)
    stuck: list[int] = field(default_factory=list)
    given_up: list[int] = field(default_factory=list)
    """Jobs that were parked because faults ended every one of their runs: no mistake."""
    counts: Counter[str] = field(default_factory=Counter)
    longest_s: float = 0.0
    """From the fault that hit a run to the next one."""

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing is wrong."""
        return not (self.lost or self.doubled or self.stale or self.stuck)


def check(
    lines: Iterable[Line], settled: Mapping[int, Settled], *, lease_s: float, grace_s: float = 10.0
) -> Verdict:
    """Find what was lost, doubled, stale or stuck."""
    verdict = Verdict()
    runs: dict[int, list[Line]] = {}
    accepted: dict[int, list[Line]] = {}
    faults: dict[int, list[int]] = {}
    for line in lines:
        verdict.counts[line.what] += 1
        if line.what == "claim":
            runs.setdefault(line.job, []).append(line)
        elif line.what == "accepted":
            accepted.setdefault(line.job, []).append(line)
        elif line.what in {"kill", "stop"}:
            faults.setdefault(line.pid, []).append(line.at)
    for job, end in settled.items():
        if end.at is not None and end.token is None:
            _check_given_up(verdict, job, end, claims=runs.get(job, []), faults=faults)
        _check_job(verdict, job, end, claims=runs.get(job, []), kept=accepted.get(job, []))
        _check_waits(
            verdict, job, end, claims=runs.get(job, []), faults=faults,
            bound_us=int((lease_s + grace_s) * SECOND),
        )  # fmt: skip
    verdict.counts["repeats"] = sum(len(claims) - 1 for claims in runs.values())
    return verdict


def _check_job(
    verdict: Verdict, job: int, end: Settled, *, claims: list[Line], kept: list[Line]
) -> None:
    if end.at is None or not claims:
        verdict.lost.append(job)
    if len(kept) > 1:
        verdict.doubled.append(job)
    # A run that was overtaken by a later one may settle nothing any more.
    if any(line.token != end.token for line in kept):
        verdict.stale.append(job)
    if end.token is not None and end.token not in {line.token for line in claims}:
        verdict.stale.append(job)


def _check_given_up(
    verdict: Verdict, job: int, end: Settled, *, claims: list[Line], faults: Mapping[int, list[int]]
) -> None:
    # A claim that nobody wrote down was made by a process that was killed in it.
    hit = max(0, end.attempts - len(claims)) + sum(
        1 for run in claims if any(at >= run.at for at in faults.get(run.pid, []))
    )
    (verdict.given_up if hit >= MAX_ATTEMPTS else verdict.lost).append(job)


def _check_waits(
    verdict: Verdict,
    job: int,
    end: Settled,
    *,
    claims: list[Line],
    faults: Mapping[int, list[int]],
    bound_us: int,
) -> None:
    for place, run in enumerate(claims):
        hits = faults.get(run.pid, [])
        hit_at = next((at for at in hits if at >= run.at), None)
        if hit_at is None or (end.at is not None and end.at <= hit_at):
            continue
        following = [line.at for line in claims[place + 1 :]]
        ended = [end.at] if end.at is not None else []
        next_at = min([*following, *ended], default=None)
        if next_at is None or next_at - hit_at > bound_us:
            verdict.stuck.append(job)
        else:
            verdict.longest_s = max(verdict.longest_s, (next_at - hit_at) / SECOND)
