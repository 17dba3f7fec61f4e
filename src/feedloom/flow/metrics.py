"""Counters that Prometheus reads. Counting never fails and never waits."""

from prometheus_client import REGISTRY, Counter

FETCHES = Counter("feedloom_fetches", "Attempts to refresh a feed by outcome.", ["outcome"])
ARTICLES_NEW = Counter("feedloom_articles_new", "Articles stored for the first time.")
PARSES = Counter("feedloom_parses", "Documents parsed, by path.", ["path"])
ANALYSES = Counter("feedloom_analyses", "Article analyses by outcome.", ["end"])
JOBS_LOST = Counter("feedloom_leases_lost", "Jobs whose lease was lost.", ["queue"])
TASKS_DONE = Counter("feedloom_tasks", "Tasks by kind and outcome.", ["kind", "end"])
LOG_LINES_LOST = Counter("feedloom_log_lines_lost", "Log lines this process failed to write.")


def log_lines_lost() -> int:
    return int(REGISTRY.get_sample_value("feedloom_log_lines_lost_total") or 0)
