"""State changes: read, starred and labels of items; whole streams read; labels."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime

from feedloom.model.errors import Conflict, InvalidInput
from feedloom.model.reader import Wanted
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.directory import Directory, load_directory, select
from feedloom.serve.sync.greader.ids import Kind, Stream, read_item_id
from feedloom.serve.sync.times import from_microseconds, from_seconds

_MICROSECOND_DIGITS = 16
_ADDED = {Kind.READ: "read", Kind.UNREAD: "unread", Kind.STARRED: "starred"}
_REMOVED = {Kind.READ: "unread", Kind.UNREAD: "read", Kind.STARRED: "unstarred"}


async def edit_tag(call: Call) -> None:
    """Mark and label items; without items, make folders: clients do it this way."""
    named = (read_item_id(text) for text in call.given.texts("i"))
    items = [number for number in named if number is not None]
    added, removed = call.streams("a"), call.streams("r")
    labels = [stream for stream in added if stream.kind is Kind.LABEL]
    directory = await load_directory(call) if labels else Directory()
    if not call.given.has("i"):
        for stream in labels:
            if not directory.has_tag(stream):
                await folder_for(call, stream, directory)
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


async def folder_for(call: Call, stream: Stream, directory: Directory) -> int:
    """Find or make the folder a label names; ``Conflict`` when it is a tag's name."""
    if stream.kind is not Kind.LABEL:
        raise InvalidInput("A folder must be user/-/label/NAME.")
    if directory.has_tag(stream):
        raise Conflict("A label with this name already exists.")
    folder = directory.folder(stream)
    if folder is not None:
        return folder.id
    return await call.services.folders.ensure(call.user_id, (stream.name,))


async def mark_all_as_read(call: Call) -> None:
    if not call.given.text("s").strip():
        raise InvalidInput("The parameter s (stream) is missing.", field="s")
    stream, directory = call.stream(), await load_directory(call)
    wanted = await select(call, [stream])
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
    if len(given) >= _MICROSECOND_DIGITS:
        return from_microseconds(number)
    return from_seconds(number)


async def rename_tag(call: Call) -> None:
    old, new = _label(call, "s"), _label(call, "dest")
    if not call.given.text("s").strip():
        old = _label(call, "t")
    if new.kind is not Kind.LABEL:
        raise InvalidInput("dest must be user/-/label/NAME.", field="dest")
    directory = await load_directory(call)
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
    """Read a folder or label, by its stream or by its bare name."""
    text = call.given.text(name).strip()
    if not text or text.startswith(("user/", "feed/")):
        return call.stream(name)
    return Stream(Kind.LABEL, name=" ".join(text.split()))


async def disable_tag(call: Call) -> None:
    """Delete folders and labels; feeds of a folder move to the root, items stay."""
    streams = call.streams("s") or [Stream(Kind.LABEL, name=name) for name in call.given.texts("t")]
    directory = await load_directory(call)
    for stream in streams:
        folder = directory.folder(stream)
        if folder is not None:
            await call.services.folders.delete(call.user_id, folder.id, alone=True)
        elif directory.has_tag(stream):
            await call.services.reading.delete_tag(call.user_id, stream.name)
        else:
            raise InvalidInput("Folder or label not found.", field="s")
