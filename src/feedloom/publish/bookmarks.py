"""Saved pages in; Netscape HTML, Markdown or JSON out, and Netscape HTML back in."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, pairwise

from feedloom.markup import unescaped
from feedloom.model.distilled.documents import Imported, ImportedPage
from feedloom.model.reader import Bookmark
from feedloom.publish.xml_text import attribute, markdown, rfc3339, text, web_address

MAX_IMPORTED = 50_000
_MAX_MARKS = 500_000
"""A file with the allowed number of bookmarks has fewer tags than this."""
_MAX_SAID = 20_000
_MAX_FIELD = 2_000
_MAX_TAG = 200
_MAX_TAGS = 50
_LATEST = 253_402_300_799
# Milliseconds and microseconds turn up where seconds belong.
_UNITS = (1, 1_000, 1_000_000)
_MARK = re.compile(r"<(/?)(a|dd|dt|dl|h3)\b([^<>]{0,1048576}+)>", re.IGNORECASE)
# A name begins where no letter is before it, or a long one would be read from each of
# its letters.
_ATTRIBUTE = re.compile(r"(?<![a-z_])([a-z_]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)


def netscape_bookmarks(pages: Sequence[Bookmark], *, title: str = "Bookmarks") -> bytes:
    return "".join(_netscape(pages, title)).encode()


def _netscape(pages: Sequence[Bookmark], title: str) -> Iterator[str]:
    yield "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
    yield '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n'
    yield f"<TITLE>{text(title)}</TITLE>\n<H1>{text(title)}</H1>\n<DL><p>\n"
    for page in pages:
        to_read = "1" if page.state == "inbox" else "0"
        tags = ",".join(_line(tag.replace(",", " ")) for tag in page.tags)
        yield (
            f'<DT><A HREF="{attribute(web_address(page.url))}" '
            f'ADD_DATE="{int(page.added_at.timestamp())}" '
            f'TAGS="{attribute(tags)}" TOREAD="{to_read}">{text(_line(page.title))}</A>\n'
        )
        if said := _line(page.summary or page.description):
            yield f"<DD>{text(said)}\n"
    yield "</DL><p>\n"


def bookmarks_markdown(pages: Sequence[Bookmark], *, title: str = "Bookmarks") -> str:
    lines = [f"# {markdown(title)}", ""]
    for state, heading in (("inbox", "Inbox"), ("archive", "Archive")):
        chosen = [page for page in pages if page.state == state]
        if chosen:
            lines += [f"## {heading}", "", *map(_markdown_line, chosen), ""]
    return "\n".join(lines)


def _markdown_line(page: Bookmark) -> str:
    name = markdown(page.title) or markdown(page.url)
    address = web_address(page.url).replace("<", "%3C").replace(">", "%3E")
    said = markdown(page.summary or page.description)
    bare = (_line(tag.replace("`", "")) for tag in page.tags)
    tags = " ".join(f"`{tag}`" for tag in bare if tag)
    parts = (f"- [{name}](<{address}>)", said, tags)
    return " · ".join(part for part in parts if part)


def bookmarks_json(pages: Sequence[Bookmark]) -> bytes:
    rows = [
        {
            "url": web_address(page.url),
            "title": page.title,
            "description": page.description,
            "summary": page.summary,
            "content": page.content,
            "tags": list(page.tags),
            "state": page.state,
            "pinned": page.pinned,
            "added_at": rfc3339(page.added_at),
            "archived_at": rfc3339(page.archived_at) if page.archived_at else None,
        }
        for page in pages
    ]
    document = {"format": "feedloom-bookmarks-1", "bookmarks": rows}
    return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def read_netscape(data: bytes) -> Imported:
    """Read a browser's bookmark file; folders become tags. Never raises."""
    found: dict[str, ImportedPage] = {}
    skipped = 0
    marks = _Marks(data.decode("utf-8", "replace"))
    for page in _read_pages(marks):
        if page is None or page.url in found:
            skipped += page is None
        elif len(found) == MAX_IMPORTED:
            return Imported(tuple(found.values()), skipped, truncated=True)
        else:
            found[page.url] = page
    return Imported(tuple(found.values()), skipped, truncated=marks.is_cut)


class _Marks:
    """The relevant tags, each with the text up to the next one.

    Tags are searched one by one, because a single search through millions of characters
    would block all other threads.
    """

    def __init__(self, document: str) -> None:
        self._document = document
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[re.Match[str], str]]:
        for mark, following in pairwise(chain(self._found(), (None,))):
            if mark is None:
                return
            end = following.start() if following else len(self._document)
            end = min(end, mark.end() + _MAX_SAID)
            yield mark, self._document[mark.end() : end]

    def _found(self) -> Iterator[re.Match[str]]:
        at = -1
        for _ in range(_MAX_MARKS):
            at = self._document.find("<", at + 1)
            if at < 0:
                return
            if mark := _MARK.match(self._document, at):
                yield mark
        self.is_cut = True


def _read_pages(marks: _Marks) -> Iterator[ImportedPage | None]:
    folders: list[str] = []
    heading, pending = "", None
    for mark, behind in marks:
        closing, name, attributes = mark[1], mark[2].lower(), mark[3]
        said = _line(unescaped(re.sub("<[^<>]*>", "", behind)))[:_MAX_FIELD]
        if name == "h3" and not closing:
            heading = said
        elif name == "dl":
            if closing:
                del folders[-1:]
            else:
                folders.append(heading)
                heading = ""
        elif name == "a" and not closing:
            if pending:
                yield pending[0]
            pending = (_page(attributes, said, folders),)
        elif name == "dd" and not closing and pending:
            yield _described(pending[0], said)
            pending = None
    if pending:
        yield pending[0]


def _described(page: ImportedPage | None, said: str) -> ImportedPage | None:
    if page is None:
        return None
    return ImportedPage(page.url, page.title, page.added_at, said, page.tags, page.to_read)


def _page(attributes: str, title: str, folders: list[str]) -> ImportedPage | None:
    found = {m[1].lower(): unescaped(m[2] or m[3] or "") for m in _ATTRIBUTE.finditer(attributes)}
    url = web_address(found.get("href"))
    if not url:
        return None
    given = found.get("tags", "").split(",", _MAX_TAGS)[:_MAX_TAGS]
    nearest = folders[-_MAX_TAGS:]
    tags = dict.fromkeys(filter(None, map(_tag, (*given, *nearest))))
    return ImportedPage(
        url=url,
        title=title or url,
        added_at=_read_time(found.get("add_date", "")),
        tags=tuple(tags)[:_MAX_TAGS],
        to_read=found.get("toread", "1") == "1",
    )


def _read_time(value: str) -> datetime | None:
    if not re.fullmatch(r"[0-9]{1,20}", value):
        return None
    for unit in _UNITS:
        if 0 < int(value) // unit <= _LATEST:
            return datetime.fromtimestamp(int(value) // unit, UTC)
    return None


def _tag(value: str) -> str:
    return _line(value[:_MAX_SAID])[:_MAX_TAG].rstrip()


def _line(value: str) -> str:
    return " ".join(value.split())
