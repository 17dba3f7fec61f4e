"""From our values to Fever's wire shapes. Pure."""

import base64
from collections.abc import Iterable, Sequence

from feedloom.model.reader import Article, Folder, Icon
from feedloom.model.sync import ListedSubscription
from feedloom.serve.sync.bodies import content_of
from feedloom.serve.sync.fever import shapes
from feedloom.serve.sync.times import seconds


def joined(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


def item_shape(article: Article) -> shapes.Item:
    return shapes.Item(
        id=article.item_no,
        feed_id=article.subscription_id,
        title=article.shown_title or article.url or "(no title)",
        author=article.author or "",
        html=content_of(article),
        url=article.url,
        is_saved=int(article.starred),
        is_read=int(not article.unread),
        created_on_time=seconds(article.published_at),
    )


def feed_shape(feed: ListedSubscription, *, url: str) -> shapes.Feed:
    return shapes.Feed(
        id=feed.id,
        favicon_id=feed.favicon_id or 0,
        title=feed.title or url,
        url=url,
        site_url=feed.site_url or "",
        is_spark=0,
        last_updated_on_time=seconds(feed.refreshed_at),
    )


def groups_shape(folders: Iterable[Folder]) -> list[shapes.Group]:
    return [shapes.Group(folder.id, folder.path) for folder in folders]


def feeds_groups_shape(feeds: Sequence[ListedSubscription]) -> list[shapes.FeedsGroup]:
    """Show which feeds are in which folder; empty folders and the root are left out."""
    inside: dict[int, list[int]] = {}
    for feed in feeds:
        if not feed.in_root:
            inside.setdefault(feed.folder_id, []).append(feed.id)
    return [shapes.FeedsGroup(id_, joined(ids)) for id_, ids in sorted(inside.items())]


def favicon_shape(id_: int, icon: Icon) -> shapes.Favicon:
    data = base64.b64encode(icon.data).decode()
    return shapes.Favicon(id_, f"{icon.mime};base64,{data}")
