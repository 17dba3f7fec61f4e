"""Subscriptions and their feeds, which have the same ids here; taggings; icons; imports.

A tagging says which folder a feed is in. A feed has one, so it and its tagging share an
id. Tags are folders, by their whole path; feeds in the root have none.
"""

from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.responses import Response

from feedloom.flow.discovery.search import require_found
from feedloom.flow.reader.imports import outcomes
from feedloom.model.errors import BadAddress, Conflict, InvalidInput, NotFound
from feedloom.model.reader import Folder, Subscription
from feedloom.model.urls import normalise, shown_address, url_key
from feedloom.model.work import Task, TaskKind
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feedbin.calls import Call, moment, tagged
from feedloom.serve.sync.feeds import after_first_fetch
from feedloom.serve.sync.icons import icon_address
from feedloom.serve.sync.parameters import read_document, row_id
from feedloom.serve.sync.times import EPOCH

_OUTCOMES = {None: "pending", True: "complete", False: "failed"}


async def list_subscriptions(call: Call) -> Response:
    feeds = await call.services.syncing.subscriptions(call.user_id)
    since = call.since()
    return tagged(call, [_shape(call, f) for f in feeds if since is None or f.added_at > since])


def _shape(call: Call, feed: Subscription) -> dict[str, object]:
    url = call.shown_url(feed)
    return {
        "id": feed.id,
        "created_at": moment(feed.added_at),
        "feed_id": feed.id,
        "title": feed.title or url,
        "feed_url": url,
        "site_url": feed.site_url or url,
    }


async def one(call: Call) -> Response:
    return tagged(call, _shape(call, await call.subscription()))


async def feed(call: Call) -> Response:
    shown = _shape(call, await call.subscription())
    return tagged(call, {name: shown[name] for name in ("id", "title", "feed_url", "site_url")})


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
    made = await after_first_fetch(call, added.subscription)
    return _located(call, made, HTTPStatus.CREATED)


def _located(call: Call, feed: Subscription, status: HTTPStatus) -> Response:
    return call.located(_shape(call, feed), f"/subscriptions/{feed.id}.json", status)


async def _existing(call: Call, text: str) -> Subscription:
    """Find the subscription that was meant, by its own address or what it leads to."""
    feeds = await call.services.syncing.subscriptions(call.user_id)
    by_key = {url_key(feed.url): feed for feed in feeds if feed.url}
    try:
        key = url_key(normalise(text))
    except BadAddress:
        key = ""
    if key not in by_key:
        found = await call.services.subscribing.discoverer.discover(text, user_id=call.user_id)
        key = url_key(require_found(found))
    if key not in by_key:
        raise Conflict("You have already added this feed")
    return by_key[key]


async def update(call: Call) -> object:
    found = await call.subscription()
    title = call.given.line("title")
    if not title:
        raise InvalidInput("A title is required.")
    await call.services.subscriptions.change(call.user_id, found.id, {"title": title})
    return _shape(call, await call.subscription())


async def icons(call: Call) -> Response:
    """Name the icon of each site; those of one host share one."""
    found: dict[str, dict[str, str]] = {}
    for feed in await call.feeds():
        host = urlsplit(feed.site_url or feed.url).hostname
        address = icon_address(call.request, feed.favicon_id)
        if host and address:
            found.setdefault(host, {"host": host, "url": address})
    return tagged(call, list(found.values()))


async def import_list(call: Call) -> object:
    document = await read_document(call.request)
    task_id = await call.services.importing.start(call.user, document)
    task = await call.services.tasks.find(call.user_id, task_id)
    return _whole_import(task)


def _import(task: Task) -> dict[str, object]:
    created_at = moment(task.created_at or EPOCH)
    return {"id": task.id, "complete": task.done_at is not None, "created_at": created_at}


def _whole_import(task: Task) -> dict[str, object]:
    items = [
        {"title": title, "feed_url": shown_address(url), "status": _OUTCOMES[outcome]}
        for title, url, outcome in outcomes(task)
    ]
    return _import(task) | {"import_items": items}


async def list_imports(call: Call) -> object:
    """List the last import; those before it are not looked up."""
    task = await call.services.tasks.latest(call.user_id, TaskKind.IMPORT)
    return [_import(task)] if task else []


async def one_import(call: Call) -> object:
    task = await call.services.tasks.find(call.user_id, call.id())
    if task.kind != TaskKind.IMPORT:
        raise NotFound
    return _whole_import(task)


async def _taggings(call: Call) -> dict[int, dict[str, object]]:
    paths = {folder.id: folder.path for folder in await call.folders()}
    return {
        feed.id: {"id": feed.id, "feed_id": feed.id, "name": paths[feed.folder_id]}
        for feed in await call.feeds()
        if feed.folder_id in paths
    }


async def list_taggings(call: Call) -> Response:
    return tagged(call, list((await _taggings(call)).values()))


async def _tagging(call: Call) -> dict[str, object]:
    found = (await _taggings(call)).get(call.id())
    if found is None:
        raise NotFound
    return found


async def one_tagging(call: Call) -> Response:
    return tagged(call, await _tagging(call))


async def create_tagging(call: Call) -> Response:
    """Move a feed to a folder, which is made if there is none of that name."""
    feed_id = row_id(call.given.text("feed_id"))
    name = call.given.text("name").strip()
    await call.services.subscriptions.subscription(call.user_id, feed_id)
    before = (await _taggings(call)).get(feed_id)
    status = HTTPStatus.FOUND
    if before is None or before["name"] != name:
        folder, store = await _folder(call, name), call.services.folders
        if folder is None and not name:
            raise InvalidInput("A name is required.")
        folder_id = folder.id if folder else await store.ensure(call.user_id, (name,))
        await _move(call, feed_id, folder_id)
        status = HTTPStatus.CREATED
    shown = (await _taggings(call)).get(feed_id)
    if shown is None:
        raise NotFound
    return call.located(shown, f"/taggings/{feed_id}.json", status)


async def _folder(call: Call, name: str) -> Folder | None:
    return next((folder for folder in await call.folders() if folder.path == name), None)


async def _move(call: Call, feed_id: int, folder_id: int | None) -> None:
    changes = {"folder_id": folder_id}
    await call.services.subscriptions.change(call.user_id, feed_id, changes)


async def delete_tagging(call: Call) -> None:
    await _tagging(call)
    await _move(call, call.id(), None)


async def rename_tag(call: Call) -> object:
    """Rename a folder; into one that is there already, its feeds move."""
    old = await _tag(call, "old_name")
    name = call.given.text("new_name").strip()
    target = await _folder(call, name)
    if target is None:
        await call.rename_folder(old, name)
    elif target.id != old.id:
        for feed in await call.feeds():
            if feed.folder_id == old.id:
                await _move(call, feed.id, target.id)
        await call.services.folders.delete(call.user_id, old.id, alone=True)
    return list((await _taggings(call)).values())


async def delete_tag(call: Call) -> object:
    """Delete a folder; its feeds stay, in the root."""
    folder = await _tag(call, "name")
    await call.services.folders.delete(call.user_id, folder.id, alone=True)
    return list((await _taggings(call)).values())


async def _tag(call: Call, name: str) -> Folder:
    found = await _folder(call, call.given.text(name).strip())
    if found is None:
        raise NotFound("Tag not found.")
    return found
