"""How provider tables are read: an address and perhaps its page in, candidates out.

A provider is known by its hosts, compared whole or label by label so that look-alikes
do not match, or by marks its software leaves in every page. Its rules are tried in
order; the first whose path, query and page data all fit gives the feeds.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

from feedloom.discover.pages import Page
from feedloom.model.errors import BadAddress
from feedloom.model.stages import Candidate, Origin
from feedloom.model.urls import Address, normalise, read_address

_NOBODY = frozenset({"www", "m", "help", "support", "about", "api"})
_ANY_PATH = "/.*"
MARK_CHARS = 300_000
"""How far into a page its software is looked for."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape of address, and the feeds it leads to, the most meant first.

    Templates may use the groups of ``path`` and of the page pattern that matched, the
    parameters of ``query``, and ``origin``, ``path`` and ``sub`` (the first label).
    """

    path: re.Pattern[str]
    feeds: tuple[tuple[str, str], ...]
    """Templates of address and title."""
    query: tuple[str, ...] = ()
    page: tuple[re.Pattern[str], ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    rules: tuple[Rule, ...]
    hosts: frozenset[str] = frozenset()
    parents: tuple[str, ...] = ()
    """People live on subdomains of these."""
    reserved: frozenset[str] = _NOBODY
    """Subdomains of ``parents`` that are not people."""
    generators: frozenset[str] = frozenset()
    """First words of the generator its pages name, in lower case."""
    marks: tuple[str, ...] = ()
    """What its pages hold wherever it is installed, in lower case."""


def rule(
    path: str, *feeds: tuple[str, str], query: tuple[str, ...] = (), page: tuple[str, ...] = ()
) -> Rule:
    """Write down a rule; ``path`` must match whole, without a closing slash."""
    patterns = tuple(re.compile(pattern) for pattern in page)
    return Rule(re.compile(path), feeds, query, patterns)


def platform(
    name: str,
    *rules: Rule,
    hosts: str = "",
    parents: str = "",
    reserved: str = "",
    generators: str = "",
    marks: tuple[str, ...] = (),
) -> Provider:
    """Write down a platform: how it is known, and the rules for its addresses."""
    return Provider(
        name=name,
        rules=rules,
        hosts=frozenset(hosts.split()),
        parents=tuple(parents.split()),
        reserved=frozenset(reserved.split()) | _NOBODY,
        generators=frozenset(generators.split()),
        marks=marks,
    )


def name_but(words: str, *, group: str = "name", chars: str = r"[\w.-]+") -> str:
    reserved = "|".join(words.split())
    return rf"(?!(?:{reserved})(?:/|$))(?P<{group}>{chars})"


def candidates_from(
    providers: Iterable[Provider], url: str, *, page: Page | None, origin: Origin, hub: str = ""
) -> Iterator[Candidate]:
    """Yield what every provider that knows this address offers, the surest first."""
    address = read_address(url)
    seen = _Seen(page)
    for provider in providers:
        is_host = has_host(provider, address.host)
        if not (is_host or seen.knows(provider)):
            continue
        for place, (rule_, template, title, values) in enumerate(_offered(provider, address, page)):
            try:
                feed_url = normalise(template.format_map(values | {"hub": hub}))
            except BadAddress:
                continue
            is_first = is_host and place == 0 and rule_.path.pattern != _ANY_PATH
            yield Candidate(
                feed_url,
                origin,
                title.format_map(values),
                rank=place,
                is_of_address=is_first and origin is Origin.PLATFORM,
            )


def is_shared_host(providers: Iterable[Provider], host: str) -> bool:
    """Tell whether many people share a host, so that its root is nobody's site."""
    return any(host in provider.hosts for provider in providers)


class _Seen:
    """A page as the marks of software are looked for in it."""

    def __init__(self, page: Page | None) -> None:
        # Plain search in lower-case text: patterns that ignore case are ten times slower.
        self._text = page.text[:MARK_CHARS].lower() if page else ""
        word = re.match(r"[a-z]+", page.generator.lower()) if page else None
        self._generator = word[0] if word else ""

    def knows(self, provider: Provider) -> bool:
        if self._generator in provider.generators:
            return True
        return any(mark in self._text for mark in provider.marks)


def has_host(provider: Provider, host: str) -> bool:
    if host in provider.hosts:
        return True
    for parent in provider.parents:
        sub = host.removesuffix(f".{parent}")
        if sub != host:
            return sub not in provider.reserved
    return False


def _offered(
    provider: Provider, address: Address, page: Page | None
) -> Iterator[tuple[Rule, str, str, dict[str, str]]]:
    for one in provider.rules:
        values = _values(one, address, page)
        if values is not None:
            for template, title in one.feeds:
                yield one, template, title, values
            return


def _values(one: Rule, address: Address, page: Page | None) -> dict[str, str] | None:
    path = address.path.rstrip("/") or "/"
    match = one.path.fullmatch(path)
    if match is None:
        return None
    values = {name: value or "" for name, value in match.groupdict().items()}
    given = parse_qs(address.query, errors="replace")
    for name in one.query:
        if name not in given:
            return None
        values[name] = quote(given[name][0], safe="")
    if one.page:
        found = _page_values(one, page)
        if found is None:
            return None
        values |= found
    values |= {
        "origin": address.origin,
        "path": path.rstrip("/"),
        "sub": address.host.partition(".")[0],
    }
    return values


def _page_values(one: Rule, page: Page | None) -> dict[str, str] | None:
    if page is None:
        return None
    for pattern in one.page:
        match = pattern.search(page.text)
        if match:
            return {name: _plain(text) for name, text in match.groupdict().items()}
    return None


def _plain(text: str) -> str:
    """Undo the escapes of a JSON string, as page data carries addresses."""
    try:
        return str(json.loads(f'"{text}"')) if "\\" in text else text
    except ValueError:
        return text
