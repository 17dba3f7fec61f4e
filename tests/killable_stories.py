"""A worker that tells stories and kills itself before its n-th article.

python -m tests.killable_stories DATABASE_URL N
"""

import asyncio
import os
import signal
import sys

from feedloom.distill import StoryGrouper
from feedloom.flow.stories import StoryTeller
from feedloom.model.stories import StoryArticle
from feedloom.store import DatabaseURL, StoryQueue, open_database
from tests.stores import KEYS


class DyingEngine:
    def __init__(self, articles: int) -> None:
        self._left = articles
        self._grouper = StoryGrouper()

    def add(self, article: StoryArticle, *, decided: int | None = None) -> int:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._grouper.add(article, decided=decided)


async def main(url: str, articles: int) -> None:
    database = await open_database(DatabaseURL.parse(url), worker=True, keys=KEYS)
    store = StoryQueue(database)
    await StoryTeller(store, lambda: DyingEngine(articles), lease_s=1.0, batch=5).catch_up()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
