"""First syncs: each protocol's full walks, as its clients do them, over any transport.

A walk answers with the numbers of the items it received, in the order it received them.
It holds no more of an answer than its ids, so that a benchmark measures the server.
"""

import base64
import hashlib
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote, urlencode

NEXTCLOUD = "/index.php/apps/news/api"
GREADER = "/api/greader.php/reader/api/0"
ALL = "user/-/state/com.google/reading-list"
FIRST = 10**15


class Transport(Protocol):
    """Sends one request and returns the body of its 200."""

    async def __call__(
        self, method: str, target: str, *, headers: Mapping[str, str], body: bytes = b""
    ) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Client:
    """A transport with somebody's credentials."""

    send: Transport
    email: str
    secret: str

    async def ask(self, method: str, target: str, header: str, *, body: bytes = b"") -> Any:
        name, _, value = header.partition(": ")
        said = {name: value, "Content-Type": "application/x-www-form-urlencoded"}
        return json.loads(await self.send(method, target, headers=said, body=body))

    @property
    def basic(self) -> str:
        pair = base64.b64encode(f"{self.email}:{self.secret}".encode()).decode()
        return f"Authorization: Basic {pair}"

    @property
    def fever_key(self) -> str:
        return hashlib.md5(f"{self.email}:{self.secret}".encode()).hexdigest()

    async def google(self) -> str:
        said = urlencode({"Email": self.email, "Passwd": self.secret, "output": "json"})
        path = "/api/greader.php/accounts/ClientLogin"
        reply = await self.ask("POST", path, "Accept: */*", body=said.encode())
        return f"Authorization: GoogleLogin auth={reply['Auth']}"


Walk = Callable[[Client], Awaitable[list[int]]]


async def nextcloud_at_once(client: Client) -> list[int]:
    """Everything in one answer, as desktop clients begin."""
    target = f"{NEXTCLOUD}/v1-3/items?type=3&getRead=true&batchSize=-1"
    reply = await client.ask("GET", target, client.basic)
    return [item["id"] for item in reply["items"]]


async def nextcloud_oldest_first(client: Client) -> list[int]:
    """Pages of 200 upwards, as News for Android does."""
    seen: list[int] = []
    while True:
        offset = seen[-1] if seen else 0
        target = (
            f"{NEXTCLOUD}/v1-2/items?type=3&getRead=true&oldestFirst=true"
            f"&batchSize=200&offset={offset}"
        )
        reply = await client.ask("GET", target, client.basic)
        page = [item["id"] for item in reply["items"]]
        seen += page
        if len(page) < 200:
            return seen


async def nextcloud_newest_first(client: Client) -> list[int]:
    """Pages of 125 downwards, as Fluent Reader does."""
    seen: list[int] = []
    offset = 2**53 - 1
    while True:
        target = f"{NEXTCLOUD}/v1-3/items?type=3&getRead=true&batchSize=125&offset={offset}"
        reply = await client.ask("GET", target, client.basic)
        page = [item["id"] for item in reply["items"]]
        seen += page
        if len(page) < 125:
            return seen
        offset = page[-1]


async def google_ids(client: Client) -> list[int]:
    """Only ids, by the thousand."""
    return [int(id_) - FIRST for id_ in await _ids(client, await client.google(), 1000)]


async def google_many_ids(client: Client) -> list[int]:
    """Only ids, as many at once as there may be, as RSS Guard does."""
    header = await client.google()
    return [int(id_) - FIRST for id_ in await _ids(client, header, 200_000)]


async def _ids(client: Client, header: str, size: int) -> list[str]:
    ids: list[str] = []
    more = ""
    while True:
        target = f"{GREADER}/stream/items/ids?n={size}&s={quote(ALL, safe='')}{more}"
        reply = await client.ask("GET", target, header)
        ids += [ref["id"] for ref in reply["itemRefs"]]
        if "continuation" not in reply:
            return ids
        more = f"&c={reply['continuation']}"


async def google_ids_then_contents(client: Client) -> list[int]:
    """Ids by the thousand, contents by 150, as NetNewsWire does."""
    header = await client.google()
    ids = await _ids(client, header, 1000)
    seen: list[int] = []
    for start in range(0, len(ids), 150):
        body = urlencode([("i", id_) for id_ in ids[start : start + 150]]).encode()
        reply = await client.ask("POST", f"{GREADER}/stream/items/contents", header, body=body)
        seen += [_google_number(item) for item in reply["items"]]
    return seen


async def google_contents(client: Client) -> list[int]:
    """Contents by the thousand, by continuation, as plain syncs do."""
    header = await client.google()
    seen: list[int] = []
    more = ""
    while True:
        target = f"{GREADER}/stream/contents/{quote(ALL, safe='')}?n=1000{more}"
        reply = await client.ask("GET", target, header)
        seen += [_google_number(item) for item in reply["items"]]
        if "continuation" not in reply:
            return seen
        more = f"&c={reply['continuation']}"


def _google_number(item: Mapping[str, Any]) -> int:
    return int(item["id"].rpartition("/")[2], 16) - FIRST


async def fever_upwards(client: Client) -> list[int]:
    """Pages of 50 by since_id."""
    return await _fever(client, "since_id", 0)


async def fever_downwards(client: Client) -> list[int]:
    """Pages of 50 by max_id."""
    return await _fever(client, "max_id", 2**53 - 1)


async def _fever(client: Client, argument: str, start: int) -> list[int]:
    body = urlencode({"api_key": client.fever_key}).encode()
    seen: list[int] = []
    place = start
    while True:
        target = f"/fever/?api&items&{argument}={place}"
        reply = await client.ask("POST", target, "Accept: */*", body=body)
        page = [item["id"] for item in reply["items"]]
        if not page:
            return seen
        seen += page
        place = page[-1]


async def miniflux_pages(client: Client) -> list[int]:
    """Pages of 500 after the last id."""
    seen: list[int] = []
    while True:
        last = seen[-1] if seen else 0
        target = f"/v1/entries?order=id&direction=asc&limit=500&after_entry_id={last}"
        reply = await client.ask("GET", target, f"X-Auth-Token: {client.secret}")
        page = [entry["id"] for entry in reply["entries"]]
        seen += page
        if len(page) < 500:
            return seen


async def feedbin_pages(client: Client) -> list[int]:
    """Pages of 100 by their numbers; what comes again as others arrive counts once."""
    seen: dict[int, None] = {}
    for number in itertools.count(1):
        target = f"/v2/entries.json?page={number}&per_page=100"
        page = await client.ask("GET", target, client.basic)
        seen |= dict.fromkeys(entry["id"] for entry in page)
        if len(page) < 100:
            break
    return list(seen)


WALKS: dict[str, Walk] = {
    "Nextcloud, one answer": nextcloud_at_once,
    "Nextcloud, 200 up": nextcloud_oldest_first,
    "Nextcloud, 125 down": nextcloud_newest_first,
    "Google Reader, ids by 1,000": google_ids,
    "Google Reader, ids at once": google_many_ids,
    "Google Reader, ids then contents": google_ids_then_contents,
    "Google Reader, contents": google_contents,
    "Fever, since_id": fever_upwards,
    "Fever, max_id": fever_downwards,
    "Miniflux, 500 up": miniflux_pages,
    "Feedbin, pages of 100": feedbin_pages,
}
