"""What balancers and monitors are told."""

import pytest

from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.serving import HTML, Server

DAY_US = 86_400_000_000


async def beat(container):
    await container.operations().beat("worker-1", {"feeds": 3})


async def run(server: Server, text: str) -> None:
    def steps() -> Script[None]:
        yield sql(text)

    await server.call(lambda container: container.work.write(WORKER, steps))


@pytest.mark.threat("W8")
async def test_alive_looks_at_nothing(server):
    await run(server, "ALTER TABLE workers RENAME TO gone")

    reply = await server.visitor().get("/healthz")

    assert (reply.status, reply.text) == (200, "ok\n")


async def test_ready_with_a_worker_and_not_without(server):
    visitor = server.visitor()
    without = await visitor.get("/readyz")
    await server.call(beat)

    with_one = await visitor.get("/readyz")

    assert without.status == 503
    assert without.json()["checks"]["worker"] == "No worker has been seen recently."
    assert with_one.status == 200
    assert with_one.json() == {
        "ready": True,
        "checks": dict.fromkeys(("database", "migrations", "queue", "worker"), "ok"),
    }


@pytest.mark.threat("W8")
async def test_not_ready_when_the_worker_fell_silent(server):
    await server.call(beat)
    await run(server, f"UPDATE workers SET seen_at = seen_at - {DAY_US}")

    reply = await server.visitor().get("/readyz")

    assert reply.status == 503
    assert reply.json()["checks"]["worker"] != "ok"


@pytest.mark.threat("W8")
async def test_not_ready_when_the_queue_lags(server):
    await server.call(beat)
    await run(
        server,
        "INSERT INTO tasks (kind, payload, run_at, created_at)"
        f" VALUES ('x', '{{}}', now_us() - {DAY_US}, now_us())",
    )

    reply = await server.visitor().get("/readyz")

    assert reply.status == 503
    assert "waited for 86" in reply.json()["checks"]["queue"]


@pytest.mark.threat("U4", "W8")
async def test_not_ready_when_the_schema_is_another(server):
    await server.call(beat)
    await run(
        server,
        "INSERT INTO schema_migrations (version, checksum, applied_at) VALUES (9999, 'x', 0)",
    )

    reply = await server.visitor().get("/readyz")

    assert reply.status == 503
    assert "db upgrade" in reply.json()["checks"]["migrations"]


@pytest.mark.threat("W8", "D1")
async def test_not_ready_when_the_database_fails_and_says_nothing_about_it(server):
    await run(server, "ALTER TABLE workers RENAME TO gone")

    reply = await server.visitor().get("/readyz")

    assert reply.status == 503
    assert reply.json()["checks"] == {"database": "The database is not available."}


@pytest.mark.threat("A19")
async def test_metrics_are_for_operators_and_their_programs(server, publisher):
    ada = await server.register("ada@example.org")
    await server.register("bob@example.org")
    await ada.post("/feeds", json={"url": publisher.feed("/blog.xml")})
    await server.refresh_all()
    operator = await server.program("ada@example.org")
    reader = await server.program("bob@example.org")

    told = await operator.get("/metrics")

    assert (await reader.get("/metrics")).status == 403
    assert (await server.visitor().get("/metrics")).status == 401
    assert told.status == 200
    for line in (
        'feedloom_feeds{state="healthy"} 1.0',
        'feedloom_jobs{queue="feeds",status="due"} 0.0',
        'feedloom_queue_lag_seconds{queue="feeds"} 0.0',
        'feedloom_request_seconds_count{method="POST",route="/feeds",status="2xx"}',
        "feedloom_articles_new_total",
        'feedloom_fetches_total{outcome="new"}',
    ):
        assert line in told.text, line


async def test_metrics_name_patterns_never_addresses(server):
    ada = await server.register("ada@example.org")
    await ada.get("/view/geheimes-token.xml")
    await ada.get("/geheim?geheim", headers=HTML)

    told = await ada.get("/metrics")

    assert "geheim" not in told.text
