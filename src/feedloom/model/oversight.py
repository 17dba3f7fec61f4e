"""What operators and monitors see: how the installation is, across all people."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from feedloom.model.reading import Role
from feedloom.model.work import QueueDepth


@dataclass(frozen=True, slots=True)
class Condition:
    """How the database and the queues are, by the database's own clock."""

    is_current: bool
    """The schema is this program's."""
    feeds: QueueDepth
    tasks: QueueDepth
    worker_seen_s: float | None
    """Seconds since the liveliest worker's last sign of life; None without any."""


WORKER_FRESH_S = 90.0
"""A worker gives a sign of life every 15 seconds."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What an operator should be told wherever they are."""

    worker_seen_s: float | None
    shares_role: bool
    """Web and workers are one PostgreSQL role, so no policy keeps the web's rows apart."""

    @property
    def is_worker_seen(self) -> bool:
        """Whether some worker lives."""
        return self.worker_seen_s is not None and self.worker_seen_s <= WORKER_FRESH_S


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """One worker."""

    name: str
    started_at: datetime
    seen_at: datetime
    stats: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One person, as operators see them."""

    id: int
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    seen_at: datetime | None
    subscriptions: int


@dataclass(frozen=True, slots=True)
class FeedLine:
    """One feed, as operators see it."""

    id: int
    url: str
    title: str
    state: str
    consecutive_failures: int
    last_fetch_error: str | None
    last_attempt_at: datetime | None
    next_run_at: datetime | None
    readers: int


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event."""

    id: int
    at: datetime
    email: str
    event_type: str
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One task that was given up."""

    id: int
    kind: str
    attempts: int
    error: str | None
    done_at: datetime


class OversightStore(Protocol):
    """The installation from above. Lists go backwards from ``before`` an id."""

    async def condition(self) -> Condition:
        """Tell how everything is; ``StoreUnavailable`` when the database is not there."""
        ...

    async def signs(self) -> Signs:
        """Tell quickly whether a worker lives and the database is set up safely."""
        ...

    async def feeds_by_state(self) -> dict[str, int]:
        """Count feeds by their health."""
        ...

    async def workers(self) -> list[WorkerLine]:
        """List workers, the liveliest first."""
        ...

    async def people(
        self, *, text: str = "", after: int = 0, limit: int = 50
    ) -> list[PersonLine]:
        """List people by id, those whose address contains a text."""
        ...

    async def feeds(
        self, *, state: str | None = None, after: int = 0, limit: int = 50
    ) -> list[FeedLine]:
        """List feeds by id, those in a state."""
        ...

    async def events(
        self, *, before: int | None = None, limit: int = 100
    ) -> list[EventLine]:
        """List what happened, newest first."""
        ...

    async def parked_tasks(self, *, limit: int = 50) -> list[TaskLine]:
        """List tasks that were given up, newest first."""
        ...

    async def refresh(self, feed_id: int) -> None:
        """Fetch a feed now; ``NotFound`` when there is none."""
        ...

    async def note(
        self, actor: str, action: str, subject: str, *, after: str = ""
    ) -> None:
        """Write what an operator did into the audit trail."""
        ...
