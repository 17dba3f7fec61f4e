"""Platforms we know: an address and perhaps its page in, candidates out.

A platform is known by its hosts, compared whole or label by label so that look-alikes do not
match, or by marks its software leaves in every page. Its rules are tried in order; the first
whose path, query and page data all fit gives the feeds. The tables are one TOML file for each
kind of platform; ``external`` ones have no feeds of their own, an RSSHub makes them.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, quote

from feedloom.discover.pages import Page
from feedloom.model.errors import BadAddress
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import Address, normalise, read_address

MAX_ELSEWHERE = 2
MARK_CHARS = 300_000
"""How far into a page its software is looked for."""
_NOBODY = frozenset({"www", "m", "help", "support", "about", "api"})
_ANY_PATH = "/.*"
_PART = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of address, and the feeds it leads to, the most meant first.

    Templates may use the groups of ``path`` and of the page pattern that matched, the
    parameters of ``query``, and ``origin``, ``path`` and ``sub`` (the first label).
    """

    path: re.Pattern[str]
    """Must match whole, without a closing slash."""
    feeds: tuple[tuple[str, str], ...]
    """Templates of address and title."""
    query: tuple[str, ...]
    page: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    rules: tuple[Rule, ...]
    hosts: frozenset[str]
    parents: tuple[str, ...]
    """People live on subdomains of these."""
    reserved: frozenset[str]
    """Subdomains of ``parents`` that are not people."""
    generators: frozenset[str]
    """First words of the generator its pages name, in lower case."""
    marks: tuple[str, ...]
    """What its pages hold wherever it is installed, in lower case."""


def _read_table(kind: str) -> tuple[Provider, ...]:
    table = tomllib.loads(resources.files(__package__).joinpath(f"{kind}.toml").read_text("utf-8"))
    return tuple(_provider(row, table) for row in table["platform"])


def _provider(row: Mapping[str, Any], table: Mapping[str, Any]) -> Provider:
    """Read a platform; its own ``feeds`` are those of whatever address no rule describes.

    In a pattern ``{free}`` stands for a segment that is none of the platform's ``pages``, and
    the name of one of the table's ``parts`` for that part.
    """
    pages = "|".join(row.get("pages", table.get("pages", "")).split())
    parts = {"free": rf"(?!(?:{pages})(?:/|$))", **table.get("parts", {})}
    rules = [*row.get("rule", ())]
    if "feeds" in row:
        rules.append({"feeds": row["feeds"]})
    return Provider(
        name=row["name"],
        rules=tuple(
            Rule(
                path=_compiled(rule.get("path", _ANY_PATH), parts),
                feeds=tuple((template, title) for template, title in rule["feeds"]),
                query=tuple(rule.get("query", ())),
                page=tuple(_compiled(pattern, parts) for pattern in rule.get("page", ())),
            )
            for rule in rules
        ),
        hosts=frozenset(row.get("hosts", "").split()),
        parents=tuple(row.get("parents", "").split()),
        reserved=frozenset(row.get("reserved", "").split()) | _NOBODY,
        generators=frozenset(row.get("generators", "").split()),
        marks=tuple(row.get("marks", ())),
    )


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    while part := _PART.search(pattern):
        pattern = pattern.replace(part[0], parts[part[1]])
    return re.compile(pattern)


_PODCASTS = _read_table("podcasts")
PROVIDERS = (
    *_read_table("video"),
    *_read_table("code"),
    *_read_table("forums"),
    *_PODCASTS,
    *_read_table("media"),
    *_read_table("packages"),
    *_read_table("libraries"),
    *_read_table("journals"),
    *_read_table("blogs"),
    *_read_table("social"),
    *_read_table("software"),
)
"""Those that publish feeds themselves."""
_ACCOUNTS = _read_table("accounts")
_EXTERNAL = _read_table("external")


def platform_candidates(url: str, page: Page | None = None) -> tuple[Candidate, ...]:
    """Return the feeds that platforms keep for this address, the most meant first."""
    return tuple(candidates_from(PROVIDERS, url, page))


def hosted_candidates(url: str, page: Page | None = None) -> tuple[Candidate, ...]:
    """Return those that the host alone tells, whatever software its pages name."""
    host = read_address(url).host
    return tuple(candidates_from((one for one in PROVIDERS if has_host(one, host)), url, page))


def elsewhere_candidates(page: Page) -> tuple[Candidate, ...]:
    """Return what a site keeps on platforms: its blog there, or its only podcast."""
    ours = read_address(page.url).host
    others = (url for url in page.blogs if read_address(url).host != ours)
    blogs = [one for url in others for one in hosted_candidates(url)]
    linked = dict.fromkeys(filter(None, (anchor.url for anchor in page.anchors)))
    shows = {one.url: one for url in linked for one in candidates_from(_PODCASTS, url)}
    return (*blogs[:MAX_ELSEWHERE], *(shows.values() if len(shows) == 1 else ()))


def account_candidates(url: str) -> tuple[Candidate, ...]:
    # The handle says what the page's marks would say, so the page need not answer.
    return tuple(candidates_from(_ACCOUNTS, url, Page(url=url, generator="account")))


def external_candidates(url: str, hub: str | None) -> tuple[Candidate, ...]:
    """Return what an RSSHub at ``hub`` would make for this address; none without."""
    if not hub:
        return ()
    found = candidates_from(_EXTERNAL, url, origin=Origin.EXTERNAL, hub=hub.rstrip("/"))
    return tuple(found)


def is_shared_host(url: str) -> bool:
    """Tell whether many people share a host: its root is nobody's site, guessing misleads."""
    host = read_address(url).host
    return any(host in provider.hosts for provider in (*PROVIDERS, *_EXTERNAL))


def has_host(provider: Provider, host: str) -> bool:
    if host in provider.hosts:
        return True
    for parent in provider.parents:
        sub = host.removesuffix(f".{parent}")
        if sub != host:
            return sub not in provider.reserved
    return False


def candidates_from(
    providers: Iterable[Provider],
    url: str,
    page: Page | None = None,
    *,
    origin: Origin = Origin.PLATFORM,
    hub: str = "",
) -> Iterator[Candidate]:
    """Yield what every provider that knows this address offers, the surest first."""
    address = read_address(url)
    # Plain search in lower-case text: patterns that ignore case are ten times slower.
    text = page.text[:MARK_CHARS].lower() if page else ""
    word = re.match(r"[a-z]+", page.generator.lower()) if page else None
    for provider in providers:
        is_host = has_host(provider, address.host)
        is_made_by = word is not None and word[0] in provider.generators
        if not (is_host or is_made_by or any(mark in text for mark in provider.marks)):
            continue
        for rule in provider.rules:
            values = _values(rule, address, page)
            if values is not None:
                is_first = is_host and origin is Origin.PLATFORM and rule.path.pattern != _ANY_PATH
                yield from _filled_in(rule, values | {"hub": hub}, origin, is_of_address=is_first)
                break


def _filled_in(
    rule: Rule, values: Mapping[str, str], origin: Origin, *, is_of_address: bool
) -> Iterator[Candidate]:
    for place, (template, title) in enumerate(rule.feeds):
        try:
            url = normalise(template.format_map(values))
        except BadAddress:
            continue
        is_first = is_of_address and place == 0
        named = title.format_map(values)
        yield Candidate(url, origin, named, rank=place, is_of_address=is_first)


def _values(rule: Rule, address: Address, page: Page | None) -> dict[str, str] | None:
    """Return what the rule's templates are filled with; None when it does not fit."""
    path = address.path.rstrip("/") or "/"
    match = rule.path.fullmatch(path)
    if match is None:
        return None
    values = {name: value or "" for name, value in match.groupdict().items()}
    given = parse_qs(address.query, errors="replace")
    for name in rule.query:
        if name not in given:
            return None
        values[name] = quote(given[name][0], safe="")
    if rule.page:
        found = (pattern.search(page.text) for pattern in rule.page) if page else iter(())
        told = next(filter(None, found), None)
        if told is None:
            return None
        values |= {name: _plain(text) for name, text in told.groupdict().items()}
    return values | {
        "origin": address.origin,
        "path": path.rstrip("/"),
        "sub": address.host.partition(".")[0],
    }


def _plain(text: str) -> str:
    """Undo the escapes of a JSON string, as page data carries addresses."""
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text
