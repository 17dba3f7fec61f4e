"""What shapes are made of: answers, feeds and pages in a few words."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime

_PLACE = re.compile(r"\{(base|host|day|iso)(\d+)\}")
_MISSING = "<!doctype html><title>Not found</title><h1>Not found</h1>"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says to one path; placeholders are still in it."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    type: str = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Served:
    """A shape with real addresses in it, ready to be asked."""

    pasted: str
    canonical: str | None
    hosts: tuple[Mapping[str, Answer], ...]
    """Per host: path with query to answer, nothing left to fill in."""
    missing: Answer

    def answer_to(self, host: int, path: str) -> Answer:
        """Return what a host says to a path."""
        return self.hosts[host].get(path, self.missing)


@dataclass(frozen=True, slots=True)
class Shape:
    """A site, what a person pastes of it, and what is right to find."""

    name: str
    shows: str
    hosts: tuple[Mapping[str, Answer], ...]
    pasted: str = "{base0}/"
    canonical: str | None = None
    origin: str | None = None
    """How the canonical feed is found, as ``Origin`` spells it."""
    ending: str = "found"
    missing: Answer = field(default=Answer(_MISSING, status=404))
    down: frozenset[int] = frozenset()
    also: tuple[str, ...] = ()
    """Other feeds that must be among the valid candidates."""
    requests: int | None = None
    """How many it takes, redirects included; not counted where None."""

    def served(self, bases: Sequence[str], now: datetime) -> Served:
        """Fill the placeholders in; ``bases`` are origins, one per host."""
        if len(bases) < len(self.hosts):
            raise ValueError(f"{self.name} needs {len(self.hosts)} hosts")

        def fill(text: str) -> str:
            return _PLACE.sub(lambda match: _value(match, bases, now), text)

        return Served(
            pasted=fill(self.pasted),
            canonical=None if self.canonical is None else fill(self.canonical),
            hosts=tuple(
                {fill(path): _filled(answer, fill) for path, answer in host.items()}
                for host in self.hosts
            ),
            missing=_filled(self.missing, fill),
        )


def _filled(answer: Answer, fill) -> Answer:
    body = answer.body
    return Answer(
        body=body if isinstance(body, bytes) else fill(body),
        status=answer.status,
        headers={
            "content-type": answer.type,
            **{name: fill(value) for name, value in answer.headers.items()},
        },
        type=answer.type,
    )


def _value(match: re.Match[str], bases: Sequence[str], now: datetime) -> str:
    kind, number = match[1], int(match[2])
    if kind == "base":
        return bases[number]
    if kind == "host":
        return bases[number].partition("://")[2]
    then = now - timedelta(days=number)
    return format_datetime(then) if kind == "day" else then.isoformat()


def site(name: str, shows: str, *hosts: Mapping[str, Answer], **rest) -> Shape:
    """Write down a shape; ``canonical`` and ``origin`` say what is to be found."""
    return Shape(name=name, shows=shows, hosts=hosts, **rest)


def page(
    head: str = "", body: str = "<p>Welcome.</p>", title: str = "Ann's pages", lang: str = "en"
) -> str:
    return (
        f"<!doctype html><html lang={lang}><head><title>{title}</title>{head}</head>"
        f"<body>{body}</body></html>"
    )


def html(head: str = "", body: str = "<p>Welcome.</p>", *, lang: str = "en", **rest) -> Answer:
    return Answer(page(head, body, lang=lang), **rest)


def link(href: str, kind: str = "rss", title: str = "", lang: str = "") -> str:
    name = f' title="{title}"' if title else ""
    name += f' hreflang="{lang}"' if lang else ""
    mime = "feed+json" if kind == "json" else f"{kind}+xml"
    return f'<link rel="alternate" type="application/{mime}"{name} href="{href}">'


def moved(to: str, status: int = 301) -> Answer:
    return Answer("", status=status, headers={"location": to})


_FULL = "<p>" + "A paragraph of an article that is given in full. " * 20 + "</p>"


def rss(
    title: str = "Ann's pages",
    *,
    at: str = "{base0}",
    site_path: str = "/",
    items: int = 3,
    newest: int = 1,
    full: bool = False,
) -> Answer:
    text = _FULL if full else "<p>In short.</p>"
    entries = "".join(
        f"<item><title>Entry {n}</title><link>{at}/entries/{n}</link>"
        f"<guid>{at}/entries/{n}</guid><pubDate>{{day{newest + n}}}</pubDate>"
        f"<description><![CDATA[{text}]]></description></item>"
        for n in range(items)
    )
    body = (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel>'
        f"<title>{title}</title><link>{at}{site_path}</link>"
        f"<description>Notes</description>{entries}</channel></rss>"
    )
    return Answer(body, type="application/rss+xml")


def atom(
    title: str = "Ann's pages",
    *,
    at: str = "{base0}",
    site_path: str = "/",
    items: int = 3,
    newest: int = 1,
) -> Answer:
    entries = "".join(
        f"<entry><title>Entry {n}</title><id>{at}/entries/{n}</id>"
        f'<link href="{at}/entries/{n}"/><updated>{{iso{newest + n}}}</updated>'
        f"<summary>In short.</summary></entry>"
        for n in range(items)
    )
    body = (
        '<?xml version="1.0" encoding="utf-8"?>'
        f'<feed xmlns="http://www.w3.org/2005/Atom"><title>{title}</title>'
        f"<id>{at}{site_path}</id><updated>{{iso{newest}}}</updated>"
        f'<link rel="alternate" href="{at}{site_path}"/>{entries}</feed>'
    )
    return Answer(body, type="application/atom+xml")


def rdf(title: str = "Ann's pages", *, at: str = "{base0}") -> Answer:
    entries = "".join(
        f'<item rdf:about="{at}/entries/{n}"><title>Entry {n}</title>'
        f"<link>{at}/entries/{n}</link><dc:date>{{iso{n + 1}}}</dc:date></item>"
        for n in range(3)
    )
    body = (
        '<?xml version="1.0"?><rdf:RDF xmlns="http://purl.org/rss/1.0/" '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<channel rdf:about="{at}/"><title>{title}</title><link>{at}/</link>'
        f"<description>Notes</description></channel>{entries}</rdf:RDF>"
    )
    return Answer(body, type="application/rdf+xml")


def json_feed(
    title: str = "Ann's pages", *, at: str = "{base0}", mime: str = "application/feed+json"
) -> Answer:
    body = json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": title,
            "home_page_url": f"{at}/",
            "items": [
                {
                    "id": f"{at}/entries/{n}",
                    "url": f"{at}/entries/{n}",
                    "title": f"Entry {n}",
                    "content_text": "In short.",
                    "date_published": f"{{iso{n + 1}}}",
                }
                for n in range(3)
            ],
        }
    )
    return Answer(body, type=mime)


def as_type(answer: Answer, mime: str, **rest) -> Answer:
    """Serve the same body as another type (and status, and headers)."""
    return Answer(answer.body, type=mime, **rest)
