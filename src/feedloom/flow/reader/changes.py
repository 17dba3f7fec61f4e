"""What publishers changed in a person's articles: word by word, with the headlines' slant.

Revisions say what an article said before; what it said next stands in the revision that
follows, or in the article itself. All headlines are judged offline, so that their scores
can be compared.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from feedloom.flow.refresh.revisions import text_alone
from feedloom.model.reader import Article, Change, Line, Piece, Revision, Wanted
from feedloom.model.stages import Wording

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, RevisionStore

SlantOf = Callable[[str, str | None], float | None]
"""Judges a headline in a language."""
_MOST_OF_ONE = 100
_TIMES = {1: "", 2: " twice"}
_MOST_PAIRS = 1_000_000
"""Of words to compare in one text; parts that need more are shown whole: old, then new."""
_MOST_LINES = 1_000
# Scripts without spaces are compared sign by sign.
_TOKEN = re.compile(
    r"\n|[^\S\n]*(?:[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]|"
    r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]+|[^\w\s])|\s+"
)


@dataclass(frozen=True, slots=True)
class Changes:
    store: RevisionStore
    reading: ReadingStore
    slant_of: SlantOf

    async def of_article(self, user_id: int, article: Article) -> tuple[Change, ...]:
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
    if titles:
        before, after = changes[-1].slant_before, changes[0].slant_after
        if before is not None and after is not None and f"{before:.2f}" != f"{after:.2f}":
            parts.append(f"slant {before:.2f} → {after:.2f}")
    line = ", ".join(parts)
    return line[:1].upper() + line[1:]


def differences(old: str, new: str) -> tuple[Line, ...]:
    """Compare line by line, then word by word where lines differ, while that is quick."""
    before, after = old.split("\n"), new.split("\n")
    if max(len(before), len(after)) > _MOST_LINES:
        return _by_words(before, after, _MOST_PAIRS)[0]
    left = _MOST_PAIRS
    found: list[Line] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            found += [(Piece("same", line),) for line in before[a:b]]
        else:
            lines, left = _by_words(before[a:b], after[c:d], left)
            found += lines
    return tuple(found)


def _by_words(
    before: Sequence[str], after: Sequence[str], left: int
) -> tuple[tuple[Line, ...], int]:
    """Compare parts of a text; return their lines, and how many pairs are left to compare."""
    if not (before and after):
        kind = "old" if before else "new"
        return tuple((Piece(kind, line),) for line in before or after), left
    old, new = (_TOKEN.findall("\n".join(lines)) for lines in (before, after))
    pairs = len(old) * len(new)
    if pairs > left:
        return _in_lines([Piece("old", "".join(old)), Piece("new", "".join(new))]), left
    match = SequenceMatcher(None, [t.strip(" ") for t in old], [t.strip(" ") for t in new])
    pieces: list[Piece] = []
    for kind, a, b, c, d in match.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("same", "".join(new[c:d])))
        else:
            pieces += [Piece("old", "".join(old[a:b])), Piece("new", "".join(new[c:d]))]
    return _in_lines(pieces), left - pairs


def _in_lines(pieces: Sequence[Piece]) -> tuple[Line, ...]:
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *more = piece.text.split("\n")
        if first:
            lines[-1].append(Piece(piece.kind, first))
        lines += [[Piece(piece.kind, text)] if text else [] for text in more]
    return tuple(tuple(line) for line in lines if line)
