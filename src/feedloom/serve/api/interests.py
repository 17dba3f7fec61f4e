"""*For you* in JSON: suggestions with reasons, learned interests, and deleting them."""

from typing import Annotated, Literal

import msgspec
from starlette.requests import Request

from feedloom.flow.reader.for_you import MOST_SHOWN
from feedloom.model.errors import Conflict
from feedloom.model.interests import Sign
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.wire.json_io import APIRoutes, Body, read_body, read_query
from feedloom.serve.wire.shapes import ArticleShape, article_shape, shape

ROUTES = APIRoutes()


class SuggestionQuery(msgspec.Struct):
    """How many suggestions are asked for."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_SHOWN)] = 50


class ReasonShape(msgspec.Struct):
    """What speaks for an article, or, with less than 0 points, against it."""

    kind: str
    """feed, author, topic, word or story."""
    name: str
    points: float
    text: str


class SuggestionShape(msgspec.Struct):
    """An unread article, with the reasons for its place."""

    article: ArticleShape
    points: float
    reason: str
    """What the page says."""
    reasons: list[ReasonShape]


class InterestShape(msgspec.Struct):
    """How often you starred, opened … articles that share a feed, author, topic or word."""

    id: int
    kind: str
    name: str
    starred: int
    saved: int
    opened: int
    dismissed: int
    more: int
    less: int


class Learned(msgspec.Struct):
    """Everything that was learned of you."""

    enabled: bool
    interests: list[InterestShape]


class Switch(Body):
    """Off also deletes everything that was learned."""

    enabled: bool


class Like(Body):
    """Whether you want more or less like an article."""

    like: Literal["more", "less"]


@ROUTES.add("GET /api/for-you", "List suggested articles", asks=SuggestionQuery, refuses=(409,))
async def list_suggestions(request: Request) -> list[SuggestionShape]:
    limit = read_query(request, SuggestionQuery).limit
    _require_learning(request)
    found = await services(request).for_you.suggest(actor(request).user.id, limit)
    return [
        SuggestionShape(
            article_shape(each.article, with_content=False),
            round(each.points, 3),
            each.text,
            [shape(ReasonShape, reason, points=round(reason.points, 3)) for reason in each.reasons],
        )
        for each in found
    ]


@ROUTES.add("GET /api/interests", "List what was learned")
async def list_interests(request: Request) -> Learned:
    user = actor(request).user
    return await _learned(request, enabled=user.learns)


@ROUTES.add("PUT /api/interests", "Switch For you on or off", takes=Switch)
async def switch(request: Request) -> Learned:
    wanted = await read_body(request, Switch)
    store, user_id = services(request).interests, actor(request).user.id
    await (store.start(user_id) if wanted.enabled else store.stop(user_id))
    return await _learned(request, enabled=wanted.enabled)


@ROUTES.add("DELETE /api/interests", "Forget everything")
async def forget_all(request: Request) -> None:
    await services(request).interests.forget_all(actor(request).user.id)


@ROUTES.add("DELETE /api/interests/{id}", "Forget one thing")
async def forget(request: Request) -> None:
    await services(request).interests.forget(actor(request).user.id, path_id(request))


@ROUTES.add(
    "POST /api/articles/{id}/like",
    "Ask for more or less like an article",
    takes=Like,
    refuses=(409,),
)
async def like(request: Request) -> None:
    wanted = await read_body(request, Like)
    user_id = actor(request).user.id
    article = await services(request).reading.article(user_id, path_id(request))
    _require_learning(request)
    await services(request).interests.learn(user_id, [article.item_no], Sign(wanted.like))


def _require_learning(request: Request) -> None:
    if not actor(request).user.learns:
        raise Conflict("“For you” is off. Turn it on first.")


async def _learned(request: Request, *, enabled: bool) -> Learned:
    found = await services(request).interests.interests(actor(request).user.id)
    return Learned(enabled, [shape(InterestShape, each) for each in found])
