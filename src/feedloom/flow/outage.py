"""Whose fault is it? When everything fails at once, it is our own network.

Twenty network failures over ten hosts without one success in between is our outage:
from then on failures are not charged to feeds, until one succeeds.
"""

from dataclasses import dataclass, field, replace

from feedloom.flow.health import next_health
from feedloom.model.stages import Outcome, Refreshed

_FAILURES = 20
_HOSTS = 10


@dataclass(slots=True)
class NetworkWatch:
    """Remembers the failures since the last answer from anywhere."""

    failures: int = 0
    hosts: set[str] = field(default_factory=set)

    @property
    def is_down(self) -> bool:
        """Tell whether our own network seems to be down."""
        return self.failures >= _FAILURES and len(self.hosts) >= _HOSTS

    def judge(self, refreshed: Refreshed) -> Refreshed:
        """Look at one attempt; during our own outage, do not charge its feed."""
        if refreshed.http_status is not None:
            self.failures = 0
            self.hosts.clear()
            return refreshed
        if refreshed.outcome is not Outcome.TEMPORARY:
            return refreshed
        self.failures += 1
        self.hosts.add(refreshed.feed.host_key)
        if not self.is_down:
            return refreshed
        verdict = next_health(refreshed.feed, Outcome.OFFLINE, now=refreshed.at)
        return replace(refreshed, outcome=Outcome.OFFLINE, verdict=verdict)
