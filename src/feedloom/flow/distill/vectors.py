"""Articles by meaning: a worker has vectors made of them, readers find the nearest.

In memory there is one bit of each number of a vector: whether it is above zero. The
nearest by these bits are then compared by whole vectors. Nothing of this exists unless an
embeddings service is set up.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import statistics
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import TYPE_CHECKING

import structlog

from feedloom.flow.distill.model_opt_out import SETTING, wants_no_model
from feedloom.model.distilled.requests import Embedder
from feedloom.model.errors import BudgetSpent, Conflict, ModelUnavailable
from feedloom.model.reader import Article, User, Wanted
from feedloom.model.work import Task

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, VectorStore

log = structlog.get_logger()

_BATCH = 64
_BATCHES = 40
"""Of one task: then others have their turn."""
_TEXT_CHARS = 600
_LATE = 1_000
"""Articles may be seen in another order than that of their ids."""
_MOST_IN_MEMORY = 60_000
MOST_VECTORS = 50_000
"""Of the newest articles; older ones are forgotten."""
_READ_AT_ONCE = 2_000
_NEAREST = 1_000
_FAR_FROM_CHANCE = 6.0
"""Related is what is so many standard deviations nearer than articles usually are."""
_SAMPLE = 5_000
_MOST_QUERIES = 200
MOST_RELATED = 5
_TO_BITS = bytes(ord("1") if 0 < n < 128 else ord("0") for n in range(256))  # noqa: PLR2004


def pack(vector: Sequence[float]) -> bytes:
    """Keep a byte of each number: only the direction of a vector matters."""
    most = max(map(abs, vector))
    return array("b", [round(127 * number / most) for number in vector]).tobytes()


def bits_of(packed: bytes) -> int:
    return int(packed.translate(_TO_BITS), 2)


def likeness(one: bytes, other: bytes) -> float:
    if len(one) != len(other):
        return 0.0
    a, b = array("b", one), array("b", other)
    lengths = sum(map(mul, a, a)) * sum(map(mul, b, b))
    return float(sum(map(mul, a, b)) / math.sqrt(lengths))


def _usual_limit(distances: Sequence[int]) -> float:
    """Say how near others hardly ever are by chance; the few related ones do not matter."""
    usual = statistics.median(distances)
    spread = statistics.median(abs(distance - usual) for distance in distances)
    return usual - _FAR_FROM_CHANCE * max(1.0, 1.48 * spread)


@dataclass(slots=True)
class Embedding:
    """The worker's part: articles without a vector get one, the newest first."""

    store: VectorStore
    embedder: Embedder
    _done: int = 0
    """Up to this article none was missing."""

    async def queue_due(self) -> None:
        newest = await self.store.newest()
        after = max(newest - MOST_VECTORS, self._done - _LATE)
        if await self.store.missing(self.embedder.name, SETTING, after=after, limit=1):
            await self.store.queue()
        else:
            self._done = newest

    async def run(self, _task: Task) -> dict[str, object]:
        model = self.embedder.name
        floor = await self.store.newest() - MOST_VECTORS
        await self.store.forget_others(model, floor)
        embedded = 0
        for _ in range(_BATCHES):
            rows = await self.store.missing(model, SETTING, after=floor, limit=_BATCH)
            if not rows:
                break
            texts = [f"{title}\n{text}"[:_TEXT_CHARS].strip() or "-" for _, title, text in rows]
            try:
                vectors = await self.embedder.embed(texts)
            except (BudgetSpent, ModelUnavailable) as error:
                # What is missing is queued again: the next minute, or the next day.
                log.warning("not_embedded", why=str(error))
                break
            packed = [(row[0], pack(v)) for row, v in zip(rows, vectors, strict=True)]
            await self.store.save(model, packed)
            embedded += len(rows)
        return {"embedded": embedded}


@dataclass(slots=True)
class Nearest:
    """A bit of each number of many vectors, in memory; the oldest go first."""

    articles: list[int] = field(default_factory=list)
    bits: list[int] = field(default_factory=list)

    def add(self, rows: Sequence[tuple[int, int]]) -> None:
        self.articles += [article_id for article_id, _ in rows]
        self.bits += [bits for _, bits in rows]
        if (over := len(self.bits) - _MOST_IN_MEMORY) > 0:
            del self.articles[:over], self.bits[:over]

    def to(self, bits: int, *, only_related: bool) -> list[int]:
        distances = [(bits ^ other).bit_count() for other in self.bits]
        if not distances:
            return []
        most = _usual_limit(distances[-_SAMPLE:]) if only_related else math.inf
        near = heapq.nsmallest(_NEAREST, zip(distances, self.articles, strict=True))
        return [article_id for distance, article_id in near if distance <= most]


@dataclass(slots=True)
class Likeness:
    """The readers' part: what is like an article, or like what somebody typed."""

    store: VectorStore
    reading: ReadingStore
    embedder: Embedder
    _memory: Nearest = field(default_factory=Nearest)
    _seen: int = 0
    _asked: dict[str, bytes] = field(default_factory=dict)
    """Vectors of the last searches: paging and going back cost nothing."""

    async def related(self, user_id: int, article: Article, limit: int) -> list[Article]:
        """List what is like an article; what is hardly more so than chance is left out."""
        [*found] = await self.store.own(user_id, [article.article_id], self.embedder.name)
        if not found:
            return []
        [(_, _, vector)] = found
        others = await self._nearest(user_id, vector, limit + 1, only_related=True)
        return [other for other in others if other.item_no != article.item_no][:limit]

    async def search(self, user: User, text: str, limit: int) -> list[Article]:
        """List what is closest to a text in meaning, the closest first."""
        if wants_no_model(user):
            raise Conflict("You chose that no language model reads what you read.")
        if text not in self._asked:
            [vector] = await self.embedder.embed([text], user_id=user.id)
            self._asked[text] = pack(vector)
            if len(self._asked) > _MOST_QUERIES:
                del self._asked[next(iter(self._asked))]
        return await self._nearest(user.id, self._asked[text], limit, only_related=False)

    async def _nearest(
        self, user_id: int, vector: bytes, limit: int, *, only_related: bool
    ) -> list[Article]:
        await self._remember()
        near = await asyncio.to_thread(self._memory.to, bits_of(vector), only_related=only_related)
        rows = await self.store.own(user_id, near, self.embedder.name)
        alike = {item_no: likeness(vector, other) for _, item_no, other in rows}
        best = heapq.nsmallest(limit, alike, key=lambda item_no: (-alike[item_no], item_no))
        wanted = Wanted(item_nos=tuple(best), limit=limit, with_content=not only_related)
        articles = (await self.reading.articles(user_id, wanted)).articles
        return sorted(articles, key=lambda article: best.index(article.item_no))

    async def _remember(self) -> None:
        while rows := await self.store.since(self._seen, self.embedder.name, _READ_AT_ONCE):
            bits = await asyncio.to_thread(
                lambda rows: [(article_id, bits_of(vector)) for _, article_id, vector in rows], rows
            )
            if rows[-1][0] > self._seen:  # Or another request took these in meanwhile.
                self._seen = rows[-1][0]
                self._memory.add(bits)
