"""Stories in JSON: events that several feeds report, how each words them, and marks."""

from datetime import datetime
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from feedloom.flow.stories import Board
from feedloom.serve.wire.json_io import APIRoutes, Body, Call
from feedloom.serve.wire.shapes import ArticleShape, article_shape, shape

ROUTES = APIRoutes()


class StoryLineShape(msgspec.Struct):
    """A story in a list, counted by your own articles."""

    id: int
    title: str
    articles: int
    feeds: int
    unread: int
    newest_at: datetime
    followed: bool


class FactShape(msgspec.Struct):
    """Something that one feed alone states."""

    kind: Literal["number", "name", "quotation"]
    text: str


class LoadedShape(msgspec.Struct):
    """A loaded word of a headline, and what it counts as."""

    text: str
    dimension: str


class WordingShape(msgspec.Struct):
    """How one feed words the story, beside the others."""

    article_id: int
    feed_id: int
    feed_title: str
    title: str
    score: float | None
    alone: list[str]
    """Words that no other headline says."""
    loaded: list[LoadedShape]
    facts: list[FactShape]


class TrendShape(msgspec.Struct):
    """How loaded a feed's headlines are, week by week, oldest first."""

    feed_id: int
    feed_title: str
    here: float | None
    usual: float
    headlines: int
    weeks: tuple[float | None, ...]


class StoryShape(msgspec.Struct):
    """A story as the articles of your feeds tell it, oldest first."""

    id: int
    title: str
    followed: bool
    muted: bool
    articles: list[ArticleShape]
    wordings: list[WordingShape]
    trends: list[TrendShape]


class StoryChanges(Body):
    """What is to be changed. ``unread`` can only be false: it marks all articles read."""

    followed: bool | UnsetType = UNSET
    muted: bool | UnsetType = UNSET
    unread: Literal[False] | UnsetType = UNSET


@ROUTES.add("GET /api/stories", "List stories")
async def list_stories(call: Call) -> list[StoryLineShape]:
    """List the stories you follow, then those of the last 72 hours that several feeds report."""
    store, user_id = call.services.stories.store, call.user_id
    found = {line.id: line for line in await store.followed(user_id)}
    for line in await store.current(user_id):
        found.setdefault(line.id, line)
    return [
        shape(
            StoryLineShape,
            line,
            title=line.first.shown_title,
            followed=line.followed_at is not None,
        )
        for line in found.values()
    ]


@ROUTES.add("GET /api/stories/{id}", "Show a story")
async def show_story(call: Call) -> StoryShape:
    return _shape(await _board(call))


@ROUTES.add("PATCH /api/stories/{id}", "Follow, mute or mark a story", takes=StoryChanges)
async def change_story(call: Call) -> StoryShape:
    """Follow or mute a story, end that, or mark its articles read.

    Muting dismisses its articles, and what joins it later; starred ones stay.
    """
    changes = await call.body(StoryChanges, shown=StoryShape)
    store = call.services.stories.store
    user_id, story_id = call.user_id, call.id()
    if changes.unread is not UNSET:
        await store.mark_read(user_id, story_id)
    if changes.followed is not UNSET:
        await store.mark(user_id, story_id, "followed" if changes.followed else "unfollowed")
    if changes.muted is not UNSET:
        await store.mark(user_id, story_id, "muted" if changes.muted else "unmuted")
    return _shape(await _board(call))


async def _board(call: Call) -> Board:
    return await call.services.stories.board(call.user_id, call.id())


def _shape(board: Board) -> StoryShape:
    story = board.story
    return shape(
        StoryShape,
        story,
        articles=[article_shape(article, with_content=False) for article in story.articles],
        wordings=[
            WordingShape(
                line.article.item_no,
                line.article.subscription_id,
                line.article.feed_title,
                line.article.title,
                line.wording.score,
                [part.text for part in line.wording.words if part.is_alone],
                [LoadedShape(*sign) for sign in line.wording.signs],
                [FactShape(fact.kind, fact.text) for fact in line.wording.facts],
            )
            for line in board.lines
        ],
        trends=[shape(TrendShape, trend) for trend in board.trends],
    )
