"""Feeds in JSON: subscribe, list with fresh items, rename, unsubscribe; save and dismiss."""

from collections import defaultdict
from datetime import timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotAllowed, NotFound
from feedloom.model.reader import MOST_DAYS, Article, Retention, Subscription
from feedloom.serve.action_times import done_at
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.wire.json_io import (
    Address,
    APIRoutes,
    Body,
    Header,
    Id,
    Name,
    answer,
    given,
    read_body,
)
from feedloom.serve.wire.shapes import BookmarkShape, Feed, bookmark_shape, feed_shape

ROUTES = APIRoutes()

RIVER = timedelta(hours=24)
"""How long an article is fresh."""
_PER_FEED = 50
_COLUMNS = (
    *("title", "folder_id", "retention", "interval", "full_text", "calm_titles", "pinned"),
    "read_after_days",
)
_MOST_ITEMS = 2_000
Interval = Annotated[int, msgspec.Meta(ge=900, le=2_592_000)]
Days = Annotated[int, msgspec.Meta(ge=1, le=MOST_DAYS)]
Keeping = Literal["archive", "day"]
AgentName = Annotated[str, msgspec.Meta(pattern=r"^[ -~]*$", max_length=255)]


class NewFeed(Body):
    """Something to subscribe to: the address of a feed, or of a site that has one."""

    url: Address
    title: Name | None = None
    folder_id: Id | None = None
    retention: Keeping = "archive"


class FeedChanges(Body):
    """What is to be changed; a title of null brings the publisher's back.

    ``cookie`` and ``user_agent`` are sent with each fetch of this person's feed, which
    is then kept apart from everybody else's; null stops that. ``direct`` has the feed
    fetched past the outbound proxy for everybody; operators alone may change it.
    """

    title: Name | UnsetType | None = UNSET
    url: Address | UnsetType = UNSET
    folder_id: Id | UnsetType | None = UNSET
    retention: Keeping | UnsetType = UNSET
    interval: Interval | UnsetType | None = UNSET
    is_mailing_list: bool | UnsetType = UNSET
    full_text: bool | UnsetType = UNSET
    calm_titles: bool | UnsetType | None = UNSET
    pinned: bool | UnsetType = UNSET
    read_after_days: Days | UnsetType | None = UNSET
    paused: bool | UnsetType = UNSET
    user_agent: AgentName | UnsetType | None = UNSET
    cookie: Header | UnsetType | None = UNSET
    direct: bool | UnsetType = UNSET


class Searching(msgspec.Struct):
    """The search for a feed goes on; ``/api/tasks/{task_id}`` tells how it ends."""

    task_id: int
    status: Literal["pending"] = "pending"


@ROUTES.add("GET /feeds", "List feeds with their fresh items")
async def list_feeds(request: Request) -> list[Feed]:
    user_id = actor(request).user.id
    feeds = await services(request).subscriptions.subscriptions(user_id)
    fresh = await _fresh(request)
    return [feed_shape(f, fresh[f.id]) for f in feeds if f.feed_id is not None]


@ROUTES.add(
    "POST /feeds",
    "Subscribe to a feed",
    gives={201: Feed, 202: Searching},
    takes=NewFeed,
    refuses=(404, 409, 502),
)
async def add_feed(request: Request) -> Response:
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


@ROUTES.add("GET /feeds/{id}", "Show a feed")
async def show_feed(request: Request) -> Feed:
    feed = await _feed(request)
    fresh = await _fresh(request)
    return feed_shape(feed, fresh[feed.id])


@ROUTES.add("PATCH /feeds/{id}", "Update a feed", takes=FeedChanges, refuses=(409,))
async def change_feed(request: Request) -> Feed:
    feed = await _feed(request)
    changes = await read_body(request, FeedChanges, shown=Feed)
    store = services(request).subscriptions
    user = actor(request).user
    if changes.direct is not UNSET:
        if not user.is_operator:
            raise NotAllowed("Only operators can choose how a feed is reached.")
        await store.set_direct(user.id, feed.id, direct=changes.direct)
    if changes.url is not UNSET:
        await store.change_url(user.id, feed.id, changes.url, tenant_id=user.tenant_id)
    if changes.is_mailing_list is not UNSET:
        await store.set_mailing_list(user.id, feed.id, is_mailing_list=changes.is_mailing_list)
    if changes.paused is not UNSET:
        await (store.pause if changes.paused else store.resume)(user.id, feed.id)
    if changes.cookie is not UNSET or changes.user_agent is not UNSET:
        await _set_access(request, feed.id, changes)
    changed = await store.change(user.id, feed.id, _assignments(changes))
    fresh = await _fresh(request)
    return feed_shape(changed, fresh[changed.id])


@ROUTES.add("DELETE /feeds/{id}", "Unsubscribe")
async def leave_feed(request: Request) -> None:
    user_id = actor(request).user.id
    await services(request).subscriptions.unsubscribe(user_id, path_id(request))


@ROUTES.add("POST /feeds/{id}/refresh", "Fetch a feed now", status=202)
async def refresh_feed(request: Request) -> Feed:
    """Fetch a feed now; errors of the past are forgiven."""
    feed = await _feed(request)
    store = services(request).subscriptions
    await store.refresh(feed.user_id, feed.id)
    return feed_shape(await store.subscription(feed.user_id, feed.id))


class SaveQuery(msgspec.Struct):
    """When the item was saved, for what is sent later."""

    ago: Annotated[int, msgspec.Meta(ge=0, lt=10**15)] | None = None
    """Milliseconds since then. A bookmark that was deleted in the meantime stays deleted."""
    at: Annotated[int, msgspec.Meta(ge=0, lt=10**15)] | None = None
    """The same as a time in milliseconds since 1970, by the server's clock."""


@ROUTES.add(
    "POST /feeds/{feed_id}/items/{item_id}/save",
    "Save an item to Bookmarks",
    gives={201: BookmarkShape, 200: BookmarkShape},
    asks=SaveQuery,
    refuses=(409, 422),
)
async def save_item(request: Request) -> Response:
    kept = await services(request).bookmarks.save_article(
        actor(request).user.id,
        path_id(request, "feed_id"),
        path_id(request, "item_id"),
        done_at(request),
    )
    return answer(bookmark_shape(kept.bookmark), 201 if kept.is_new else 200)


@ROUTES.add("DELETE /feeds/{feed_id}/items/{item_id}", "Dismiss an item")
async def dismiss_item(request: Request) -> None:
    user_id, item_no = actor(request).user.id, path_id(request, "item_id")
    reading = services(request).reading
    article = await reading.article(user_id, item_no)
    if article.subscription_id != path_id(request, "feed_id") or article.hidden:
        raise NotFound("Article not found")
    await reading.mark(user_id, [item_no], "hidden")


async def _feed(request: Request) -> Subscription:
    feed = await services(request).subscriptions.subscription(
        actor(request).user.id, path_id(request)
    )
    if feed.feed_id is None:
        raise NotFound("Feed not found")
    return feed


async def _fresh(request: Request) -> dict[int, list[Article]]:
    since = services(request).clock.now() - RIVER
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
    named = given(changes)
    found = {name: named[name] for name in _COLUMNS if name in named}
    if "interval" in found:
        found["interval_s"] = found.pop("interval")
    if "title" in found:
        found["title"] = " ".join((found["title"] or "").split()) or None
    return found
