"""Proxied feeds: managing what is deframed, and reading what came of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from feedloom.model.distilled.documents import Built, DeframedItem
from feedloom.model.distilled.proxies import Deframed, NewProxy, Proxy, Standing
from feedloom.model.errors import BadAddress, InvalidInput, NotAllowed, NotFound
from feedloom.model.urls import (
    normalise,
    read_address,
    read_bare_host,
    registrable_domain,
    strip_tracking,
    url_hash,
)
from feedloom.publish import filter_by_score, interleave, item_document

if TYPE_CHECKING:
    from feedloom.store import ProxyReader, ProxyStore

SHORTEST_INTERVAL_S = 60
LONGEST_INTERVAL_S = 30 * 86_400
MOST_SERVED = 500
ERROR_POLICIES = ("one_strike", "backoff")
_PREVIEWED = 50


@dataclass(frozen=True, slots=True)
class Proxies:
    store: ProxyStore
    prompts: frozenset[str] = frozenset()
    """The names of the operator's prompts for single feeds."""

    async def add(self, proxy: NewProxy, *, actor: str, with_root_domain: bool = True) -> Proxy:
        """Add a proxy; its root domain is that of its address unless one is given."""
        _check_interval(proxy.interval_s)
        self._check_prompt(proxy.prompt_key)
        root = proxy.root_domain and read_domain(proxy.root_domain)
        if root is None and with_root_domain:
            root = registrable_domain(read_address(proxy.url).host)
        wanted = replace(proxy, root_domain=root)
        return await self.store.add(wanted, actor=actor)

    async def change(
        self, feed: str, *, actor: str, interval_s: int | None = None, **changes: object
    ) -> Proxy:
        """Change what a proxy says of a feed; ``InvalidInput`` names the field that is wrong."""
        _check_interval(interval_s)
        if interval_s is not None:
            changes["interval_s"] = interval_s
        if changes.get("max_items", 1) not in range(1, MOST_SERVED + 1):
            raise InvalidInput(
                f"The number of items must be between 1 and {MOST_SERVED}.", field="max_items"
            )
        if changes.get("error_policy", ERROR_POLICIES[0]) not in ERROR_POLICIES:
            raise InvalidInput(
                f"The error policy must be {' or '.join(ERROR_POLICIES)}.", field="error_policy"
            )
        if (key := changes.get("prompt_key")) is not None:
            self._check_prompt(str(key))
        if (domain := changes.get("root_domain")) is not None:
            changes["root_domain"] = read_domain(str(domain))
        return await self.store.change(feed, changes, actor=actor)

    async def preview(self, feed: str) -> list[DeframedItem]:
        return await self.store.items(feed, _PREVIEWED)

    def _check_prompt(self, key: str | None) -> None:
        if key is None or key in self.prompts:
            return
        known = ", ".join(sorted(self.prompts)) or "none"
        raise InvalidInput(
            f"Prompt “{key}” not found (available: {known}). Put deframe.{key}.en.txt"
            " into the folder named by FEEDLOOM_PROMPTS_DIR first.",
            field="prompt",
        )


def read_domain(text: str) -> str:
    """Read a domain as people write it; ``InvalidInput`` when it is none."""
    try:
        return read_bare_host(text.strip().removesuffix("."))
    except BadAddress as error:
        msg = f"“{text}” is not a domain. Use the form example.org."
        raise InvalidInput(msg, field="root_domain") from error


def _check_interval(interval_s: int | None) -> None:
    if interval_s is None:
        return
    if not SHORTEST_INTERVAL_S <= interval_s <= LONGEST_INTERVAL_S:
        raise InvalidInput("The interval must be between one minute and 30 days.", field="interval")


MOST_ITEMS = 100
WORST_SCORE = 1.0
_SPARE = 2
"""Items read for each one wanted: some may be in another feed already."""


@dataclass(frozen=True, slots=True)
class Proxied:
    """What was built and analysed, for programs: no network, no model, enabled proxies only."""

    reader: ProxyReader

    async def standing(self, url: str) -> Standing:
        """Tell how a feed stands; ``NotFound`` before it is built, ``NotAllowed`` if disabled."""
        found = await self.reader.standing(url)
        if found is None:
            raise NotFound("No proxied feed has this address.")
        if not found.enabled:
            raise NotAllowed("This feed is disabled.")
        if found.etag is None:
            raise NotFound("This feed hasn't been built yet.")
        return found

    async def document(self, feed_id: int, max_score: float | None) -> tuple[str, Built]:
        built = await self.reader.document(feed_id)
        if built is None:
            raise NotFound("This feed hasn't been built yet.")
        if max_score is None:
            return built.etag, built
        return built.etag, await asyncio.to_thread(filter_by_score, built, max_score)

    async def item(self, url: str, max_score: float | None) -> dict[str, object]:
        """Find an analysed article by its address; ``NotFound`` above the score."""
        most = WORST_SCORE if max_score is None else max_score
        found = await self.reader.deframed(address_hashes(url), most)
        if found is None:
            raise NotFound("Article not found.")
        return item_document(found.item, found.channel)

    async def site(self, root: str, limit: int, max_score: float | None) -> list[dict[str, object]]:
        """List a site's articles, its feeds taking turns; ``NotFound`` if unknown."""
        most, host = WORST_SCORE if max_score is None else max_score, read_domain(root)
        for domain in dict.fromkeys((host, registrable_domain(host))):
            feeds = await self.reader.site(domain, limit * _SPARE, most)
            if feeds is not None:
                break
        else:
            raise NotFound("Site not found.")
        newest_first = dict(sorted(feeds.items(), key=_newest, reverse=True))
        chosen = interleave(newest_first, limit, address=lambda each: each.item.url)
        return [item_document(each.item, each.channel) for each in chosen]


def _newest(pair: tuple[int, list[Deframed]]) -> tuple[float, int]:
    feed_id, items = pair
    return (items[0].item.published_at.timestamp() if items else 0.0, -feed_id)


def address_hashes(url: str) -> list[str]:
    address = read_address(strip_tracking(normalise(url)))
    path = address.path.rstrip("/")
    bare = address.host.removeprefix("www.")
    spellings = [
        str(address._replace(scheme=scheme, host=host, path=each))
        for host in (address.host, bare, f"www.{bare}")
        for scheme in (address.scheme, "https", "http")
        for each in (address.path, path or "/", f"{path}/")
    ]
    return [url_hash(spelling) for spelling in dict.fromkeys(spellings)]
