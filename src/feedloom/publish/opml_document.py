"""Folders and subscriptions in; an OPML 2.0 document out. Holds no secrets."""

from collections.abc import Iterator
from datetime import datetime

from feedloom.model.distilled.documents import OutlineFeed, OutlineFolder
from feedloom.publish.xml_text import attribute, first_of, rfc822, text, web_address


def opml(root: OutlineFolder, *, title: str, created_at: datetime) -> bytes:
    return "".join(_document(root, title, created_at)).encode()


def _document(root: OutlineFolder, title: str, created_at: datetime) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n<head>\n'
    yield f"<title>{text(title)}</title>\n"
    yield f"<dateCreated>{rfc822(created_at)}</dateCreated>\n</head>\n<body>\n"
    # A stack and no recursion: a person may nest folders as deep as they like.
    waiting: list[OutlineFolder | str] = [root]
    while waiting:
        folder = waiting.pop()
        if isinstance(folder, str):
            yield folder
            continue
        if folder is not root:
            name = attribute(folder.name)
            yield f'<outline text="{name}" title="{name}">\n'
            waiting.append("</outline>\n")
        yield from map(_outline, folder.feeds)
        waiting += reversed(folder.folders)
    yield "</body>\n</opml>\n"


def _outline(feed: OutlineFeed) -> str:
    name = attribute(first_of(feed.title, web_address(feed.url)))
    parts = [f'<outline type="rss" text="{name}" title="{name}"']
    parts.append(f' xmlUrl="{attribute(web_address(feed.url))}"')
    if site := web_address(feed.site_url):
        parts.append(f' htmlUrl="{attribute(site)}"')
    if described := first_of(feed.description):
        parts.append(f' description="{attribute(described)}"')
    return "".join((*parts, "/>\n"))
