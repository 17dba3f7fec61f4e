"""Endpoints for load balancers and monitors: liveness, readiness, metrics.

Liveness looks at nothing, so that a database that is away never restarts us. Readiness
is false while the database is away or old, the queue lags, or no worker shows itself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
from prometheus_client import REGISTRY, CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import StoreError
from feedloom.model.oversight import WORKER_FRESH_S, Condition
from feedloom.serve.auth import services
from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import answer

if TYPE_CHECKING:
    from feedloom.store import OversightStore

MOST_LAG_S = 3_600.0
"""How long the oldest due job may wait before we say that we are behind."""
_PATIENCE_S = 5.0


class Readiness(msgspec.Struct):
    """Whether requests can be served well, and what stands in the way."""

    ready: bool
    checks: dict[str, str]


async def live(_request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def ready(request: Request) -> Response:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            condition = await services(request).oversight.condition()
    except (StoreError, TimeoutError):
        checks = {"database": "The database is not available."}
    else:
        checks = judge(condition)
    told = Readiness(all(said == "ok" for said in checks.values()), checks)
    return answer(told, 200 if told.ready else 503)


def judge(condition: Condition) -> dict[str, str]:
    lag_s = max(condition.feeds.lag_s, condition.tasks.lag_s)
    seen_s = condition.worker_seen_s
    is_seen = seen_s is not None and seen_s <= WORKER_FRESH_S
    return {
        "database": "ok",
        "migrations": "ok"
        if condition.is_current
        else "The schema version doesn't match. Run `feedloom db upgrade`.",
        "queue": "ok"
        if lag_s <= MOST_LAG_S
        else f"The oldest due job has waited for {lag_s:.0f} seconds.",
        "worker": "ok" if is_seen else "No worker has been seen recently.",
    }


async def metrics(request: Request) -> Response:
    store = services(request).oversight
    body = generate_latest(REGISTRY) + generate_latest(await _gauges(store))
    return Response(body, media_type=CONTENT_TYPE_LATEST)


async def _gauges(store: OversightStore) -> CollectorRegistry:
    """Read the gauges that are rows, not counts of this process."""
    registry = CollectorRegistry()

    def gauge(name: str, said: str, *labels: str) -> Gauge:
        return Gauge(f"feedloom_{name}", said, labels, registry=registry)

    by_state = gauge("feeds", "Feeds by state.", "state")
    for state, count in (await store.feeds_by_state()).items():
        by_state.labels(state).set(count)
    condition = await store.condition()
    jobs = gauge("jobs", "Jobs.", "queue", "status")
    lag = gauge("queue_lag_seconds", "Seconds the oldest due job has waited.", "queue")
    for queue, depth in (("feeds", condition.feeds), ("tasks", condition.tasks)):
        jobs.labels(queue, "due").set(depth.due)
        jobs.labels(queue, "running").set(depth.running)
        jobs.labels(queue, "parked").set(depth.parked)
        lag.labels(queue).set(depth.lag_s)
    seen = gauge(
        "worker_seen_seconds", "Seconds since a worker was last seen; -1 if there is none."
    )
    seen.set(-1 if condition.worker_seen_s is None else condition.worker_seen_s)
    lost = gauge("worker_log_lines_lost", "Log lines workers failed to write in the last day.")
    counts = (w.stats.get("log_lines_lost") for w in await store.workers())
    lost.set(sum(count for count in counts if isinstance(count, int)))
    return registry


ROUTES = (
    Route("/healthz", live, ("GET",), Access.PUBLIC),
    Route("/readyz", ready, ("GET",), Access.PUBLIC),
    Route("/metrics", metrics, ("GET",), Access.OPERATOR),
)
