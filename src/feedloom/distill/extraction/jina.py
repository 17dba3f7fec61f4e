"""Jina Reader: an address in, the service's reading of the page out.

The address goes to a third party (or to an operator's own Reader), so it goes without
credentials, and an address that names a machine inside a network is refused here.
"""

import asyncio
import html
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from feedloom.distill.extraction.local import tame_markdown
from feedloom.markup import clean_html, plain, to_text
from feedloom.model.distilled.requests import Extracted
from feedloom.model.errors import BlockedAddress, DistillError, FetchError, NoArticle, TooLarge
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from feedloom.model.urls import read_address, without_credentials

DEFAULT_URL = "https://r.jina.ai"
_TIMEOUT_S = 30.0
_PAUSES_S = (1.0, 3.0)
_MAX_ANSWER = 4_000_000
_MAX_TEXT = 500_000
_LINE = 500
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|_{2,3}|`+)(\S(?:.*?\S)?)\1")


class JinaReader:
    """An ``Extractor`` over a Jina Reader."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        base_url: str = DEFAULT_URL,
        key: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._base_url = base_url.rstrip("/")
        self._headers = {"Accept": "application/json", "X-Return-Format": "markdown"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._sleep = sleep

    async def extract(self, url: str, *, selector: str = "") -> Extracted:
        """Let the Reader fetch a page and read its answer; three tries."""
        _refuse_inside(url)
        chosen = {"X-Target-Selector": selector} if selector else {}
        ask = FetchRequest(
            url=f"{self._base_url}/{without_credentials(url)}",
            sink=Purpose.EXTRACTOR,
            headers=self._headers | chosen,
            max_bytes=_MAX_ANSWER,
            timeout_s=_TIMEOUT_S,
            max_redirects=0,
        )
        for pause_s in (*_PAUSES_S, None):
            fetched = await self._try(ask, last=pause_s is None)
            if fetched is not None:
                return await asyncio.to_thread(_read, url, fetched)
            await self._sleep(pause_s or 0)
        raise DistillError("The page could not be read.")

    async def _try(self, ask: FetchRequest, *, last: bool) -> FetchResponse | None:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                fetched = await self._fetcher.fetch(ask)
        except (BlockedAddress, TooLarge):
            raise
        except (FetchError, TimeoutError) as error:
            if last:
                raise DistillError(
                    "The page reader could not be reached.", detail=type(error).__name__
                ) from error
            return None
        if fetched.status == HTTPStatus.OK:
            return fetched
        again = fetched.status in {408, 429} or fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if again and not last:
            return None
        raise DistillError("The page reader could not read this page.", detail=str(fetched.status))

    async def close(self) -> None:
        """Nothing runs in the background."""


def _refuse_inside(url: str) -> None:
    host = read_address(url).host
    try:
        inside = not ipaddress.ip_address(host).is_global
    except ValueError:
        inside = "." not in host or host.endswith((".local", ".internal", ".localhost"))
    if inside:
        raise BlockedAddress


def _read(url: str, fetched: FetchResponse) -> Extracted:
    try:
        data: dict[str, Any] = json.loads(fetched.body)["data"]
        content = data["content"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DistillError("The page reader returned an unusable response.") from error
    if not isinstance(content, str) or not content.strip():
        raise NoArticle(title=_field(data, "title"), description=_field(data, "description"))
    markdown = tame_markdown(content[:_MAX_TEXT])
    clean = clean_html(_markup(markdown), base_url=url)
    return Extracted(
        url=url,
        title=_field(data, "title"),
        text=to_text(clean),
        markdown=markdown,
        html=clean,
        description=_field(data, "description"),
        published_at=_read_time(data.get("publishedTime")),
    )


def _field(data: dict[str, Any], name: str) -> str:
    value = data.get(name)
    return plain(value, limit=_LINE) if isinstance(value, str) else ""


def _read_time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(value)
        except ValueError:
            continue
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _markup(markdown: str) -> str:
    """Return the paragraphs and headings of Markdown as HTML, without its links."""
    blocks = []
    for block in re.split(r"\n\s*\n", markdown):
        text = " ".join(_EMPHASIS.sub(r"\2", _LINKED.sub(r"\1", block)).split())
        heading = _HEADING.fullmatch(text)
        tag = f"h{len(heading[1])}" if heading else "p"
        shown = html.escape(heading[2] if heading else text)
        blocks.append(f"<{tag}>{shown}</{tag}>")
    return "\n".join(blocks)
