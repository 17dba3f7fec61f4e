"""Managing proxies: check values, find root domains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from feedloom.model.distilled.documents import DeframedItem
from feedloom.model.distilled.proxies import NewProxy, Proxy
from feedloom.model.errors import BadAddress, InvalidInput
from feedloom.model.urls import read_address, read_bare_host, registrable_domain

if TYPE_CHECKING:
    from feedloom.store import ProxyStore

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

    async def all(self) -> list[Proxy]:
        return await self.store.proxies()

    async def one(self, feed: str) -> Proxy:
        return await self.store.proxy(feed)

    async def enable(self, feed: str, *, actor: str) -> Proxy:
        """Let it be served and worked on; it does not run for that."""
        return await self.store.change(feed, {"enabled": True}, actor=actor)

    async def disable(self, feed: str, *, actor: str) -> Proxy:
        """Stop serving it at once and working on it; its schedule stays."""
        return await self.store.change(feed, {"enabled": False}, actor=actor)

    async def set_polling(
        self, feed: str, *, polling: bool, interval_s: int | None = None, actor: str
    ) -> Proxy:
        _check_interval(interval_s)
        changes: dict[str, object] = {"polling": polling}
        if interval_s is not None:
            changes["interval_s"] = interval_s
        return await self.store.change(feed, changes, actor=actor)

    async def set_other_domains(self, feed: str, *, kept: bool, actor: str) -> Proxy:
        changes = {"enforce_feed_domain": not kept}
        return await self.store.change(feed, changes, actor=actor)

    async def toggle_polling(
        self, feed: str, *, interval_s: int | None = None, actor: str
    ) -> Proxy:
        """Poll a feed that was not polled, and the other way round."""
        now = await self.store.proxy(feed)
        return await self.set_polling(
            feed, polling=not now.polling, interval_s=interval_s, actor=actor
        )

    async def set_max_items(self, feed: str, count: int, *, actor: str) -> Proxy:
        """Limit how many items are served."""
        if not 1 <= count <= MOST_SERVED:
            raise InvalidInput(
                f"The number of items must be between 1 and {MOST_SERVED}.", field="max_items"
            )
        return await self.store.change(feed, {"max_items": count}, actor=actor)

    async def set_error_policy(self, feed: str, policy: str, *, actor: str) -> Proxy:
        """Decide what a failed run of a feed without readers means for the next one."""
        if policy not in ERROR_POLICIES:
            raise InvalidInput(
                f"The error policy must be {' or '.join(ERROR_POLICIES)}.", field="error_policy"
            )
        return await self.store.change(feed, {"error_policy": policy}, actor=actor)

    async def set_prompt(self, feed: str, key: str | None, *, actor: str) -> Proxy:
        self._check_prompt(key)
        return await self.store.change(feed, {"prompt_key": key}, actor=actor)

    async def set_root_domain(self, feed: str, domain: str | None, *, actor: str) -> Proxy:
        root = None if domain is None else read_domain(domain)
        return await self.store.change(feed, {"root_domain": root}, actor=actor)

    async def root_domains(self) -> dict[str, int]:
        return await self.store.root_domains()

    async def delete(self, feed: str, *, actor: str) -> Proxy:
        return await self.store.delete(feed, actor=actor)

    async def sync(self, feed: str, *, actor: str) -> Proxy:
        """Run a feed now, whatever happened to it; ``Conflict`` when it is disabled."""
        return await self.store.sync(feed, actor=actor)

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
