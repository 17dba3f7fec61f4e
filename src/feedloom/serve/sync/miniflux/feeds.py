"""Feeds and categories (folders, and the root among them): list, add, change, refresh."""

from dataclasses import replace
from http import HTTPStatus

from starlette.responses import Response

from feedloom.model.errors import FetchError, InvalidInput, NotFound, Throttled
from feedloom.model.reader import Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import add_feed, after_next_fetch, import_body, wait_until
from feedloom.serve.sync.miniflux.calls import Call
from feedloom.serve.sync.miniflux.feed_settings import keep_settings, read_settings
from feedloom.serve.sync.miniflux.shapes import category_shape, icon_shape

_REFRESH_WAIT_S = 20.0
"""The host of a feed just added is left alone for a while after its discovery."""


async def list_feeds(call: Call) -> object:
    """List all feeds, or those of the category that the path names."""
    feeds = await call.services.syncing.subscriptions(call.user_id)
    if "id" in call.request.path_params:
        category_id = await call.own_category(call.id())
        feeds = [feed for feed in feeds if feed.folder_id == category_id]
    return list((await call.shown_feeds(feeds)).values())


async def show(call: Call, status: HTTPStatus = HTTPStatus.OK) -> Response:
    (shown,) = (await call.shown_feeds([await call.subscription()])).values()
    return json_answer(shown, status=status)


async def create(call: Call) -> Response:
    # What cannot be kept is refused before anything is added.
    settings = read_settings(call.given)
    folder_id = settings.changes.pop("folder_id", None)
    if folder_id is not None and folder_id not in await call.categories():
        raise NotFound("Category not found.")
    title = settings.changes.pop("title", None)
    feed = await add_feed(
        call,
        settings.address(call.given.text("feed_url")),
        title=title if isinstance(title, str) else None,
        folder_id=folder_id if isinstance(folder_id, int) else None,
    )
    await keep_settings(call, feed, settings)
    return json_answer({"feed_id": feed.id}, status=HTTPStatus.CREATED)


async def discover(call: Call) -> object:
    found = await call.services.subscribing.discoverer.discover(
        call.given.text("url"), user_id=call.user_id
    )
    feeds = [
        {"url": one.url, "title": one.link_title or one.title, "type": one.format or "rss"}
        for one in found.candidates
        if one.valid
    ]
    if not feeds:
        raise NotFound("Unable to find any feed.")
    return feeds


async def import_list(call: Call) -> Response:
    await import_body(call)
    message = {"message": "Feeds imported successfully"}
    return json_answer(message, status=HTTPStatus.CREATED)


async def update(call: Call) -> Response:
    """Change a feed's title, folder, address and all that is said of fetching it."""
    feed_id, settings = call.id(), read_settings(call.given)
    feed = await call.subscription()
    shown = call.shown_url(feed)
    site = call.given.text("site_url").strip()
    if site and site != (feed.site_url or shown):
        raise InvalidInput("The site URL comes from the feed.")
    url = call.given.text("feed_url").strip()
    wanted = settings.address(url if url and url != shown else feed.url)
    if wanted != feed.url:
        store = call.services.subscriptions
        await store.change_url(call.user_id, feed_id, wanted, tenant_id=call.user.tenant_id)
        feed = await call.subscription()
    await keep_settings(call, feed, settings)
    return await show(call, HTTPStatus.CREATED)


async def refresh(call: Call) -> None:
    """Fetch a feed and wait a while for it: clients list its entries right after."""
    before = await call.subscription()
    if before.feed_id is None:
        # Where starred articles of dropped feeds are: there is nothing to fetch.
        return
    await call.services.subscriptions.refresh(call.user_id, before.id, afresh=False)
    fetched = await after_next_fetch(call, before, most_s=_REFRESH_WAIT_S)
    if fetched.last_attempt_at != before.last_attempt_at and fetched.last_fetch_error:
        raise FetchError(fetched.last_fetch_error)


async def refresh_all(call: Call) -> None:
    store, user_id = call.services.subscriptions, call.user_id
    if not await store.refresh_all(user_id):
        wait_s = await store.refresh_pause_s(user_id)
        if wait_s:
            raise Throttled(
                f"All feeds were fetched just now. Try again in {wait_s} seconds.",
                retry_after_s=wait_s,
            )


async def mark_read(call: Call) -> None:
    feed = await call.subscription()
    await call.mark_read(Wanted(subscription_id=feed.id))


async def counters(call: Call) -> object:
    totals = await call.services.syncing.totals(call.user_id)
    return {
        "reads": {id_: read for id_, (read, _) in totals.items() if read},
        "unreads": {id_: unread for id_, (_, unread) in totals.items() if unread},
    }


async def feed_icon(call: Call) -> object:
    """Show a feed's icon; of a new feed, wait until it was looked for."""
    feed, icons = await call.subscription(), call.services.icons
    if feed.favicon_id is None and feed.feed_id is not None:
        feed_id = feed.feed_id

        async def is_done() -> bool:
            return not await icons.is_awaited(feed_id)

        await wait_until(is_done)
        feed = await call.subscription()
    if feed.favicon_id is None:
        raise NotFound("This feed has no icon.")
    return icon_shape(feed.favicon_id, await icons.icon(feed.favicon_id))


async def icon_by_id(call: Call) -> object:
    icon_id = call.id()
    if all(feed.favicon_id != icon_id for feed in await call.feeds()):
        raise NotFound("Icon not found.")
    return icon_shape(icon_id, await call.services.icons.icon(icon_id))


async def list_categories(call: Call) -> object:
    categories = await call.categories()
    if call.given.flag("counts"):
        feeds = await call.services.subscriptions.subscriptions(call.user_id)
        for id_, category in categories.items():
            unread = [feed.unread for feed in feeds if feed.folder_id == id_]
            category |= {"feed_count": len(unread), "total_unread": sum(unread)}
    return list(categories.values())


async def create_category(call: Call) -> Response:
    made = await call.services.folders.create(call.user_id, call.given.text("title"))
    if call.given.flag("hide_globally"):
        made = replace(made, hidden_globally=True)
        await call.services.folders.hide_globally(call.user_id, made.id, hidden=True)
    return json_answer(category_shape(made, call.user), status=HTTPStatus.CREATED)


async def update_category(call: Call) -> Response:
    found = [folder for folder in await call.folders() if folder.id == call.id()]
    if not found:
        await call.own_category(call.id())
        raise InvalidInput("This category cannot be renamed.")
    if call.given.says("title"):
        await call.rename_folder(found[0], call.given.text("title"))
    hidden = call.given.flag_if_said("hide_globally")
    if hidden is not None:
        await call.services.folders.hide_globally(call.user_id, call.id(), hidden=hidden)
    return json_answer((await call.categories())[call.id()], status=HTTPStatus.CREATED)


async def delete_category(call: Call) -> None:
    await call.services.syncing.delete_folder(call.user_id, await call.own_category(call.id()))


async def mark_category_read(call: Call) -> None:
    await call.mark_read(Wanted(folder_id=await call.own_category(call.id()), folder_only=True))


async def refresh_category(call: Call) -> None:
    category_id = await call.own_category(call.id())
    for feed in await call.feeds():
        if feed.folder_id == category_id:
            await call.services.subscriptions.refresh(call.user_id, feed.id, afresh=False)
