"""Subscribe to a whole pack of feeds, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.discover import Pack, read_packs
from feedloom.model.errors import Conflict, NotFound
from feedloom.model.reader import User
from feedloom.model.stages import DirectoryEntry

if TYPE_CHECKING:
    from feedloom.store import FolderStore, SubscriptionStore


@dataclass(frozen=True, slots=True)
class Packs:
    subscriptions: SubscriptionStore
    folders: FolderStore

    @property
    def all(self) -> tuple[Pack, ...]:
        return read_packs()

    async def subscribe(self, user: User, key: str) -> int:
        """Subscribe a person to a pack; answer how many feeds they did not have.

        Raises ``NotFound`` for a pack there is not. Feeds they have stay where they are.
        """
        pack = next((one for one in self.all if one.key == key), None)
        if pack is None:
            raise NotFound("Pack not found.")
        folder_id = await self.folders.ensure(user.id, (pack.title,))
        return await self._add(user, pack.feeds, folder_id)

    async def subscribe_to_mix(self, user: User) -> int:
        """Subscribe a person to the first feed of each pack."""
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
