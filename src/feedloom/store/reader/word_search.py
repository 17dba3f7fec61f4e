"""Word search: conditions in, the ids of one page of articles out.

Scanning a person's list and testing each article is fast if the words are common; asking the
index for all matches is fast if they are rare. A scan of a few rows decides between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from feedloom.model.search_query import SearchQuery
from feedloom.store.engine.scripts import ForceCustomPlan, Row, Script, search, sql
from feedloom.store.queries import number, numbers
from feedloom.store.search.search_index import (
    MATCHING_ARTICLES,
    MATCHING_OF_THESE,
    match_params,
    word_condition,
)

_FIRST_LOOK = 500
"""Rows scanned before anything is known."""
_FURTHEST = 24_000
"""Rows scanned at most; then the index is used."""
_CHEAPER = 3
"""How many scanned rows cost as much as one index match."""
_SPARE = 1.25
"""Matches are not spread evenly, so scan this much further than expected."""


@dataclass(frozen=True, slots=True)
class Lists:
    """A list without the words: conditions on ``article_states t``, and the order."""

    where: str
    params: Mapping[str, object]
    order: str


def find_page(lists: Lists, query: SearchQuery, most: int) -> Script[list[int]]:
    yield ForceCustomPlan()
    in_index = yield from number(sql("SELECT coalesce(max(id), 0) FROM articles"))
    found: list[int] = []
    walked, further, looked_up = 0, _FIRST_LOOK, 0.0
    while further:
        rows = yield from _walk(lists, skip=walked, limit=further)
        found += yield from _matching(rows, query)
        if not walked and query.loose:
            # For a phrase the index looks up every article that contains each word.
            loose = yield from _matching(rows, query.loose)
            looked_up = len(loose) / len(rows) * in_index if rows else 0.0
        walked += len(rows)
        if len(found) >= most or len(rows) < further:
            return found[:most]
        if not query.wanted:
            return (yield from _all_but(lists, query, most))
        share = (len(found) + 1) / walked
        further = min(round(_SPARE * most / share), 6 * walked, _FURTHEST) - walked
        if further * _spread(rows) > _CHEAPER * share * in_index + looked_up:
            break
    return (yield from _ask_index(lists, most))


def _spread(rows: Sequence[Row]) -> float:
    """Return the cost of a scanned row, relative to a list that contains every row."""
    numbers: list[int] = [row["item_no"] for row in rows]
    passed = (max(numbers) - min(numbers) + 1) / len(numbers)
    return (1 + 2 * max(1.0, passed)) / 3


def _walk(lists: Lists, *, skip: int, limit: int) -> Script[Sequence[Row]]:
    text = f"""SELECT t.article_id, t.item_no FROM article_states t WHERE {lists.where}
        ORDER BY {lists.order} LIMIT :walked OFFSET :skipped"""
    return (yield sql(text, walked=limit, skipped=skip, **lists.params))


def _matching(rows: Sequence[Row], query: SearchQuery) -> Script[list[int]]:
    ids: list[int] = [row["article_id"] for row in rows]
    if not ids:
        return []
    params = {"ids": ids, "lowest": min(ids), "highest": max(ids), **match_params(query)}
    matching = set((yield from numbers(search(MATCHING_OF_THESE, "{match}", **params))))
    return [id_ for id_ in ids if (id_ in matching) is bool(query.wanted)]


def _ask_index(lists: Lists, most: int) -> Script[list[int]]:
    # CROSS JOIN makes both engines read the matches first, then their rows.
    text = f"""WITH found (article_id) AS MATERIALIZED ({{match}})
        SELECT t.article_id FROM found CROSS JOIN article_states t
        WHERE t.article_id = found.article_id AND {lists.where}
        ORDER BY {lists.order} LIMIT :most"""
    return (yield from numbers(search(MATCHING_ARTICLES, text, most=most, **lists.params)))


def _all_but(lists: Lists, query: SearchQuery, most: int) -> Script[list[int]]:
    """List what does not contain the words: nearly everything, so the scan is short."""
    text = f"""SELECT t.article_id FROM article_states t WHERE {lists.where}
        AND {word_condition(query)} ORDER BY {lists.order} LIMIT :most"""
    return (yield from numbers(search(MATCHING_ARTICLES, text, most=most, **lists.params)))
