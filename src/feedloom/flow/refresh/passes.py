"""Statistics of refresh passes, for logs and pages."""

from collections import Counter
from dataclasses import dataclass, field

from feedloom.flow.metrics import ARTICLES_NEW, FETCHES, PARSES
from feedloom.model.stages import Outcome, Refreshed, Stored

_FETCHES = {outcome: FETCHES.labels(outcome.value) for outcome in Outcome}


@dataclass(slots=True)
class PassStats:
    outcomes: Counter[str] = field(default_factory=Counter)
    new_articles: int = 0
    lost: int = 0

    def count(self, refreshed: Refreshed, stored: Stored) -> None:
        if stored.lease_lost:
            self.lost += 1
            return
        self.outcomes[refreshed.outcome.value] += 1
        _FETCHES[refreshed.outcome].inc()
        if stored.new_articles:
            self.new_articles += stored.new_articles
            ARTICLES_NEW.inc(stored.new_articles)
        if refreshed.parsed is not None:
            PARSES.labels("fast" if refreshed.parsed.fast else "fallback").inc()

    @property
    def feeds(self) -> int:
        return sum(self.outcomes.values())

    def summary(self) -> dict[str, int]:
        failed = {
            name: count for name, count in self.outcomes.items() if not Outcome(name).succeeded
        }
        return {
            "feeds": self.feeds,
            "not_modified": self.outcomes[Outcome.NOT_MODIFIED.value],
            "unchanged": self.outcomes[Outcome.UNCHANGED.value],
            "new_articles": self.new_articles,
            "errors": sum(failed.values()),
            **{f"errors_{name}": count for name, count in sorted(failed.items())},
        }
