"""The application in process, people with app passwords, and short ways to fill it.

    ada = await desk.person()
    feed = await desk.subscribe(ada, "one", "two", "three")
    reply = await ada.nextcloud("GET", "/items", type=3)

Requests go through the whole application but over no wire: a thousand of them take
seconds. What depends on the wire is tested with real programs.
"""

import asyncio
import base64
import hashlib
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.applications import Starlette
from starlette.types import Message, Scope

from feedloom.app import Container
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import AppPassword, Icon, Role, Subscription, User
from feedloom.model.stages import NewArticle
from feedloom.store import FullTextStore, IconStore, SubscriptionStore
from tests.stores import Stores, article, refreshed

NEXTCLOUD = "/index.php/apps/news/api"
GREADER = "/api/greader.php"
_NUMBER = itertools.count(1)

Pairs = Sequence[tuple[str, object]] | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    chunks: int

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: Starlette,
    method: str,
    target: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    address: str = "127.0.0.1",
    after_first_part: Callable[[], Awaitable[None]] | None = None,
) -> Reply:
    """Send one request through an application; ``target`` is as it is on the wire."""
    path, _, query = target.partition("?")
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (name.lower().encode(), value.encode("latin-1", "replace"))
            for name, value in {"Host": "feeds.example", **(headers or {})}.items()
        ],
        "client": (address, 4000),
        "server": ("feeds.example", 80),
    }
    sent = False
    said: list[Message] = []

    async def receive() -> Message:
        nonlocal sent
        if sent:
            # A caller that waits for its answer; the application gives up waiting.
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)
        if after_first_part is not None and len(said) == 2:
            await after_first_part()

    await app(scope, receive, send)
    found = {k.decode().lower(): v.decode("latin-1") for k, v in said[0]["headers"]}
    parts = [message.get("body", b"") for message in said[1:]]
    return Reply(said[0]["status"], found, b"".join(parts), len(parts))


def form(pairs: Pairs) -> bytes:
    """Write a form as clients do."""
    return urlencode(pairs, doseq=True).encode()


def multipart(pairs: Pairs) -> tuple[dict[str, str], bytes]:
    """Write a multipart form; answer with its header and its body."""
    given = pairs.items() if isinstance(pairs, Mapping) else pairs
    parts = [
        f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in given
    ]
    body = "".join(parts) + "--edge--\r\n"
    return {"Content-Type": "multipart/form-data; boundary=edge"}, body.encode()


URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}


def _address(number: int) -> str:
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


@dataclass(slots=True)
class Person:
    """Somebody with one app password, and a client for each protocol."""

    app: Starlette
    user: User
    secret: str
    password: AppPassword
    greader_token: str = ""
    address: str = field(default_factory=lambda: _address(next(_NUMBER)))
    """Nobody else's, so that nobody else's guesses count."""

    @property
    def email(self) -> str:
        return self.user.email

    @property
    def basic(self) -> dict[str, str]:
        pair = base64.b64encode(f"{self.email}:{self.secret}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}

    @property
    def fever_key(self) -> str:
        return hashlib.md5(f"{self.email}:{self.secret}".encode()).hexdigest()

    async def ask(self, method: str, target: str, **more: Any) -> Reply:
        """Send a request from this person's address, without credentials."""
        return await ask(self.app, method, target, address=self.address, **more)

    async def nextcloud(
        self, method: str, path: str, body: object = None, *, level: str = "v1-3", **query: Any
    ) -> Reply:
        """Call Nextcloud News with query parameters and a JSON body."""
        text = {k: str(v).lower() if isinstance(v, bool) else v for k, v in query.items()}
        target = f"{NEXTCLOUD}/{level}{path}" + (f"?{urlencode(text)}" if text else "")
        encoded = b"" if body is None else json.dumps(body).encode()
        headers = self.basic | {"Content-Type": "application/json"}
        return await self.ask(method, target, headers=headers, body=encoded)

    async def items(self, **query: Any) -> list[dict[str, Any]]:
        """List Nextcloud items."""
        reply = await self.nextcloud("GET", "/items", **query)
        assert reply.status == 200, reply.text
        found: list[dict[str, Any]] = reply.json()["items"]
        return found

    async def sign_in(self) -> str:
        """Sign in to Google Reader; keep and return the token."""
        login = form({"Email": self.email, "Passwd": self.secret})
        reply = await self.ask(
            "POST", f"{GREADER}/accounts/ClientLogin", headers=URLENCODED, body=login
        )
        assert reply.status == 200, reply.text
        lines = dict(line.split("=") for line in reply.text.splitlines())
        self.greader_token = lines["Auth"]
        return self.greader_token

    async def greader(
        self, method: str, path: str, body: Pairs | None = None, **query: Any
    ) -> Reply:
        """Call Google Reader with query parameters and a form."""
        if not self.greader_token:
            await self.sign_in()
        target = f"{GREADER}/reader/api/0/{path}"
        if query:
            target += ("&" if "?" in path else "?") + urlencode(query, doseq=True)
        headers = URLENCODED | {"Authorization": f"GoogleLogin auth={self.greader_token}"}
        encoded = b"" if body is None else form(body)
        return await self.ask(method, target, headers=headers, body=encoded)

    async def stream_ids(self, stream: str, **query: Any) -> list[int]:
        """List the item numbers of a Google Reader stream, following continuations."""
        found: list[int] = []
        more: dict[str, Any] = {}
        while True:
            reply = await self.greader("GET", "stream/items/ids", s=stream, **query, **more)
            assert reply.status == 200, reply.text
            page = reply.json()
            found += [int(ref["id"]) - 10**15 for ref in page["itemRefs"]]
            if "continuation" not in page:
                return found
            more = {"c": page["continuation"]}

    async def fever(self, query: str, body: Pairs = (), *, key: str = "") -> Reply:
        """Call Fever with a query as it is on the wire and a form."""
        pairs = list(body.items() if isinstance(body, Mapping) else body)
        return await self.ask(
            "POST",
            f"/fever/?api&{query}",
            headers=URLENCODED,
            body=form([*pairs, ("api_key", key or self.fever_key)]),
        )

    async def miniflux(self, method: str, path: str, body: object = None, **query: Any) -> Reply:
        """Call Miniflux's API with query parameters and a JSON body."""
        target = f"/v1{path}" + (f"?{urlencode(query, doseq=True)}" if query else "")
        encoded = b"" if body is None else json.dumps(body).encode()
        headers = {"X-Auth-Token": self.secret}
        return await self.ask(method, target, headers=headers, body=encoded)

    async def feedbin(self, method: str, path: str, body: object = None, **query: Any) -> Reply:
        """Call Feedbin's API with query parameters and a JSON body."""
        target = f"/v2{path}.json" + (f"?{urlencode(query)}" if query else "")
        encoded = b"" if body is None else json.dumps(body).encode()
        headers = self.basic | {"Content-Type": "application/json; charset=utf-8"}
        return await self.ask(method, target, headers=headers, body=encoded)


class Desk:
    """A server, and what fills it."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self.app = container.application()
        self.stores = Stores(container.web, container.work)
        self.subscriptions = SubscriptionStore(container.web)

    async def person(self, *, scope: str = "full") -> Person:
        """Add somebody nobody else uses: a reader, even if nobody came before."""
        number = next(_NUMBER)
        email = f"person{number}@example.org"
        user = await self.container.accounts.store.create(email, None, role=Role.READER)
        made, secret = await self.container.accounts.add_app_password(user, "client", scope=scope)
        return Person(self.app, user, secret, made)

    async def another_password(self, person: Person, *, scope: str = "full") -> Person:
        """Give somebody a second client with a password of its own."""
        made, secret = await self.container.accounts.add_app_password(
            person.user, "another", scope=scope
        )
        return Person(self.app, person.user, secret, made)

    @staticmethod
    def new_url() -> str:
        """Return a feed's address nobody else uses."""
        return f"https://site{next(_NUMBER)}.example/feed.xml"

    async def subscribe(
        self,
        person: Person,
        *titles: str,
        url: str = "",
        title: str | None = None,
        folder: str = "",
    ) -> Subscription:
        """Subscribe somebody to a feed and let it publish these articles."""
        url = url or self.new_url()
        folder_id = None
        if folder:
            folder_id = await self.stores.folders.ensure(person.user.id, (folder,))
        made = await self.subscriptions.subscribe(
            person.user.id, url, title=title, folder_id=folder_id
        )
        if titles:
            await self.deliver(url, *titles)
        return made

    async def deliver(self, url: str, *titles: str) -> None:
        """Let a feed publish articles with these titles, the last one the newest."""
        await self.stores.deliver(url, *titles)

    async def publish(self, url: str, *articles: NewArticle) -> None:
        """Let a feed publish these articles."""
        feed = await self.stores.claim(url)
        await self.stores.refreshes.store(refreshed(feed, articles))

    async def published(self, *titles: str) -> str:
        """Return the address of a feed that somebody else reads already.

        Adding it needs no discovery: it is known to work.
        """
        url = self.new_url()
        await self.subscribe(await self.person(), *(titles or ("first",)), url=url)
        return url

    async def forget_errands(self) -> None:
        """Drop tasks that would ask sites that do not exist for their icons."""
        await self.stores.execute("DELETE FROM tasks WHERE kind = 'favicon'")

    async def do_tasks(self) -> None:
        """Do all tasks that wait."""
        await self.forget_errands()
        await self.container.worker().task_loop().drain()

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Let a worker do what is asked meanwhile, and nothing of before."""
        await self.stores.execute("DELETE FROM tasks")
        tasks = self.container.worker().task_loop()

        async def work() -> None:
            while True:
                await tasks.drain()
                # Feeds that somebody asked for: tried, and nothing new in them.
                await self.stores.execute(
                    "UPDATE feeds SET last_attempt_at = now_us() WHERE id IN"
                    " (SELECT feed_id FROM feed_schedules WHERE urgency = 0)"
                )
                await asyncio.sleep(0.01)

        working = asyncio.create_task(work())
        yield
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    async def change(self, url: str, title: str, new_title: str) -> None:
        """Let a feed correct an article."""
        feed = await self.stores.claim(url)
        corrected = article(title)._replace(title=new_title, content_hash=f"hash:{new_title}")
        await self.stores.refreshes.store(refreshed(feed, (corrected,)))

    async def keep_full_text(self, person: Person, item: int, content: str) -> None:
        """Give an article its full text, as a worker does that has read its page."""
        found = await self.stores.reading.article(person.user.id, item)
        await FullTextStore(self.container.work).save(found.article_id, CleanHTML(content))

    async def give_icon(self, url: str, mime: str, data: bytes) -> None:
        """Give a feed an icon."""
        rows = await self.stores.rows("SELECT id FROM feeds WHERE url = :url", url=url)
        await IconStore(self.container.work).save(rows[0]["id"], Icon(url, mime, data))

    async def make_operator(self, person: Person) -> None:
        """Let somebody run the installation."""
        await self.container.accounts.store.set_role(person.user.id, Role.OPERATOR)

    async def revoke(self, person: Person) -> None:
        """Take the app password away."""
        await self.container.accounts.store.revoke_app_password(person.user.id, person.password.id)


def escaped(stream: str) -> str:
    """Write a stream for a path the strict way, slashes and all."""
    return quote(stream, safe="")
