"""A log that cannot be written ends nothing: the real program, its lines lost."""

import asyncio
import os
import re
import signal
import sys
from contextlib import asynccontextmanager

import pytest

from tests.journeys.web.test_logs import free_port, reachable
from tests.serving import HTML, Visitor, registered

pytestmark = pytest.mark.threat("W12")


def closed_pipe() -> int:
    """Return the writing end of a pipe nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def full_disk() -> int:
    return os.open("/dev/full", os.O_WRONLY)


@asynccontextmanager
async def program(web_url, worker_url, folder, place, *words):
    """Run the program with everything it prints going to a place that takes nothing."""
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": str(folder),
        "FEEDLOOM_DATABASE_URL": web_url,
        "FEEDLOOM_WORKER_DATABASE_URL": worker_url,
        "FEEDLOOM_LOG_LEVEL": "debug",
    }
    command = [sys.executable, "-m", "feedloom", *words]
    if place is None:
        command = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *command]
    output = None if place is None else place()
    running = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=output, stderr=output
    )
    if output is not None:
        os.close(output)
    try:
        yield running
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGTERM)
            await running.wait()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", [closed_pipe, full_disk, None])
async def test_serve_goes_on_and_counts_what_it_could_not_log(engine_url, tmp_path, place):
    port = str(free_port())
    urls = engine_url.web_url, engine_url.worker_url
    async with program(*urls, tmp_path, place, "serve", "--port", port) as running:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        await reachable(visitor)
        ada = await registered(visitor.url, "ada@example.org")
        metrics = (await ada.get("/metrics")).text
        page = (await ada.get("/admin", headers=HTML)).text

        assert re.search(r"feedloom_log_lines_lost_total [1-9]", metrics)
        assert re.search(r"could not write [\d,]+ log line", page)
        assert running.returncode is None

    assert running.returncode == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", [closed_pipe, full_disk, None])
async def test_a_worker_goes_on_and_tells_operators_what_it_could_not_log(server, tmp_path, place):
    operator = await server.register("ada@example.org")
    urls = server.settings.database_url, server.settings.worker_database_url
    async with program(*urls, tmp_path, place, "worker") as running:
        metrics = ""
        for _ in range(400):
            metrics = (await operator.get("/metrics")).text
            if re.search(r"feedloom_worker_log_lines_lost [1-9]", metrics):
                break
            assert running.returncode is None
            await asyncio.sleep(0.1)
        page = (await operator.get("/admin", headers=HTML)).text

    assert re.search(r"feedloom_worker_log_lines_lost [1-9]", metrics)
    assert re.search(r"<td>[1-9]\d*</td>\s*</tr>", page)
    assert running.returncode == 0
