"""Subscriptions and their feeds, which have the same ids here; icons; imports."""

from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.responses import Response

from feedloom.flow.discovery.search import require_found
from feedloom.model.errors import BadAddress, Conflict, InvalidInput, NotFound
from feedloom.model.reader import Subscription
from feedloom.model.urls import normalise, url_key
from feedloom.model.work import TaskKind
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin import shapes
from feedloom.serve.sync.feedbin.calls import Call, nothing, tagged
from feedloom.serve.sync.feedbin.translation import (
    feed_shape,
    import_shape,
    import_with_items,
    subscription_shape,
)
from feedloom.serve.sync.feeds import after_first_fetch, shown_address
from feedloom.serve.sync.icons import icon_address
from feedloom.serve.sync.parameters import read_document


async def authentication(_call: Call) -> Response:
    return json_answer({})


async def list_subscriptions(call: Call) -> Response:
    feeds = await call.services.syncing.subscriptions(call.user.id)
    since = call.since()
    return tagged(call, [_shape(call, f) for f in feeds if since is None or f.added_at > since])


def _shape(call: Call, feed: Subscription) -> shapes.Subscription:
    return subscription_shape(feed, url=shown_address(call.request, feed))


async def _named(call: Call) -> Subscription:
    return await call.services.subscriptions.subscription(call.user.id, call.id())


async def one(call: Call) -> Response:
    return tagged(call, _shape(call, await _named(call)))


async def feed(call: Call) -> Response:
    found = await _named(call)
    return tagged(call, feed_shape(found, url=shown_address(call.request, found)))


async def create(call: Call) -> Response:
    """Subscribe to what an address offers; tell what there is, where it is several."""
    text = call.given.text("feed_url").strip()
    if not text:
        raise InvalidInput("feed_url is required.")
    try:
        added = await call.services.subscribing.add(call.user, text, wait=True, choose=True)
    except Conflict:
        return _located(call, await _existing(call, text), HTTPStatus.FOUND)
    if added.subscription is None:
        choices = [{"feed_url": one.url, "title": one.title} for one in added.choices]
        return json_answer(choices, status=HTTPStatus.MULTIPLE_CHOICES)
    made = await after_first_fetch(call.services, added.subscription)
    return _located(call, made, HTTPStatus.CREATED)


def _located(call: Call, feed: Subscription, status: HTTPStatus) -> Response:
    headers = {"Location": call.address(f"/subscriptions/{feed.id}.json")}
    return json_answer(_shape(call, feed), status=status, headers=headers)


async def _existing(call: Call, text: str) -> Subscription:
    """Find the subscription that was meant, by its own address or what it leads to."""
    feeds = await call.services.syncing.subscriptions(call.user.id)
    by_key = {url_key(feed.url): feed for feed in feeds if feed.url}
    try:
        key = url_key(normalise(text))
    except BadAddress:
        key = ""
    if key not in by_key:
        found = await call.services.subscribing.discoverer.discover(text, user_id=call.user.id)
        key = url_key(require_found(found))
    if key not in by_key:
        raise Conflict("You have already added this feed")
    return by_key[key]


async def update(call: Call) -> Response:
    found = await _named(call)
    title = " ".join(call.given.text("title").split())
    if not title:
        raise InvalidInput("A title is required.")
    store = call.services.subscriptions
    await store.change(call.user.id, found.id, {"title": title})
    return json_answer(_shape(call, await _named(call)))


async def delete(call: Call) -> Response:
    await call.services.subscriptions.unsubscribe(call.user.id, call.id())
    return nothing()


async def icons(call: Call) -> Response:
    """Name the icon of each site; those of one host share one."""
    found: dict[str, dict[str, str]] = {}
    for feed in await call.services.syncing.feeds(call.user.id):
        host = urlsplit(feed.site_url or feed.url).hostname
        address = icon_address(call.request, feed.favicon_id)
        if host and address:
            found.setdefault(host, {"host": host, "url": address})
    return tagged(call, list(found.values()))


async def import_list(call: Call) -> Response:
    document = await read_document(call.request)
    task_id = await call.services.importing.start(call.user, document)
    task = await call.services.tasks.find(call.user.id, task_id)
    return json_answer(import_with_items(task))


async def list_imports(call: Call) -> Response:
    """List the last import; those before it are not looked up."""
    task = await call.services.tasks.latest(call.user.id, TaskKind.IMPORT)
    return json_answer([import_shape(task)] if task else [])


async def one_import(call: Call) -> Response:
    task = await call.services.tasks.find(call.user.id, call.id())
    if task.kind != TaskKind.IMPORT:
        raise NotFound
    return json_answer(import_with_items(task))
