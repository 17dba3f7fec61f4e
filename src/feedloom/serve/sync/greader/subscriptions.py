"""Subscriptions, folders and labels: listed, counted and changed; marks on items."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest

from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, StoreError, Throttled
from feedloom.model.reader import SavedSearch, Wanted
from feedloom.model.sync import ListedSubscription, StreamCount
from feedloom.serve.sync.bodies import JSON, encode
from feedloom.serve.sync.feeds import add_feed
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.ids import LABEL_PREFIX, STATE_PREFIX, Directory, Kind, Stream
from feedloom.serve.sync.icons import icon_address
from feedloom.serve.sync.times import EPOCH, from_microseconds, from_seconds, microseconds
from feedloom.serve.wire.json_io import answer_tagged

_NONE = StreamCount(0, None)
_MICROSECOND_DIGITS = 16
_ADDED = {Kind.READ: "read", Kind.UNREAD: "unread", Kind.STARRED: "starred"}
_REMOVED = {Kind.READ: "unread", Kind.UNREAD: "read", Kind.STARRED: "unstarred"}


async def list_tags(call: Call) -> Response:
    """List states, folders and labels; only ``type`` tells the last two apart."""
    directory = await call.directory()
    counts = await call.services.saved_searches.unread(call.user_id)
    labels = [*_own_tags(directory), *((s.name, counts[s.id]) for s in _searches(directory))]
    found: list[dict[str, object]] = [{"id": STATE_PREFIX + "starred"}]
    found += [{"id": LABEL_PREFIX + f.path, "type": "folder"} for f in directory.folders]
    found += [
        {"id": LABEL_PREFIX + name, "type": "tag", "unread_count": unread}
        for name, unread in labels
    ]
    return answer_tagged(call.request, encode({"tags": found}), JSON, {})


def _own_tags(directory: Directory) -> list[tuple[str, int]]:
    hidden = {folder.path for folder in directory.folders}
    return [(name, unread) for name, unread in directory.tags if name not in hidden]


def _searches(directory: Directory) -> list[SavedSearch]:
    return [s for s in directory.searches if directory.search(Stream(Kind.LABEL, name=s.name))]


async def list_subscriptions(call: Call) -> Response:
    directory = await call.directory()
    found = [_shape(call, feed, directory) for feed in directory.feeds]
    return answer_tagged(call.request, encode({"subscriptions": found}), JSON, {})


def _shape(call: Call, feed: ListedSubscription, directory: Directory) -> dict[str, object]:
    path = directory.folder_path(feed)
    return {
        "id": f"feed/{feed.id}",
        "title": feed.title or feed.url,
        "categories": [{"id": LABEL_PREFIX + path, "label": path}] if path else [],
        "url": call.shown_url(feed),
        "htmlUrl": feed.site_url or "",
        "iconUrl": icon_address(call.request, feed.favicon_id) or "",
    }


async def is_subscribed(call: Call) -> Response:
    found = (await call.directory()).feed(call.stream())
    return PlainTextResponse("true" if found is not None else "false")


async def unread_count(call: Call) -> object:
    directory = await call.directory()
    by_feed, by_tag = await call.services.syncing.unread_streams(call.user_id)
    counts = {f"feed/{f.id}": by_feed.get(f.id, _NONE) for f in directory.feeds}
    for folder in directory.folders:
        inside = [f.id for f in directory.feeds if f.folder_id == folder.id]
        counts[LABEL_PREFIX + folder.path] = _sum([by_feed.get(i, _NONE) for i in inside])
    for name, _ in _own_tags(directory):
        counts[LABEL_PREFIX + name] = by_tag.get(name, _NONE)
    in_searches = await call.services.saved_searches.unread(call.user_id)
    for search in _searches(directory):
        counts[LABEL_PREFIX + search.name] = StreamCount(in_searches[search.id], None)
    everything = _sum(list(by_feed.values()))
    counts[STATE_PREFIX + "reading-list"] = everything
    found = [
        {
            "id": id_,
            "count": count.unread,
            "newestItemTimestampUsec": str(microseconds(count.newest_at or EPOCH)),
        }
        for id_, count in counts.items()
    ]
    return {"max": everything.unread, "unreadcounts": found}


def _sum(counts: list[StreamCount]) -> StreamCount:
    times = [count.newest_at for count in counts if count.newest_at is not None]
    return StreamCount(sum(c.unread for c in counts), max(times, default=None))


async def edit(call: Call) -> None:
    action = call.given.text("ac")
    if action not in {"subscribe", "edit", "unsubscribe"}:
        raise InvalidInput("ac must be subscribe, edit or unsubscribe.", field="ac")
    streams = call.streams("s")
    if not streams:
        raise InvalidInput("The parameter s (feed) is missing.", field="s")
    titles = call.given.texts("t")[: len(streams)]
    for stream, title in zip_longest(streams, titles):
        # What one step made, the next must see.
        directory = await call.directory()
        if action == "subscribe":
            if stream.kind is not Kind.ADDRESS:
                raise InvalidInput("s must be feed/URL.", field="s")
            folder_id = await _target(call, directory)
            await add_feed(call, stream.name, title=title, folder_id=folder_id)
            continue
        feed = directory.feed(stream)
        if feed is None:
            raise InvalidInput("Subscription not found.", field="s")
        if action == "edit":
            await _change(call, feed, directory, title)
        else:
            await call.services.subscriptions.unsubscribe(call.user_id, feed.id)


async def _change(
    call: Call, feed: ListedSubscription, directory: Directory, title: str | None
) -> None:
    changes: dict[str, object] = {}
    if title and title.strip():
        changes["title"] = " ".join(title.split())
    folder_id = await _target(call, directory)
    if folder_id is not None:
        changes["folder_id"] = folder_id
    elif any(s.name == directory.folder_path(feed) for s in call.streams("r")):
        changes["folder_id"] = None
    if changes:
        await call.services.subscriptions.change(call.user_id, feed.id, changes)


async def _target(call: Call, directory: Directory) -> int | None:
    """Find or make the folder feeds shall move to; the last one named counts."""
    labels = [s for s in call.streams("a") if s.kind is Kind.LABEL]
    return await _folder_for(call, labels[-1], directory) if labels else None


async def quick_add(call: Call) -> object:
    """Add whatever feed an address offers; failure, too, is told with 200."""
    query = call.given.text("quickadd").strip()
    address = query
    while address.startswith("feed/"):
        address = address.removeprefix("feed/")
    try:
        feed = await add_feed(call, address)
    except (StoreError, Throttled):
        raise
    except FeedloomError as error:
        return {"numResults": 0, "query": query, "error": str(error)}
    added = {"streamId": f"feed/{feed.id}", "streamName": feed.title}
    return {"numResults": 1, "query": query} | added


async def edit_tag(call: Call) -> None:
    """Mark and label items; without items, make folders: clients do it this way."""
    items, added, removed = call.items(), call.streams("a"), call.streams("r")
    labels = [stream for stream in added if stream.kind is Kind.LABEL]
    directory = await call.directory() if labels else Directory()
    if not call.given.has("i"):
        for stream in labels:
            if not directory.has_tag(stream):
                await _folder_for(call, stream, directory)
    elif any(directory.folder(stream) for stream in labels):
        raise Conflict("A folder with this name already exists.")
    if items:
        reading = call.services.reading
        await _apply(call, items, added, _ADDED, reading.tag)
        await _apply(call, items, removed, _REMOVED, reading.untag)


async def _apply(
    call: Call,
    items: list[int],
    streams: list[Stream],
    marks: Mapping[Kind, str],
    label: Callable[[int, list[int], str], Awaitable[object]],
) -> None:
    for stream in streams:
        if stream.kind is Kind.LABEL:
            await label(call.user_id, items, stream.name)
        # Likes, shares and the rest are states we do not keep; clients send them along.
        elif stream.kind in marks:
            await call.services.reading.mark(call.user_id, items, marks[stream.kind])


async def _folder_for(call: Call, stream: Stream, directory: Directory) -> int:
    """Find or make the folder a label names; ``Conflict`` when it is a tag's name."""
    if directory.has_tag(stream):
        raise Conflict("A label with this name already exists.")
    folder = directory.folder(stream)
    if folder is not None:
        return folder.id
    return await call.services.folders.ensure(call.user_id, (stream.name,))


async def mark_all_as_read(call: Call) -> None:
    if not call.given.text("s").strip():
        raise InvalidInput("The parameter s (stream) is missing.", field="s")
    stream, directory = call.stream(), await call.directory()
    wanted = directory.select([stream])
    if wanted is None and directory.folder(stream) is not None:
        # It is empty.
        wanted = Wanted(item_nos=())
    names_feed = stream.kind in {Kind.FEED, Kind.ADDRESS}
    if wanted is None or (names_feed and directory.feed(stream) is None):
        raise InvalidInput("Stream not found.", field="s")
    await call.mark_read(replace(wanted, arrived_until=_until(call)))


def _until(call: Call) -> datetime | None:
    given = call.given.text("ts").strip()
    number = call.given.number("ts", 0)
    if number <= 0:
        return None
    is_long = len(given) >= _MICROSECOND_DIGITS
    return from_microseconds(number) if is_long else from_seconds(number)


async def rename_tag(call: Call) -> None:
    old, new = _label(call, "s"), _label(call, "dest")
    if not call.given.text("s").strip():
        old = _label(call, "t")
    if new.kind is not Kind.LABEL:
        raise InvalidInput("dest must be user/-/label/NAME.", field="dest")
    directory = await call.directory()
    folder = directory.folder(old)
    if folder is not None:
        if directory.has_tag(new):
            raise Conflict("A label with this name already exists.")
        await call.rename_folder(folder, new.name)
    elif directory.has_tag(old):
        if directory.folder(new) is not None:
            raise Conflict("A folder with this name already exists.")
        await call.services.reading.rename_tag(call.user_id, old.name, new.name)
    else:
        raise InvalidInput("Folder or label not found.", field="s")


def _label(call: Call, name: str) -> Stream:
    text = call.given.text(name).strip()
    if not text or text.startswith(("user/", "feed/")):
        return call.stream(name)
    return Stream(Kind.LABEL, name=" ".join(text.split()))


async def disable_tag(call: Call) -> None:
    """Delete folders and labels; feeds of a folder move to the root, items stay."""
    streams = call.streams("s") or [Stream(Kind.LABEL, name=name) for name in call.given.texts("t")]
    directory = await call.directory()
    for stream in streams:
        folder = directory.folder(stream)
        if folder is not None:
            await call.services.folders.delete(call.user_id, folder.id, alone=True)
        elif directory.has_tag(stream):
            await call.services.reading.delete_tag(call.user_id, stream.name)
        else:
            raise InvalidInput("Folder or label not found.", field="s")
