"""Full texts: when a feed gives only excerpts, the article's own page is read.

On demand for one article, and by itself for feeds whose readers want that. An article
whose page cannot be read stays as its feed gave it. One that its publisher changed is
read again, and shown as it was read before until then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.model.distilled.requests import Extractor
from feedloom.model.errors import BadAddress, DistillError, FetchError
from feedloom.model.reader import Article
from feedloom.model.stages import Refreshed, Stored
from feedloom.model.work import NewTask, Task, TaskKind

if TYPE_CHECKING:
    from feedloom.store import FullTextStore, TaskQueue

_MOST_AT_ONCE = 30
"""Articles of one refresh: a feed that lists hundreds anew is read from the top."""
_MOST_AGAIN = 10
"""Some feeds touch all they list at each refresh; that is no reason to read it all."""
_UNREADABLE = "This article has no page of its own."


@dataclass(frozen=True, slots=True)
class FullTexts:
    tasks: TaskQueue

    async def ask(self, user_id: int, article: Article) -> int:
        article_id = article.article_id
        key = f"full:{user_id}:{article_id}"
        task = NewTask(TaskKind.FULL_TEXT, {"article_id": article_id}, key, user_id)
        return await self.tasks.add(task)


@dataclass(frozen=True, slots=True)
class FullTextReading:
    store: FullTextStore
    extractor: Extractor
    tasks: TaskQueue

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do a ``full_text`` task; a page that cannot be read is a result, too."""
        article_id = int(str(task.payload["article_id"]))
        found = await self.store.find(article_id)
        if found is None or (found.has_full_text and "again" not in task.payload):
            return {"error": None}
        if not found.url:
            return {"error": _UNREADABLE}
        try:
            page = await self.extractor.extract(found.url, selector=found.selector)
        except (FetchError, BadAddress, DistillError) as error:
            return {"error": str(error)}
        await self.store.save(article_id, page.html)
        return {"error": None}

    async def after_refresh(self, refreshed: Refreshed, stored: Stored) -> None:
        if not stored.full_text and stored.merged_into is None:
            return
        if stored.new_articles:
            feed_id = stored.merged_into or stored.feed_id
            for article_id in await self.store.wanting(feed_id, refreshed.at, _MOST_AT_ONCE):
                await self._queue(article_id)
        if stored.changed_ids:
            for article_id in await self.store.wanting_again(stored.changed_ids, _MOST_AGAIN):
                await self._queue(article_id, again=True)

    async def _queue(self, article_id: int, *, again: bool = False) -> None:
        key = f"{'full-again' if again else 'full'}:{article_id}"
        payload = {"article_id": article_id} | ({"again": True} if again else {})
        await self.tasks.add(NewTask(TaskKind.FULL_TEXT, payload, key))
