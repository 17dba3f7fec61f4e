"""People of these tests, and how their pages are read."""

import uuid
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feedloom.app import Container
from feedloom.model.reader import Subscription
from tests.serving import HTML, HTMX, Reply, Server, Visitor


@dataclass(slots=True)
class Person:
    """Somebody signed in at a server, with a short way to their feeds."""

    server: Server
    visitor: Visitor
    email: str
    host: str
    """An address for this person's publishers only, so that nobody else's feeds, dead
    by now, hold theirs up."""

    def host_of(self, number: int) -> str:
        """Name another address of their own: feeds of one host wait for each other."""
        return f"{self.host.rpartition('.')[0]}.{number}"

    async def htmx(
        self, method: str, path: str, *, target: str | None = None, **more: Any
    ) -> Reply:
        """Ask as htmx does."""
        headers = {**HTMX, **HTML}
        if target is not None:
            headers["HX-Target"] = target
        return await self.visitor.ask(method, path, headers=headers, **more)

    async def page(self, path: str) -> "Page":
        """Open a whole page."""
        reply = await self.visitor.get(path, headers=HTML)
        assert reply.status == 200, (reply.status, reply.text[:500])
        return Page(reply.text)

    async def send(self, path: str, **fields: str) -> Reply:
        """Send a plain form, as a browser without scripts does."""
        form = {**fields, "csrf_token": self.visitor.token}
        return await self.visitor.post(path, data=form, headers=HTML, csrf=False)

    async def tell(self, path: str, **fields: str) -> Any:
        """Send a form as our scripts do, and read their answer."""
        headers = {"Accept": "application/json"}
        reply = await self.visitor.post(path, data=fields, headers=headers)
        assert reply.status < 300, (reply.status, reply.text)
        return reply.json() if reply.body else None

    async def subscribe(self, url: str, title: str | None = None) -> Subscription:
        """Subscribe without a page, to exactly this address."""

        async def add(container: Container) -> Subscription:
            found = await container.accounts.store.by_email(self.email)
            assert found is not None
            added = await container.subscribing().add(found[0], url, title=title, exact=True)
            assert added.subscription is not None
            return added.subscription

        return await self.server.call(add)

    async def look(self, subscription_id: int) -> Subscription:
        """Read a subscription again."""
        return await self.server.call(lambda container: self._find(container, subscription_id))

    async def _find(self, container: Container, subscription_id: int) -> Subscription:
        found = await container.accounts.store.by_email(self.email)
        assert found is not None
        return await container.services().subscriptions.subscription(found[0].id, subscription_id)


async def arrive(server: Server) -> Person:
    """Make somebody new and sign them in."""
    name = uuid.uuid4()
    email = f"{name.hex[:12]}@example.org"
    host = "127.{}.{}.{}".format(*(byte % 250 + 2 for byte in name.bytes[:3]))
    return Person(server, await server.register(email), email, host)


class Page:
    """A page as tests look at it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = LexborHTMLParser(text)

    def one(self, selector: str) -> LexborNode:
        """Find the one element that matches."""
        found = self.tree.css(selector)
        assert len(found) == 1, f"{len(found)} elements match {selector}"
        return found[0]

    def all(self, selector: str) -> list[LexborNode]:
        """Find all elements that match."""
        return self.tree.css(selector)

    def texts(self, selector: str) -> list[str]:
        """Read what all matching elements say."""
        return [" ".join(node.text().split()) for node in self.tree.css(selector)]

    def value(self, selector: str) -> str | None:
        """Read the value of the one field that matches."""
        return self.one(selector).attributes.get("value")
