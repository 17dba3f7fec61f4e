"""Digests in JSON: the latest, a paged list, a new one on demand."""

from datetime import datetime
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.distill.digest import as_failure
from feedloom.model.distilled.digests import Summary
from feedloom.model.distilled.requests import Claim
from feedloom.model.errors import FeedloomError
from feedloom.serve.error_responses import answer_error
from feedloom.serve.wire.json_io import APIRoutes, Call, Cursor, Limit
from feedloom.serve.wire.shapes import shape

ROUTES = APIRoutes()


class EvidenceShape(msgspec.Struct):
    """Words of an article that a sentence rests on, where they stand, and their SHA-256."""

    article_id: int
    part: Literal["title", "text"]
    start: int
    words: str
    sha256: str


class ClaimShape(msgspec.Struct):
    """A stretch of a paragraph, and the ids of the articles that say so."""

    text: str
    article_ids: tuple[int, ...]
    evidence: list[EvidenceShape]


class ItemShape(msgspec.Struct):
    """What stands above and below a paragraph: its section, headline and sources."""

    section: str
    headline: ClaimShape | None
    source_article_ids: tuple[int, ...]
    """One article of each source."""


class LeftOutShape(msgspec.Struct):
    """How many articles were passed over, and why."""

    advertisements: int
    near_empty: int
    repeats: int


class CitationShape(msgspec.Struct):
    """A cited article, as it was then."""

    id: int
    title: str
    feed_title: str
    url: str
    published_at: datetime


class SummaryShape(msgspec.Struct):
    """A digest, with the words that its sentences rest on."""

    id: int
    content: str
    paragraphs: list[list[ClaimShape]]
    items: list[ItemShape]
    """One for each paragraph, in their order."""
    citations: list[CitationShape]
    article_count: int
    model: str
    note: str
    left_out: LeftOutShape
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


def not_generated(request: Request, error: FeedloomError) -> Response:
    """Answer what no digest could be made of, a bug included."""
    return answer_error(request, as_failure(error))


def summary_shape(summary: Summary) -> SummaryShape:
    return shape(
        SummaryShape,
        summary,
        paragraphs=[[_claim(claim) for claim in told.claims] for told in summary.paragraphs],
        items=[
            ItemShape(
                told.section, _claim(told.headline) if told.headline else None, told.source_ids
            )
            for told in summary.paragraphs
        ],
        left_out=shape(LeftOutShape, summary.left_out),
        citations=[
            shape(CitationShape, one, id=one.item_no, feed_title=one.source)
            for one in summary.cited
        ],
    )


def _claim(claim: Claim) -> ClaimShape:
    evidence = [shape(EvidenceShape, one) for one in claim.evidence]
    return ClaimShape(claim.text, claim.article_ids, evidence)


@ROUTES.add("GET /api/summaries", "List digests", asks=SummaryQuery)
async def list_summaries(call: Call) -> SummaryList:
    query = call.query(SummaryQuery)
    page = await call.services.digests.store.summaries(
        call.user_id, cursor=query.cursor, limit=query.limit
    )
    shapes = [summary_shape(summary) for summary in page.summaries]
    return SummaryList(shapes, page.next_cursor)


@ROUTES.add("GET /summaries/latest", "Show the newest digest")
async def latest_summary(call: Call) -> LatestSummary:
    found = await call.services.digests.store.latest(call.user_id)
    return LatestSummary(None if found is None else summary_shape(found))


@ROUTES.add(
    "POST /summaries",
    "Write a digest of the last 24 hours",
    refuses=(404, 409, 500),
    errors=not_generated,
)
@ROUTES.add("POST /api/summaries", "Create a digest", refuses=(404, 409, 500), errors=not_generated)
async def generate(call: Call) -> SummaryShape:
    return summary_shape(await call.services.digests.generate(call.user_id))


@ROUTES.add("GET /api/summaries/{id}", "Show a digest")
async def show_summary(call: Call) -> SummaryShape:
    found = await call.services.digests.store.summary(call.user_id, call.id())
    return summary_shape(found)


@ROUTES.add("DELETE /api/summaries/{id}", "Delete a digest")
async def delete_summary(call: Call) -> None:
    await call.services.digests.store.delete(call.user_id, call.id())
