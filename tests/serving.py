"""The real application on a loopback port, and visitors who go there.

    async def test_x(server):                       # both engines, a fresh database
        ada = await server.register("ada@example.org")
        reply = await ada.post("/feeds", json={"url": publisher.feed("/blog.xml")})
        await server.refresh_all()
        reply = await ada.get("/feeds")

``server`` is new for each test, ``shared_server`` is one per module and engine. The
server runs on a thread with a loop of its own; what belongs to its house is called
there: ``await server.call(lambda house: house.accounts.store.people())``. Blocking
clients go through ``asyncio.to_thread``.

A visitor keeps cookies, sends the token of its forms with unsafe requests (unless
``csrf=False``) and never follows redirects.
"""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
import uvicorn
from argon2 import PasswordHasher
from multidict import CIMultiDictProxy

from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.serve import server_options
from tests.containers import settings_for
from tests.databases import ENGINES, Databases
from tests.publisher import Publisher, PublisherThread
from tests.templates import fresh_databases

T = TypeVar("T")
PASSWORD = "correct horse battery"
_TOKEN = re.compile(r'name="csrf_token"\s+value="([^"]+)"')
QUICK_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Real argon2id, but cheap: what costs time in production costs only time here."""
HTMX = {"HX-Request": "true"}
HTML = {"Accept": "text/html"}


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    cookies: Mapping[str, str]
    """Names and whole lines of the cookies it sets."""

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def alert(self) -> str:
        """What the page complains of."""
        found = re.search(r'role="alert">([^<]*)<', self.text)
        return f"{self.status}: {found[1] if found else self.text[:200]}"

    @property
    def form_token(self) -> str:
        """The token of the first form on the page."""
        found = _TOKEN.search(self.text)
        assert found, f"no form here: {self.text[:500]}"
        return found[1]


@dataclass(slots=True)
class Visitor:
    """A browser or a program at the server."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    """Sent as X-CSRF-Token with unsafe requests."""

    async def get(self, path: str, **more: Any) -> Reply:
        return await self.ask("GET", path, **more)

    async def post(self, path: str, **more: Any) -> Reply:
        return await self.ask("POST", path, **more)

    async def patch(self, path: str, **more: Any) -> Reply:
        return await self.ask("PATCH", path, **more)

    async def put(self, path: str, **more: Any) -> Reply:
        return await self.ask("PUT", path, **more)

    async def delete(self, path: str, **more: Any) -> Reply:
        return await self.ask("DELETE", path, **more)

    async def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        csrf: bool = True,
        **more: Any,
    ) -> Reply:
        """Send one request and remember the cookies it brings."""
        said = dict(self.headers)
        if csrf and self.token and method not in {"GET", "HEAD"}:
            said["X-CSRF-Token"] = self.token
        said |= headers or {}
        if self.cookies:
            pairs = (f"{name}={value}" for name, value in self.cookies.items())
            said.setdefault("Cookie", "; ".join(pairs))
        async with (
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(
                method, self.url + path, headers=said, allow_redirects=False, **more
            ) as response,
        ):
            reply = Reply(
                response.status,
                response.headers,
                await response.read(),
                {name: morsel.OutputString() for name, morsel in response.cookies.items()},
            )
            for name, morsel in response.cookies.items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value
            return reply

    async def open_form(self, path: str) -> str:
        """Look at a page with a form; keep and return its token."""
        self.token = (await self.get(path, headers=HTML)).form_token
        return self.token


async def _forget_registrations(container: Container) -> None:
    """Let one address register more people than it may; the limit has its own tests."""
    for bucket in ("registered address:127.0.0.1", "registered in all"):
        await container.accounts.store.forget_failures(bucket)


class Server:
    """A container with its server, on a thread of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.url = ""
        self.container: Container
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Open the house and wait until it answers."""
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Close everything."""
        self._uvicorn.should_exit = True
        self._thread.join()

    async def call(self, work: Callable[[Container], Awaitable[T]]) -> T:
        """Run something of the house's on the loop it lives on."""

        async def run() -> T:
            return await work(self.container)

        future = asyncio.run_coroutine_threadsafe(run(), self.loop)
        return await asyncio.wrap_future(future)

    def visitor(self, **headers: str) -> Visitor:
        """Somebody who is not signed in."""
        return Visitor(self.url, headers=headers)

    async def register(self, email: str, password: str = PASSWORD) -> Visitor:
        """Make an account through the form; its browser is signed in."""
        await self.call(_forget_registrations)
        visitor = await registered(self.url, email, password)
        await self._take_token(visitor)
        return visitor

    async def sign_in(self, email: str, password: str = PASSWORD) -> Visitor:
        """Sign in through the form."""
        visitor = self.visitor()
        token = await visitor.open_form("/auth/login")
        form = {"email": email, "password": password, "csrf_token": token}
        reply = await visitor.post("/auth/login", data=form, headers=HTML)
        assert reply.status == 303, reply.alert
        await self._take_token(visitor)
        return visitor

    async def app_password(self, email: str, label: str = "test", *, scope: str = "full") -> str:
        """Create an app password for somebody who has an account."""

        async def make(container: Container) -> str:
            found = await container.accounts.store.by_email(email)
            assert found is not None
            return (await container.accounts.add_app_password(found[0], label, scope=scope))[1]

        return await self.call(make)

    async def program(self, email: str, *, scope: str = "full") -> Visitor:
        """Get a visitor that sends an app password as bearer token."""
        secret = await self.app_password(email, scope=scope)
        return self.visitor(Authorization=f"Bearer {secret}")

    async def refresh_all(self, *, due_only: bool = False) -> None:
        """Fetch all feeds (or what is due) and run all tasks, and wait for it."""

        async def run(container: Container) -> None:
            if not due_only:
                await container.operations().make_due(None, everything=True)
            worker = container.worker()
            await worker.feed_loop().drain()
            await worker.task_loop().drain()

        await self.call(run)

    async def _take_token(self, visitor: Visitor) -> None:
        visitor.token = (await visitor.get("/api/me")).json()["csrf_token"]

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self.loop = asyncio.get_running_loop()
        async with open_container(self.settings, hasher=QUICK_HASHER) as container:
            self.container = container
            config = uvicorn.Config(
                container.application(), host="127.0.0.1", port=0, **server_options()
            )
            self._uvicorn = uvicorn.Server(config)
            serving = asyncio.create_task(self._uvicorn.serve())
            while not self._uvicorn.started:
                if serving.done():
                    break
                await asyncio.sleep(0.005)
            listening = self._uvicorn.servers[0].sockets[0]
            self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            self._ready.set()
            await serving


@contextmanager
def open_server(databases: Databases, folder: Path, **changes: object) -> Iterator[Server]:
    """Run a server with settings of one's own."""
    server = Server(settings_for(databases, folder, **changes))
    server.start()
    yield server
    server.stop()


@pytest.fixture(params=ENGINES)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Run the application on a fresh database of each engine."""
    with fresh_databases(request, tmp_path) as databases, open_server(databases, tmp_path) as made:
        yield made


@pytest.fixture(params=ENGINES)
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Hand out a starter of servers with other settings, all on one database."""
    started: list[Server] = []
    with fresh_databases(request, tmp_path) as databases:

        def start(**changes: object) -> Server:
            made = Server(settings_for(databases, tmp_path, **changes))
            made.start()
            started.append(made)
            return made

        yield start
        for made in started:
            made.stop()


@pytest.fixture(scope="module", params=ENGINES)
def shared_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Run the application once per module and engine: tests share its database."""
    folder = tmp_path_factory.mktemp("shared")
    with fresh_databases(request, folder) as databases, open_server(databases, folder) as made:
        yield made


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    """Hand out a publisher on a thread, which the server's thread can reach."""
    with PublisherThread() as made:
        yield made


async def registered(url: str, email: str, password: str = PASSWORD) -> Visitor:
    """Make an account through the form of any server."""
    visitor = Visitor(url)
    form = {
        "email": email,
        "password": password,
        "password_confirmation": password,
        "privacy": "on",
        "csrf_token": await visitor.open_form("/auth/register"),
    }
    reply = await visitor.post("/auth/register", data=form, headers=HTML)
    assert reply.status == 303, reply.alert
    return visitor
