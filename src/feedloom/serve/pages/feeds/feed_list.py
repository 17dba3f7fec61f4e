"""The list of a person's feeds: filters in, one page of rows out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from feedloom.model.errors import InvalidInput
from feedloom.model.overviews import FeedLine
from feedloom.model.stages import FetchStatus
from feedloom.serve.pages.charts import sparkline
from feedloom.serve.pages.forms import as_number
from feedloom.serve.pages.navigation import health_of

PAGE_SIZE = 20
SPARK_DAYS = 30
STATUSES = ("all", "working", "pending", "error")
SORTS: dict[str, tuple[str, Callable[[FeedLine], Any]]] = {
    "name": ("Name", lambda feed: feed.title.casefold()),
    "unread": ("Most unread", lambda feed: -feed.unread),
    "latest": (
        "Latest article",
        lambda feed: -feed.latest_item_at.timestamp() if feed.latest_item_at else 0,
    ),
    "errors": ("Most failures", lambda feed: -feed.consecutive_failures),
    "frequency": ("Most articles", lambda feed: feed.interval_s or inf),
}
"""What the list may be sorted by: words, and a key. Equal ones stay in order of title."""
_ERRORS = frozenset(FetchStatus) - {FetchStatus.SUCCESS}
_LONGEST_SEARCH = 255


@dataclass(frozen=True, slots=True)
class Query:
    search: str = ""
    status: str = "all"
    page: int = 1
    sort: str = "name"

    def url(self, path: str, page: int) -> str:
        given = {"search": self.search, "status": self.status, "page": page}
        if self.sort != "name":
            given["sort"] = self.sort
        return f"{path}?{urlencode(given)}"


@dataclass(frozen=True, slots=True)
class FeedRow:
    feed: FeedLine
    health: str
    spark: str

    @property
    def has_error(self) -> bool:
        return self.feed.last_fetch_status in _ERRORS


@dataclass(frozen=True, slots=True)
class FeedList:
    query: Query
    rows: tuple[FeedRow, ...]
    current_page: int
    total_pages: int
    total_items: int
    has_any: bool
    """Whether there are feeds at all, whatever the filters say."""


def read_query(given: QueryParams, problem: str = "Invalid query parameters") -> Query:
    """Read the filters of an address; ``InvalidInput`` with ``problem`` when odd."""
    status = given.get("status") or "all"
    search = given.get("search", "").strip()
    page = given.get("page") or "1"
    try:
        number = as_number(page, field="page", least=1)
    except InvalidInput as error:
        raise InvalidInput(problem, field="page") from error
    sort = given.get("sort") or "name"
    if sort not in SORTS:
        raise InvalidInput(problem, field="sort")
    if status not in STATUSES or len(search) > _LONGEST_SEARCH or "\x00" in search:
        raise InvalidInput(problem, field="status")
    return Query(search, status, number, sort)


def matching(feeds: Sequence[FeedLine], query: Query) -> list[FeedLine]:
    wanted = query.search.casefold()
    found = [
        feed
        for feed in feeds
        if feed.feed_id is not None
        and wanted in feed.title.casefold()
        and _has_status(feed, query.status)
    ]
    return sorted(found, key=SORTS[query.sort][1])


def _has_status(feed: FeedLine, status: str) -> bool:
    last = feed.last_fetch_status
    match status:
        case "working":
            return last == FetchStatus.SUCCESS
        case "pending":
            return last is None
        case "error":
            return last in _ERRORS
        case _:
            return True


def cut_page(found: Sequence[FeedLine], query: Query) -> list[FeedLine]:
    page = min(query.page, _pages(len(found)))
    return list(found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE])


def build_list(
    feeds: Sequence[FeedLine], query: Query, sparks: Mapping[int, Sequence[int]]
) -> FeedList:
    found = matching(feeds, query)
    rows = [
        FeedRow(feed, health_of(feed), sparkline(sparks.get(feed.id, ())))
        for feed in cut_page(found, query)
    ]
    pages = _pages(len(found))
    return FeedList(
        query=query,
        rows=tuple(rows),
        current_page=min(query.page, pages),
        total_pages=pages,
        total_items=len(found),
        has_any=any(feed.feed_id is not None for feed in feeds),
    )


def _pages(count: int) -> int:
    return max(1, -(-count // PAGE_SIZE))
