"""Favicons: find a site's icon, take only what its bytes prove to be an image.

The icon is never decoded here, is small, and is served inert (no script, no sniffing),
so a hostile one can do nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from feedloom.discover import read_page
from feedloom.flow.worker.rate_limit import HostBusy
from feedloom.model.errors import FetchError
from feedloom.model.ports import Fetcher
from feedloom.model.reader import Icon
from feedloom.model.stages import FetchRequest, Purpose
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import IconStore

MAX_ICON_BYTES = 100_000
_PAGE_BYTES = 2_000_000
_OK = 200
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)


@dataclass(frozen=True, slots=True)
class Favicons:
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
        """Return the icon of a site, or None when it has none that can be used.

        Raises ``HostBusy`` when the site could not be asked: that is no answer.
        """
        for url in await self._addresses(site_url, ahead=ahead):
            ask = FetchRequest(
                url, Purpose.FAVICON, max_bytes=MAX_ICON_BYTES, timeout_s=10, ahead=ahead
            )
            try:
                answer = await self.fetcher.fetch(ask)
            except HostBusy:
                raise
            except FetchError:
                continue
            mime = image_type(answer.body)
            if answer.status == _OK and mime is not None:
                return Icon(url, mime, answer.body)
        return None

    async def _addresses(self, site_url: str, *, ahead: bool) -> list[str]:
        ask = FetchRequest(
            site_url, Purpose.FAVICON, max_bytes=_PAGE_BYTES, timeout_s=15, ahead=ahead
        )
        try:
            page = await self.fetcher.fetch(ask)
        except HostBusy:
            raise
        except FetchError:
            return [urljoin(site_url, "/favicon.ico")]
        # A page may be two million bytes long.
        icon = (await asyncio.to_thread(read_page, page)).favicon_url
        usual = urljoin(page.url, "/favicon.ico")
        return [usual] if icon is None else list(dict.fromkeys((icon, usual)))


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
