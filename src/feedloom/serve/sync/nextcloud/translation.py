"""From our values to Nextcloud's wire shapes. Pure."""

from datetime import datetime

from feedloom.model.feed import Enclosure
from feedloom.model.reader import Article, Folder, Subscription
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import content_of
from feedloom.serve.sync.nextcloud import shapes
from feedloom.serve.sync.times import seconds, whole_second

_MEDIA = ("audio/", "video/", "image/")


def folder_shape(folder: Folder) -> shapes.Folder:
    """Show a folder; folders are flat there, so its name is its path."""
    return shapes.Folder(folder.id, folder.path)


def feed_shape(feed: Subscription, *, url: str, icon: str | None) -> shapes.Feed:
    next_at = feed.next_run_at
    return shapes.Feed(
        id=feed.id,
        url=url,
        title=feed.title,
        favicon_link=icon,
        added=seconds(feed.added_at),
        folder_id=None if feed.in_root else feed.folder_id,
        unread_count=feed.unread,
        ordering=feed.ordering if feed.ordering in {0, 1, 2} else 0,
        link=feed.site_url,
        pinned=feed.pinned,
        update_error_count=feed.consecutive_failures,
        last_update_error=feed.last_fetch_error,
        next_update_time=None if next_at is None else seconds(next_at),
    )


def item_shape(article: Article, latest: datetime | None) -> shapes.Item:
    """Show an article, changed at ``latest`` or before."""
    changed_at = min(article.last_modified, latest or article.last_modified)
    enclosure, picture = _enclosure(article), article.thumbnail_url
    return shapes.Item(
        id=article.item_no,
        guid=article.guid,
        guid_hash=article.guid_hash,
        url=article.url,
        title=article.shown_title or article.url,
        author=article.author or "",
        pub_date=seconds(article.published_at),
        updated_date=None,
        body=content_of(article),
        enclosure_mime=enclosure.mime if enclosure else None,
        enclosure_link=file_for_app(enclosure.url, enclosure.mime) if enclosure else None,
        media_thumbnail=picture and file_for_app(picture, "image/*"),
        media_description=None,
        feed_id=article.subscription_id,
        unread=article.unread,
        starred=article.starred,
        filtered=article.hidden,
        rtl=article.rtl,
        last_modified=whole_second(changed_at),
        fingerprint=article.fingerprint,
        content_hash=article.content_hash,
    )


def _enclosure(article: Article) -> Enclosure | None:
    """Choose the one enclosure there is room for: something to hear or see, if any."""
    for enclosure in article.enclosures:
        if (enclosure.mime or "").startswith(_MEDIA):
            return enclosure
    return article.enclosures[0] if article.enclosures else None
