"""State changes: read, starred and labels of items; whole streams read; labels."""

from dataclasses import replace
from datetime import datetime

from starlette.responses import Response

from feedloom.model.errors import Conflict, InvalidInput
from feedloom.model.reader import Wanted
from feedloom.serve.sync.feeds import leaf_name
from feedloom.serve.sync.greader.calls import Call, done
from feedloom.serve.sync.greader.directory import Directory, load_directory
from feedloom.serve.sync.greader.ids import Kind, Stream, read_item_id
from feedloom.serve.sync.greader.selection import select
from feedloom.serve.sync.times import from_microseconds, from_seconds

_MICROSECOND_DIGITS = 16
_ADDED = {Kind.READ: "read", Kind.UNREAD: "unread", Kind.STARRED: "starred"}
_REMOVED = {Kind.READ: "unread", Kind.UNREAD: "read", Kind.STARRED: "unstarred"}


async def edit_tag(call: Call) -> Response:
    named = (read_item_id(text) for text in call.given.texts("i"))
    items = [number for number in named if number is not None]
    added, removed = call.streams("a"), call.streams("r")
    if not call.given.has("i"):
        await _create_folders(call, added)
        return done()
    await _refuse_folder_names(call, added)
    if items:
        for stream in added:
            await _apply(call, items, stream, adds=True)
        for stream in removed:
            await _apply(call, items, stream, adds=False)
    return done()


async def _apply(call: Call, items: list[int], stream: Stream, *, adds: bool) -> None:
    reading, user_id = call.services.reading, call.user.id
    if stream.kind is Kind.LABEL:
        change = reading.tag if adds else reading.untag
        await change(user_id, items, stream.name)
        return
    mark = (_ADDED if adds else _REMOVED).get(stream.kind)
    # Likes, shares and the rest are states we do not keep; clients send them along.
    if mark is not None:
        await reading.mark(user_id, items, mark)


async def _create_folders(call: Call, streams: list[Stream]) -> None:
    """Make what is named without an item: clients make folders this way."""
    directory = await load_directory(call.services, call.user)
    for stream in streams:
        if stream.kind is Kind.LABEL and not directory.has_tag(stream):
            await folder_for(call, stream, directory)


async def _refuse_folder_names(call: Call, streams: list[Stream]) -> None:
    if not any(stream.kind is Kind.LABEL for stream in streams):
        return
    directory = await load_directory(call.services, call.user)
    for stream in streams:
        if directory.folder(stream) is not None:
            raise Conflict("A folder with this name already exists.")


async def folder_for(call: Call, stream: Stream, directory: Directory) -> int:
    """Find or make the folder a label names; ``Conflict`` when it is a tag's name."""
    if stream.kind is not Kind.LABEL:
        raise InvalidInput("A folder must be user/-/label/NAME.")
    if directory.has_tag(stream):
        raise Conflict("A label with this name already exists.")
    folder = directory.folder(stream)
    if folder is not None:
        return folder.id
    return await call.services.folders.ensure(call.user.id, (stream.name,))


async def mark_all_as_read(call: Call) -> Response:
    if not call.given.text("s").strip():
        raise InvalidInput("The parameter s (stream) is missing.", field="s")
    wanted = await _stream_to_read(call)
    bounded = replace(wanted, arrived_until=_until(call))
    await call.services.reading.mark_all(call.user.id, bounded, "read")
    return done()


async def _stream_to_read(call: Call) -> Wanted:
    stream = call.stream()
    if stream.kind in {Kind.FEED, Kind.ADDRESS}:
        directory = await load_directory(call.services, call.user)
        if directory.feed(stream) is None:
            raise InvalidInput("Stream not found.", field="s")
    wanted = await select(call, [stream])
    if wanted is not None:
        return wanted
    if stream.kind is Kind.LABEL:
        directory = await load_directory(call.services, call.user)
        if directory.folder(stream) is not None:
            return Wanted(item_nos=())
    raise InvalidInput("Stream not found.", field="s")


def _until(call: Call) -> datetime | None:
    given = call.given.text("ts").strip()
    number = call.given.number("ts", 0)
    if number <= 0:
        return None
    if len(given) >= _MICROSECOND_DIGITS:
        return from_microseconds(number)
    return from_seconds(number)


async def rename_tag(call: Call) -> Response:
    old, new = _label(call, "s"), _label(call, "dest")
    if not call.given.text("s").strip():
        old = _label(call, "t")
    if new.kind is not Kind.LABEL:
        raise InvalidInput("dest must be user/-/label/NAME.", field="dest")
    directory = await load_directory(call.services, call.user)
    folder = directory.folder(old)
    if folder is not None:
        if directory.has_tag(new):
            raise Conflict("A label with this name already exists.")
        name = leaf_name(folder, new.name)
        await call.services.folders.rename(call.user.id, folder.id, name)
    elif directory.has_tag(old):
        if directory.folder(new) is not None:
            raise Conflict("A folder with this name already exists.")
        await call.services.reading.rename_tag(call.user.id, old.name, new.name)
    else:
        raise InvalidInput("Folder or label not found.", field="s")
    return done()


def _label(call: Call, name: str) -> Stream:
    """Read a folder or label, by its stream or by its bare name."""
    text = call.given.text(name).strip()
    if not text or text.startswith(("user/", "feed/")):
        return call.stream(name)
    return Stream(Kind.LABEL, name=" ".join(text.split()))


async def disable_tag(call: Call) -> Response:
    """Delete folders and labels; feeds of a folder move to the root, items stay."""
    streams = call.streams("s") or [Stream(Kind.LABEL, name=name) for name in call.given.texts("t")]
    directory = await load_directory(call.services, call.user)
    for stream in streams:
        folder = directory.folder(stream)
        if folder is not None:
            await call.services.folders.delete(call.user.id, folder.id, alone=True)
        elif directory.has_tag(stream):
            await call.services.reading.delete_tag(call.user.id, stream.name)
        else:
            raise InvalidInput("Folder or label not found.", field="s")
    return done()
