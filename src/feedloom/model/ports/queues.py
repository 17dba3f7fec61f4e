"""Work as rows: queues, and what watches over them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from feedloom.model.stages import (
    FeedToRefresh,
)
from feedloom.model.work import NewTask, QueueDepth, Task, Waits


class FeedQueue(Protocol):
    """Feeds as work. Claims honour politeness; all times are the database's."""

    async def claim(self, limit: int) -> list[FeedToRefresh]:
        """Lease up to ``limit`` due feeds whose hosts may be asked now."""
        ...

    def waits(self) -> Waits:
        """Tell what is waited for, as the claims of this process left it.

        Hosts that asked for patience are not waited for.
        """
        ...

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        """Renew leases; whoever is missing from the answer has lost its job."""
        ...

    async def release(self, feeds: Sequence[FeedToRefresh]) -> None:
        """Give feeds back unfinished, without burning an attempt."""
        ...

    async def depth(self) -> QueueDepth:
        """Count what waits, runs and is parked."""
        ...


class TaskQueue(Protocol):
    """Everything else that runs later."""

    async def add(self, task: NewTask) -> int:
        """Queue a task; one unfinished task per ``unique_key``: its id is returned."""
        ...

    async def add_claimed(self, task: NewTask) -> Task:
        """Queue a task that this process is doing already; others get it if we end."""
        ...

    async def hand_over(self, task: Task, progress: Mapping[str, object]) -> None:
        """Give a task to the workers at once, with what was found out so far."""
        ...

    async def claim(self, limit: int, *, for_people: bool | None = None) -> list[Task]:
        """Lease up to ``limit`` due tasks; those that never finish are parked.

        Only those somebody waits for, or only those of the house; None for both.
        """
        ...

    async def heartbeat(self, tokens: Sequence[str]) -> set[str]:
        """Renew leases; whoever is missing from the answer has lost its task."""
        ...

    async def release(self, tasks: Sequence[Task]) -> None:
        """Give tasks back unfinished, without burning an attempt."""
        ...

    async def progress(self, task: Task, progress: Mapping[str, object]) -> None:
        """Tell how far a task is; raise ``LeaseLost`` when it is no longer ours."""
        ...

    async def finish(self, task: Task, result: Mapping[str, object]) -> None:
        """Settle a task with its result."""
        ...

    async def fail(self, task: Task, error: str, retry_at: datetime | None) -> None:
        """Settle a failed try: run again at ``retry_at``, or park (None)."""
        ...

    async def find(self, user_id: int, task_id: int) -> Task:
        """Return one of a person's tasks; raise ``NotFound`` for others'."""
        ...

    async def latest(self, user_id: int, kind: str) -> Task | None:
        """Return a person's newest task of a kind."""
        ...

    async def depth(self) -> QueueDepth:
        """Count what waits, runs and is parked."""
        ...


class CleanupStore(Protocol):
    """Deletes what may go, in small transactions."""

    async def prune_feed(self, feed_id: int) -> int:
        """Delete a feed's old articles that everybody is done with."""
        ...

    async def expire_day_subscriptions(self) -> int:
        """Hide what 'day' subscriptions got over 24 hours ago; drop what is unlisted."""
        ...

    async def drop_orphans(self) -> int:
        """Delete articles nobody holds and feeds nobody wants."""
        ...

    async def forget_old_work(self) -> None:
        """Delete finished tasks, old log lines, expired sessions and throttles."""
        ...


class OperationsStore(Protocol):
    """Feeds and workers from above, for operators and commands."""

    async def make_due(self, feed: str | None, *, everything: bool) -> int:
        """Make one feed (by id or address) or all due; answer how many are due now."""
        ...

    async def beat(self, worker: str, stats: Mapping[str, object]) -> None:
        """Note that a worker lives, and what it did so far."""
        ...

    async def worker_seen_at(self) -> datetime | None:
        """Tell when the liveliest worker was last seen."""
        ...

    async def forget_validators(self) -> None:
        """Let the next fetch of every feed bring its whole document."""
        ...

    async def database_time(self) -> datetime:
        """Tell the time as the database sees it."""
        ...

    async def forgive(self, feed_ids: list[int]) -> None:
        """Take back failures that were our own network's."""
        ...
