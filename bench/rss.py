"""Hits of ``/rss`` per second, against nginx serving the same bytes from disk.

One process each, pinned to the same core; ``wrk`` has the other one. A document of fifty
articles, in three kinds of request: gzip (what readers ask for), plain, and one whose
ETag is known. Requests per second of the server's own processor time tell what a core
is worth when the client, and not the server, was the limit.
"""

import asyncio
import http.client
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bench.tables import Table
from feedloom.app import open_container
from feedloom.config import Settings
from feedloom.model.distilled.documents import Built
from feedloom.model.distilled.proxies import NewProxy
from tests.containers import settings_for
from tests.databases import sqlite_databases
from tests.factories_feeds import entry
from tests.publisher import Publisher

ITEMS = 50
CONNECTIONS = 64
GOAL = 0.35
_WORDS = (
    *("council", "bridge", "river", "Tuesday", "budget", "library", "engineer", "storm"),
    *("repair", "minister", "report", "school", "committee", "market", "question"),
    *("answer", "winter", "railway", "ticket", "garden", "museum", "hospital", "nurse"),
    *("election", "ballot", "letter", "reader", "writer", "printer", "village", "valley"),
)
_NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/files;
    types {{ application/rss+xml xml; application/rss+xml gz; }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A server under test: where it listens, and the process that serves."""

    port: int
    pid: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request: what it says, and where it goes on either server."""

    name: str
    headers: Mapping[str, str]
    file: str


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured."""

    per_s: float
    per_cpu_s: float


def run(quick: bool) -> list[Table]:
    seconds = 2 if quick else 8
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = settings_for(sqlite_databases(folder), folder)
        url, built = asyncio.run(_build(settings))
        return [_measure(folder, settings, url, built, seconds=seconds)]


async def _build(settings: Settings) -> tuple[str, Built]:
    async with open_container(settings) as container, Publisher() as publisher:
        entries = [
            entry(n, link=publisher.url(f"/{n}"), title=_words(n, 9), content=_words(n, 80))
            for n in range(ITEMS, 0, -1)
        ]
        url = publisher.feed("/news.xml", entries=entries)
        proxies = container.proxies(container.web)
        await proxies.add(NewProxy(url, enabled=True), actor="bench")
        await proxies.store.sync(url, actor="bench")
        await container.worker().feed_loop().drain()
        proxied = container.services().proxied
        standing = await proxied.standing(url)
        _, built = await proxied.document(standing.feed_id, None)
        return url, built


def _words(seed: int, count: int) -> str:
    chosen = random.Random(seed).choices(_WORDS, k=count)
    return " ".join(chosen).capitalize()


def _measure(folder: Path, settings: Settings, url: str, built: Built, *, seconds: int) -> Table:
    table = Table(
        f"/rss, {ITEMS} items ({len(built.xml_content) // 1000} kB,"
        f" gzip {len(built.xml_gzip) // 1000} kB), one core each",
        (
            "request",
            "feedloom/s",
            "nginx/s",
            "of nginx",
            "per CPU s",
            "nginx per CPU s",
            "of nginx (CPU)",
        ),
        note=f"Goal: at least {GOAL:.0%} of nginx. {CONNECTIONS} connections, {seconds} s.",
    )
    kinds = (
        Kind("gzip", {"Accept-Encoding": "gzip"}, "doc.xml.gz"),
        Kind("plain", {"Accept-Encoding": "identity"}, "doc.xml"),
        Kind("known (304)", {"Accept-Encoding": "gzip"}, "doc.xml.gz"),
    )
    path = f"/rss?url={quote(url, safe='')}"
    with _feedloom(settings) as ours, _nginx(folder, built) as theirs:
        for kind in kinds:
            known = kind.name.startswith("known")
            mine = _hit(ours, path, kind.headers, known=known, seconds=seconds)
            other = _hit(theirs, f"/{kind.file}", kind.headers, known=known, seconds=seconds)
            table.add(
                kind.name,
                round(mine.per_s),
                round(other.per_s),
                f"{mine.per_s / other.per_s:.0%}",
                round(mine.per_cpu_s),
                round(other.per_cpu_s),
                f"{mine.per_cpu_s / other.per_cpu_s:.0%}",
            )
    return table


def _hit(site: Site, path: str, headers: Mapping[str, str], *, known: bool, seconds: int) -> Speed:
    address = f"http://127.0.0.1:{site.port}{path}"
    said = dict(headers)
    if known:
        said["If-None-Match"] = _etag(site, path, said)
    options = [part for k, v in said.items() for part in ("-H", f"{k}: {v}")]
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", *options]
    subprocess.run([*command, "-d1s", address], check=True, capture_output=True)
    before = _cpu_s(site.pid)
    done = subprocess.run(
        [*command, f"-d{seconds}s", address],
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=_on_the_other_core,
    )
    used = _cpu_s(site.pid) - before
    count = re.search(r"(\d+) requests in", done.stdout)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if count is None or rate is None or "Non-2xx" in done.stdout:
        raise SystemExit(f"wrk said:\n{done.stdout}")
    return Speed(float(rate[1]), int(count[1]) / used)


def _etag(site: Site, path: str, headers: Mapping[str, str]) -> str:
    line = http.client.HTTPConnection("127.0.0.1", site.port)
    line.request("HEAD", path, headers=dict(headers))
    etag = line.getresponse().headers["ETag"]
    line.close()
    if not etag:
        raise SystemExit(f"{path} has no ETag")
    return etag


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _on_the_core() -> None:
    os.sched_setaffinity(0, {0})


def _on_the_other_core() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


@contextmanager
def _feedloom(settings: Settings) -> Iterator[Site]:
    port = _free_port()
    environment = os.environ | {
        "FEEDLOOM_DATA_DIR": settings.data_dir,
        "FEEDLOOM_DATABASE_URL": settings.database_url,
        "FEEDLOOM_PORT": str(port),
        "FEEDLOOM_LOG_LEVEL": "warning",
    }
    program = Path(sys.executable).with_name("feedloom")
    with _process([str(program), "serve", "--no-worker"], environment) as process:
        _wait_for(port)
        yield Site(port, process.pid)


@contextmanager
def _nginx(folder: Path, built: Built) -> Iterator[Site]:
    port = _free_port()
    files = folder / "files"
    files.mkdir()
    (files / "doc.xml").write_bytes(built.xml_content)
    (files / "doc.xml.gz").write_bytes(built.xml_gzip)
    folder.chmod(0o755)
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, port=port))
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise SystemExit("nginx is missing: make setup-test installs it")
    with _process([program, "-c", str(config)], dict(os.environ)) as process:
        _wait_for(port)
        [worker] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield Site(port, int(worker))


@contextmanager
def _process(
    command: list[str], environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=_on_the_core,  # noqa: PLW1509 - no threads here
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=15)


def _free_port() -> int:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    import socket

    for _ in range(200):
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")
