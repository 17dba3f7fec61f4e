"""Counters: those that Prometheus reads, and those of a refresh pass, for logs and pages."""

from collections import Counter as Counts
from dataclasses import dataclass, field

from prometheus_client import REGISTRY, Counter

from feedloom.model.stages import Outcome, Refreshed, Stored

FETCHES = Counter("feedloom_fetches", "Attempts to refresh a feed by outcome.", ["outcome"])
ARTICLES_NEW = Counter("feedloom_articles_new", "Articles stored for the first time.")
PARSES = Counter("feedloom_parses", "Documents parsed, by path.", ["path"])
ANALYSES = Counter("feedloom_analyses", "Article analyses by outcome.", ["end"])
JOBS_LOST = Counter("feedloom_leases_lost", "Jobs whose lease was lost.", ["queue"])
TASKS_DONE = Counter("feedloom_tasks", "Tasks by kind and outcome.", ["kind", "end"])
LOG_LINES_LOST = Counter("feedloom_log_lines_lost", "Log lines this process failed to write.")
_FETCHES = {outcome: FETCHES.labels(outcome.value) for outcome in Outcome}


def log_lines_lost() -> int:
    return int(REGISTRY.get_sample_value("feedloom_log_lines_lost_total") or 0)


@dataclass(slots=True)
class PassStats:
    outcomes: Counts[str] = field(default_factory=Counts)
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
        return self.outcomes.total()

    def summary(self) -> dict[str, int]:
        failed = {name: n for name, n in self.outcomes.items() if not Outcome(name).succeeded}
        return {
            "feeds": self.feeds,
            "not_modified": self.outcomes[Outcome.NOT_MODIFIED.value],
            "unchanged": self.outcomes[Outcome.UNCHANGED.value],
            "new_articles": self.new_articles,
            "errors": sum(failed.values()),
            **{f"errors_{name}": count for name, count in sorted(failed.items())},
        }
