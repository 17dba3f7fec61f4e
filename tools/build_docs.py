"""Build the documentation site: Markdown in, plain HTML pages out.

In: the Markdown files at the top of the repository and under ``docs``. Out: one page
each, with navigation, and the files they link to; every link is relative, so the site
works under any address and from the disk. Pages are whole without scripts; one script
adds a search. Never: a link that leads nowhere: those, anchors included, are all named
and the build fails.
"""

import argparse
import json
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
DESIGN = ROOT / "tools" / "docs"
PAGES = ROOT / "src" / "feedloom" / "serve" / "pages"
TOKENS = PAGES / "static" / "css" / "10-tokens.css"
LOGO = PAGES / "static" / "icons" / "logo.svg"
SERVED = PAGES / "handbook" / "built"
"""Where the program looks for the site."""
TOP_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
SECTIONS = {
    "": ("",),
    "For readers": ("user/start", "user/", "clients", "example-digest"),
    "For operators": ("operator/guide", "settings", "operator/", "scaling"),
    "For integrators": ("integrator/",),
    "Security": ("security/overview", "security/"),
    "Development": (
        "architecture",
        "changes-by-example",
        "glossary",
        "dependencies",
        "performance",
    ),
    "Packages": ("packages/",),
    "Decisions": ("decisions/",),
    "The project": ("changelog", "contributing", "security"),
}
"""The navigation: headings, and which pages stand under them, the first ones first."""
COMMENTS = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
"""Notes to tools, which readers do not see."""


class DocsFailure(Exception):
    """The site cannot be built; the message names every dead link."""


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file and the page it becomes."""

    source: PurePosixPath
    """Path in the repository."""
    address: str
    """Path in the site."""
    title: str
    tokens: tuple[Token, ...]
    anchors: frozenset[str]

    @property
    def section(self) -> str:
        """Return the folder the page lies in."""
        return posixpath.dirname(self.address)


def build(root: Path, target: Path, *, version: str = "", served: bool = False) -> list[Page]:
    """Build the site of the repository ``root`` into ``target``.

    A ``served`` site leads back to the program that serves it.
    """
    pages = {page.source: page for page in _read_pages(root)}
    files, dead = _resolve_links(root, pages)
    if dead:
        raise DocsFailure("\n".join(dead))
    shutil.rmtree(target, ignore_errors=True)
    template = _template()
    for page in pages.values():
        html = template.render(
            page=page,
            version=version,
            sections=_sections(pages.values()),
            served=served,
            up="../" * page.address.count("/"),
            body=_html(page.tokens),
        )
        _write(target / page.address, html)
    for name in files:
        copy = target / _file_address(name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, copy)
    _write(target / "docs.css", TOKENS.read_text() + (DESIGN / "docs.css").read_text())
    _write(target / "search-index.js", _search_index(pages.values()))
    shutil.copyfile(DESIGN / "search.js", target / "search.js")
    shutil.copyfile(LOGO, target / "logo.svg")
    return list(pages.values())


def slug(text: str) -> str:
    """Name a heading's anchor the way code forges do."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _html(tokens: Sequence[Token]) -> Markup:
    """Render; safe as it is, because raw HTML in our Markdown is switched off.

    What may scroll sideways can be focused, so that a keyboard can scroll it.
    """
    markdown = _markdown()
    html = markdown.renderer.render(tokens, markdown.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>')
    html = re.sub(r"&lt;(/?kbd)&gt;", r"<\1>", html)
    return Markup(html.replace("</table>", "</table></div>"))


def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(DESIGN),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html")


def _read_pages(root: Path) -> Iterator[Page]:
    found = [root / name for name in TOP_PAGES if (root / name).is_file()]
    found += sorted((root / "docs").rglob("*.md"))
    for path in found:
        source = PurePosixPath(path.relative_to(root).as_posix())
        tokens = _markdown().parse(COMMENTS.sub("", path.read_text()))
        anchors = list(_name_headings(tokens))
        title = next((text for level, text, _ in anchors if level == "h1"), source.stem)
        yield Page(
            source=source,
            address=_page_address(source),
            title=title,
            tokens=tuple(tokens),
            anchors=frozenset(anchor for _, _, anchor in anchors),
        )


def _page_address(source: PurePosixPath) -> str:
    if source == PurePosixPath("README.md"):
        return "index.html"
    name = source.relative_to("docs") if source.parts[0] == "docs" else source
    return str(name.with_suffix(".html")).lower()


def _file_address(name: PurePosixPath) -> str:
    """Say where a linked file goes; one without ending is text for any server."""
    place = name.relative_to("docs") if name.parts[0] == "docs" else name
    return str(place if place.suffix else place.with_suffix(".txt"))


def _name_headings(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Give every heading an anchor; yield its level, text and anchor."""
    seen: dict[str, int] = {}
    for token, inside in pairwise(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(c.content for c in inside.children or ())
        name = slug(text)
        seen[name] = seen.get(name, -1) + 1
        anchor = f"{name}-{seen[name]}" if seen[name] else name
        token.attrSet("id", anchor)
        yield token.tag, text, anchor


def _resolve_links(
    root: Path, pages: dict[PurePosixPath, Page]
) -> tuple[set[PurePosixPath], list[str]]:
    """Point every relative link at its page or file; return files and dead links."""
    files: set[PurePosixPath] = set()
    dead: list[str] = []
    for page in pages.values():
        for token, attribute in _links(page.tokens):
            link = str(token.attrs[attribute])
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            wanted = _wanted(page.source, unquote(parts.path))
            other = pages.get(wanted) or _first_in_folder(wanted, pages)
            if other and (not parts.fragment or parts.fragment in other.anchors):
                fragment = f"#{parts.fragment}" if parts.fragment else ""
                token.attrs[attribute] = _between(page, other.address) + fragment
            elif not other and (root / wanted).is_file() and not parts.fragment:
                files.add(wanted)
                _reserve_room(root / wanted, token)
                token.attrs[attribute] = _between(page, _file_address(wanted))
            else:
                dead.append(f"{page.source}: {link} leads nowhere")
    return files, dead


def _reserve_room(path: Path, token: Token) -> None:
    """Tell a browser a picture's size before it is there, so that nothing jumps."""
    if token.type == "image":
        with Image.open(path) as picture:
            width, height = picture.size
        token.attrs |= {"width": width, "height": height, "loading": "lazy"}


def _search_index(pages: Iterable[Page]) -> str:
    """Write what can be found: each part of a page under its heading."""
    found = [part for page in pages for part in _parts(page)]
    return f"window.DOCS_INDEX = {json.dumps(found, ensure_ascii=False)};\n"


def _parts(page: Page) -> Iterator[tuple[str, str, str, str]]:
    """Cut a page at its headings: page title, heading, address, text."""
    heading, anchor, words = page.title, "", list[str]()
    for token, inside in pairwise((*page.tokens, Token("end", "", 0))):
        if token.type == "heading_open":
            yield page.title, heading, page.address + anchor, " ".join(words)
            heading = "".join(c.content for c in inside.children or ())
            anchor, words = f"#{token.attrGet('id')}", []
        elif token.type in {"inline", "fence", "code_block"}:
            words += token.content.split()
    yield page.title, heading, page.address + anchor, " ".join(words)


def _first_in_folder(folder: PurePosixPath, pages: dict[PurePosixPath, Page]) -> Page | None:
    """Let a link to a folder open its first page; the navigation shows the others."""
    return next((p for source, p in pages.items() if source.parent == folder), None)


def _links(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                yield child, "href"
            elif child.type == "image":
                yield child, "src"


def _wanted(source: PurePosixPath, path: str) -> PurePosixPath:
    if not path:
        return source
    return PurePosixPath(posixpath.normpath(source.parent / path))


def _between(page: Page, address: str) -> str:
    return posixpath.relpath(address, page.section or ".")


def _sections(pages: Iterable[Page]) -> list[tuple[str, list[Page]]]:
    """Order pages for the navigation; unlisted ones go under Development."""
    grouped: dict[str, list[tuple[int, Page]]] = {name: [] for name in SECTIONS}
    for page in pages:
        name, place = _place(page.address)
        grouped[name].append((place, page))
    return [
        (name, [page for _, page in sorted(found, key=lambda one: one[0])])
        for name, found in grouped.items()
        if found
    ]


def _place(address: str) -> tuple[str, int]:
    stem = "" if address == "index.html" else address.removesuffix(".html")
    for name, wanted in SECTIONS.items():
        for place, known in enumerate(wanted):
            is_inside = known.endswith("/") and stem.startswith(known)
            if stem == known or is_inside:
                return name, place
    return "Development", len(SECTIONS)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", type=Path, default=SERVED)
    parser.add_argument("--quiet", action="store_true", help="speak of failures alone")
    options = parser.parse_args(arguments)
    text = (ROOT / "src" / "feedloom" / "__init__.py").read_text()
    version = re.search(r'__version__ = "(.+)"', text)
    try:
        pages = build(
            ROOT,
            options.target,
            version=version.group(1) if version else "",
            served=options.target == SERVED,
        )
    except DocsFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    if not options.quiet:
        print(f"{len(pages)} pages in {os.path.relpath(options.target)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
