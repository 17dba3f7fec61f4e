"""Response bodies: JSON at once, long lists of articles in blocks.

Only one block of articles is in memory at a time, however long the list is. The first
block is read before the answer starts, so that its errors still have a status.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from feedloom.markup import clean_html
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Article, Wanted
from feedloom.serve.image_addresses import content_for_app

if TYPE_CHECKING:
    from feedloom.store import ReadingStore

JSON = "application/json; charset=utf-8"
BLOCK = 400
"""How many articles are read and sent at once, at most."""
_FIRST_BLOCK = 50
_BLOCK_BYTES = 2_000_000
"""What the articles of a block should have, judged by those of the block before."""
LONGEST_CONTENT = 500_000
"""Some clients keep an article in one database field of limited size."""
encode = msgspec.json.Encoder().encode


def json_answer(
    value: object, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    return Response(encode(value), status, headers, media_type=JSON)


def content_of(article: Article) -> CleanHTML:
    content = article.full_content or article.content
    if len(content) > LONGEST_CONTENT:
        content = clean_html(content[:LONGEST_CONTENT], base_url=article.url)
    return content_for_app(content)


async def blocks_of(
    reading: ReadingStore,
    user_id: int,
    wanted: Wanted,
    *,
    most: int | None = None,
    block: int = BLOCK,
) -> AsyncIterator[Sequence[Article]]:
    """Read what is wanted block by block, up to ``most`` articles.

    By key, or by counting where an order has none.
    """
    left, most_now = most, min(block, _FIRST_BLOCK)
    while left is None or left > 0:
        size = most_now if left is None else min(most_now, left)
        asked = replace(wanted, limit=size, with_content=True)
        page = await reading.articles(user_id, asked)
        yield page.articles
        if page.next_cursor is not None:
            # What was to be left out is left out; from here on the key leads.
            wanted = replace(wanted, skip=0, cursor=page.next_cursor)
        elif len(page.articles) == size:
            wanted = replace(wanted, skip=wanted.skip + size)
        else:
            return
        left = None if left is None else left - size
        taken = sum(len(one.full_content or one.content) for one in page.articles)
        most_now = max(1, min(block, _BLOCK_BYTES * size // max(taken, 1)))


async def listed(
    blocks: AsyncIterator[Sequence[object]],
    *,
    head: bytes,
    tail: Callable[[], bytes] = lambda: b"]}",
) -> Response:
    """Answer with a JSON list between ``head`` and ``tail``, sent while it is read."""
    first = await anext(blocks, None) or ()
    begun = head + encode(first)[1:-1]
    second = await anext(blocks, None)
    if second is None:
        return Response(begun + tail(), media_type=JSON)

    async def written() -> AsyncGenerator[bytes, None]:
        yield begun
        comma = b"," if first else b""
        block: Sequence[object] | None = second
        while block is not None:
            if block:
                yield comma + encode(block)[1:-1]
                comma = b","
            block = await anext(blocks, None)
        yield tail()

    return _Stream(written())


class _Stream(StreamingResponse):
    def __init__(self, parts: AsyncGenerator[bytes, None]) -> None:
        super().__init__(parts, media_type=JSON)
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and keep nothing of it when the client leaves before its end."""
        async with aclosing(self._parts):
            await super().__call__(scope, receive, send)
