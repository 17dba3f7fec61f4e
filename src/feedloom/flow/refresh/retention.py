"""Pruning: remove old articles after a refresh, outside its transaction.

At most once a day for each feed, and only when the document changed: between two
documents nothing leaves a feed. The hourly clean-up finds what is missed here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedloom.model.stages import Outcome, Refreshed, Stored

if TYPE_CHECKING:
    from feedloom.store import CleanupStore

_EVERY = timedelta(days=1)


@dataclass(slots=True)
class Pruner:
    cleanup: CleanupStore
    _pruned: set[int] = field(default_factory=set)
    _since: datetime | None = None

    async def after_refresh(self, refreshed: Refreshed, stored: Stored) -> None:
        feed = refreshed.feed
        if self._since is None or refreshed.at - self._since >= _EVERY:
            self._pruned.clear()
            self._since = refreshed.at
        if (
            refreshed.outcome is not Outcome.NEW
            or feed.last_success_at is None
            or stored.merged_into is not None
            or feed.feed_id in self._pruned
        ):
            return
        self._pruned.add(feed.feed_id)
        await self.cleanup.prune_feed(feed.feed_id)
