"""Our own outages: when everything fails at once, the feeds are not to blame.

Twenty network failures over ten hosts without one answer in between is our outage. From
then on failures are not charged to feeds, those charged before are taken back, and only
one feed at a time is tried, until one answers. Who began to wait before somebody else was
answered cannot blame our network: hosts that hang are given up together, long after.
"""

from dataclasses import dataclass, field
from math import inf

import structlog
from msgspec.structs import replace

from feedloom.flow.refresh.health import next_health
from feedloom.model.stages import Outcome, Refreshed

log = structlog.get_logger()

_FAILURES = 20
_HOSTS = 10
_PROBE_S = 30.0
"""How often one feed is tried while the network seems to be down."""


@dataclass(slots=True)
class NetworkWatch:
    failures: int = 0
    hosts: set[str] = field(default_factory=set)
    _failed: set[int] = field(default_factory=set)
    _charged: set[int] = field(default_factory=set)
    _answered_at: float = -inf
    _failing_since: float = inf
    """When the first of the failures began."""
    _probed_at: float | None = None

    @property
    def is_down(self) -> bool:
        return self.failures >= _FAILURES and len(self.hosts) >= _HOSTS

    def judge(self, refreshed: Refreshed, *, began_at: float, ended_at: float) -> Refreshed:
        """Look at one attempt; during our own outage, do not charge its feed."""
        if refreshed.http_status is not None:
            self._answered(ended_at)
            return refreshed
        was_in_time = began_at < self._answered_at and not self.is_down
        if refreshed.outcome is not Outcome.TEMPORARY or was_in_time:
            return refreshed
        self._failed.add(refreshed.feed.feed_id)
        self._failing_since = min(self._failing_since, began_at)
        was_down = self.is_down
        self.failures += 1
        self.hosts.add(refreshed.feed.host_key)
        if not self.is_down:
            return refreshed
        if not was_down:
            log.critical(
                "network_down",
                why="Nothing can be reached. This server's network seems to be down.",
                hosts=len(self.hosts),
            )
        verdict = next_health(refreshed.feed, Outcome.OFFLINE, now=refreshed.at)
        return replace(refreshed, outcome=Outcome.OFFLINE, verdict=verdict)

    def _answered(self, at: float) -> None:
        self._answered_at = max(self._answered_at, at)
        if self.failures and at < self._failing_since:
            # It came before all this.
            return
        if self.is_down:
            log.warning("network_back")
        self.failures = 0
        self.hosts.clear()
        self._failed.clear()
        self._charged.clear()
        self._failing_since = inf
        self._probed_at = None

    def note_stored(self, refreshed: Refreshed) -> None:
        feed_id = refreshed.feed.feed_id
        if feed_id in self._failed and refreshed.outcome is Outcome.TEMPORARY:
            self._charged.add(feed_id)

    def take_charged(self) -> list[int]:
        """Return whom to forgive, each once; nobody unless it was our own outage."""
        if not self.is_down:
            return []
        charged, self._charged = sorted(self._charged), set()
        return charged

    def allowance(self, now_s: float, most: int) -> int:
        """Tell how many feeds may be tried now: while down, one now and then."""
        if not self.is_down:
            return most
        if self._probed_at is not None and now_s - self._probed_at < _PROBE_S:
            return 0
        self._probed_at = now_s
        return min(1, most)
