"""No request of any kind is answered with an error of the server."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest

from feedloom.serve.routes import Access
from tests.abuse.mutation import Mutator, Request
from tests.abuse.senders import credentials
from tests.journeys.web.matrix import furnish
from tests.journeys.web.people import arrive
from tests.publisher import Publisher
from tests.serving import Server, publisher, server

__all__ = ["publisher", "server"]

AT_ONCE = 4
BATCH = 2_500
LONG = 100_000
ENDS = re.compile(r"auth|account|password|security|users|people")
NOT_READY = "/readyz"
"""It says 503, as long as no worker has run."""


@dataclass(frozen=True, slots=True)
class Group:
    """Somebody with one of everything, and how they show who they are."""

    email: str
    ids: dict[str, str]
    cookies: Mapping[str, str]
    token: str
    secret: str

    def known(self, request: Request) -> dict[str, str]:
        """The headers that say who asks, as the route wants them."""
        if request.route.access in {Access.PROGRAM, Access.OWN}:
            return credentials(request.route, self.secret, self.email)
        pairs = (f"{name}={value}" for name, value in self.cookies.items())
        return {"X-CSRF-Token": self.token, "Cookie": "; ".join(pairs)}

    def signed(self, request: Request) -> Request:
        """The request itself; Fever wants its key among the parameters."""
        if "fever" not in request.route.path:
            return request
        key = hashlib.md5(f"{self.email}:{self.secret}".encode()).hexdigest()
        sign = "&" if "?" in request.path else "?"
        return replace(request, path=f"{request.path}{sign}api_key={key}")


async def send(url: str, request: Request, known: dict[str, str]) -> int:
    """Send a request; 0 when the server hung up without an answer."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    status = 0
    with suppress(ConnectionError):
        writer.write(request.raw(known))
        line = await reader.readline()
        status = int(line.split()[1]) if line else 0
        await reader.read()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return status


async def arrived(server: Server, url: str) -> Group:
    ada = await arrive(server)
    owned = await furnish(server, ada.visitor, ada.email, url)
    secret = await server.app_password(ada.email)
    return Group(ada.email, owned.ids, dict(ada.visitor.cookies), ada.visitor.token, secret)


# Starlette leaves the file of half a part to be closed when it is collected.
@pytest.mark.filterwarnings("ignore:.*SpooledTemporaryFile.__del__")
@pytest.mark.faults
@pytest.mark.both_engines
@pytest.mark.threat("W3", "W10", "A22")
async def test_no_mutated_request_is_an_error_of_the_server(
    server: Server, publisher: Publisher, scaled, counts
):
    url = publisher.feed("/blog.xml")
    # Some requests end sessions and accounts: each batch has people of its own.
    groups = [await arrived(server, url) for _ in range(scaled(1, LONG // BATCH))]
    answers: Counter[int] = Counter()
    failed: list[tuple[int, str]] = []
    for seed, group in enumerate(groups):
        mutator = Mutator(seed, group.ids)
        waiting = [mutator.request() for _ in range(scaled(300, BATCH))]
        # What ends a session or an account comes last, or little would get through.
        waiting.sort(key=lambda request: ENDS.search(request.route.path) is None)

        async def run(group: Group, waiting: list[Request]) -> None:
            while waiting:
                request = waiting.pop()
                known: dict[str, str] = {}
                if len(waiting) % 10:
                    request, known = group.signed(request), group.known(request)
                status = await send(server.url, request, known)
                answers[status] += 1
                if status >= 500 and not request.path.startswith(NOT_READY):
                    failed.append((status, str(request)))

        await asyncio.gather(*(run(group, waiting) for _ in range(AT_ONCE)))

    counts(
        f"mutated requests, {server.settings.database_url.partition(':')[0]}",
        requests=answers.total(),
        answers=dict(sorted(answers.items())),
    )
    assert failed == []
