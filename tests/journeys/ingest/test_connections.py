"""Feeds behind a real proxy, and those that operators have fetched past it."""

from pathlib import Path

import pytest

from feedloom.model.errors import NotFound
from tests.containers import open_home, settings_for
from tests.databases import Databases
from tests.outbound_proxies import http_proxy, socks_proxy, with_login
from tests.publisher import HOME, Publisher

OTHER = "127.0.8.1"


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_each_feed_goes_its_way(
    engine_url: Databases, tmp_path: Path, publisher: Publisher, kind: str
):
    running = http_proxy(tmp_path) if kind == "http" else socks_proxy()
    async with running as proxy:
        settings = settings_for(
            engine_url, tmp_path, outbound_proxy=with_login(proxy), allow_networks="127.0.0.0/8"
        )
        async with open_home(settings) as home:
            for host in (HOME, OTHER):
                url = publisher.feed("/feed.xml", host=host)
                await home.subscriptions.subscribe(home.person.id, url)
            await home.container.operations().set_direct(
                publisher.url("/feed.xml", OTHER), direct=True
            )

            stats = await home.refresh_due()

    assert stats.outcomes["new"] == 2
    (behind,) = publisher.asked("/feed.xml", HOME)
    (beside,) = publisher.asked("/feed.xml", OTHER)
    assert ("via" in behind.headers) == (kind == "http")
    assert "via" not in beside.headers


async def test_a_proxy_that_is_gone_fails_the_feeds_behind_it_alone(
    engine_url: Databases, tmp_path: Path, publisher: Publisher, unused_tcp_port: int
):
    settings = settings_for(
        engine_url,
        tmp_path,
        outbound_proxy=f"socks5://127.0.0.1:{unused_tcp_port}",
        allow_networks="127.0.0.0/8",
    )
    async with open_home(settings) as home:
        behind, beside = publisher.feed("/a.xml"), publisher.feed("/b.xml", host=OTHER)
        for url in (behind, beside):
            await home.subscriptions.subscribe(home.person.id, url)
        await home.container.operations().set_direct(beside, direct=True)
        with pytest.raises(NotFound):
            await home.container.operations().set_direct("99", direct=True)

        stats = await home.refresh_due()

    assert (stats.outcomes["new"], stats.outcomes["temporary"]) == (1, 1)
