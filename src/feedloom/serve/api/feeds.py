"""Feeds in JSON: subscribe, list with fresh items, rename, unsubscribe; save and dismiss."""

from collections import defaultdict
from datetime import timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from feedloom.model.errors import NotAllowed, NotFound
from feedloom.model.reader import MOST_DAYS, Article, Retention, Subscription
from feedloom.serve.action_times import done_at
from feedloom.serve.wire.json_io import (
    Address,
    APIRoutes,
    Body,
    Call,
    Header,
    Id,
    Name,
    answer,
    given,
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
async def list_feeds(call: Call) -> list[Feed]:
    feeds = await call.services.subscriptions.subscriptions(call.user_id)
    fresh = await _fresh(call)
    return [feed_shape(f, fresh[f.id]) for f in feeds if f.feed_id is not None]


@ROUTES.add(
    "POST /feeds",
    "Subscribe to a feed",
    gives={201: Feed, 202: Searching},
    takes=NewFeed,
    refuses=(404, 409, 502),
)
async def add_feed(call: Call) -> Response:
    new = await call.body(NewFeed)
    added = await call.services.subscribing.add(
        call.user,
        new.url,
        title=new.title,
        folder_id=new.folder_id,
        retention=Retention(new.retention),
    )
    if added.subscription is None:
        task_id = added.task_id or 0
        return answer(Searching(task_id), 202, {"Location": f"/api/tasks/{task_id}"})
    where = {"Location": f"/feeds/{added.subscription.id}"}
    return answer(feed_shape(added.subscription), 201, where)


@ROUTES.add("GET /feeds/{id}", "Show a feed")
async def show_feed(call: Call) -> Feed:
    feed = await _feed(call)
    return feed_shape(feed, (await _fresh(call))[feed.id])


@ROUTES.add("PATCH /feeds/{id}", "Update a feed", takes=FeedChanges, refuses=(409,))
async def change_feed(call: Call) -> Feed:
    feed = await _feed(call)
    changes = await call.body(FeedChanges, shown=Feed)
    store = call.services.subscriptions
    user = call.user
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
        await _set_access(call, feed.id, changes)
    changed = await store.change(user.id, feed.id, _assignments(changes))
    return feed_shape(changed, (await _fresh(call))[changed.id])


@ROUTES.add("DELETE /feeds/{id}", "Unsubscribe")
async def leave_feed(call: Call) -> None:
    await call.services.subscriptions.unsubscribe(call.user_id, call.id())


@ROUTES.add("POST /feeds/{id}/refresh", "Fetch a feed now", status=202)
async def refresh_feed(call: Call) -> Feed:
    """Fetch a feed now; errors of the past are forgiven."""
    feed = await _feed(call)
    store = call.services.subscriptions
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
async def save_item(call: Call) -> Response:
    kept = await call.services.bookmarks.save_article(
        call.user_id, call.id("feed_id"), call.id("item_id"), done_at(call.request)
    )
    return answer(bookmark_shape(kept.bookmark), 201 if kept.is_new else 200)


@ROUTES.add("DELETE /feeds/{feed_id}/items/{item_id}", "Dismiss an item")
async def dismiss_item(call: Call) -> None:
    reading = call.services.reading
    article = await reading.article(call.user_id, call.id("item_id"))
    if article.subscription_id != call.id("feed_id") or article.hidden:
        raise NotFound("Article not found")
    await reading.mark(call.user_id, [article.item_no], "hidden")


async def _feed(call: Call) -> Subscription:
    feed = await call.services.subscriptions.subscription(call.user_id, call.id())
    if feed.feed_id is None:
        raise NotFound("Feed not found")
    return feed


async def _fresh(call: Call) -> dict[int, list[Article]]:
    since = call.services.clock.now() - RIVER
    fresh = await call.services.overviews.fresh(
        call.user_id, since, per_feed=_PER_FEED, most=_MOST_ITEMS
    )
    by_feed: dict[int, list[Article]] = defaultdict(list)
    for article in fresh.articles:
        by_feed[article.subscription_id].append(article)
    return by_feed


async def _set_access(call: Call, feed_id: int, changes: FeedChanges) -> None:
    user, store = call.user, call.services.subscriptions
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
    found = {name: value for name, value in given(changes).items() if name in _COLUMNS}
    if "interval" in found:
        found["interval_s"] = found.pop("interval")
    if "title" in found:
        found["title"] = " ".join((found["title"] or "").split()) or None
    return found
