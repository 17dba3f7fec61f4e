"""A person's feeds, folders, tags and searches by stream id; streams as queries of the store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from feedloom.model.errors import BadAddress
from feedloom.model.reader import Folder, SavedSearch, Wanted
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import url_key, without_credentials
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.ids import Kind, Stream

_MARKS = {
    Kind.READ: ("unread", False),
    Kind.UNREAD: ("unread", True),
    Kind.STARRED: ("starred", True),
}


@dataclass(frozen=True, slots=True)
class Directory:
    """Everything a stream can name. A folder goes before a tag of the same name."""

    feeds: Sequence[ListedSubscription] = ()
    folders: Sequence[Folder] = ()
    tags: Sequence[tuple[str, int]] = ()
    """Names with unread counts."""
    searches: Sequence[SavedSearch] = ()

    def folder(self, stream: Stream) -> Folder | None:
        if stream.kind is not Kind.LABEL:
            return None
        return next((f for f in self.folders if f.path == stream.name), None)

    def has_tag(self, stream: Stream) -> bool:
        return (
            stream.kind is Kind.LABEL
            and self.folder(stream) is None
            and any(name == stream.name for name, _ in self.tags)
        )

    def search(self, stream: Stream) -> SavedSearch | None:
        """Find the saved search a label names, unless a folder or tag has that name."""
        if stream.kind is not Kind.LABEL or self.folder(stream) or self.has_tag(stream):
            return None
        return next((s for s in self.searches if s.name == stream.name), None)

    def feed(self, stream: Stream) -> ListedSubscription | None:
        if stream.kind is Kind.FEED:
            return next((f for f in self.feeds if f.id == stream.id), None)
        if stream.kind is not Kind.ADDRESS:
            return None
        try:
            key = url_key(stream.name)
        except BadAddress:
            return None
        for feed in self.feeds:
            # Clients name it as it is, or as they are shown it.
            if feed.url and key in {url_key(feed.url), url_key(without_credentials(feed.url))}:
                return feed
        return None

    def feeds_of(self, stream: Stream) -> frozenset[int] | None:
        """List the subscriptions of a feed or folder stream; None for other kinds."""
        if stream.kind is Kind.FEED:
            return frozenset({stream.id})
        if stream.kind is Kind.ADDRESS:
            feed = self.feed(stream)
            return frozenset() if feed is None else frozenset({feed.id})
        folder = self.folder(stream)
        if folder is None:
            return None
        return frozenset(f.id for f in self.feeds if f.folder_id == folder.id)

    def folder_path(self, feed: ListedSubscription) -> str:
        """Return the path of a subscription's folder; empty for the root."""
        if feed.in_root:
            return ""
        return next((f.path for f in self.folders if f.id == feed.folder_id), "")


async def load_directory(call: Call) -> Directory:
    return Directory(
        await call.feeds(),
        await call.folders(),
        await call.services.reading.tags(call.user_id),
        await call.services.saved_searches.searches(call.user_id),
    )


async def select(
    call: Call, within: Sequence[Stream], without: Sequence[Stream] = ()
) -> Wanted | None:
    """Say which items are in some streams and not in others; None if there can be none."""
    directory = Directory()
    if any(s.kind in {Kind.LABEL, Kind.ADDRESS} for s in (*within, *without)):
        directory = await load_directory(call)
    wanted: Wanted | None = Wanted()
    for stream in within:
        wanted = wanted and _keep(wanted, stream, directory)
    for stream in without:
        wanted = wanted and _leave(wanted, stream, directory)
    return wanted


def _keep(wanted: Wanted, stream: Stream, directory: Directory) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return wanted
    if stream.kind in _MARKS:
        return _marked(wanted, *_MARKS[stream.kind])
    feeds = directory.feeds_of(stream)
    if feeds is not None:
        given = wanted.subscription_ids
        kept = feeds if given is None else feeds & set(given)
        return replace(wanted, subscription_ids=tuple(sorted(kept))) if kept else None
    if directory.has_tag(stream):
        return replace(wanted, tags=(*wanted.tags, stream.name))
    if search := directory.search(stream):
        # Of two searches at once both hold; their words stand side by side.
        return replace(wanted, text=" ".join(filter(None, (wanted.text, search.query))))
    return None


def _leave(wanted: Wanted, stream: Stream, directory: Directory) -> Wanted | None:
    if stream.kind is Kind.ALL:
        return None
    if stream.kind in _MARKS:
        name, value = _MARKS[stream.kind]
        return _marked(wanted, name, not value)
    feeds = directory.feeds_of(stream)
    if feeds is not None:
        left = (*wanted.not_subscription_ids, *sorted(feeds))
        return replace(wanted, not_subscription_ids=left)
    if directory.has_tag(stream):
        return replace(wanted, not_tags=(*wanted.not_tags, stream.name))
    return wanted


def _marked(wanted: Wanted, name: str, value: bool) -> Wanted | None:  # noqa: FBT001 - a mark's value
    given = wanted.unread if name == "unread" else wanted.starred
    if given is not None and given is not value:
        return None
    if name == "unread":
        return replace(wanted, unread=value)
    return replace(wanted, starred=value)
