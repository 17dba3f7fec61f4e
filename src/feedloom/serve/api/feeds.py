"""Feeds in JSON: subscribe, list with fresh items, rename, leave; save and dismiss."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Article, Retention, Subscription
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.routes import Access, Operation, Route
from feedloom.serve.wire.json_io import (
    Address,
    Header,
    Id,
    Name,
    answer,
    answer_list,
    no_content,
    read_body,
)
from feedloom.serve.wire.shapes import BookmarkShape, Feed, bookmark_shape, feed_shape

RIVER = timedelta(hours=24)
"""How long an article is fresh."""
_PER_FEED = 50
_MOST_ITEMS = 2_000
Interval = Annotated[int, msgspec.Meta(ge=900, le=2_592_000)]
Keeping = Literal["archive", "day"]
AgentName = Annotated[str, msgspec.Meta(pattern=r"^[ -~]*$", max_length=255)]


class NewFeed(msgspec.Struct):
    """Something to subscribe to: the address of a feed, or of a site that has one."""

    url: Address
    title: Name | None = None
    folder_id: Id | None = None
    retention: Keeping = "archive"


class FeedChanges(msgspec.Struct):
    """What is to be changed; a title of null brings the publisher's back.

    ``cookie`` and ``user_agent`` are sent with each fetch of this person's feed, which
    is then kept apart from everybody else's; null stops that.
    """

    title: Name | UnsetType | None = UNSET
    url: Address | UnsetType = UNSET
    folder_id: Id | UnsetType | None = UNSET
    retention: Keeping | UnsetType = UNSET
    interval: Interval | UnsetType | None = UNSET
    is_mailing_list: bool | UnsetType = UNSET
    full_text: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    user_agent: AgentName | UnsetType | None = UNSET
    cookie: Header | UnsetType | None = UNSET


class Searching(msgspec.Struct):
    """The search for a feed goes on; ``/api/tasks/{task_id}`` tells how it ends."""

    task_id: int
    status: Literal["pending"] = "pending"


async def list_feeds(request: Request) -> Response:
    """List all feeds, each with what arrived in the last 24 hours."""
    user_id = actor(request).user.id
    feeds = await services(request).subscriptions.subscriptions(user_id)
    fresh = await _fresh(request, _day_ago(request))
    shapes = [feed_shape(f, fresh[f.id]) for f in feeds if f.feed_id is not None]
    return answer_list(request, shapes)


async def add_feed(request: Request) -> Response:
    """Subscribe to whatever an address offers."""
    new = await read_body(request, NewFeed)
    added = await services(request).subscribing.add(
        actor(request).user,
        new.url,
        title=new.title,
        folder_id=new.folder_id,
        retention=Retention(new.retention),
    )
    if added.subscription is None:
        task_id = added.task_id or 0
        where = {"Location": f"/api/tasks/{task_id}"}
        return answer(Searching(task_id), 202, where)
    where = {"Location": f"/feeds/{added.subscription.id}"}
    return answer(feed_shape(added.subscription), 201, where)


async def show_feed(request: Request) -> Response:
    feed = await _feed(request)
    fresh = await _fresh(request, _day_ago(request))
    return answer_list(request, feed_shape(feed, fresh[feed.id]))


async def change_feed(request: Request) -> Response:
    """Change what a person's feed is called, where it lies and how it is kept."""
    feed = await _feed(request)
    changes = await read_body(request, FeedChanges)
    store = services(request).subscriptions
    user = actor(request).user
    if changes.url is not UNSET:
        await store.change_url(user.id, feed.id, changes.url, tenant_id=user.tenant_id)
    if changes.is_mailing_list is not UNSET:
        await store.set_mailing_list(
            user.id, feed.id, is_mailing_list=changes.is_mailing_list
        )
    if changes.cookie is not UNSET or changes.user_agent is not UNSET:
        await _set_access(request, feed.id, changes)
    changed = await store.change(user.id, feed.id, _assignments(changes))
    fresh = await _fresh(request, _day_ago(request))
    return answer(feed_shape(changed, fresh[changed.id]))


async def leave_feed(request: Request) -> Response:
    user_id = actor(request).user.id
    await services(request).subscriptions.unsubscribe(user_id, path_id(request))
    return no_content()


async def refresh_feed(request: Request) -> Response:
    """Fetch a feed now; errors of the past are forgiven."""
    feed = await _feed(request)
    store = services(request).subscriptions
    await store.refresh(feed.user_id, feed.id)
    return answer(feed_shape(await store.subscription(feed.user_id, feed.id)), 202)


async def save_item(request: Request) -> Response:
    kept = await services(request).bookmarks.save_article(
        actor(request).user.id, path_id(request, "feed_id"), path_id(request, "item_id")
    )
    return answer(bookmark_shape(kept.bookmark), 201 if kept.is_new else 200)


async def dismiss_item(request: Request) -> Response:
    user_id, item_no = actor(request).user.id, path_id(request, "item_id")
    reading = services(request).reading
    article = await reading.article(user_id, item_no)
    if article.subscription_id != path_id(request, "feed_id") or article.hidden:
        raise NotFound("Article not found")
    await reading.mark(user_id, [item_no], "hidden")
    return no_content()


async def _feed(request: Request) -> Subscription:
    feed = await services(request).subscriptions.subscription(
        actor(request).user.id, path_id(request)
    )
    if feed.feed_id is None:
        raise NotFound("Feed not found")
    return feed


def _day_ago(request: Request) -> datetime:
    return services(request).clock.now() - RIVER


async def _fresh(request: Request, since: datetime) -> dict[int, list[Article]]:
    fresh = await services(request).overviews.fresh(
        actor(request).user.id, since, per_feed=_PER_FEED, most=_MOST_ITEMS
    )
    by_feed: dict[int, list[Article]] = defaultdict(list)
    for article in fresh.articles:
        by_feed[article.subscription_id].append(article)
    return by_feed


async def _set_access(request: Request, feed_id: int, changes: FeedChanges) -> None:
    user, store = actor(request).user, services(request).subscriptions
    now = await store.subscription(user.id, feed_id)
    cookie, agent = changes.cookie, changes.user_agent
    await store.set_access(
        user.id,
        feed_id,
        cookie=now.cookie if cookie is UNSET else (cookie or "").strip() or None,
        user_agent=now.user_agent if agent is UNSET else (agent or "").strip() or None,
        tenant_id=user.tenant_id,
    )


def _assignments(changes: FeedChanges) -> dict[str, object]:
    names = {
        "title": "title",
        "folder_id": "folder_id",
        "retention": "retention",
        "interval": "interval_s",
        "full_text": "full_text",
        "pinned": "pinned",
    }
    given = {column: getattr(changes, name) for name, column in names.items()}
    found = {column: value for column, value in given.items() if value is not UNSET}
    if "title" in found:
        found["title"] = " ".join(str(found["title"] or "").split()) or None
    return found


ROUTES = (
    Route(
        "/feeds",
        list_feeds,
        ("GET",),
        Access.PERSON,
        about=Operation("List feeds with their fresh items", {200: list[Feed]}),
    ),
    Route(
        "/feeds",
        add_feed,
        ("POST",),
        Access.PERSON,
        about=Operation(
            "Subscribe to a feed",
            {201: Feed, 202: Searching},
            takes=NewFeed,
            refuses=(404, 409, 502),
        ),
    ),
    Route(
        "/feeds/{id}",
        show_feed,
        ("GET",),
        Access.PERSON,
        about=Operation("Show a feed", {200: Feed}),
    ),
    Route(
        "/feeds/{id}",
        change_feed,
        ("PATCH",),
        Access.PERSON,
        about=Operation(
            "Update a feed",
            {200: Feed},
            takes=FeedChanges,
            refuses=(409,),
        ),
    ),
    Route(
        "/feeds/{id}",
        leave_feed,
        ("DELETE",),
        Access.PERSON,
        about=Operation("Unsubscribe", {204: None}),
    ),
    Route(
        "/feeds/{id}/refresh",
        refresh_feed,
        ("POST",),
        Access.PERSON,
        about=Operation("Fetch a feed now", {202: Feed}),
    ),
    Route(
        "/feeds/{feed_id}/items/{item_id}/save",
        save_item,
        ("POST",),
        Access.PERSON,
        about=Operation(
            "Save an item to Bookmarks",
            {201: BookmarkShape, 200: BookmarkShape},
            refuses=(422,),
        ),
    ),
    Route(
        "/feeds/{feed_id}/items/{item_id}",
        dismiss_item,
        ("DELETE",),
        Access.PERSON,
        about=Operation("Dismiss an item", {204: None}),
    ),
)
