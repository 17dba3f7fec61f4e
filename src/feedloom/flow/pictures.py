"""Pictures: the proxy that fetches them for browsers, and the icons of sites."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import msgspec

from feedloom.discover import read_page
from feedloom.flow.worker.rate_limit import HostBusy, MemoryBudget
from feedloom.model.errors import FetchError, NotAPicture, Throttled
from feedloom.model.ports import Fetcher
from feedloom.model.reader import Icon
from feedloom.model.stages import FetchRequest, FetchResponse, Picture, Purpose, Room
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.images import ImageCache, ImageResizer
    from feedloom.store import IconStore

WIDTHS = (320, 800, 1600)
"""In pixels: for lists, for narrow windows, for wide ones."""
MAX_IMAGE_BYTES = 10_000_000
_TIMEOUT_S = 20.0
_AT_ONCE = 16
_AT_ONCE_EACH = _AT_ONCE // 2
_MOST_WAITING = 500
_MOST_WAITING_EACH = 200
_MEMORY = 32_000_000
"""For the bodies of all that are under way; their copies on the way to a child come on top."""
_LONGEST_TOLD = 100_000
_Key = tuple[str, int, str]


class _Told(msgspec.Struct):
    thumbnail_url: str


class ImageProxy:
    """The address of a picture in, the picture itself out.

    Pictures are fetched when a browser asks for them, at most sixteen at once and each once,
    however many wait for it. One sender has half of these places at most, so that slow
    pictures of one hold up nobody else's. Those under way share a budget of memory. They
    come through the guarded fetcher, straight: somebody looks at the page, so they are not
    spaced out as refreshes are.
    """

    def __init__(self, fetcher: Fetcher, resizer: ImageResizer, cache: ImageCache) -> None:
        self._fetcher = fetcher
        self._resizer = resizer
        self._cache = cache
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._memory = MemoryBudget(_MEMORY)
        self._under_way: dict[_Key, asyncio.Task[Picture | None]] = {}
        self._waiting: Counter[str] = Counter()
        """Pictures under way by who asked for them first."""
        self._lanes: dict[str, asyncio.Semaphore] = {}

    async def picture(self, url: str, width: int, accepts: str, sender: str = "") -> Picture:
        """Return a picture no wider than ``width``; raise ``NotAPicture`` or ``Throttled``.

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
            if len(self._under_way) >= _MOST_WAITING or self._waiting[sender] >= _MOST_WAITING_EACH:
                raise Throttled
            lane = self._lanes.setdefault(sender, asyncio.Semaphore(_AT_ONCE_EACH))
            task = asyncio.create_task(self._load(*key, lane))
            self._under_way[key] = task
            self._waiting[sender] += 1
            task.add_done_callback(lambda done: self._forget(key, sender, done))
        # Who waited no longer leaves the others their picture.
        picture = await asyncio.shield(task)
        if picture is None:
            raise NotAPicture
        return picture

    def size(self, url: str) -> tuple[int, int] | None:
        return self._cache.size(url)

    def _forget(self, key: _Key, sender: str, done: asyncio.Task[Picture | None]) -> None:
        self._under_way.pop(key, None)
        self._waiting[sender] -= 1
        if not self._waiting[sender]:
            del self._waiting[sender], self._lanes[sender]
        if not done.cancelled():
            # Marks it as seen, should nobody wait any more.
            done.exception()

    async def _load(
        self, url: str, width: int, accepts: str, lane: asyncio.Semaphore
    ) -> Picture | None:
        """Return the picture, or None: who waits keeps an error, which keeps what was read."""
        room = self._memory.room()
        try:
            async with lane, self._places:
                picture = await self._made(url, width, accepts, room)
        except NotAPicture:
            await asyncio.to_thread(self._cache.note_failure, url)
            return None
        finally:
            room.free()
        await asyncio.to_thread(self._cache.write, url, width, accepts, picture)
        return picture

    async def _made(self, url: str, width: int, accepts: str, room: Room) -> Picture:
        # In here, so that nothing holds the body longer than the budget counts it.
        body = await self._fetched(url, room)
        if body.startswith(b"{") and len(body) <= _LONGEST_TOLD:
            # A video site tells where the picture of a video is, by oEmbed.
            try:
                told = msgspec.json.decode(body, type=_Told)
            except msgspec.DecodeError as error:
                raise NotAPicture from error
            body = await self._fetched(told.thumbnail_url, room)
        return await self._resizer.render(body, width=width, accepts=accepts)

    async def _fetched(self, url: str, room: Room) -> bytes:
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
        return answer.body


MAX_ICON_BYTES = 100_000
_PAGE_BYTES = 2_000_000
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)


@dataclass(frozen=True, slots=True)
class Favicons:
    """Finds a site's icon, and takes only what its bytes prove to be an image.

    The icon is never decoded here, is small, and is served inert (no script, no sniffing),
    so a hostile one can do nothing.
    """

    fetcher: Fetcher
    icons: IconStore

    async def run(self, task: Task) -> Mapping[str, object]:
        feed_id = int(str(task.payload["feed_id"]))
        feed_url, site_url = await self.icons.feed_addresses(feed_id)
        # Somebody who added one feed looks at it now; the icons of a whole list can wait.
        ahead = bool(task.payload.get("alone"))
        icon = await self.find(site_url or urljoin(feed_url, "/"), ahead=ahead)
        if icon is not None:
            await self.icons.save(feed_id, icon)
        return {"found": icon is not None}

    async def find(self, site_url: str, *, ahead: bool = False) -> Icon | None:
        """Return a usable icon of a site; ``HostBusy`` when the site could not be asked."""
        for url in await self._addresses(site_url, ahead=ahead):
            answer = await self._fetch(url, MAX_ICON_BYTES, 10, ahead=ahead)
            if answer is None:
                continue
            mime = image_type(answer.body)
            if answer.status == HTTPStatus.OK and mime is not None:
                return Icon(url, mime, answer.body)
        return None

    async def _addresses(self, site_url: str, *, ahead: bool) -> list[str]:
        page = await self._fetch(site_url, _PAGE_BYTES, 15, ahead=ahead)
        if page is None:
            return [urljoin(site_url, "/favicon.ico")]
        # A page may be two million bytes long.
        icon = (await asyncio.to_thread(read_page, page)).favicon_url
        usual = urljoin(page.url, "/favicon.ico")
        return [usual] if icon is None else list(dict.fromkeys((icon, usual)))

    async def _fetch(
        self, url: str, most: int, timeout_s: float, *, ahead: bool
    ) -> FetchResponse | None:
        ask = FetchRequest(url, Purpose.FAVICON, max_bytes=most, timeout_s=timeout_s, ahead=ahead)
        try:
            return await self.fetcher.fetch(ask)
        except HostBusy:
            raise
        except FetchError:
            return None


def image_type(body: bytes) -> str | None:
    for magic, mime in _MAGIC:
        if body.startswith(magic):
            return mime
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    head = body[:500].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<svg", b"<?xml")) and b"<svg" in head:
        return "image/svg+xml"
    return None
