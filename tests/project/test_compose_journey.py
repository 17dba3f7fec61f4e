"""The processes of `compose.yaml`, with its own settings, on a real PostgreSQL.

No container engine is needed: each service's command and environment are taken from the
file and run as they stand; only host names and ports are those of this machine.
"""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.postgres import PostgresServer
from tests.project.test_deploy import COMPOSE, run_init_script

PASSWORDS = {
    "FEEDLOOM_WEB_DB_PASSWORD": "webOfCompose1",
    "FEEDLOOM_WORKER_DB_PASSWORD": "workerOfCompose2",
}
Process = subprocess.Popen[str]
FEEDLOOM = str(Path(sys.executable).with_name("feedloom"))
ADMIN = str(Path(sys.executable).with_name("admin"))
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 60.0


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


@pytest.fixture
def database(private_postgres: PostgresServer) -> PostgresServer:
    """Prepare a server the way the compose file's init script does."""
    private_postgres.sql("DROP ROLE feedloom_web")
    private_postgres.sql("DROP ROLE feedloom_worker")
    done = run_init_script(private_postgres, **PASSWORDS)
    assert done.returncode == 0, done.stderr
    return private_postgres


def environment(service: dict[str, Any], database: PostgresServer, data: Path) -> dict[str, str]:
    """Fill in a service's settings as compose would."""
    here = f"@127.0.0.1:{database.port}/"
    filled = {
        name: re.sub(r"\$\{(\w+):[?-]([^}]*)\}", _value, value).replace("@postgres/", here)
        for name, value in service["environment"].items()
        if value is not None
    }
    return {"PATH": os.environ["PATH"], "FEEDLOOM_DATA_DIR": str(data), **filled}


def _value(match: re.Match[str]) -> str:
    return PASSWORDS.get(match.group(1), match.group(2))


@contextmanager
def running(command: list[str], settings: dict[str, str]) -> Iterator[Process]:
    with subprocess.Popen(
        [FEEDLOOM, *command],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=settings["FEEDLOOM_DATA_DIR"],
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def status_of(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except ConnectionError:
        return 0
    finally:
        connection.close()


def test_the_services_of_compose_come_up_and_stop(
    services: dict[str, Any], database: PostgresServer, tmp_path: Path
):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings = {name: environment(services[name], database, tmp_path) for name in ("api", "worker")}
    settings["api"]["FEEDLOOM_PORT"] = str(port)

    with ExitStack() as stack:
        api, worker = (
            stack.enter_context(running(services[name]["command"], settings[name]))
            for name in ("api", "worker")
        )
        deadline = time.monotonic() + START_TIMEOUT_S
        while status_of(port, "/readyz") != 200 and time.monotonic() < deadline:
            time.sleep(0.2)
        answer = status_of(port, "/readyz")
        admin = subprocess.run(  # as `docker compose exec worker admin feed list`
            [ADMIN, "feed", "list", "--json"],
            env=settings["worker"],
            capture_output=True,
            text=True,
            check=False,
        )
        outcomes = []
        for process in (api, worker):
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=STOP_TIMEOUT_S)
            outcomes.append((process.returncode, said))

    assert answer == 200, outcomes
    assert (admin.returncode, admin.stdout.strip()) == (0, "[]"), admin.stderr
    assert [code for code, _ in outcomes] == [0, 0], outcomes
