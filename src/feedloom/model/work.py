"""Background work: tasks that run later, and leases on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import inf

MAX_ATTEMPTS = 5
"""Claims after which a job that never finishes is parked."""
SUSPECT_ATTEMPTS = 2
"""Claims after which a job is suspected of ending its process, and runs alone."""


class TaskKind(StrEnum):
    """Everything that runs later and is not a feed's own refresh."""

    DISCOVER = "discover"
    REVIVE = "revive"
    ENRICH = "enrich"
    SUMMARISE = "summarise"
    IMPORT = "import"
    FAVICON = "favicon"
    WEBSUB = "websub"
    TOPIC = "topic"
    FULL_TEXT = "full_text"
    APPLY_RULES = "apply_rules"
    HTTPS = "https"
    ANALYSE = "analyse"
    MAIL = "mail"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class NewTask:
    kind: TaskKind
    payload: Mapping[str, object]
    unique_key: str | None = None
    """There is at most one unfinished task with this key."""
    user_id: int | None = None
    run_at: datetime | None = None
    """None means at once."""


@dataclass(frozen=True, slots=True)
class Task:
    id: int
    kind: str
    payload: Mapping[str, object]
    user_id: int | None
    attempts: int
    lease_token: str | None = None
    last_error: str | None = None
    progress: Mapping[str, object] | None = None
    result: Mapping[str, object] | None = None
    created_at: datetime | None = None
    done_at: datetime | None = None

    @property
    def parked(self) -> bool:
        return self.done_at is not None and self.result is None


@dataclass(frozen=True, slots=True)
class Politeness:
    """How often one registrable domain may be asked."""

    delay_s: float = 3.0
    at_once: int = 2
    hold_s: float = 45.0
    """After this long a request is counted as over, whatever became of its process."""


@dataclass(frozen=True, slots=True)
class Waits:
    """What an idle queue waits for, in seconds from now."""

    next_s: float = inf
    """Until the next job is due, whatever it is."""
    put_off_s: float = 0.0
    """Until the last job is due again that was due and had to wait for its host."""


@dataclass(frozen=True, slots=True)
class QueueDepth:
    due: int
    running: int
    parked: int
    lag_s: float
    """Seconds the oldest due job has waited."""


@dataclass(frozen=True, slots=True)
class HubSubscription:
    feed_id: int
    hub: str
    topic: str
    callback_token: str
    secret: str
    state: str = "pending"
    lease_until: datetime | None = None
