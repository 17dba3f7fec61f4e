"""Our values as Wallabag's JSON. Pure.

What we do not keep has the value of an entry that nobody touched.
"""

import hashlib
import re
from datetime import datetime
from urllib.parse import urlsplit

from feedloom.markup import markdown_html
from feedloom.model.bookmarks import ARCHIVE
from feedloom.model.reader import Bookmark, User
from feedloom.model.urls import shown_address
from feedloom.serve.image_addresses import content_for_app

_WORDS_PER_MINUTE = 200
_NO_LETTERS = re.compile(r"[\W_]+")


def moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at.isoformat()[:19]}+0000"


def hashed(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def tag_id(label: str) -> int:
    """Make up a tag's id, always the same one: tags have none with us."""
    digest = hashlib.sha256(label.encode()).digest()
    return int.from_bytes(digest[:4]) >> 1 or 1


def tag_shape(label: str) -> dict[str, object]:
    slug = _NO_LETTERS.sub("-", label.casefold()).strip("-")
    return {"id": tag_id(label), "label": label, "slug": slug or label}


def entry_shape(bookmark: Bookmark, user: User, *, with_content: bool) -> dict[str, object]:
    """Show a bookmark. Its Markdown may be long: not for the event loop."""
    url = shown_address(bookmark.url)
    content = ""
    if with_content:
        content = content_for_app(markdown_html(bookmark.content, base_url=url))
    return {
        "id": bookmark.id,
        "title": bookmark.title or url,
        "url": url,
        "hashed_url": hashed(url),
        "given_url": url,
        "hashed_given_url": hashed(url),
        "domain_name": urlsplit(url).hostname or "",
        "content": content,
        "reading_time": len(bookmark.content.split()) // _WORDS_PER_MINUTE,
        "is_archived": int(bookmark.state == ARCHIVE),
        "is_starred": int(bookmark.pinned),
        "tags": [tag_shape(tag) for tag in bookmark.tags],
        "created_at": moment(bookmark.added_at),
        "updated_at": moment(bookmark.updated_at),
        "archived_at": moment(bookmark.archived_at),
        "user_id": user.id,
        "user_name": user.email,
        "user_email": user.email,
        "_links": {"self": {"href": f"/api/entries/{bookmark.id}"}},
        "is_public": False,
        "uid": None,
        "origin_url": None,
        "starred_at": None,
        "published_at": None,
        "published_by": [],
        "annotations": [],
        "headers": [],
        "mimetype": "text/html",
        "language": None,
        "preview_picture": None,
        "http_status": None,
    }
