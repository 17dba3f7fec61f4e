"""Digests in JSON: the latest, all of them page by page, a new one on demand."""

from datetime import datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.distill.digest import as_failure
from feedloom.model.distilled.digests import Summary
from feedloom.model.errors import FeedloomError
from feedloom.serve.auth import actor, services
from feedloom.serve.error_responses import answer_error
from feedloom.serve.ids import path_id
from feedloom.serve.routes import Access, Operation, Route
from feedloom.serve.wire.json_io import (
    Cursor,
    Limit,
    answer,
    answer_list,
    no_content,
    read_query,
)


class ClaimShape(msgspec.Struct):
    """A stretch of a paragraph, and the ids of the articles that say so."""

    text: str
    article_ids: list[int]


class CitationShape(msgspec.Struct):
    """A cited article, as it was then."""

    id: int
    title: str
    feed_title: str
    url: str
    published_at: datetime


class SummaryShape(msgspec.Struct):
    """A digest of one day."""

    id: int
    content: str
    paragraphs: list[list[ClaimShape]]
    citations: list[CitationShape]
    article_count: int
    model: str
    note: str
    created_at: datetime


class SummaryList(msgspec.Struct):
    """One page of digests, newest first."""

    summaries: list[SummaryShape]
    next_cursor: str | None


class LatestSummary(msgspec.Struct):
    """The newest digest, if there is any."""

    summary: SummaryShape | None


class SummaryQuery(msgspec.Struct):
    """Which page is asked for."""

    cursor: Cursor | None = None
    limit: Limit = 20


def summary_shape(summary: Summary) -> SummaryShape:
    return SummaryShape(
        id=summary.id,
        content=summary.content,
        paragraphs=[
            [ClaimShape(claim.text, list(claim.item_nos)) for claim in part]
            for part in summary.paragraphs
        ],
        citations=[
            CitationShape(one.item_no, one.title, one.source, one.url, one.published_at)
            for one in summary.cited
        ],
        article_count=summary.article_count,
        model=summary.model,
        note=summary.note,
        created_at=summary.created_at,
    )


async def list_summaries(request: Request) -> Response:
    """List digests, newest first."""
    query = read_query(request, SummaryQuery)
    page = await services(request).digests.store.summaries(
        actor(request).user.id, cursor=query.cursor, limit=query.limit
    )
    shapes = [summary_shape(summary) for summary in page.summaries]
    return answer_list(request, SummaryList(shapes, page.next_cursor))


async def latest_summary(request: Request) -> Response:
    """Show the newest digest."""
    found = await services(request).digests.store.latest(actor(request).user.id)
    shape = None if found is None else summary_shape(found)
    return answer_list(request, LatestSummary(shape))


async def generate(request: Request) -> Response:
    """Write a digest of the last 24 hours."""
    made = await services(request).digests.generate(actor(request).user.id)
    return answer(summary_shape(made))


async def show_summary(request: Request) -> Response:
    found = await services(request).digests.store.summary(
        actor(request).user.id, path_id(request)
    )
    return answer_list(request, summary_shape(found))


async def delete_summary(request: Request) -> Response:
    await services(request).digests.store.delete(
        actor(request).user.id, path_id(request)
    )
    return no_content()


def not_generated(request: Request, error: FeedloomError) -> Response:
    """Answer what no digest could be made of, a bug included."""
    return answer_error(request, as_failure(error))


_GENERATES = Operation(
    "Write a digest of the last 24 hours",
    {200: SummaryShape},
    refuses=(404, 409, 500),
)

ROUTES = (
    Route(
        "/summaries/latest",
        latest_summary,
        ("GET",),
        Access.PERSON,
        about=Operation("Show the newest digest", {200: LatestSummary}),
    ),
    Route(
        "/summaries",
        generate,
        ("POST",),
        Access.PERSON,
        errors=not_generated,
        about=_GENERATES,
    ),
    Route(
        "/api/summaries",
        list_summaries,
        ("GET",),
        Access.PERSON,
        about=Operation("List digests", {200: SummaryList}, asks=SummaryQuery),
    ),
    Route(
        "/api/summaries",
        generate,
        ("POST",),
        Access.PERSON,
        errors=not_generated,
        about=Operation(
            "Create a digest", {200: SummaryShape}, refuses=(404, 409, 500)
        ),
    ),
    Route(
        "/api/summaries/{id}",
        show_summary,
        ("GET",),
        Access.PERSON,
        about=Operation("Show a digest", {200: SummaryShape}),
    ),
    Route(
        "/api/summaries/{id}",
        delete_summary,
        ("DELETE",),
        Access.PERSON,
        about=Operation("Delete a digest", {204: None}),
    ),
)
