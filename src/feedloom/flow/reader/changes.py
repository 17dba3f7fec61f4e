"""What publishers changed in a person's articles: word by word, with the headlines' slant.

Revisions say what an article said before; what it said next stands in the revision that
follows, or in the article itself. All headlines are judged offline, so that their scores
can be compared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.flow.reader.differences import differences
from feedloom.flow.refresh.revisions import text_alone
from feedloom.model.reader import Article, Change, Revision, Wanted
from feedloom.model.stages import Wording

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, RevisionStore

SlantOf = Callable[[str, str | None], float | None]
"""Judges a headline in a language."""
_MOST_OF_ONE = 100
_TIMES = {1: "", 2: " twice"}


@dataclass(frozen=True, slots=True)
class Changes:
    store: RevisionStore
    reading: ReadingStore
    slant_of: SlantOf

    async def of_article(self, user_id: int, article: Article) -> tuple[Change, ...]:
        """List the changes of one article, the newest first."""
        found = await self._all(user_id, [article], _MOST_OF_ONE)
        return tuple(change for _, change in found)

    async def latest(self, user_id: int, limit: int) -> list[tuple[Article, Change]]:
        """List the latest changes of all articles, the newest first."""
        item_nos = await self.store.latest(user_id, limit)
        wanted = Wanted(item_nos=tuple(item_nos), limit=limit)
        page = await self.reading.articles(user_id, wanted)
        found = await self._all(user_id, page.articles, limit)
        return sorted(found, key=lambda pair: pair[1].id, reverse=True)

    async def _all(
        self, user_id: int, articles: Sequence[Article], limit: int
    ) -> list[tuple[Article, Change]]:
        item_nos = [article.item_no for article in articles]
        revisions = await self.store.of_articles(user_id, item_nos, limit)
        wordings = await self.store.wordings(user_id, item_nos)
        kept: dict[int, list[Revision]] = {}
        for revision in revisions:
            kept.setdefault(revision.item_no, []).append(revision)

        def compare() -> list[tuple[Article, Change]]:
            return [
                (article, change)
                for article in articles
                if article.item_no in wordings and article.item_no in kept
                for change in self._changes(
                    article.language, wordings[article.item_no], kept[article.item_no]
                )
            ]

        return await asyncio.to_thread(compare)

    def _changes(
        self, language: str | None, now: Wording, revisions: Sequence[Revision]
    ) -> Iterator[Change]:
        title, text = now.title, text_alone(now.content)
        for revision in reversed(revisions):
            is_retold = revision.text is not None
            before = text if revision.text is None else revision.text
            titles = differences(revision.title, title)
            yield Change(
                id=revision.id,
                at=revision.changed_at,
                title_before=revision.title,
                title_after=title,
                title=tuple(piece for line in titles for piece in line),
                text=differences(before, text) if is_retold else (),
                slant_before=self.slant_of(revision.title, language),
                slant_after=self.slant_of(title, language),
            )
            title, text = revision.title, before


def told(changes: Sequence[Change]) -> str:
    """Say what changed in a line: "Headline changed twice, slant 0.20 → 0.70"."""
    titles = sum(change.has_new_title for change in changes)
    texts = sum(bool(change.text) for change in changes)
    parts = [
        f"{name} changed{_TIMES.get(number, f' {number} times')}"
        for name, number in (("headline", titles), ("text", texts))
        if number
    ]
    if titles and (slants := _slants(changes)):
        parts.append(slants)
    line = ", ".join(parts)
    return line[:1].upper() + line[1:]


def _slants(changes: Sequence[Change]) -> str:
    before, after = changes[-1].slant_before, changes[0].slant_after
    if before is None or after is None or f"{before:.2f}" == f"{after:.2f}":
        return ""
    return f"slant {before:.2f} → {after:.2f}"
