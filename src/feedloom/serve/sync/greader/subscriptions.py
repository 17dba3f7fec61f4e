"""Subscriptions: add, rename, move, remove."""

from itertools import zip_longest

from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, StoreError, Throttled
from feedloom.model.sync import ListedSubscription
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import add_feed, export_answer, import_body
from feedloom.serve.sync.greader.calls import Call, done
from feedloom.serve.sync.greader.directory import Directory, load_directory
from feedloom.serve.sync.greader.edits import folder_for
from feedloom.serve.sync.greader.ids import Kind, Stream


async def edit(call: Call) -> Response:
    action = call.given.text("ac")
    actions = {"subscribe": _subscribe, "edit": _change, "unsubscribe": _unsubscribe}
    if action not in actions:
        raise InvalidInput("ac must be subscribe, edit or unsubscribe.", field="ac")
    streams = call.streams("s")
    if not streams:
        raise InvalidInput("The parameter s (feed) is missing.", field="s")
    titles = call.given.texts("t")[: len(streams)]
    for stream, title in zip_longest(streams, titles):
        # What one step made, the next must see.
        directory = await load_directory(call.services, call.user)
        await actions[action](call, stream, directory, title=title)
    return done()


async def _subscribe(
    call: Call, stream: Stream, directory: Directory, *, title: str | None
) -> None:
    if stream.kind is not Kind.ADDRESS:
        raise InvalidInput("s must be feed/URL.", field="s")
    folder_id = await _target(call, directory)
    await add_feed(call.services, call.user, stream.name, title=title, folder_id=folder_id)


async def _change(call: Call, stream: Stream, directory: Directory, *, title: str | None) -> None:
    feed = _own(directory, stream)
    changes: dict[str, object] = {}
    if title and title.strip():
        changes["title"] = " ".join(title.split())
    folder_id = await _target(call, directory)
    if folder_id is not None:
        changes["folder_id"] = folder_id
    elif any(s.name == directory.folder_path(feed) for s in call.streams("r")):
        changes["folder_id"] = None
    if changes:
        await call.services.subscriptions.change(call.user.id, feed.id, changes)


async def _unsubscribe(
    call: Call, stream: Stream, directory: Directory, *, title: str | None
) -> None:
    del title
    feed = _own(directory, stream)
    await call.services.subscriptions.unsubscribe(call.user.id, feed.id)


def _own(directory: Directory, stream: Stream) -> ListedSubscription:
    feed = directory.feed(stream)
    if feed is None:
        raise InvalidInput("Subscription not found.", field="s")
    return feed


async def _target(call: Call, directory: Directory) -> int | None:
    """Find or make the folder feeds shall move to; the last one named counts."""
    labels = [s for s in call.streams("a") if s.kind is Kind.LABEL]
    return await folder_for(call, labels[-1], directory) if labels else None


async def export(call: Call) -> Response:
    return await export_answer(call.services, call.user)


async def import_list(call: Call) -> Response:
    await import_body(call.services, call.user, call.request)
    return done()


async def quick_add(call: Call) -> Response:
    """Add whatever feed an address offers; failure, too, is told with 200."""
    query = call.given.text("quickadd").strip()
    address = query
    while address.startswith("feed/"):
        address = address.removeprefix("feed/")
    try:
        feed = await add_feed(call.services, call.user, address)
    except (StoreError, Throttled):
        raise
    except FeedloomError as error:
        return json_answer({"numResults": 0, "query": query, "error": str(error)})
    added = {"streamId": f"feed/{feed.id}", "streamName": feed.title}
    return json_answer({"numResults": 1, "query": query} | added)
