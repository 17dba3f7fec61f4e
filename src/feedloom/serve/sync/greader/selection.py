"""From the streams a client names to queries of the store."""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.reader import Wanted
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.directory import Directory, load_directory
from feedloom.serve.sync.greader.ids import Kind, Stream

_MARKS = {
    Kind.READ: ("unread", False),
    Kind.UNREAD: ("unread", True),
    Kind.STARRED: ("starred", True),
}


async def select(
    call: Call, within: Sequence[Stream], without: Sequence[Stream] = ()
) -> Wanted | None:
    directory = None
    if any(s.kind in {Kind.LABEL, Kind.ADDRESS} for s in (*within, *without)):
        directory = await load_directory(call.services, call.user)
    wanted: Wanted | None = Wanted()
    for stream in within:
        wanted = wanted and _keep(wanted, stream, directory)
    for stream in without:
        wanted = wanted and _leave(wanted, stream, directory)
    return wanted


def _keep(wanted: Wanted, stream: Stream, directory: Directory | None) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return wanted
    if stream.kind is Kind.NOTHING:
        return None
    if stream.kind in _MARKS:
        return _marked(wanted, *_MARKS[stream.kind])
    feeds = _feeds(stream, directory)
    if feeds is not None:
        given = wanted.subscription_ids
        kept = feeds if given is None else feeds & set(given)
        return replace(wanted, subscription_ids=tuple(sorted(kept))) if kept else None
    return None if directory is None else _labelled(wanted, stream, directory)


def _labelled(wanted: Wanted, stream: Stream, directory: Directory) -> Wanted | None:
    if directory.has_tag(stream):
        return replace(wanted, tags=(*wanted.tags, stream.name))
    if search := directory.search(stream):
        # Of two searches at once both hold; their words stand side by side.
        return replace(wanted, text=" ".join(filter(None, (wanted.text, search.query))))
    return None


def _leave(wanted: Wanted, stream: Stream, directory: Directory | None) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return None
    if stream.kind in _MARKS:
        name, value = _MARKS[stream.kind]
        return _marked(wanted, name, not value)
    feeds = _feeds(stream, directory)
    if feeds is not None:
        left = (*wanted.not_subscription_ids, *sorted(feeds))
        return replace(wanted, not_subscription_ids=left)
    if directory is not None and directory.has_tag(stream):
        return replace(wanted, not_tags=(*wanted.not_tags, stream.name))
    return wanted


def _marked(wanted: Wanted, name: str, value: bool) -> Wanted | None:  # noqa: FBT001 - a mark's value
    given = wanted.unread if name == "unread" else wanted.starred
    if given is not None and given is not value:
        return None
    if name == "unread":
        return replace(wanted, unread=value)
    return replace(wanted, starred=value)


def _feeds(stream: Stream, directory: Directory | None) -> frozenset[int] | None:
    if stream.kind is Kind.FEED:
        return frozenset({stream.id})
    return None if directory is None else directory.feeds_of(stream)
