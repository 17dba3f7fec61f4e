"""Clients that keep a copy: each syncs the way the real ones of its protocol do.

A replica knows only what the wire told it. ``sync`` brings it up to date by what
changed since; nobody tells it that there is another client.
"""

import itertools
from abc import ABC, abstractmethod
from datetime import datetime
from typing import Any

from tests.journeys.sync.desk import Person

STATE = "user/-/state/com.google/"
FIRST = 10**15


class Replica(ABC):
    """A copy of somebody's items: id -> (unread, starred)."""

    hears_of_changes = False
    """Whether it is told what changed, corrections included, or lists ids instead."""
    reads_what_it_has = False
    """Whether marking a feed read spares what it has not got."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.items: dict[int, tuple[bool, bool]] = {}
        self.titles: dict[int, str] = {}
        self.feeds: dict[int, int] = {}
        """Items' subscriptions, where the protocol tells."""

    @abstractmethod
    async def sync(self) -> None:
        """Bring the copy up to date."""

    @abstractmethod
    async def mark(self, numbers: list[int], mark: str) -> None:
        """Set read, unread, starred or unstarred."""

    @abstractmethod
    async def read_feed(self, feed_id: int, newest: int) -> None:
        """Mark a feed read up to the newest item the copy has."""

    def drop_feeds(self, living: set[int]) -> None:
        """Forget items of subscriptions that are gone."""
        for number, feed in list(self.feeds.items()):
            if feed not in living:
                self.forget(number)

    def forget(self, number: int) -> None:
        for known in (self.items, self.titles, self.feeds):
            known.pop(number, None)


class NextcloudReplica(Replica):
    """Follows ``/items/updated`` by the newest time it has seen."""

    hears_of_changes = reads_what_it_has = True

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.newest_change = 0

    async def sync(self) -> None:
        reply = await self.person.nextcloud("GET", "/feeds")
        living = {feed["id"] for feed in reply.json()["feeds"]}
        reply = await self.person.nextcloud(
            "GET", "/items/updated", lastModified=self.newest_change, type=3, id=0
        )
        for item in reply.json()["items"]:
            number = item["id"]
            self.items[number] = (item["unread"], item["starred"])
            self.titles[number] = item["title"]
            self.feeds[number] = item["feedId"]
            self.newest_change = max(self.newest_change, item["lastModified"])
        self.drop_feeds(living)

    async def mark(self, numbers: list[int], mark: str) -> None:
        words = {"starred": "star", "unstarred": "unstar"}
        word = words.get(mark, mark)
        if len(numbers) == 1:
            await self.person.nextcloud("POST", f"/items/{numbers[0]}/{word}", {})
        else:
            body = {"itemIds": numbers}
            await self.person.nextcloud("POST", f"/items/{word}/multiple", body)

    async def read_feed(self, feed_id: int, newest: int) -> None:
        path = f"/feeds/{feed_id}/read" if feed_id else "/items/read"
        await self.person.nextcloud("PUT", path, {"newestItemId": newest}, level="v1-2")


class GoogleReplica(Replica):
    """Lists ids by time of arrival, unread and starred ids, then what it lacks."""

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.newest_arrival = 0

    async def sync(self) -> None:
        everything = STATE + "reading-list"
        new = await self.person.stream_ids(everything, n=100, ot=self.newest_arrival)
        unread = set(await self.person.stream_ids(everything, n=100, xt=STATE + "read"))
        starred = set(await self.person.stream_ids(STATE + "starred", n=100))
        missing = sorted((set(new) | unread | starred) - set(self.items))
        for start in range(0, len(missing), 150):
            await self._fetch(missing[start : start + 150])
        reply = await self.person.greader("GET", "subscription/list")
        found = reply.json()["subscriptions"]
        self.drop_feeds({int(s["id"].removeprefix("feed/")) for s in found})
        # A starred article of a dropped feed lives on in another one.
        await self._fetch(sorted(starred - set(self.items)))
        for number in self.items:
            self.items[number] = (number in unread, number in starred)

    async def _fetch(self, numbers: list[int]) -> None:
        if not numbers:
            return
        pairs = [("i", f"tag:google.com,2005:reader/item/{FIRST + n:016x}") for n in numbers]
        reply = await self.person.greader("POST", "stream/items/contents", pairs)
        for item in reply.json()["items"]:
            number = int(item["id"].rpartition("/")[2], 16) - FIRST
            self.items[number] = (True, False)
            self.feeds[number] = int(item["origin"]["streamId"].removeprefix("feed/"))
            arrived = int(item["crawlTimeMsec"]) // 1000
            self.newest_arrival = max(self.newest_arrival, arrived)

    async def mark(self, numbers: list[int], mark: str) -> None:
        words = {
            "read": [("a", STATE + "read")],
            "unread": [("r", STATE + "read"), ("a", STATE + "kept-unread")],
            "starred": [("a", STATE + "starred")],
            "unstarred": [("r", STATE + "starred")],
        }
        pairs: list[tuple[str, object]] = [("i", FIRST + n) for n in numbers]
        reply = await self.person.greader("POST", "edit-tag", [*pairs, *words[mark]])
        assert reply.body == b"OK"

    async def read_feed(self, feed_id: int, newest: int) -> None:
        del newest
        stream = f"feed/{feed_id}" if feed_id else STATE + "reading-list"
        reply = await self.person.greader("POST", "mark-all-as-read", {"s": stream})
        assert reply.body == b"OK"


class FeverReplica(Replica):
    """Walks up by id, then takes the lists of unread and saved ids."""

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.newest = 0

    async def sync(self) -> None:
        while True:
            page = await self._call(f"items&since_id={self.newest}")
            self._keep(page["items"])
            if len(page["items"]) < 50:
                break
            self.newest = page["items"][-1]["id"]
        self.newest = max([self.newest, *self.items])
        answer = await self._call("feeds&unread_item_ids&saved_item_ids")
        self.drop_feeds({feed["id"] for feed in answer["feeds"]})
        unread = {int(n) for n in answer["unread_item_ids"].split(",") if n}
        saved = {int(n) for n in answer["saved_item_ids"].split(",") if n}
        missing = sorted((unread | saved) - set(self.items))
        for start in range(0, len(missing), 50):
            ids = ",".join(map(str, missing[start : start + 50]))
            self._keep((await self._call(f"items&with_ids={ids}"))["items"])
        for number in self.items:
            self.items[number] = (number in unread, number in saved)

    def _keep(self, found: list[dict[str, Any]]) -> None:
        for item in found:
            self.items[item["id"]] = (not item["is_read"], bool(item["is_saved"]))
            self.feeds[item["id"]] = item["feed_id"]

    async def _call(self, query: str, **body: object) -> dict[str, Any]:
        reply = await self.person.fever(query, body)
        answer: dict[str, Any] = reply.json()
        assert answer["auth"] == 1
        return answer

    async def mark(self, numbers: list[int], mark: str) -> None:
        words = {"starred": "saved", "unstarred": "unsaved"}
        for number in numbers:
            said = {"mark": "item", "as": words.get(mark, mark), "id": number}
            await self._call("", **said)

    async def read_feed(self, feed_id: int, newest: int) -> None:
        del newest
        mark = "feed" if feed_id else "group"
        await self._call("", mark=mark, **{"as": "read"}, id=feed_id, before=0)


class MinifluxReplica(Replica):
    """Takes what changed since the newest change it has seen."""

    hears_of_changes = True

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.newest_change = self.newest_seen = 0

    async def sync(self) -> None:
        after = 0
        while True:
            reply = await self.person.miniflux(
                "GET",
                "/entries",
                order="id",
                limit=100,
                after_entry_id=after,
                changed_after=max(0, self.newest_change - 1),
            )
            found = reply.json()["entries"]
            for entry in found:
                self._keep(entry)
            if len(found) < 100:
                break
            after = found[-1]["id"]
        self.newest_change = self.newest_seen
        feeds = (await self.person.miniflux("GET", "/feeds")).json()
        self.drop_feeds({feed["id"] for feed in feeds})

    def _keep(self, entry: dict[str, Any]) -> None:
        number = entry["id"]
        self.items[number] = (entry["status"] == "unread", entry["starred"])
        self.titles[number] = entry["title"]
        self.feeds[number] = entry["feed_id"]
        changed = int(datetime.fromisoformat(entry["changed_at"]).timestamp())
        self.newest_seen = max(self.newest_seen, changed)

    async def mark(self, numbers: list[int], mark: str) -> None:
        if mark in {"read", "unread"}:
            body = {"entry_ids": numbers, "status": mark}
            reply = await self.person.miniflux("PUT", "/entries", body)
            assert reply.status == 204
            return
        for number in numbers:
            # It can only toggle: look first, as its clients do.
            entry = await self.person.miniflux("GET", f"/entries/{number}")
            if entry.status == 200 and entry.json()["starred"] != (mark == "starred"):
                await self.person.miniflux("PUT", f"/entries/{number}/bookmark")

    async def read_feed(self, feed_id: int, newest: int) -> None:
        del newest
        path = f"/feeds/{feed_id}" if feed_id else f"/users/{self.person.user.id}"
        await self.person.miniflux("PUT", f"{path}/mark-all-as-read")


class FeedbinReplica(Replica):
    """Takes what arrived since the newest entry, and the lists of unread and starred ids."""

    reads_what_it_has = True

    def __init__(self, person: Person) -> None:
        super().__init__(person)
        self.newest_arrival = ""

    async def sync(self) -> None:
        since = {"since": self.newest_arrival} if self.newest_arrival else {}
        for entry in await self._pages("/entries", **since):
            self._keep(entry)
        unread = set(await self._list("/unread_entries"))
        starred = set(await self._list("/starred_entries"))
        feeds = await self._list("/subscriptions")
        self.drop_feeds({feed["feed_id"] for feed in feeds})
        missing = sorted((unread | starred) - set(self.items))
        for start in range(0, len(missing), 100):
            ids = ",".join(map(str, missing[start : start + 100]))
            for entry in await self._list("/entries", ids=ids):
                self._keep(entry)
        for number in self.items:
            self.items[number] = (number in unread, number in starred)

    async def _list(self, path: str, **query: object) -> list[Any]:
        reply = await self.person.feedbin("GET", path, **query)
        assert reply.status == 200, reply.text
        found: list[Any] = reply.json()
        return found

    async def _pages(self, path: str, **query: object) -> list[dict[str, Any]]:
        """Read page after page, as long as another one is named."""
        found: list[dict[str, Any]] = []
        for number in itertools.count(1):
            reply = await self.person.feedbin("GET", path, page=number, per_page=30, **query)
            assert reply.status == 200, reply.text
            found += reply.json()
            if 'rel="next"' not in reply.headers.get("link", ""):
                assert len(found) == int(reply.headers["x-feedbin-record-count"])
                break
        return found

    def _keep(self, entry: dict[str, Any]) -> None:
        self.items[entry["id"]] = (True, False)
        self.feeds[entry["id"]] = entry["feed_id"]
        self.newest_arrival = max(self.newest_arrival, entry["created_at"])

    async def mark(self, numbers: list[int], mark: str) -> None:
        kind = "unread" if mark in {"read", "unread"} else "starred"
        method = "POST" if mark == kind else "DELETE"
        name = f"{kind}_entries"
        reply = await self.person.feedbin(method, f"/{name}", {name: numbers})
        assert reply.status == 200

    async def read_feed(self, feed_id: int, newest: int) -> None:
        """Mark by ids: there is no call for a whole feed."""
        path = f"/feeds/{feed_id}/entries" if feed_id else "/entries"
        there = [entry["id"] for entry in await self._pages(path)]
        await self.mark([number for number in there if number <= newest], "read")
