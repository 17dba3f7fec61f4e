"""An address in; the article of its page out. Pages come through the fetcher only."""

import asyncio
import re
from datetime import UTC, datetime
from http import HTTPStatus

from feedloom.distill.extraction.child import Page
from feedloom.markup import clean_html, plain, to_text
from feedloom.model.distilled.requests import Extracted
from feedloom.model.errors import DistillError, NoArticle
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from feedloom.model.urls import resolve
from feedloom.processes.pool import ChildFailed, ProcessPool


class ChildPool(ProcessPool):
    def __init__(self, *, size: int = 1, deadline_s: float = 20.0) -> None:
        super().__init__("feedloom.distill.extraction.child", size=size, deadline_s=deadline_s)

    async def read(
        self, url: str, charset: str, body: bytes, *, selector: str = ""
    ) -> dict[str, str]:
        """Extract one page's article within the deadline; raise ``DistillError``."""
        try:
            return await self.ask(Page(url, charset, body, selector), dict[str, str])
        except ChildFailed as error:
            raise DistillError("The page could not be read.", detail=str(error)) from error


MAX_PAGE = 10_000_000
_PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml", "text/plain"})
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.-]{2,20})", re.IGNORECASE)
_LINE = 500


class LocalExtractor:
    """An ``Extractor`` that reads pages in a process of its own."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        processes: int = 1,
        deadline_s: float = 20.0,
        fetch_s: float = 30.0,
    ) -> None:
        self._fetcher = fetcher
        self._fetch_s = fetch_s
        self._pool = ChildPool(size=processes, deadline_s=deadline_s)

    async def extract(self, url: str, *, selector: str = "") -> Extracted:
        ask = FetchRequest(
            url=url,
            sink=Purpose.ARTICLE,
            headers={"Accept": "text/html,application/xhtml+xml"},
            max_bytes=MAX_PAGE,
            timeout_s=self._fetch_s,
        )
        page = await self._fetcher.fetch(ask)
        if page.status != HTTPStatus.OK:
            raise DistillError(f"The page returned HTTP {page.status}.")
        return await self.read(page, selector=selector)

    async def read(self, page: FetchResponse, *, selector: str = "") -> Extracted:
        """Extract the article of a page that is already here."""
        if page.content_type not in _PAGE_TYPES:
            raise DistillError("The address is not a web page.", detail=page.content_type)
        if len(page.body) > MAX_PAGE:
            raise DistillError("The page is too large.")
        charset = _CHARSET.search(page.headers.get("content-type", ""))
        found = await self._pool.read(
            page.url, charset[1] if charset else "", page.body, selector=selector
        )
        if not found.get("markdown", "").strip():
            raise NoArticle(
                title=plain(found.get("title", ""), limit=_LINE),
                description=plain(found.get("description", ""), limit=_LINE * 4),
            )
        return await asyncio.to_thread(_extracted, page.url, found)

    async def close(self) -> None:
        await self._pool.close()


def _extracted(url: str, found: dict[str, str]) -> Extracted:
    html = clean_html(found["html"], base_url=url)
    return Extracted(
        url=url,
        title=plain(found["title"], limit=_LINE),
        text=to_text(html),
        markdown=tame_markdown(found["markdown"]),
        html=html,
        description=plain(found["description"], limit=_LINE * 4),
        image_url=resolve(url, found["image"]) if found["image"] else None,
        author=plain(found["author"], limit=_LINE) or None,
        published_at=_read_day(found["date"]),
        language=found["language"][:2].lower() or None,
    )


def _read_day(text: str) -> datetime | None:
    try:
        return datetime.strptime(text[:10], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


_BAD_TARGET = re.compile(r"\]\(\s*<?(?!https?://|mailto:|#|/)[^)]*\)", re.IGNORECASE)
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def tame_markdown(markdown: str) -> str:
    """Take from Markdown what no page needs: odd link targets, control characters.

    The result is still a stranger's text: whoever renders it passes it to ``markup``.
    """
    return _BAD_TARGET.sub("](#)", _INVISIBLE.sub("", markdown)).strip()
