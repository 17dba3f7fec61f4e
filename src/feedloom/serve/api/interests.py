"""*For you* in JSON: suggestions with reasons, learned interests, and deleting them."""

from typing import Annotated, Literal

import msgspec

from feedloom.flow.reader.for_you import MOST_SHOWN
from feedloom.model.errors import Conflict
from feedloom.model.interests import Sign
from feedloom.serve.wire.json_io import APIRoutes, Body, Call
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
async def list_suggestions(call: Call) -> list[SuggestionShape]:
    limit = call.query(SuggestionQuery).limit
    _require_learning(call)
    found = await call.services.for_you.suggest(call.user_id, limit)
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
async def list_interests(call: Call) -> Learned:
    return await _learned(call, enabled=call.user.learns)


@ROUTES.add("PUT /api/interests", "Switch For you on or off", takes=Switch)
async def switch(call: Call) -> Learned:
    wanted = await call.body(Switch)
    store, user_id = call.services.interests, call.user_id
    await (store.start(user_id) if wanted.enabled else store.stop(user_id))
    return await _learned(call, enabled=wanted.enabled)


@ROUTES.add("DELETE /api/interests", "Forget everything")
async def forget_all(call: Call) -> None:
    await call.services.interests.forget_all(call.user_id)


@ROUTES.add("DELETE /api/interests/{id}", "Forget one thing")
async def forget(call: Call) -> None:
    await call.services.interests.forget(call.user_id, call.id())


@ROUTES.add(
    "POST /api/articles/{id}/like",
    "Ask for more or less like an article",
    takes=Like,
    refuses=(409,),
)
async def like(call: Call) -> None:
    wanted = await call.body(Like)
    article = await call.services.reading.article(call.user_id, call.id())
    _require_learning(call)
    await call.services.interests.learn(call.user_id, [article.item_no], Sign(wanted.like))


def _require_learning(call: Call) -> None:
    if not call.user.learns:
        raise Conflict("“For you” is off. Turn it on first.")


async def _learned(call: Call, *, enabled: bool) -> Learned:
    found = await call.services.interests.interests(call.user_id)
    return Learned(enabled, [shape(InterestShape, each) for each in found])
