"""Chapters of episodes: given in the feed, or fetched from the publisher."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus

from feedloom.markup import plain
from feedloom.model.errors import FetchError, Throttled
from feedloom.model.feed import Chapter, Enclosure
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, Purpose

MOST_CHAPTERS = 500
_MAX_BYTES = 1_000_000
_TIMEOUT_S = 10.0
_AT_ONCE = 8
_AT_ONCE_EACH = 3
_LONGEST_TITLE = 200
_LONGEST_S = 3_600_000


class Chapters:
    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._asked: Counter[int] = Counter()

    async def of(self, file: Enclosure, user_id: int) -> Sequence[Chapter]:
        """Return a file's chapters in order; none if they cannot be had."""
        if file.chapters or not file.chapters_url:
            return sorted(file.chapters)
        if self._asked[user_id] >= _AT_ONCE_EACH:
            raise Throttled
        self._asked[user_id] += 1
        request = FetchRequest(
            file.chapters_url, Purpose.CHAPTERS, max_bytes=_MAX_BYTES, timeout_s=_TIMEOUT_S
        )
        try:
            async with self._places:
                answer = await self._fetcher.fetch(request)
        except FetchError:
            return ()
        finally:
            self._asked[user_id] -= 1
            if not self._asked[user_id]:
                del self._asked[user_id]
        return read_chapters(answer.body) if answer.status == HTTPStatus.OK else ()


def read_chapters(body: bytes) -> Sequence[Chapter]:
    """Read the JSON of the podcast namespace; leave out what is none or hidden."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    rows = told.get("chapters") if isinstance(told, dict) else None
    found = map(_chapter, rows[:MOST_CHAPTERS]) if isinstance(rows, list) else ()
    return sorted(chapter for chapter in found if chapter is not None)


def _chapter(row: object) -> Chapter | None:
    if not isinstance(row, dict) or row.get("toc") is False:
        return None
    start, title = row.get("startTime"), row.get("title")
    if isinstance(start, bool) or not isinstance(start, int | float) or not isinstance(title, str):
        return None
    title = plain(title, markup=False, limit=_LONGEST_TITLE)
    return Chapter(float(start), title) if title and 0 <= start <= _LONGEST_S else None
