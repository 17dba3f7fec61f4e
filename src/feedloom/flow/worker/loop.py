"""The loop of a worker: claim due jobs of one queue, run them, renew their leases.

It claims as many as may run and sleeps until something is due or a nudge comes. A job whose lease
is lost is cancelled at once. A bug is logged with its traceback and its job comes back
after its lease, five times at most. From its third time on a job runs beside no job that
starts later, so that one that ends its process takes no others with it.

A database that is gone or full is waited for: what it would not take is given back
without counting against the job, and then one job at a time is tried, ever more seldom,
until one is stored. So nothing is parked and no publisher bothered for our own trouble.
Only what is refused again although others were stored in between counts as tried.

A job may have a second part that needs its lease but does not count as running, as
deframing does: it has limits of its own, and other jobs do not wait for it.
"""

import asyncio
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import structlog

from feedloom.flow.metrics import JOBS_LOST
from feedloom.model.errors import LeaseLost, OutOfFiles, StoreError, StoreUnavailable
from feedloom.model.work import SUSPECT_ATTEMPTS, Waits

log = structlog.get_logger()

_IDLE_S = 2.0
"""How long a loop sleeps at most before it looks for work by itself."""
_GRACE_S = 4.0
_PAUSE_S = (1.0, 60.0)
_PAUSE_SHARE = 1 / 20
"""The longer the database was not there, the longer the pause before the next try."""
_PATIENCE_S = 60.0
"""How long a pass waits for a database that takes nothing."""
_SHORTEST_SLEEP_S = 0.02
_LONGEST_LOOK_AWAY_S = 0.2
_MOMENT_S = 0.05
"""In so long a job has heard what the database told it."""
_MOST_QUEUED = 4
"""So many times the limit may be leased and wait for a lane of their own."""
_RECENT_S = 1.0
"""A job that runs longer than this is none that ends in a moment."""

Afterwork = Coroutine[Any, Any, None]
"""The part of a job that needs its lease but is not counted."""


class LeasedJob(Protocol):
    @property
    def attempts(self) -> int:
        """How often it was claimed, this time included."""


Job = TypeVar("Job", bound=LeasedJob)


class LeasedQueue(Protocol[Job]):
    async def claim(self, limit: int) -> list[Job]: ...

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]: ...

    async def release(self, jobs: Sequence[Job]) -> None: ...


@dataclass(slots=True)
class Loop(Generic[Job]):
    name: str
    queue: LeasedQueue[Job]
    token: Callable[[Job], str]
    identity: Callable[[Job], int]
    work: Callable[[Job], Awaitable[Afterwork | None]]
    limit: int
    lease_s: float
    claim: Callable[[int], Awaitable[list[Job]]] | None = None
    """Claims only some of the queue's jobs."""
    batch: int = 64
    gather_s: float = 0.05
    """How long to wait for more jobs to end."""
    suspects: set[str] = field(default_factory=set)
    """Jobs beside which none is started."""
    refused_since: float | None = None
    """Since when the database takes nothing."""
    refusal: StoreError | None = None
    """What the database said last, when it took nothing."""
    resume_at: float = 0.0
    settled: int = 0
    refused: dict[int, int] = field(default_factory=dict)
    """Jobs the database did not take, and how many others it had taken by then."""
    owed: list[Job] = field(default_factory=list)
    """Jobs it would not even take back. Until it does, their hosts count them."""
    allowance: Callable[[int], int] | None = None
    """Tells how many of so many jobs may be started now; all when there is none."""
    waits: Callable[[], Waits] = Waits
    """Tells what the queue waits for after a claim."""
    unleased: set[str] = field(default_factory=set)
    """Jobs that are stored and go on without a lease: it is not lost."""
    queued: set[str] = field(default_factory=set)
    """Jobs that wait for a lane of their own and are not counted."""
    resting: set[str] = field(default_factory=set)
    """Jobs in their second part, which is not counted."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    running: dict[str, tuple[Job, asyncio.Task[None]]] = field(default_factory=dict)
    started_at: dict[str, float] = field(default_factory=dict)
    beat_at: float = field(default_factory=time.monotonic)
    knows_waits: bool = False
    """The last look asked the queue."""

    async def run(self, stop: asyncio.Event) -> None:
        """Run what is due until told to stop, then give back what is unfinished."""
        beating = asyncio.create_task(self._heartbeat())
        try:
            while not stop.is_set():
                self.wake.clear()
                claimed = await self._claim_some()
                if not claimed:
                    events = (self.wake, stop)
                    waits = [asyncio.create_task(event.wait()) for event in events]
                    await asyncio.wait(waits, timeout=self._idle_s(), return_when=FIRST_COMPLETED)
                    for wait in waits:
                        wait.cancel()
        finally:
            await self._wind_down()
            beating.cancel()

    async def drain(self) -> int:
        """Run until nothing more is due; answer how many jobs were claimed.

        Jobs that were due and had to wait for their host are waited for, and so is a
        database that takes nothing, for a while.
        """
        total = 0
        beating = asyncio.create_task(self._heartbeat())
        try:
            while True:
                # What comes due during a claim may be behind where it looked.
                was_waiting = self.waits().put_off_s > 0
                claimed = await self._claim_some()
                total += claimed
                if claimed:
                    continue
                if self.running:
                    await self._any_done()
                elif self.refusal is not None:
                    # Wait until the database is worth another try, or give up.
                    now = time.monotonic()
                    if self.refused_since is None or now > self.refused_since + _PATIENCE_S:
                        raise self.refusal
                    await asyncio.sleep(max(self.resume_at - now, _SHORTEST_SLEEP_S))
                elif was_waiting or self.waits().put_off_s > 0:
                    put_off_s = max(self.waits().put_off_s, _SHORTEST_SLEEP_S)
                    await asyncio.sleep(min(put_off_s, self._idle_s()))
                else:
                    return total
        finally:
            await self._wind_down()
            beating.cancel()

    async def _claim_some(self) -> int:
        self.knows_waits = False
        await self._gather()
        free = self._free()
        if free > 0 and self.allowance is not None:
            free = self.allowance(free)
        if free <= 0:
            return 0
        if self.owed:
            await self._give_back([])
        if self.owed:
            return 0
        try:
            jobs = await (self.claim or self.queue.claim)(min(free, self.batch))
        except StoreError as error:
            if isinstance(error, StoreUnavailable):
                self._note_refusal(error)
            else:
                log.critical("claim_failed", loop=self.name, why=str(error))
                self.refusal = error
            await asyncio.sleep(1)
            return 0
        self.knows_waits, self.refusal = True, None
        for job in jobs:
            token = self.token(job)
            if job.attempts > SUSPECT_ATTEMPTS:
                self.suspects.add(token)
            task = asyncio.create_task(self._run_one(job, token))
            self.running[token] = (job, task)
            self.started_at[token] = time.monotonic()
        return len(jobs)

    def _idle_s(self) -> float:
        waits = self.waits().next_s if self.knows_waits else _IDLE_S
        return min(max(waits, _SHORTEST_SLEEP_S), _IDLE_S)

    async def _gather(self) -> None:
        """Wait a moment while few may start, but not for jobs that have run for long."""
        until = time.monotonic() + self.gather_s
        while 0 < self._free() < self.limit // 4:
            recent = time.monotonic() - _RECENT_S
            if not any(at > recent for at in self.started_at.values()):
                return
            self.wake.clear()
            try:
                async with asyncio.timeout(until - time.monotonic()):
                    await self.wake.wait()
            except TimeoutError:
                return

    @property
    def active(self) -> int:
        """How many jobs count against the limit."""
        return len(self.running) - len(self.queued) - len(self.resting)

    def _free(self) -> int:
        if self.suspects or len(self.queued) >= _MOST_QUEUED * self.limit:
            return 0
        if self.refused_since is not None:
            is_time = not self.active and time.monotonic() >= self.resume_at
            return 1 if is_time else 0
        return self.limit - self.active

    def _note_refusal(self, error: StoreUnavailable) -> None:
        log.critical(error.event, loop=self.name, why=str(error))
        self.refusal = error
        now = time.monotonic()
        if self.refused_since is None:
            self.refused_since = now
        shortest, longest = _PAUSE_S
        lasted_s = now - self.refused_since
        self.resume_at = now + min(max(lasted_s * _PAUSE_SHARE, shortest), longest)

    def _is_to_blame(self, job: Job) -> bool:
        """Tell whether the database refused this job twice, but took others."""
        before = self.refused.get(self.identity(job))
        self.refused[self.identity(job)] = self.settled
        return before is not None and before < self.settled

    async def _run_one(self, job: Job, token: str) -> None:
        try:
            rest = await self.work(job)
            if rest is not None:
                self.resting.add(token)
                self.wake.set()
                await rest
            self.refused_since = self.refusal = None
            self.settled += 1
            self.refused.pop(self.identity(job), None)
        except LeaseLost:
            JOBS_LOST.labels(self.name).inc()
        except StoreUnavailable as error:
            self._note_refusal(error)
            if isinstance(error, OutOfFiles) or not self._is_to_blame(job):
                await self._give_back([job])
        except Exception:
            # A bug. The job's attempt is counted; it comes back after its lease.
            log.critical("job_crashed", loop=self.name, exc_info=True)
        finally:
            self.running.pop(token, None)
            self.started_at.pop(token, None)
            for group in (self.suspects, self.unleased, self.queued, self.resting):
                group.discard(token)
            self.wake.set()

    async def _any_done(self) -> None:
        self.wake.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(min(self._idle_s(), _LONGEST_LOOK_AWAY_S)):
                await self.wake.wait()

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(self.lease_s / 3)
            tokens = [token for token in self.running if token not in self.unleased]
            if not tokens:
                self.beat_at = time.monotonic()
                continue
            asked_at = time.monotonic()
            try:
                held = await self.queue.heartbeat(tokens)
                self.beat_at = asked_at
            except StoreError:
                # Nothing was renewed; when the leases have run out, they are lost.
                expired = time.monotonic() - self.beat_at > self.lease_s
                held = set() if expired else set(tokens)
            lost = set(tokens) - held
            if lost:
                # One that was being stored meanwhile lost nothing, and knows it by then.
                await asyncio.sleep(_MOMENT_S)
            for token in (lost - self.unleased) & self.running.keys():
                JOBS_LOST.labels(self.name).inc()
                log.warning("lease_lost", loop=self.name)
                self.running[token][1].cancel()

    async def _wind_down(self) -> None:
        if self.running:
            tasks = [task for _, task in self.running.values()]
            await asyncio.wait(tasks, timeout=_GRACE_S)
        left = list(self.running.values())
        for _, task in left:
            task.cancel()
        if left:
            # A job that does not let itself be cancelled holds nobody up: its writes
            # are refused from here on, whatever it goes on doing.
            await asyncio.wait([task for _, task in left], timeout=_GRACE_S)
        if left or self.owed:
            await self._give_back([job for job, _ in left])

    async def _give_back(self, jobs: Sequence[Job]) -> None:
        """Give jobs back, and what could not be given back before."""
        returned, self.owed = [*self.owed, *jobs], []
        try:
            await self.queue.release(returned)
        except StoreUnavailable as error:
            self.owed += returned
            log.warning("leases_not_released", loop=self.name, why=str(error))
            self._note_refusal(error)
        except StoreError as error:
            # Trying again would be no use, and they come back after their leases.
            log.critical("leases_not_released", loop=self.name, why=str(error))
        except asyncio.CancelledError:
            self.owed += returned
            raise
