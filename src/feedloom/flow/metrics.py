"""Counters that Prometheus reads. Counting never fails and never waits."""

from prometheus_client import Counter

FETCHES = Counter(
    "feedloom_fetches", "Attempts to refresh a feed by outcome.", ["outcome"]
)
ARTICLES_NEW = Counter("feedloom_articles_new", "Articles stored for the first time.")
PARSES = Counter("feedloom_parses", "Documents parsed, by path.", ["path"])
ANALYSES = Counter(
    "feedloom_analyses", "Analyses of articles by how they ended.", ["end"]
)
JOBS_LOST = Counter("feedloom_leases_lost", "Jobs whose lease was lost.", ["queue"])
TASKS_DONE = Counter(
    "feedloom_tasks", "Tasks by kind and how they ended.", ["kind", "end"]
)
