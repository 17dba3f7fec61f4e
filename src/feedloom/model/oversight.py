"""The state of the installation, across all people, for operators and monitors."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from feedloom.model.reader import Role
from feedloom.model.work import QueueDepth


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of the database and the queues, by the database's clock."""

    is_current: bool
    """The schema is this program's."""
    feeds: QueueDepth
    tasks: QueueDepth
    worker_seen_s: float | None
    """Seconds since any worker's last sign of life; None without workers."""


WORKER_FRESH_S = 90.0
"""A worker gives a sign of life every 15 seconds."""


@dataclass(frozen=True, slots=True)
class Signs:
    """Warnings for operators, shown on every page."""

    worker_seen_s: float | None
    shares_role: bool
    """Web and workers are one PostgreSQL role, so no policy keeps the web's rows apart."""

    @property
    def is_worker_seen(self) -> bool:
        return self.worker_seen_s is not None and self.worker_seen_s <= WORKER_FRESH_S


@dataclass(frozen=True, slots=True)
class WorkerLine:
    name: str
    started_at: datetime
    seen_at: datetime
    stats: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PersonLine:
    id: int
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    seen_at: datetime | None
    subscriptions: int


@dataclass(frozen=True, slots=True)
class FeedLine:
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
    id: int
    at: datetime
    email: str
    event_type: str
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TaskLine:
    id: int
    kind: str
    attempts: int
    error: str | None
    done_at: datetime
