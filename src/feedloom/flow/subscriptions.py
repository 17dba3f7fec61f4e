"""Subscribing: pasted text or a pack of feeds becomes subscriptions, or a clear answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from feedloom.discover import Pack, read_packs
from feedloom.flow.discovery.search import Discoverer, as_result, require_found
from feedloom.model.errors import BadAddress, Conflict, FeedloomError, NotFound
from feedloom.model.reader import Retention, Subscription, User
from feedloom.model.search_query import fold
from feedloom.model.stages import DirectoryEntry, Discovered, Origin, ScoredCandidate
from feedloom.model.urls import normalise
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import AccountStore, FolderStore, SubscriptionStore

_NEAR = 10
"""How far behind the best a feed may be and still be as good for somebody."""
_MOST = 10


@dataclass(frozen=True, slots=True)
class Choice:
    url: str
    title: str
    format: str
    score: int
    newest: str = ""
    """Title of its newest entry."""


@dataclass(frozen=True, slots=True)
class Added:
    subscription: Subscription | None
    task_id: int | None = None
    candidates: tuple[ScoredCandidate, ...] = ()
    choices: tuple[Choice, ...] = ()
    """Several feeds that are about as good; nothing was subscribed to yet."""


@dataclass(frozen=True, slots=True)
class Subscribing:
    subscriptions: SubscriptionStore
    accounts: AccountStore
    discoverer: Discoverer

    async def add(  # noqa: PLR0913 - what a person may say of a subscription
        self,
        user: User,
        text: str,
        *,
        title: str | None = None,
        folder_id: int | None = None,
        retention: Retention = Retention.ARCHIVE,
        exact: bool = False,
        wait: bool = False,
        choose: bool = False,
    ) -> Added:
        """Subscribe a person to what an address offers.

        ``exact`` takes the address as it is, without looking; ``wait`` does not answer
        before the search is over; with ``choose`` the person decides between several
        good feeds. Raises ``BadAddress``, ``Conflict``, ``NoFeed`` or ``Throttled``.
        """
        wish = {
            "title": title,
            "folder_id": folder_id,
            "retention": retention.value,
            "choose": choose,
        }
        if exact or await self._is_known(user, text):
            return Added(await self._subscribe(user, normalise(text), wish))
        if wait:
            found: Discovered | int = await self.discoverer.discover(text, user_id=user.id)
        else:
            found = await self.discoverer.ask(text, user_id=user.id, payload={"wish": wish})
        if isinstance(found, int):
            return Added(None, found)
        url = require_found(found)
        if choose and (choices := choices_of(as_result(found))):
            return Added(None, candidates=found.candidates, choices=choices)
        subscription = await self._subscribe(user, url, wish)
        return Added(subscription, candidates=found.candidates)

    async def run(self, task: Task) -> Mapping[str, object]:
        result = dict(await self.discoverer.run(task))
        wish = task.payload.get("wish")
        discovered = result.get("discovered")
        if not isinstance(wish, Mapping) or not isinstance(discovered, Mapping):
            return result
        user = await self.accounts.by_id(task.user_id or 0)
        if user is None or not discovered.get("canonical"):
            return result
        if wish.get("choose") and choices_of(discovered):
            return result
        try:
            made = await self._subscribe(user, str(discovered["canonical"]), wish)
        except FeedloomError as error:
            return result | {"error": str(error), "error_key": error.key}
        return result | {"subscription_id": made.id}

    async def _is_known(self, user: User, text: str) -> bool:
        """Tell whether it is the address of a feed we fetch already: nothing to find out."""
        try:
            url = normalise(text)
        except BadAddress:
            return False
        return await self.subscriptions.working_feed(url, tenant_id=user.tenant_id) is not None

    async def _subscribe(self, user: User, url: str, wish: Mapping[str, object]) -> Subscription:
        title, folder_id = wish.get("title"), wish.get("folder_id")
        return await self.subscriptions.subscribe(
            user.id,
            url,
            title=title if isinstance(title, str) else None,
            folder_id=folder_id if isinstance(folder_id, int) else None,
            retention=Retention(str(wish.get("retention", "archive"))),
            tenant_id=user.tenant_id,
            alone=True,
        )


def choices_of(discovered: Mapping[str, object]) -> tuple[Choice, ...]:
    """Return several good feeds to choose from, best first; none when one is plainly it.

    The discovery is in its plain form, as a task keeps it. The same feed in another format,
    by its title or its newest entry, is no choice.
    """
    candidates = cast("list[Mapping[str, object]]", discovered.get("candidates") or [])
    valid = [one for one in candidates if one.get("valid")]
    if not valid or valid[0].get("from") == Origin.PASTED:
        return ()
    near = cast("int", valid[0].get("score", 0)) - _NEAR
    chosen: list[Choice] = []
    seen: set[object] = set()
    for one in valid[:_MOST]:
        url, score = str(one.get("url")), cast("int", one.get("score", 0))
        title = str(one.get("title") or url)
        newest = cast("Mapping[str, str | None]", one.get("newest") or {})
        marks: set[object] = {("title", fold(title))}
        if newest.get("url"):
            marks.add(("newest", newest["url"]))
        if score >= near and not marks & seen:
            form = str(one.get("format") or "")
            chosen.append(Choice(url, title, form, score, newest.get("title") or ""))
        seen |= marks
    return tuple(chosen) if len(chosen) > 1 else ()


@dataclass(frozen=True, slots=True)
class Packs:
    subscriptions: SubscriptionStore
    folders: FolderStore

    @property
    def all(self) -> tuple[Pack, ...]:
        return read_packs()

    async def subscribe(self, user: User, key: str) -> int:
        """Subscribe to a pack, in a folder; answer how many feeds were new to the person."""
        pack = next((one for one in self.all if one.key == key), None)
        if pack is None:
            raise NotFound("Pack not found.")
        folder_id = await self.folders.ensure(user.id, (pack.title,))
        return await self._add(user, pack.feeds, folder_id)

    async def subscribe_to_mix(self, user: User) -> int:
        return await self._add(user, [pack.feeds[0] for pack in self.all], None)

    async def _add(self, user: User, feeds: Iterable[DirectoryEntry], folder_id: int | None) -> int:
        added = 0
        for feed in feeds:
            try:
                await self.subscriptions.subscribe(
                    user.id, feed.feed_url, folder_id=folder_id, tenant_id=user.tenant_id
                )
            except Conflict:
                continue
            added += 1
        return added
