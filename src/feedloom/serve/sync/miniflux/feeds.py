"""Feeds: list, add, change, delete, refresh, counters, icons."""

from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import FetchError, InvalidInput, NotFound, Throttled
from feedloom.model.reader import Subscription, Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import (
    add_feed,
    after_next_fetch,
    export_answer,
    import_body,
    shown_address,
)
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.feed_settings import keep_settings, read_settings
from feedloom.serve.sync.miniflux.translation import icon_shape
from feedloom.serve.sync.tasks import wait_until

_REFRESH_WAIT_S = 20.0
"""The host of a feed just added is left alone for a while after its discovery."""


async def list_feeds(call: Call) -> Response:
    feeds = await call.services.syncing.subscriptions(call.user.id)
    if "id" in call.request.path_params:
        category_id = call.id()
        if category_id not in await call.categories():
            raise NotFound
        feeds = [feed for feed in feeds if feed.folder_id == category_id]
    return json_answer(await call.feeds(feeds))


async def one_feed(call: Call) -> Response:
    return json_answer(await _shown(call, call.id()))


async def _shown(call: Call, feed_id: int) -> shapes.Feed:
    feed = await call.services.subscriptions.subscription(call.user.id, feed_id)
    (shown,) = await call.feeds([feed])
    return shown


async def create(call: Call) -> Response:
    # What cannot be kept is refused before anything is added.
    settings = read_settings(call.given)
    folder_id = settings.changes.pop("folder_id", None)
    if folder_id is not None and folder_id not in await call.categories():
        raise NotFound("Category not found.")
    title = settings.changes.pop("title", None)
    feed = await add_feed(
        call.services,
        call.user,
        settings.address(call.given.text("feed_url")),
        title=title if isinstance(title, str) else None,
        folder_id=folder_id if isinstance(folder_id, int) else None,
    )
    await keep_settings(call.services, call.user, feed, settings)
    return json_answer({"feed_id": feed.id}, status=HTTPStatus.CREATED)


async def discover(call: Call) -> Response:
    found = await call.services.subscribing.discoverer.discover(
        call.given.text("url"), user_id=call.user.id
    )
    feeds = [
        {"url": one.url, "title": one.link_title or one.title, "type": one.format or "rss"}
        for one in found.candidates
        if one.valid
    ]
    if not feeds:
        raise NotFound("Unable to find any feed.")
    return json_answer(feeds)


async def export(call: Call) -> Response:
    return await export_answer(call.services, call.user)


async def import_list(call: Call) -> Response:
    await import_body(call.services, call.user, call.request)
    message = {"message": "Feeds imported successfully"}
    return json_answer(message, status=HTTPStatus.CREATED)


async def update(call: Call) -> Response:
    """Change a feed's title, folder, address and all that is said of fetching it."""
    feed_id, user = call.id(), call.user
    store = call.services.subscriptions
    settings = read_settings(call.given)
    feed = await store.subscription(user.id, feed_id)
    shown = shown_address(call.request, feed)
    site = call.given.text("site_url").strip()
    if site and site != (feed.site_url or shown):
        raise InvalidInput("The site URL comes from the feed.")
    url = call.given.text("feed_url").strip()
    wanted = settings.address(url if url and url != shown else feed.url)
    if wanted != feed.url:
        await store.change_url(user.id, feed_id, wanted, tenant_id=user.tenant_id)
        feed = await store.subscription(user.id, feed_id)
    await keep_settings(call.services, user, feed, settings)
    return json_answer(await _shown(call, feed_id), status=HTTPStatus.CREATED)


async def delete(call: Call) -> Response:
    await call.services.subscriptions.unsubscribe(call.user.id, call.id())
    return nothing()


async def refresh(call: Call) -> Response:
    """Fetch a feed and wait a while for it: clients list its entries right after."""
    store, user_id = call.services.subscriptions, call.user.id
    before = await store.subscription(user_id, call.id())
    if before.feed_id is None:
        # Where starred articles of dropped feeds are: there is nothing to fetch.
        return nothing()
    await store.refresh(user_id, before.id, afresh=False)
    fetched = await after_next_fetch(call.services, before, most_s=_REFRESH_WAIT_S)
    if fetched.last_attempt_at != before.last_attempt_at and fetched.last_fetch_error:
        raise FetchError(fetched.last_fetch_error)
    return nothing()


async def refresh_all(call: Call) -> Response:
    store, user_id = call.services.subscriptions, call.user.id
    if not await store.refresh_all(user_id):
        wait_s = await store.refresh_pause_s(user_id)
        if wait_s:
            raise Throttled(
                f"All feeds were fetched just now. Try again in {wait_s} seconds.",
                retry_after_s=wait_s,
            )
    return nothing()


async def mark_read(call: Call) -> Response:
    feed_id = call.id()
    await call.services.subscriptions.subscription(call.user.id, feed_id)
    wanted = Wanted(subscription_id=feed_id)
    await call.services.reading.mark_all(call.user.id, wanted, "read")
    return nothing()


async def counters(call: Call) -> Response:
    totals = await call.services.syncing.totals(call.user.id)
    return json_answer(
        {
            "reads": {id_: read for id_, (read, _) in totals.items() if read},
            "unreads": {id_: unread for id_, (_, unread) in totals.items() if unread},
        }
    )


async def feed_icon(call: Call) -> Response:
    feed = await call.services.subscriptions.subscription(call.user.id, call.id())
    if feed.favicon_id is None and feed.feed_id is not None:
        feed = await _with_icon(call, feed, feed.feed_id)
    if feed.favicon_id is None:
        raise NotFound("This feed has no icon.")
    icon = await call.services.icons.icon(feed.favicon_id)
    return json_answer(icon_shape(feed.favicon_id, icon))


async def _with_icon(call: Call, feed: Subscription, feed_id: int) -> Subscription:
    """Wait until a new feed's icon was looked for."""

    async def is_done() -> bool:
        return not await call.services.icons.is_awaited(feed_id)

    await wait_until(is_done)
    return await call.services.subscriptions.subscription(call.user.id, feed.id)


async def icon_by_id(call: Call) -> Response:
    icon_id = call.id()
    feeds = await call.services.syncing.feeds(call.user.id)
    if all(feed.favicon_id != icon_id for feed in feeds):
        raise NotFound("Icon not found.")
    return json_answer(icon_shape(icon_id, await call.services.icons.icon(icon_id)))
