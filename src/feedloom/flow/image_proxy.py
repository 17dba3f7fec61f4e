"""The image proxy: the address of a picture in, the picture itself out.

Pictures are fetched when a browser asks for them, at most sixteen at once and each once,
however many wait for it. Those under way share a budget of memory. They come through the
guarded fetcher, straight: somebody looks at the page, so they are not spaced out as
refreshes are.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from feedloom.flow.worker.memory import MemoryBudget
from feedloom.model.errors import FetchError, NotAPicture, Throttled
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, Picture, Purpose, Room

if TYPE_CHECKING:
    from feedloom.images import ImageCache, ImageResizer

WIDTHS = (320, 800, 1600)
"""In pixels: for lists, for narrow windows, for wide ones."""
MAX_IMAGE_BYTES = 10_000_000
_TIMEOUT_S = 20.0
_AT_ONCE = 16
_MOST_WAITING = 500
_MEMORY = 32_000_000
"""For the bodies of all that are under way; their copies on the way to a child come on top."""
_Key = tuple[str, int, str]


class ImageProxy:
    def __init__(self, fetcher: Fetcher, resizer: ImageResizer, cache: ImageCache) -> None:
        self._fetcher = fetcher
        self._resizer = resizer
        self._cache = cache
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._memory = MemoryBudget(_MEMORY)
        self._under_way: dict[_Key, asyncio.Task[Picture | None]] = {}

    async def picture(self, url: str, width: int, accepts: str) -> Picture:
        """Return a picture no wider than ``width``; raise ``NotAPicture``.

        ``accepts`` is ``avif``, ``webp``, or nothing for what every program shows.
        """
        found = await asyncio.to_thread(self._cache.read, url, width, accepts)
        if found is not None:
            return found
        key = (url, width, accepts)
        task = self._under_way.get(key)
        if task is None:
            if self._cache.has_failed(url):
                raise NotAPicture
            if len(self._under_way) >= _MOST_WAITING:
                raise Throttled
            task = asyncio.create_task(self._load(*key))
            self._under_way[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        # Who waited no longer leaves the others their picture.
        picture = await asyncio.shield(task)
        if picture is None:
            raise NotAPicture
        return picture

    def size(self, url: str) -> tuple[int, int] | None:
        """Return width and height of a picture that was loaded before."""
        return self._cache.size(url)

    def _forget(self, key: _Key, done: asyncio.Task[Picture | None]) -> None:
        self._under_way.pop(key, None)
        if not done.cancelled():
            # Marks it as seen, should nobody wait any more.
            done.exception()

    async def _load(self, url: str, width: int, accepts: str) -> Picture | None:
        """Return the picture, or None: who waits keeps an error, which keeps what was read."""
        room = self._memory.room()
        try:
            async with self._places:
                picture = await self._made(url, width, accepts, room)
        except NotAPicture:
            await asyncio.to_thread(self._cache.note_failure, url)
            return None
        finally:
            room.free()
        await asyncio.to_thread(self._cache.write, url, width, accepts, picture)
        return picture

    async def _made(self, url: str, width: int, accepts: str, room: Room) -> Picture:
        request = FetchRequest(
            url,
            Purpose.IMAGE,
            headers={"Accept": "image/avif,image/webp,image/*;q=0.8"},
            max_bytes=MAX_IMAGE_BYTES,
            timeout_s=_TIMEOUT_S,
            room=room,
        )
        try:
            answer = await self._fetcher.fetch(request)
        except FetchError as error:
            raise NotAPicture(detail=error.key) from error
        if answer.status != HTTPStatus.OK:
            raise NotAPicture(detail=str(answer.status))
        return await self._resizer.render(answer.body, width=width, accepts=accepts)
