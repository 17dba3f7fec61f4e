"""A demonstration that runs in a process of its own, for tests to visit."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.serving import HTML, Visitor

EMAIL = "demo@example.org"


@dataclass(slots=True)
class Demo:
    """A demonstration that runs."""

    process: subprocess.Popen[str]
    url: str
    sites: str
    password: str
    temporary: Path
    """Where the process makes folders for a while."""

    async def sign_in(self) -> Visitor:
        visitor = Visitor(self.url)
        token = await visitor.open_form("/auth/login")
        form = {"email": EMAIL, "password": self.password, "csrf_token": token}
        reply = await visitor.post("/auth/login", data=form, headers=HTML)
        assert reply.status == 303, reply.alert
        visitor.token = (await visitor.get("/api/me")).json()["csrf_token"]
        return visitor

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Stop it; return its exit code and what it said to the end."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


def free_ports() -> tuple[int, int]:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        return one.getsockname()[1], other.getsockname()[1]


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Start the program with an environment that would lead elsewhere."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    environment = os.environ | {
        "TMPDIR": str(temporary),
        "FEEDLOOM_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "FEEDLOOM_AI_TYPE": "openrouter",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "feedloom", "demo", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
    )


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Demo]:
    """Run a demonstration until it says where it is."""
    port, sites_port = free_ports()
    ports = (*("--port", str(port)), *("--sites-port", str(sites_port)))
    process = start(folder, *ports, *words)
    said = ""
    try:
        assert process.stdout is not None
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            if not line:
                raise AssertionError(said + process.communicate(timeout=10)[1])
            said += line
        found = re.search(r"password\s+(\S+)", said)
        assert found, said
        where = re.findall(r"http://127\.0\.0\.1:\d+", said)
        yield Demo(process, where[0], where[1], found[1], folder / "temporary")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
