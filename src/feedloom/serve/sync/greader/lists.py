"""Lists: tags and folders, subscriptions, unread counts."""

from starlette.responses import PlainTextResponse, Response

from feedloom.model.reader import SavedSearch
from feedloom.model.sync import ListedSubscription, StreamCount
from feedloom.serve.sync.bodies import JSON, encode, json_answer
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.greader import shapes
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.directory import Directory, load_directory
from feedloom.serve.sync.greader.ids import LABEL_PREFIX, STATE_PREFIX, Kind, Stream
from feedloom.serve.sync.icons import icon_address
from feedloom.serve.sync.times import microseconds
from feedloom.serve.wire.json_io import answer_tagged

_NONE = StreamCount(0, None)


async def tags(call: Call) -> Response:
    directory = await load_directory(call.services, call.user)
    found = [shapes.Tag(STATE_PREFIX + "starred")]
    found += [shapes.Tag(LABEL_PREFIX + f.path, "folder") for f in directory.folders]
    found += [
        shapes.Tag(LABEL_PREFIX + name, "tag", unread) for name, unread in _own_tags(directory)
    ]
    counts = await call.services.saved_searches.unread(call.user.id)
    found += [
        shapes.Tag(LABEL_PREFIX + search.name, "tag", counts[search.id])
        for search in _searches(directory)
    ]
    return _tagged(call, {"tags": found})


async def subscriptions(call: Call) -> Response:
    directory = await load_directory(call.services, call.user)
    found = [_subscription(call, feed, directory) for feed in directory.feeds]
    return _tagged(call, {"subscriptions": found})


async def is_subscribed(call: Call) -> Response:
    """Tell whether a feed, named by number or address, is among the person's."""
    directory = await load_directory(call.services, call.user)
    found = directory.feed(call.stream())
    return PlainTextResponse("true" if found is not None else "false")


async def unread_count(call: Call) -> Response:
    directory = await load_directory(call.services, call.user)
    by_feed, by_tag = await call.services.syncing.unread_streams(call.user.id)
    counts = {f"feed/{f.id}": by_feed.get(f.id, _NONE) for f in directory.feeds}
    for folder in directory.folders:
        inside = [f.id for f in directory.feeds if f.folder_id == folder.id]
        counts[LABEL_PREFIX + folder.path] = _sum([by_feed.get(i, _NONE) for i in inside])
    for name, _ in _own_tags(directory):
        counts[LABEL_PREFIX + name] = by_tag.get(name, _NONE)
    in_searches = await call.services.saved_searches.unread(call.user.id)
    for search in _searches(directory):
        counts[LABEL_PREFIX + search.name] = StreamCount(in_searches[search.id], None)
    everything = _sum(list(by_feed.values()))
    counts[STATE_PREFIX + "reading-list"] = everything
    found = [
        {"id": id_, "count": c.unread, "newestItemTimestampUsec": _usec(c)}
        for id_, c in counts.items()
    ]
    return json_answer({"max": everything.unread, "unreadcounts": found})


def _own_tags(directory: Directory) -> list[tuple[str, int]]:
    hidden = {folder.path for folder in directory.folders}
    return [(name, unread) for name, unread in directory.tags if name not in hidden]


def _searches(directory: Directory) -> list[SavedSearch]:
    return [s for s in directory.searches if directory.search(Stream(Kind.LABEL, name=s.name))]


def _subscription(
    call: Call, feed: ListedSubscription, directory: Directory
) -> shapes.Subscription:
    path = directory.folder_path(feed)
    folder = ({"id": LABEL_PREFIX + path, "label": path},) if path else ()
    return shapes.Subscription(
        id=f"feed/{feed.id}",
        title=feed.title or feed.url,
        categories=folder,
        url=shown_address(call.request, feed),
        html_url=feed.site_url or "",
        icon_url=icon_address(call.request, feed.favicon_id) or "",
    )


def _sum(counts: list[StreamCount]) -> StreamCount:
    times = [count.newest_at for count in counts if count.newest_at is not None]
    return StreamCount(sum(c.unread for c in counts), max(times, default=None))


def _usec(count: StreamCount) -> str:
    return "0" if count.newest_at is None else str(microseconds(count.newest_at))


def _tagged(call: Call, value: object) -> Response:
    """Answer with a tag of the body, or that nothing changed since the tag given."""
    return answer_tagged(call.request, encode(value), JSON, {})
