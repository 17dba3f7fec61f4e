"""A person's things in; documents out: JSON, subscriptions as OPML, digests as Markdown."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from feedloom.model.distilled.documents import OutlineFeed, OutlineFolder, PersonExport
from feedloom.model.distilled.requests import Digest, DigestArticle
from feedloom.publish.xml_text import (
    attribute,
    first_of,
    markdown,
    rfc822,
    rfc3339,
    text,
    web_address,
)


def opml(root: OutlineFolder, *, title: str, created_at: datetime) -> bytes:
    return "".join(_document(root, title, created_at)).encode()


def _document(root: OutlineFolder, title: str, created_at: datetime) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n<head>\n'
    yield f"<title>{text(title)}</title>\n"
    yield f"<dateCreated>{rfc822(created_at)}</dateCreated>\n</head>\n<body>\n"
    # A stack instead of recursion, because folders may be nested to any depth.
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


FORMAT = "feedloom-export-1"


def data_export(export: PersonExport) -> bytes:
    document = {
        "format": FORMAT,
        "version": export.version,
        "exported_at": export.exported_at,
        "profile": dict(export.profile),
        **{name: [dict(row) for row in rows] for name, rows in export.sections.items()},
    }
    told = json.dumps(document, default=_told, ensure_ascii=False, indent=1)
    return told.encode("utf-8", "replace")


def _told(value: object) -> object:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no place in an export")


def digest_markdown(digest: Digest, articles: Mapping[int, DigestArticle]) -> str:
    cited = [articles[i] for i in digest.article_ids if i in articles]
    numbers = {article.id: number for number, article in enumerate(cited, 1)}
    lines = []
    section = ""
    for paragraph in digest.paragraphs:
        if paragraph.section != section:
            section = paragraph.section
            lines += [f"## {markdown(section)}", ""]
        if paragraph.headline:
            lines += [f"**{markdown(paragraph.title)}**", ""]
        told = []
        for claim in paragraph.claims:
            marks = "".join(f"\\[{numbers[i]}\\]" for i in claim.article_ids if i in numbers)
            told.append(f"{markdown(claim.text)} {marks}".strip())
        lines += [" ".join(told), ""]
    if digest.note:
        lines += [f"*{markdown(digest.note)}*", ""]
    lines += [
        f"{numbers[a.id]}. [{markdown(a.title)}](<{web_address(a.url)}>), {markdown(a.source)}"
        for a in cited
    ]
    return "\n".join(lines) + "\n"
