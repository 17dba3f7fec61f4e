"""A person's subscriptions, folders and tags, looked up by stream id."""

from dataclasses import dataclass

from feedloom.model.errors import BadAddress
from feedloom.model.reader import Folder, SavedSearch, User
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import url_key, without_credentials
from feedloom.serve.services import Services
from feedloom.serve.sync.greader.ids import Kind, Stream


@dataclass(frozen=True, slots=True)
class Directory:
    """Everything a stream can name. A folder goes before a tag of the same name."""

    feeds: tuple[ListedSubscription, ...]
    folders: tuple[Folder, ...]
    tags: tuple[tuple[str, int], ...]
    """Names with unread counts."""
    searches: tuple[SavedSearch, ...] = ()

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
        return next((f for f in self.feeds if f.url and key in _keys(f.url)), None)

    def feeds_of(self, stream: Stream) -> frozenset[int] | None:
        """List the subscriptions of a feed or folder stream; None for other kinds."""
        if stream.kind in {Kind.FEED, Kind.ADDRESS}:
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


def _keys(url: str) -> set[str]:
    """Return what an address is known by: as it is, and as clients are shown it."""
    return {url_key(url), url_key(without_credentials(url))}


async def load_directory(services: Services, user: User) -> Directory:
    return Directory(
        tuple(await services.syncing.feeds(user.id)),
        tuple(await services.syncing.folders(user.id)),
        tuple(await services.reading.tags(user.id)),
        tuple(await services.saved_searches.searches(user.id)),
    )
