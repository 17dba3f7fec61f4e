"""Logs of a whole process: one line per request, and no secret in any of them."""

import asyncio
import json
import os
import re
import sys

import pytest

from tests.serving import HTML, Visitor, registered

CANARIES = {
    "password": "geheim-password-1",
    "query": "geheim-query-2",
    "path": "geheim-path-3",
    "basic": "geheim-basic-4",
    "bearer": "geheim-bearer-5",
    "cookie": "geheim-cookie-6",
    "feed": "geheim-feed-7",
}


@pytest.fixture
async def process(engine_url, tmp_path):
    """Run ``feedloom serve`` and hand out its address and its log file."""
    log = tmp_path / "log.txt"
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(tmp_path),
        "FEEDLOOM_DATABASE_URL": engine_url.web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": engine_url.worker_url,
        "FEEDLOOM_ALLOW_NETWORKS": "127.0.0.0/8",
        "FEEDLOOM_LOG_LEVEL": "debug",
        "FEEDLOOM_PORT": str(free_port()),
    }
    with log.open("wb") as file:
        running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "feedloom", "serve", env=environment, stderr=file
        )
        url = f"http://127.0.0.1:{environment['FEEDLOOM_PORT']}"
        await reachable(Visitor(url))
        yield url, log, running
        if running.returncode is None:
            running.terminate()
            await running.wait()


def free_port() -> int:
    import socket  # noqa: PLC0415 - only here

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


async def reachable(visitor: Visitor) -> None:
    for _ in range(200):
        try:
            await visitor.get("/healthz")
        except OSError:
            await asyncio.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not start")


@pytest.mark.threat("A20", "S15", "L10")
async def test_no_secret_reaches_the_log_at_any_level(process, publisher):
    url, log, running = process
    ada = await registered(url, "ada@example.org", CANARIES["password"])
    ada.token = (await ada.get("/api/me")).json()["csrf_token"]
    feed = publisher.feed("/blog.xml").replace("//", f"//user:{CANARIES['feed']}@")
    await ada.post("/feeds", json={"url": feed})
    broken = publisher.page("/b.xml", "x", status=500)
    await ada.post(
        "/feeds",
        data={"name": "b", "url": broken.replace("//", f"//u:{CANARIES['feed']}@")},
        headers={"HX-Request": "true"},
    )
    stranger = Visitor(url)
    await stranger.get(f"/auth/login?next=/{CANARIES['query']}", headers=HTML)
    await stranger.get(f"/view/{CANARIES['path']}.xml")
    await stranger.get(f"/{CANARIES['path']}")
    for name in ("basic", "bearer"):
        stranger.headers["Authorization"] = f"{name.capitalize()} {CANARIES[name]}"
        await stranger.get("/api/me")
        await stranger.get("/index.php/apps/news/api/v1-3/feeds")
    stranger.cookies["feedloom_session"] = CANARIES["cookie"]
    await stranger.get("/api/me")
    await asyncio.sleep(1)
    running.terminate()
    await running.wait()

    text = log.read_text()

    leaked = [name for name, secret in CANARIES.items() if secret in text]
    assert leaked == []
    assert ada.cookies["feedloom_session"] not in text
    assert ada.token not in text


async def test_each_request_is_one_json_line_with_its_id(process):
    url, log, running = process
    reply = await Visitor(url).get("/auth/login", headers=HTML)
    running.terminate()
    await running.wait()

    lines = [json.loads(line) for line in log.read_text().splitlines() if line[0] == "{"]
    found = [line for line in lines if line.get("request_id") == reply.headers["X-Request-Id"]]

    assert len(found) == 1
    assert found[0]["event"] == "request"
    assert (found[0]["method"], found[0]["route"]) == ("GET", "/auth/login")
    assert found[0]["status"] == 200
    assert found[0]["ms"] >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT.*Z", found[0]["timestamp"])


@pytest.mark.threat("W13")
async def test_with_few_open_files_serve_says_so_and_goes_on(tmp_path):
    port, log = str(free_port()), tmp_path / "log.txt"
    environment = os.environ | {"FEEDLOOM_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "feedloom", "serve", "--port", port]
    with log.open("wb") as file:
        running = await asyncio.create_subprocess_exec(
            *("sh", "-c", 'ulimit -n 128; exec "$@"', "sh", *command), env=environment, stderr=file
        )
        visitor = Visitor(f"http://127.0.0.1:{port}")
        await reachable(visitor)
        # More callers than it has files for: some are cut off, and nothing ends.
        crowd = [visitor.get("/healthz") for _ in range(200)]
        await asyncio.gather(*crowd, return_exceptions=True)
        answer = await visitor.get("/healthz")
        running.terminate()
        await running.wait()

    lines = [json.loads(one) for one in log.read_text().splitlines() if one[0] == "{"]
    told = [line for line in lines if line["event"] == "few_open_files"]
    assert [line["limit"] for line in told] == [128]
    assert "ulimit -n" in told[0]["why"]
    assert answer.status == 200
    assert running.returncode == 0
